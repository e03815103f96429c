// Letters: a class has n rows with mean m and spread S = sum (x - m)^2. Without a row of weight w at distance d = x - m
//   mean' = m - d w/(n - w),   S' = S - d^2 w n/(n - w),   x - mean' = d n/(n - w).
#include "plumb/train/bells_without.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/math/column_sums.h"
#include "plumb/math/dense.h"
#include "plumb/math/special.h"

namespace plumb {
namespace {

using math::DoubleDouble;

constexpr std::size_t kMostRatios = 512;  // whose product is taken: 64 for each of 8 lanes, each above 2^-13
constexpr double kLeastLeft = 0x1p-10;    // of a spread
constexpr double kMostShift = 0x1p-22;    // of a variance by --variance-add: its square is below rounding
constexpr double kLeastShift = 0x1p-38;   // of a score, that is accounted for

bool all_have_squares(const EventPlan& plan) {
  return std::all_of(plan.gaussians.begin(), plan.gaussians.end(),
                     [](const GaussianFeature& each) { return each.square.has_value(); });
}

double spread_of(DoubleDouble first, DoubleDouble second, DoubleDouble weight) {
  return std::max(static_cast<double>(second - first * first / weight), 0.0);
}

double log_of_product(const double (&ratio)[8]) {
  const auto [least, most] = std::minmax_element(ratio, ratio + 8);
  if (*least > 0x1p-100 && *most < 0x1p100)
    return math::log(((ratio[0] * ratio[4]) * (ratio[2] * ratio[6])) * ((ratio[1] * ratio[5]) * (ratio[3] * ratio[7])));
  double sum = 0.0;
  for (const double each : ratio) sum += math::log(each);
  return sum;
}

}  // namespace

BellsWithout::BellsWithout(const EventCounts& counts, const EventPlan& plan, const EstimateRules& rules)
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
  const auto classes = static_cast<double>(classes_);
  spread_.resize((own_ ? classes_ : 1) * numbers_);
  for (std::size_t g = 0; g < numbers_; ++g) {
    DoubleDouble first, second;
    for (std::size_t k = 0; k < classes_; ++k) {
      first += counts.first[g * classes_ + k];
      second += counts.second[g * classes_ + k];
    }
    const DoubleDouble mean = first / counts.all_weight();
    total_high_.push_back(mean.high);
    total_low_.push_back(mean.low);
    total_spread_.push_back(spread_of(first, second, counts.all_weight()));
  }
  for (std::size_t k = 0; k < classes_; ++k)
    for (std::size_t g = 0; g < numbers_; ++g) {
      const DoubleDouble first = counts.first[g * classes_ + k], second = counts.second[g * classes_ + k];
      const DoubleDouble mean = first / counts.weight[k];
      mean_high_.push_back(mean.high);
      mean_low_.push_back(mean.low);
      spread_[own_ ? k * numbers_ + g : g] += spread_of(first, second, counts.weight[k]);
    }
  order_.resize(numbers_);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return total_spread_[a] > total_spread_[b]; });
  add_ = factor_ * (total_spread_[order_[0]] / total_);
  usable_ = add_ > 0.0 && std::isfinite(add_);
  if (!usable_) return;
  std::vector<double> logs;
  for (std::size_t k = 0; k < (own_ ? classes_ : 1); ++k) {
    const double divisor = own_ ? weight_[k] - taken_ : total_ - taken_ * classes;
    double inverses = 0.0, largest = 0.0;
    logs.clear();
    for (std::size_t g = 0; g < numbers_; ++g) {
      const double variance = spread_[k * numbers_ + g] / divisor + add_, inverse = 1 / variance;
      logs.push_back(variance);
      inverse_.push_back(inverse);
      inverse_squared_.push_back(inverse * inverse);
      inverses += inverse;
      largest = std::max(largest, inverse);
    }
    math::log(logs, logs);
    sum_of_logs_.push_back(std::accumulate(logs.begin(), logs.end(), 0.0));
    sum_of_inverses_.push_back(inverses);
    largest_inverse_.push_back(largest);
  }
  usable_ = std::all_of(inverse_squared_.begin(), inverse_squared_.end(), [](double v) { return std::isfinite(v); });
  if (usable_ && !own_ && classes_ == 2) set_apart();
}

void BellsWithout::set_apart() {
  const std::size_t width = math::in_eights(numbers_);
  const double divisor = total_ - 1 - taken_ * 2;
  if (!(divisor > 0.0)) return;
  apart_.assign(2 * 4 * width, 0.0);
  for (std::size_t k = 0; k < 2; ++k) {
    double* const table = apart_.data() + k * 4 * width;
    for (std::size_t g = 0; g < numbers_; ++g) {
      const std::size_t own = k * numbers_ + g, other = (1 - k) * numbers_ + g;
      table[g] = mean_high_[own];
      table[width + g] = mean_low_[own];
      table[2 * width + g] = static_cast<double>(DoubleDouble{mean_high_[own], mean_low_[own]} -
                                                 DoubleDouble{mean_high_[other], mean_low_[other]});
      table[3 * width + g] = spread_[g] / divisor;
    }
    std::fill(table + 3 * width + numbers_, table + 4 * width, 1.0);
  }
}

bool BellsWithout::find_odds(In x, std::size_t label, double& odds) const {
  const double n = weight_[label], rest = n - 1, divisor = total_ - 1 - taken_ * 2;
  double add = 0.0;
  if (!(4 <= n) || !find_add(x, 1.0, add)) return false;
  const math::BellsApart found = math::bells_apart(x, apart_.data() + label * (apart_.size() / 2), n / rest / divisor,
                                                   add, (n / rest) * (n / rest));
  odds = (label == 1 ? 0.5 : -0.5) * found.sum;
  return found.enough;
}

// What is added to every variance, by the largest of those of all rows: those that can not become it are not looked at.
bool BellsWithout::find_add(In x, double weight, double& add) const {
  const double rest = total_ - weight, take = weight * total_ / rest;
  double largest = -1.0;
  for (const std::size_t g : order_) {
    if (total_spread_[g] <= largest) break;
    const double off = (x[g] - total_high_[g]) - total_low_[g];
    const double left = total_spread_[g] - take * (off * off);
    if (!(left >= kLeastLeft * total_spread_[g])) return false;
    largest = std::max(largest, left);
  }
  add = factor_ * (largest / rest);
  return add > 0.0;
}

bool BellsWithout::add(In x, std::size_t label, double weight, Room& room, Out scores) const {
  const double n = weight_[label], rest = n - weight;
  math::BellRest without{weight * n / rest, 0.0, 0.0};
  if (!(4 * weight <= n) || !find_add(x, weight, without.add)) return false;
  const double divisor = own_ ? rest - taken_ : total_ - weight - taken_ * static_cast<double>(classes_);
  if (!(divisor > 0.0)) return false;
  without.share = 1 / divisor;
  room.inverse.resize(numbers_);
  room.scores.resize(classes_);
  const std::size_t place = own_ ? label : 0;
  double squares = 0.0, log_ratio = 0.0;
  for (std::size_t begin = 0; begin < numbers_; begin += kMostRatios) {
    const std::size_t count = std::min(kMostRatios, numbers_ - begin);
    const auto part = [&](In all) { return all.subspan(begin, count); };
    math::BellLanes found;
    math::bells_without(part(x), part(of(mean_high_, label)), part(of(mean_low_, label)), part(of(spread_, place)),
                        part(of(inverse_, place)), without, Out(room.inverse).subspan(begin, count), found);
    if (!(found.least >= 0.0)) return false;
    squares += found.squares;
    if (own_) log_ratio += log_of_product(found.ratio);
  }
  const double shift = without.add - add_;
  for (std::size_t k = 0; k < classes_; ++k) {
    if (k == label) {
      squares *= (n / rest) * (n / rest);
      room.scores[k] = squares + (own_ ? sum_of_logs_[k] + log_ratio : 0.0);
    } else if (!own_) {
      room.scores[k] = math::squares_about(x, of(mean_high_, k), of(mean_low_, k), room.inverse);
    } else {
      const double most = std::abs(shift) * largest_inverse_[k];
      if (!(most <= kMostShift)) return false;
      double sum = math::squares_about(x, of(mean_high_, k), of(mean_low_, k), of(inverse_, k));
      if (most * sum > kLeastShift)
        sum -= shift * math::squares_about(x, of(mean_high_, k), of(mean_low_, k), of(inverse_squared_, k));
      room.scores[k] = sum + sum_of_logs_[k] + shift * sum_of_inverses_[k];
    }
  }
  for (std::size_t k = 0; k < classes_; ++k) scores[k] -= 0.5 * room.scores[k];
  return true;
}

}  // namespace plumb
