// Notation: a class has n rows with mean m and spread S = sum (x - m)^2. Without a row of weight w at distance d = x -
// m
//   mean' = m - d w/(n - w),   S' = S - d^2 w n/(n - w),   x - mean' = d n/(n - w).
#include "plumb/train/gaussians_without.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/math/special.h"

namespace plumb {
namespace {

constexpr double kLeastLeft = 0x1p-10;  // of a spread

bool all_have_squares(const EventPlan& plan) {
  return std::all_of(plan.gaussians.begin(), plan.gaussians.end(),
                     [](const GaussianFeature& each) { return each.square.has_value(); });
}

}  // namespace

GaussiansWithout::GaussiansWithout(const EventCounts& counts, const EventPlan& plan, const EstimateRules& rules)
    : numbers_(plan.gaussians.size()),
      classes_(counts.classes),
      own_(rules.variance == VarianceOf::class_feature && all_have_squares(plan)),
      taken_(rules.divisor == VarianceDivisor::unbiased ? 1.0 : 0.0),
      factor_(rules.variance_add),
      total_(counts.total_weight()),
      weight_(counts.weights()) {
  const bool by_feature = rules.variance == VarianceOf::class_feature || rules.variance == VarianceOf::feature;
  const bool enough = std::all_of(weight_.begin(), weight_.end(), [&](double n) { return n > 2 * (1 + taken_); });
  if (numbers_ == 0 || !by_feature || !enough || !(factor_ > 0.0)) return;
  const auto column = [](math::DoubleDouble mean, double spread) {
    return Column{mean.high, mean.low, std::max(spread, 0.0)};
  };
  for (std::size_t g = 0; g < numbers_; ++g)
    of_all_.push_back(column(counts.all_first(g).rounded() / counts.all_weight(), counts.spread_of(g)));
  for (std::size_t k = 0; k < classes_; ++k)
    for (std::size_t g = 0; g < numbers_; ++g) {
      double spread = 0.0;
      for (std::size_t c = 0; c < classes_; ++c) spread += own_ && c != k ? 0.0 : std::max(counts.spread_of(g, c), 0.0);
      columns_.push_back(column(counts.first[g * classes_ + k].rounded() / counts.weight[k], spread));
    }
  order_.resize(numbers_);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return of_all_[a].spread > of_all_[b].spread; });
  const double add = factor_ * (of_all_[order_[0]].spread / total_);
  usable_ = add > 0.0 && std::isfinite(add);
}

// The number added to every variance, from the largest of those of all rows: those that cannot become the largest are
// skipped.
bool GaussiansWithout::find_add(In x, double weight, double& add) const {
  const double rest = total_ - weight, take = weight * total_ / rest;
  double largest = -1.0;
  for (const std::size_t g : order_) {
    const Column& of = of_all_[g];
    if (of.spread <= largest) break;
    const double off = (x[g] - of.mean_high) - of.mean_low, left = of.spread - take * (off * off);
    if (!(left >= kLeastLeft * of.spread)) return false;
    largest = std::max(largest, left);
  }
  add = factor_ * (largest / rest);
  return add > 0.0;
}

// sum_j ln V_j + (stretch d_j)^2 / V_j for V_j = (S_j - take d_j^2) / divisor + add. One division serves two numbers,
// and one logarithm many.
double GaussiansWithout::sum_of(In x, std::size_t label, const Loss& loss, double add, bool& enough) const {
  const auto [take, stretch, divisor] = loss;
  const Column* const of = columns_.data() + label * numbers_;
  const double share = 1 / divisor, take_of = take;
  double squares = 0.0, product = 1.0, logs = 0.0, least = 0.0;
  const auto look = [&](std::size_t g, double& square, double& variance) {
    const double off = (x[g] - of[g].mean_high) - of[g].mean_low, left = of[g].spread - take_of * (off * off);
    least = std::min(least, left - kLeastLeft * of[g].spread);
    square = off * off;
    variance = left * share + add;
  };
  std::size_t g = 0;
  for (; g + 1 < numbers_; g += 2) {
    double a = 0.0, b = 0.0, v = 0.0, u = 0.0;
    look(g, a, v);
    look(g + 1, b, u);
    const double both = v * u;
    squares += (a * u + b * v) / both;
    product *= both;
    if (product > 0x1p-300 && product < 0x1p300) continue;
    logs += math::log(product);
    product = 1.0;
  }
  if (g < numbers_) {
    double a = 0.0, v = 0.0;
    look(g, a, v);
    squares += a / v;
    product *= v;
  }
  const double sum = logs + math::log(product) + squares * (stretch * stretch);
  enough = enough && least >= 0.0 && std::isfinite(sum);
  return sum;
}

bool GaussiansWithout::add(In x, std::size_t label, double weight, std::vector<double>& room, Out scores) const {
  const double n = weight_[label], rest = n - weight, take = weight * n / rest;
  double add = 0.0;
  if (!(4 * weight <= n) || !(rest > taken_) || !find_add(x, weight, add)) return false;
  bool enough = true;
  room.assign(classes_, 0.0);
  if (own_) {
    for (std::size_t k = 0; k < classes_; ++k)
      room[k] = sum_of(x, k, k == label ? Loss{take, n / rest, rest - taken_} : Loss{0.0, 1.0, weight_[k] - taken_},
                       add, enough);
  } else {
    const double divisor = total_ - weight - taken_ * static_cast<double>(classes_);
    if (!(divisor > 0.0)) return false;
    const double share = 1 / divisor, stretch = (n / rest) * (n / rest);
    for (std::size_t g = 0; g < numbers_; ++g) {
      const Column& own = columns_[label * numbers_ + g];
      const double off = (x[g] - own.mean_high) - own.mean_low, left = own.spread - take * (off * off);
      enough = enough && left >= kLeastLeft * own.spread;
      const double inverse = 1 / (left * share + add);
      for (std::size_t k = 0; k < classes_; ++k) {
        const Column& of = columns_[k * numbers_ + g];
        const double away = (x[g] - of.mean_high) - of.mean_low;
        room[k] += (k == label ? stretch : 1.0) * (away * away) * inverse;
      }
    }
  }
  if (!enough || !std::all_of(room.begin(), room.end(), [](double each) { return std::isfinite(each); })) return false;
  for (std::size_t k = 0; k < classes_; ++k) scores[k] -= 0.5 * room[k];
  return true;
}

}  // namespace plumb
