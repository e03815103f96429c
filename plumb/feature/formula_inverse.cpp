#include "plumb/feature/target_scale.h"

#include <cmath>
#include <limits>

#include "plumb/feature/formula_content.h"
#include "plumb/math/power.h"
#include "plumb/math/special.h"

namespace plumb {
namespace {

using formula::Operation;

// A number, perhaps with a sign.
std::optional<double> constant_of(std::span<const formula::Node> part) {
  if (part.front().operation != Operation::number) return {};
  if (part.size() == 1) return part.front().number;
  if (part.size() == 2 && part.back().operation == Operation::negate) return -part.front().number;
  return {};
}

bool has_inverse(Operation operation) {
  switch (operation) {
    case Operation::negate:
    case Operation::logarithm:
    case Operation::logarithm_10:
    case Operation::logarithm_2:
    case Operation::logarithm_1p:
    case Operation::exponential:
    case Operation::exponential_less_1:
    case Operation::square_root:
    case Operation::cube_root: return true;
    default: return false;
  }
}

double root_of(double value, double exponent) {
  const bool odd = std::fmod(exponent, 2.0) == 1.0 || std::fmod(exponent, 2.0) == -1.0;
  if (value < 0.0) return odd ? -math::power(-value, 1.0 / exponent) : 0.0;
  return math::power(value, 1.0 / exponent);
}

}  // namespace

std::optional<TargetScale> TargetScale::of(const Formula& formula) {
  const std::vector<formula::Node>& nodes = formula.content_->nodes;
  if (formula.columns().size() != 1 || formula.meter(0) != nullptr) return {};
  TargetScale scale(formula);
  std::size_t at = nodes.size() - 1;
  while (nodes[at].operation != Operation::column) {
    Step step{nodes[at].operation};
    const unsigned operands = formula::describe(step.operation).operands;
    if (operands == 0) return {};
    if (operands == 1) {
      if (!has_inverse(step.operation)) return {};
      scale.steps_.push_back(step);
      --at;
      continue;
    }
    const auto right = formula::part_ending_at(nodes, at - 1);
    const std::size_t left_end = at - 1 - right.size();
    const std::optional<double> on_right = constant_of(right),
                                on_left = constant_of(formula::part_ending_at(nodes, left_end));
    const bool any = step.operation == Operation::add || step.operation == Operation::subtract ||
                     step.operation == Operation::multiply || step.operation == Operation::divide;
    if (on_right && (any || step.operation == Operation::power)) {
      step.constant = *on_right;
      at = left_end;
    } else if (on_left && any) {
      step.constant = *on_left;
      step.on_left = true;
      --at;
    } else {
      return {};
    }
    const bool sum = step.operation == Operation::add || step.operation == Operation::subtract;
    if (!sum && step.constant == 0.0) return {};
    scale.steps_.push_back(step);
  }
  return scale.steps_.empty() ? std::nullopt : std::optional(std::move(scale));
}

double TargetScale::back(double value) const noexcept {
  for (const Step& step : steps_) {
    const double c = step.constant;
    switch (step.operation) {
      case Operation::add: value -= c; break;
      case Operation::subtract: value = step.on_left ? c - value : value + c; break;
      case Operation::multiply: value /= c; break;
      case Operation::divide: value = step.on_left ? c / value : value * c; break;
      case Operation::power: value = root_of(value, c); break;
      case Operation::negate: value = -value; break;
      case Operation::logarithm: value = math::exp(value); break;
      case Operation::logarithm_10: value = math::power(10.0, value); break;
      case Operation::logarithm_2: value = math::power(2.0, value); break;
      case Operation::logarithm_1p: value = math::expm1(value); break;
      case Operation::exponential: value = math::log(value); break;
      case Operation::exponential_less_1: value = math::log1p(value); break;
      case Operation::square_root: value = value < 0.0 ? 0.0 : value * value; break;
      case Operation::cube_root: value = value * value * value; break;
      default: return std::numeric_limits<double>::quiet_NaN();
    }
  }
  return value;
}

std::string TargetScale::mean() const {
  const Operation only = steps_.size() == 1 ? steps_.front().operation : Operation::number;
  if (only == Operation::logarithm || only == Operation::logarithm_10 || only == Operation::logarithm_2)
    return "geometric mean";
  if (only == Operation::divide && steps_.front().on_left) return "harmonic mean";
  return "mean of " + formula_.text() + ", taken back to " + column();
}

}  // namespace plumb
