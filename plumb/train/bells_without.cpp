// Letters: a class has n rows with mean m and spread S = sum (x - m)^2. Without a row of weight w at distance d = x - m
//   mean' = m - d w/(n - w),   S' = S - d^2 w n/(n - w),   x - mean' = d n/(n - w).
#include "plumb/train/bells_without.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/math/bells.h"
#include "plumb/math/column_sums.h"
#include "plumb/math/dense.h"
#include "plumb/math/special.h"

namespace plumb {
namespace {

using math::DoubleDouble;

constexpr std::size_t kRowsAhead = 3;
constexpr double kLeastLeft = 0x1p-10;   // of a spread
constexpr double kMostShift = 0x1p-22;   // of a variance by --variance-add: its square is below rounding
constexpr double kLeastShift = 0x1p-38;  // of a score, that is accounted for

bool all_have_squares(const EventPlan& plan) {
  return std::all_of(plan.gaussians.begin(), plan.gaussians.end(),
                     [](const GaussianFeature& each) { return each.square.has_value(); });
}

// Multiplies `ratio` by all lanes, of which none is above 2^27, and takes logarithms where that would become too small.
void multiply(const double (&lane)[8], double& ratio, double& logs) {
  const double product = ((lane[0] * lane[4]) * (lane[2] * lane[6])) * ((lane[1] * lane[5]) * (lane[3] * lane[7]));
  if (product > 0x1p-400) {
    ratio *= product;
  } else {
    for (const double each : lane) logs += math::log(each);
  }
  if (0x1p-400 < ratio && ratio < 0x1p400) return;
  logs += math::log(ratio);
  ratio = 1.0;
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
    const DoubleDouble mean = counts.all_first(g).rounded() / counts.all_weight();
    total_high_.push_back(mean.high);
    total_low_.push_back(mean.low);
    total_spread_.push_back(std::max(counts.spread_of(g), 0.0));
  }
  for (std::size_t k = 0; k < classes_; ++k)
    for (std::size_t g = 0; g < numbers_; ++g) {
      const DoubleDouble mean = counts.first[g * classes_ + k].rounded() / counts.weight[k];
      mean_high_.push_back(mean.high);
      mean_low_.push_back(mean.low);
      spread_[own_ ? k * numbers_ + g : g] += std::max(counts.spread_of(g, k), 0.0);
    }
  order_.resize(numbers_);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return total_spread_[a] > total_spread_[b]; });
  take_ = total_ / (total_ - 1);
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
      inverses += inverse;
      largest = std::max(largest, inverse);
    }
    math::log(logs, logs);
    sum_of_logs_.push_back(std::accumulate(logs.begin(), logs.end(), 0.0));
    sum_of_inverses_.push_back(inverses);
    largest_inverse_.push_back(largest);
  }
  usable_ = std::all_of(inverse_.begin(), inverse_.end(), [](double v) { return std::isfinite(v); });
  if (usable_ && own_) set_own();
  if (usable_ && !own_ && classes_ == 2) set_apart();
}

void BellsWithout::set_own() {
  const std::size_t width = math::in_eights(numbers_);
  bells_.assign(classes_ * 4 * width, 0.0);
  for (std::size_t k = 0; k < classes_; ++k) {
    losses_.push_back(loss_of(k, 1.0));
    double* const table = bells_.data() + k * 4 * width;
    for (std::size_t g = 0; g < numbers_; ++g) {
      table[g] = mean_high_[k * numbers_ + g];
      table[width + g] = mean_low_[k * numbers_ + g];
      table[2 * width + g] = inverse_[k * numbers_ + g];
      table[3 * width + g] = add_ * inverse_[k * numbers_ + g];
    }
  }
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
    const double n = weight_[k], rest = n - 1;
    losses_.push_back({.bearable = 4 <= n, .take = n / rest / divisor, .factor = (n / rest) * (n / rest)});
  }
}

// What comes next is asked for meanwhile; to ask for what is past the end does no harm.
void BellsWithout::find_odds(const double* x, std::size_t step, std::size_t stride, In targets, In weights, Room& room,
                             std::span<Odds> found) const {
  for (std::size_t i = 0; i < found.size(); ++i, x += stride) {
    const double* const later = x + kRowsAhead * stride;
    for (std::size_t j = 0; j < step * numbers_; j += 8) __builtin_prefetch(later + j);
    const auto label = static_cast<std::size_t>(static_cast<std::int64_t>(targets[i]));
    if (!find_odds_of(x, step, label, weights.empty() ? 1.0 : weights[i], room, found[i])) found[i].ratio = 0.0;
  }
}

inline bool BellsWithout::find_odds_of(const double* x, std::size_t step, std::size_t label, double weight, Room& room,
                                       Odds& found) const {
  if (own_) {
    if (!find_own(x, step, label, weight, room, found.ratio)) return false;
    found.odds = 0.5 * (room.scores[0] - room.scores[1]);
    return true;
  }
  const Loss& loss = losses_[label];
  double add = 0.0;
  if (step != 1 || weight != 1.0 || !loss.bearable || !find_add(x, 1, 1.0, add)) return false;
  const math::BellsApart apart =
      math::bells_apart({x, numbers_}, apart_.data() + label * (apart_.size() / 2), loss.take, add, loss.factor);
  found = {(label == 1 ? 0.5 : -0.5) * apart.sum, 1.0};
  return apart.enough;
}

// What is added to every variance, by the largest of those of all rows: those that can not become it are not looked at.
inline bool BellsWithout::find_add(const double* x, std::size_t step, double weight, double& add) const {
  const double rest = total_ - weight, take = weight == 1.0 ? take_ : weight * total_ / rest;
  double largest = -1.0;
  for (const std::size_t g : order_) {
    if (total_spread_[g] <= largest) break;
    const double off = (x[step * g] - total_high_[g]) - total_low_[g];
    const double left = total_spread_[g] - take * (off * off);
    if (!(left >= kLeastLeft * total_spread_[g])) return false;
    largest = std::max(largest, left);
  }
  add = factor_ * (largest / rest);
  return add > 0.0;
}

In BellsWithout::gathered(const double* x, std::size_t step, Room& room) const {
  room.numbers.resize(numbers_);
  for (std::size_t g = 0; g < numbers_; ++g) room.numbers[g] = x[step * g];
  return room.numbers;
}

// -2 ln P of a class of variances V_j that become V_j + shift: the formula below, with no row to take out.
bool BellsWithout::find_shifted(const double* x, std::size_t step, std::size_t k, double shift, double& score) const {
  math::BellTable table{.numbers = bells_.data() + k * 4 * math::in_eights(numbers_),
                        .width = math::in_eights(numbers_),
                        .classes = 1,
                        .label = 0,
                        .take = 0.0,
                        .lift = -shift / add_};
  double ratio = 1.0, none = 0.0;
  score = sum_of_logs_[k];
  for (std::size_t begin = 0; begin < numbers_; begin += math::kMostBells, table.numbers += math::kMostBells) {
    math::OwnBell found;
    math::bell_squares(x + step * begin, step, std::min(math::kMostBells, numbers_ - begin), table, found, {&none, 1});
    if (!found.enough) return false;
    score += found.squares;
    multiply(found.ratio, ratio, score);
  }
  score += math::log(ratio);
  return true;
}

// Of classes with variances of their own, V_j = S_j / D + A with the divisor D and what is added A: without the row D'
// and A', so that
//   V'_j = g V_j r_j  for  g = D/D',  r_j = 1 - (1 - A'/(A g)) A/V_j - (w n/(n - w) / D) d_j^2/V_j.
// The scores are -2 ln P, but for what all classes share and ln(ratio), which is to be added to that of the row's own.
bool BellsWithout::find_own(const double* x, std::size_t step, std::size_t label, double weight, Room& room,
                            double& ratio) const {
  const Loss loss = weight == 1.0 ? losses_[label] : loss_of(label, weight);
  double add = 0.0;
  if (!loss.bearable || !find_add(x, step, weight, add)) return false;
  const double shift = add - add_;
  math::BellTable table{.numbers = bells_.data(),
                        .width = math::in_eights(numbers_),
                        .classes = classes_,
                        .label = label,
                        .take = loss.take,
                        .lift = 1 - add * loss.of_add};
  room.scores.assign(classes_, 0.0);
  room.parts.resize(classes_);
  double logs = loss.logs;
  ratio = 1.0;
  for (std::size_t begin = 0; begin < numbers_; begin += math::kMostBells, table.numbers += math::kMostBells) {
    math::OwnBell own;
    math::bell_squares(x + step * begin, step, std::min(math::kMostBells, numbers_ - begin), table, own, room.parts);
    if (!own.enough) return false;
    room.parts[label] = own.squares;
    for (std::size_t k = 0; k < classes_; ++k) room.scores[k] += room.parts[k];
    multiply(own.ratio, ratio, logs);
  }
  room.scores[label] = room.scores[label] * loss.factor + logs;
  for (std::size_t k = 0; k < classes_; ++k) {
    if (k == label) continue;
    // What is added changes by so little, mostly, that its first order will do.
    double& score = room.scores[k];
    const double most = std::abs(shift) * largest_inverse_[k];
    if (most * std::max(score, static_cast<double>(numbers_)) <= kLeastShift)
      score += sum_of_logs_[k] + shift * sum_of_inverses_[k];
    else if (!find_shifted(x, step, k, shift, score))
      return false;
  }
  return true;
}

// What a class is without a row of this weight, of what does not depend on its numbers.
BellsWithout::Loss BellsWithout::loss_of(std::size_t k, double weight) const {
  const double n = weight_[k], rest = n - weight, divisor = n - taken_, left = rest - taken_, grown = divisor / left;
  return {.bearable = 4 * weight <= n && left > 0.0,
          .take = weight * n / rest / divisor,
          .of_add = 1 / (add_ * grown),
          .factor = (n / rest) * (n / rest) / grown,
          .logs = sum_of_logs_[k] + static_cast<double>(numbers_) * math::log(grown)};
}

bool BellsWithout::add(const double* x, std::size_t step, std::size_t label, double weight, Room& room,
                       Out scores) const {
  if (own_) {
    double ratio = 1.0;
    if (!find_own(x, step, label, weight, room, ratio)) return false;
    room.scores[label] += math::log(ratio);
  } else if (!find_shared(step == 1 ? In(x, numbers_) : gathered(x, step, room), label, weight, room)) {
    return false;
  }
  for (std::size_t k = 0; k < classes_; ++k) scores[k] -= 0.5 * room.scores[k];
  return true;
}

// The same of classes that share their variances.
bool BellsWithout::find_shared(In x, std::size_t label, double weight, Room& room) const {
  const double n = weight_[label], rest = n - weight;
  math::BellRest without{weight * n / rest, 0.0, 0.0};
  if (!(4 * weight <= n) || !find_add(x.data(), 1, weight, without.add)) return false;
  const double divisor = total_ - weight - taken_ * static_cast<double>(classes_);
  if (!(divisor > 0.0)) return false;
  without.share = 1 / divisor;
  room.inverse.resize(numbers_);
  room.scores.resize(classes_);
  math::BellLanes found;
  math::bells_without(x, of(mean_high_, label), of(mean_low_, label), spread_, without, room.inverse, found);
  if (!(found.least >= 0.0)) return false;
  for (std::size_t k = 0; k < classes_; ++k)
    room.scores[k] = k == label ? found.squares * ((n / rest) * (n / rest))
                                : math::squares_about(x, of(mean_high_, k), of(mean_low_, k), room.inverse);
  return true;
}

}  // namespace plumb
