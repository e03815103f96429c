#include "plumb/infer/refits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plumb/math/dense.h"

namespace plumb {
namespace {

constexpr double kNoInterval = std::numeric_limits<double>::quiet_NaN();
constexpr double kProfileEnd = 1e-11;  // of the root of the quantile
constexpr int kMostTrials = 100;       // for an end of an interval
constexpr double kFarthest = 1e6;      // standard errors, beyond which there is no end
constexpr double kFarOut = 8.0;        // times the root of the quantile
constexpr double kLongestMove = 4.0;   // times the distance so far

// Targets with the reference as the last label, as softmax_loss counts them.
std::vector<double> reference_last(In targets, std::size_t reference, std::size_t outputs) {
  std::vector<double> moved(targets.begin(), targets.end());
  const auto zero = static_cast<double>(reference);
  for (double& each : moved) each = each == zero ? static_cast<double>(outputs) : each > zero ? each - 1.0 : each;
  return moved;
}

}  // namespace

Refits::Refits(const Trained& fit, const Examples& examples, bool firth, const Run& run)
    : x_(examples, fit.curvature->bias, fit.model.parts().map.offset(), {}, run), outputs_(fit.curvature->outputs) {
  const Curvature& curvature = *fit.curvature;
  if (x_.bias()) x_.centre();
  std::unique_ptr<RowLoss> loss = curvature.loss->copy();
  if (curvature.reference) {
    x_.set_targets(reference_last(x_.targets(), *curvature.reference, outputs_));
    loss = softmax_loss(outputs_, true);
  }
  f_ = std::make_unique<Objective>(x_, std::move(loss), std::vector<double>(x_.columns()), run);
  const std::size_t p = curvature.features, width = curvature.width();
  std::vector<bool> aside(f_->size());
  for (std::size_t k = 0; k < outputs_; ++k)
    for (std::size_t j = 0; j < width; ++j) {
      const std::size_t column = !curvature.bias ? j : j == 0 ? p : j - 1;
      aside[k * x_.columns() + column] = curvature.factor.aliased()[k * width + j];
    }
  likelihood_ = std::make_unique<Likelihood>(*f_, firth, std::move(aside));
  best_ = minimise(start_of(fit.model, curvature.reference), {});
  factor_.emplace(likelihood_->factor(best_));
}

std::vector<double> Refits::start_of(const LinearModel& model, std::optional<std::size_t> reference) const {
  const std::size_t p = model.features();
  std::vector<double> zero(p + 1), row(p), start;
  if (reference) {
    model.parts().weights.row(*reference, Out(zero).first(p));
    zero.back() = model.parts().bias[*reference];
  }
  for (std::size_t r = 0; r < model.rows(); ++r) {
    if (reference == r) continue;
    model.parts().weights.row(r, row);
    std::vector<double> own = row;
    own.push_back(model.parts().bias[r]);
    for (std::size_t j = 0; j <= p; ++j) own[j] -= zero[j];
    if (const auto offset = model.parts().map.offset()) own[*offset] = 0.0;
    if (!x_.bias()) own.pop_back();
    own = x_.from_units(own);
    start.insert(start.end(), own.begin(), own.end());
  }
  return start;
}

Likelihood::Found Refits::minimise(std::vector<double> start, const Likelihood::Held& held) {
  Likelihood::Found found = likelihood_->minimise(std::move(start), held);
  converged_ = converged_ && found.converged;
  return found;
}

// The bias in the units of the features is that of the matrix less what centring moved into it.
std::vector<double> Refits::form_of(Place place) const {
  std::vector<double> form(f_->size());
  double* const own = form.data() + place.output * x_.columns();
  own[place.column] = 1.0;
  if (place.column == features())
    for (std::size_t j = 0; j < features(); ++j) own[j] = -std::ldexp(x_.shift(j), -x_.exponent(j));
  return form;
}

double Refits::unit_of(Place place) const {
  return place.column == features() ? 1.0 : std::ldexp(1.0, -x_.exponent(place.column));
}

Refits::Interval Refits::profile(Place place, double quantile) {
  const std::vector<double> form = form_of(place);
  return {unit_of(place) * end(form, quantile, -1.0), unit_of(place) * end(form, quantile, 1.0)};
}

// The root r = sqrt(2 (F - F_min)) is nearly linear along the profile, with the slope multiplier / r: Newton's method
// in a bracket, from where it would be for a quadratic.
double Refits::end(const std::vector<double>& form, double quantile, double side) {
  const std::size_t q = f_->size();
  const double goal = std::sqrt(quantile), centre = math::dot(form, best_.point.w);
  std::vector<double> pull(q), w = best_.point.w;
  factor_->solve(form, pull);
  const double error = std::sqrt(math::dot(form, pull));
  if (!(error > 0.0)) return kNoInterval;
  const std::vector<double> first_pull = pull;
  double distance = goal * error, inside = 0.0, outside = kInfinity;
  math::axpy(side * distance / (error * error), pull, w);
  for (int trial = 0; trial < kMostTrials; ++trial) {
    Likelihood::Found found;
    try {
      found = minimise(w, {.form = form});
    } catch (const Error& too_far) {  // no fit there: the error of a weight that is all but infinite is far too large
      if (too_far.code() != ErrorCode::data) throw;
      outside = distance;
      distance = (inside + outside) / 2;
      w = best_.point.w;
      math::axpy(side * distance / (error * error), first_pull, w);
      continue;
    }
    const double lost = std::max(0.0, 2 * (found.value - best_.value)), root = std::sqrt(lost);
    if (std::abs(root - goal) <= kProfileEnd * goal) return centre + side * distance;
    (root < goal ? inside : outside) = distance;
    const double slope = side * found.multiplier / root;  // of the root in the distance
    double next = slope > 0.0 ? distance + (goal - root) / slope : kLongestMove * distance;
    next = std::min(next, kLongestMove * distance);
    // Far out the likelihood may be an exponential, of which Newton's method takes off a little at a time.
    if (!(next > inside && next < outside) || root > kFarOut * goal)
      next = std::isfinite(outside) ? (inside + outside) / 2 : 2 * distance;
    if (next == distance || (std::isfinite(outside) && outside - inside <= kProfileEnd * outside))
      return centre + side * distance;
    if (!(next < kFarthest * error)) return kNoInterval;
    likelihood_->factor(found).solve(form, pull);
    const double across = math::dot(form, pull);
    if (!(across > 0.0)) return kNoInterval;
    w = std::move(found.point.w);
    math::axpy(side * (next - distance) / across, pull, w);
    distance = next;
  }
  return kNoInterval;
}

double Refits::ratio(Place place) {
  const std::vector<double> form = form_of(place);
  std::vector<double> pull(f_->size()), w = best_.point.w;
  factor_->solve(form, pull);
  const double across = math::dot(form, pull);
  if (!(across > 0.0)) return kNoInterval;
  math::axpy(-math::dot(form, w) / across, pull, w);
  return std::max(0.0, 2 * (minimise(std::move(w), {.form = form}).value - best_.value));
}

double Refits::value_without(std::span<const std::uint32_t> features, std::span<const std::uint32_t> more) {
  if (features.empty() && more.empty()) return best_.value;
  Likelihood::Held held{std::vector<bool>(f_->size())};
  std::vector<double> w = best_.point.w;
  for (const std::span<const std::uint32_t> part : {features, more})
    for (const std::uint32_t j : part)
      for (std::size_t k = 0; k < outputs_; ++k) {
        held.weights[k * x_.columns() + j] = true;
        w[k * x_.columns() + j] = 0.0;
      }
  return minimise(std::move(w), held).value;
}

double Refits::ratio(std::span<const std::uint32_t> features, std::span<const std::uint32_t> without) {
  return std::max(0.0, 2 * (value_without(features, without) - value_without({}, without)));
}

}  // namespace plumb
