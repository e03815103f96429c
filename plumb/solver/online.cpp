#include "plumb/solver/online.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/math/dense.h"
#include "plumb/math/special.h"
#include "plumb/solver/row_arithmetic.h"

namespace plumb {
namespace {

// Below this the scale is multiplied out: S v and u are larger than their difference, the sum, by its inverse, and the
// sum loses as many digits. Without an average only underflow matters.
constexpr double kSmallestAveragedScale = 0x1p-10, kSmallestScale = 0x1p-200;

double slope(Loss loss, double s, double y) noexcept {
  return with_loss(loss, [&](const auto& l) { return l.slope(s, y); });
}

// The place of the largest number, other than that at `own`; the last of equals, as in prediction.
std::size_t largest_besides(std::size_t own, Out numbers) noexcept {
  const double kept = std::exchange(numbers[own], -std::numeric_limits<double>::infinity());
  std::array<double, 8> most;  // of every eighth: the compiler compares several at once
  most.fill(-std::numeric_limits<double>::infinity());
  std::size_t k = 0;
  for (; k + most.size() <= numbers.size(); k += most.size())
    for (std::size_t l = 0; l < most.size(); ++l) most[l] = numbers[k + l] > most[l] ? numbers[k + l] : most[l];
  for (; k < numbers.size(); ++k) most[0] = std::max(most[0], numbers[k]);
  const double largest = *std::max_element(most.begin(), most.end());
  std::size_t place = numbers.size();
  do --place;
  while (place > 0 && (place == own || numbers[place] != largest));
  numbers[own] = kept;
  return place == own ? 1 : place;
}

}  // namespace

std::vector<std::uint64_t> order_of(RowOrder order, std::uint64_t begin, std::uint64_t end, const RandomKey& random,
                                    std::uint64_t number) {
  std::vector<std::uint64_t> rows;
  if (order == RowOrder::shuffled) {
    rows = random.with_stream(Stream::order, number).shuffled(end - begin);
    for (std::uint64_t& row : rows) row += begin;
  } else {
    rows.resize(end - begin);
    std::iota(rows.begin(), rows.end(), begin);
  }
  return rows;
}

OnlineLearner::OnlineLearner(const OnlineRule& rule, std::uint32_t features, std::uint32_t planes)
    : rule_(rule),
      features_(features),
      planes_(planes),
      v_(std::size_t{features} * planes),
      bias_(planes),
      u_(rule.average ? v_.size() : 0),
      bias_late_(planes),
      scores_(planes),
      steps_(planes) {
  if (rule.update == Update::arow) variances_.assign(v_.size() + planes, 1.0);
  if (few_move()) moved_.resize(features);
}

bool OnlineLearner::few_move() const noexcept {
  constexpr std::uint32_t kMany = 32;
  const bool all = rule_.update == Update::loss && (rule_.loss == Loss::logistic || rule_.loss == Loss::squared);
  return planes_ >= kMany && !all;
}

void OnlineLearner::find_moved() {
  moved_.clear();
  if (!few_move()) return;
  moved_.resize(features_);
  for (std::size_t i = 0; i < v_.size(); ++i)
    if (v_[i] != 0.0) moved_[i / planes_].push_back(static_cast<std::uint32_t>(i % planes_));
}

void OnlineLearner::start(Planes planes) {
  v_ = std::move(planes.weights);
  bias_ = std::move(planes.bias);
  scale_ = 1.0;
  squared_norm_ = math::dot(v_, v_);
  find_moved();
}

void OnlineLearner::resume(Planes last, const Planes& average, double counted) {
  start(std::move(last));
  scales_ = count_ = counted;
  for (std::size_t i = 0; i < u_.size(); ++i) u_[i] = counted * (v_[i] - average.weights[i]);
  for (std::size_t k = 0; k < planes_; ++k) bias_late_[k] = counted * (bias_[k] - average.bias[k]);
}

// x'Vx with the bias as a feature of value 1: |x|^2 + 1 without variances.
template <class X>
double OnlineLearner::spread_of(const X& x, std::uint32_t plane) const noexcept {
  if (variances_.empty()) return squared_norm(x) + (rule_.bias ? 1.0 : 0.0);
  double sum = 0.0;
  if constexpr (!std::is_same_v<X, CountRow>)
    for_each_entry(x, [&](std::size_t j, double value) { sum += variances_[j * planes_ + plane] * value * value; });
  return sum + (rule_.bias ? variances_[v_.size() + plane] : 0.0);
}

// The step along y x from the margin m; with several hyperplanes, the margin of the right one over the best other.
double OnlineLearner::step_of(double m, double spread) const noexcept {
  const double loss = std::max(0.0, 1.0 - m);
  switch (rule_.update) {
    case Update::perceptron: {
      const double wanted = rule_.relative ? rule_.margin * std::sqrt(std::max(0.0, squared_norm_)) : rule_.margin;
      return m <= wanted ? rule_.rate : 0.0;
    }
    case Update::pa1: return loss > 0.0 && spread > 0.0 ? std::min(rule_.aggressiveness, loss / spread) : 0.0;
    case Update::pa2: return loss / (spread + 0.5 / rule_.aggressiveness);
    case Update::arow: return loss / (spread + 1.0 / rule_.aggressiveness);
    case Update::loss: break;
  }
  return -rate_ * slope(rule_.loss, m, 1.0);
}

// w += step x of the only hyperplane, and its share of the average.
template <class X>
void OnlineLearner::move_along(const X& x, double step, double* owed) {
  if (rule_.relative) squared_norm_ += step * (2.0 * dot(x, v_) + step * squared_norm(x));
  const double change = scale_ == 1.0 ? step : step / scale_;
  axpy(change, x, v_);
  if (owed != nullptr) {
    *owed += change * scales_;
  } else if (!u_.empty()) {
    axpy(change * scales_, x, u_);
  }
  move_bias(0, step);
}

void OnlineLearner::move_bias(std::uint32_t plane, double change) {
  if (!rule_.bias) return;
  bias_[plane] += change;
  bias_late_[plane] += change * count_;
}

// w += step x (arow: step V x) in one hyperplane of several, or of arow's, and its share of the average.
template <class X>
void OnlineLearner::move(const X& x, std::uint32_t plane, double step, double spread) {
  const double shrinks = 1.0 / (spread + 1.0 / rule_.aggressiveness);
  for_each_entry(x, [&](std::size_t j, double value) {
    const std::size_t i = j * planes_ + plane;
    double change = step / scale_ * value;
    if (!variances_.empty()) {
      const double along = variances_[i] * value;
      change *= variances_[i];
      variances_[i] -= shrinks * along * along;
    }
    if (rule_.relative) squared_norm_ += change * (2.0 * v_[i] + change);
    if (v_[i] == 0.0 && !moved_.empty()) {
      std::vector<std::uint32_t>& moved = moved_[j];
      if (std::find(moved.begin(), moved.end(), plane) == moved.end()) moved.push_back(plane);
    }
    v_[i] += change;
    if (!u_.empty()) u_[i] += change * scales_;
  });
  if (!rule_.bias) return;
  double change = step;
  if (!variances_.empty()) {
    double& variance = variances_[v_.size() + plane];
    change *= variance;
    variance -= variance * variance / (spread + 1.0 / rule_.aggressiveness);
  }
  move_bias(plane, change);
}

// A separate step for every hyperplane, as softmax and the squared loss need.
template <class X>
void OnlineLearner::move_all(const X& x) {
  for_each_entry(x, [&](std::size_t j, double value) {
    double* const v = &v_[j * planes_];
    for (std::size_t k = 0; k < planes_; ++k) v[k] += steps_[k] / scale_ * value;
    if (u_.empty()) return;
    double* const u = &u_[j * planes_];
    for (std::size_t k = 0; k < planes_; ++k) u[k] += steps_[k] / scale_ * value * scales_;
  });
  for (std::size_t k = 0; k < planes_ && rule_.bias; ++k) {
    bias_[k] += steps_[k];
    bias_late_[k] += steps_[k] * count_;
  }
}

template <class X>
OnlineLearner::Outcome OnlineLearner::learn_one(const X& x, double target, double weight, double* owed) {
  const double score = scale_ * dot(x, v_) + bias_[0];
  const double margin = target * score;
  double& step = steps_[0];
  double spread = 0.0;
  if (rule_.update == Update::loss) {
    step = -rate_ * slope(rule_.loss, score, target) * weight;
    if (rule_.l2 > 0.0 && shrink(1.0 - rate_ * rule_.l2) && std::is_same_v<X, CountRow>) dot(x, v_);  // reread
  } else {
    if (needs_spread() && margin < 1.0) spread = spread_of(x, 0);
    step = step_of(margin, spread) * target * weight;
  }
  if (step != 0.0) {
    if constexpr (!std::is_same_v<X, CountRow>) {
      variances_.empty() ? move_along(x, step, owed) : move(x, 0, step, spread);
    } else {
      move_along(x, step, owed);
    }
  }
  return {margin <= 0.0, step != 0.0};
}

template <class X>
OnlineLearner::Outcome OnlineLearner::learn_many(const X& x, std::size_t label, double weight) {
  std::copy(bias_.begin(), bias_.end(), scores_.begin());
  for_each_entry(x, [&](std::size_t j, double value) {
    const double* const v = &v_[j * planes_];
    const double scaled = scale_ * value;
    if (!moved_.empty() && moved_[j].size() < planes_ / 4) {
      for (const std::uint32_t k : moved_[j]) scores_[k] += scaled * v[k];
    } else {
      for (std::size_t k = 0; k < planes_; ++k) scores_[k] += scaled * v[k];
    }
  });
  const std::size_t rival = largest_besides(label, scores_);
  const double margin = scores_[label] - scores_[rival];
  const bool all = rule_.update == Update::loss && (rule_.loss == Loss::logistic || rule_.loss == Loss::squared);
  if (rule_.update == Update::loss && rule_.l2 > 0.0) shrink(1.0 - rate_ * rule_.l2);
  if (all) {
    if (rule_.loss == Loss::logistic) math::softmax(scores_, scores_);
    const double other = rule_.loss == Loss::logistic ? 0.0 : -1.0;
    for (std::size_t k = 0; k < planes_; ++k) steps_[k] = rate_ * weight * ((k == label ? 1.0 : other) - scores_[k]);
    move_all(x);
    return {margin <= 0.0, true};
  }
  const auto right = static_cast<std::uint32_t>(label), wrong = static_cast<std::uint32_t>(rival);
  double spread = 0.0;
  if (needs_spread() && margin < 1.0)
    spread = variances_.empty() ? 2.0 * spread_of(x, 0) : spread_of(x, right) + spread_of(x, wrong);
  const double step = step_of(margin, spread) * weight;
  if (step != 0.0) {
    std::fill(steps_.begin(), steps_.end(), 0.0);
    move(x, right, steps_[right] = step, spread);
    move(x, wrong, steps_[wrong] = -step, spread);
  }
  return {margin <= 0.0, step != 0.0};
}

template <class X>
OnlineLearner::Outcome OnlineLearner::learn_any(const X& x, double target, double weight, double* owed) {
  if (rule_.update == Update::loss) rate_ = rule_.rate / (1.0 + rule_.decay * static_cast<double>(seen_));
  const Outcome outcome = [&] {
    if constexpr (!std::is_same_v<X, CountRow>)
      if (planes_ > 1) return learn_many(x, static_cast<std::size_t>(target), weight);
    return learn_one(x, target, weight, owed);
  }();
  ++seen_;
  scales_ += scale_;
  count_ += 1.0;
  return outcome;
}

OnlineLearner::Outcome OnlineLearner::learn(const Row& x, double target, double weight) {
  return learn_any(x, target, weight, nullptr);
}

OnlineLearner::Pass OnlineLearner::pass(RowReader& rows, std::span<const std::uint64_t> order, Out owed,
                                        const OnUpdate& on_update) {
  constexpr std::size_t kAhead = 4;
  assert(owed.empty() || can_owe());
  const RowTable& table = rows.table();
  Pass pass;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + kAhead < order.size()) rows.expect(order[i + kAhead]);
    const double given = table.target(order[i]);
    const double target = rule_.labels && planes_ == 1 ? 2.0 * given - 1.0 : given;
    const double weight = table.weight(order[i]);
    double* const mine = owed.empty() ? nullptr : &owed[order[i]];
    const Outcome outcome = rows.with_row(order[i], [&](const auto& x) { return learn_any(x, target, weight, mine); });
    pass.mistakes += outcome.mistake ? 1 : 0;
    pass.updates += outcome.update ? 1 : 0;
    if (outcome.update && on_update) on_update(i, steps_);
  }
  if (rule_.relative) squared_norm_ = math::dot(v_, v_);  // removes accumulated rounding errors
  return pass;
}

// Weights by place, and one for padding, during its lifetime; with the members that fold_scale() changes.
class OnlineLearner::ByPlace {
 public:
  ByPlace(OnlineLearner& learner, const CountRows& rows) : places_(rows.places()) {
    lay_out(learner.v_, learner.weights_room_);
    if (learner.rule_.l2 > 0.0 && !learner.u_.empty()) lay_out(learner.u_, learner.late_room_);
  }
  ~ByPlace() {
    for (auto& [numbers, by_feature] : laid_out_) {
      for (std::size_t j = 0; j < places_.size(); ++j) (*by_feature)[j] = (*numbers)[places_[j]];
      numbers->swap(*by_feature);
    }
  }
  ByPlace(const ByPlace&) = delete;
  ByPlace& operator=(const ByPlace&) = delete;

 private:
  void lay_out(std::vector<double>& numbers, std::vector<double>& by_place) {
    by_place.resize(places_.size() + 1);
    by_place.back() = 0.0;
    for (std::size_t j = 0; j < places_.size(); ++j) by_place[places_[j]] = numbers[j];
    numbers.swap(by_place);
    laid_out_.emplace_back(&numbers, &by_place);
  }

  std::span<const std::uint32_t> places_;
  std::vector<std::pair<std::vector<double>*, std::vector<double>*>> laid_out_;  // and a buffer for them by feature
};

OnlineLearner::Pass OnlineLearner::pass(const CountRows& rows, std::span<const std::uint64_t> order, Out owed,
                                        const OnPart& on_part) {
  constexpr std::size_t kAhead = 8, kPlacesAhead = 24;
  assert(takes_counts() && owed.empty() != rule_.average);
  const ByPlace by_place(*this, rows);
  kept_room_.resize(rows.longest());
  Pass pass;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % kPart == 0 && on_part) on_part(i, pass);
    if (i + kPlacesAhead < order.size()) rows.expect_place(order[i + kPlacesAhead]);
    if (i + kAhead < order.size()) rows.expect(order[i + kAhead]);
    const double given = rows.target(order[i]);
    const double target = rule_.labels ? 2.0 * given - 1.0 : given;
    double* const mine = owed.empty() ? nullptr : &owed[order[i]];
    const Outcome outcome = learn_any(rows.row(order[i], kept_room_.data()), target, rows.weight(order[i]), mine);
    pass.mistakes += outcome.mistake ? 1 : 0;
    pass.updates += outcome.update ? 1 : 0;
  }
  return pass;
}

void OnlineLearner::settle(RowReader& rows, Out owed) {
  for (std::uint64_t i = 0; i < owed.size(); ++i)
    if (const double late = std::exchange(owed[i], 0.0); late != 0.0)
      rows.with_row(i, [&](const auto& x) { axpy(late, x, u_); });
}

void OnlineLearner::expect_finite() const {
  if (!std::isfinite(norm()) || !std::all_of(bias_.begin(), bias_.end(), [](double b) { return std::isfinite(b); }))
    throw Error(ErrorCode::data, "the weights diverged",
                rule_.update == Update::loss || rule_.rate > 1.0
                    ? "--rate " + number_text(std::min(rule_.rate / 100, 1.0), 3)
                    : "rescale columns of large numbers, for example with --scale standard");
}

bool OnlineLearner::shrink(double factor) {
  scale_ *= factor;
  if (scale_ >= (u_.empty() ? kSmallestScale : kSmallestAveragedScale)) return false;
  fold_scale();
  return true;
}

// v = scale v and scale = 1; u so that the sum so far, S v - u, stays, whatever is owed to u.
void OnlineLearner::fold_scale() {
  for (std::size_t i = 0; i < v_.size(); ++i) {
    if (!u_.empty()) u_[i] -= scales_ * v_[i];
    v_[i] *= scale_;
  }
  if (!u_.empty()) scales_ = 0.0;
  scale_ = 1.0;
}

void OnlineLearner::forget_average() {
  std::fill(u_.begin(), u_.end(), 0.0);
  std::fill(bias_late_.begin(), bias_late_.end(), 0.0);
  scales_ = count_ = 0.0;
}

void OnlineLearner::mix(std::span<const OnlineLearner> parts) {
  const auto share = static_cast<double>(parts.size());
  const auto mean = [&](auto&& of) {
    double sum = 0.0;
    for (const OnlineLearner& part : parts) sum += of(part);
    return sum / share;
  };
  double count = count_;
  for (const OnlineLearner& part : parts) count += part.count_;
  for (std::size_t i = 0; i < v_.size(); ++i) {
    double total = u_.empty() ? 0.0 : scales_ * v_[i] - u_[i];
    for (const OnlineLearner& part : parts)
      if (!u_.empty()) total += part.scales_ * part.v_[i] - part.u_[i];
    v_[i] = mean([&](const OnlineLearner& part) { return part.scale_ * part.v_[i]; });
    if (!u_.empty()) u_[i] = count * v_[i] - total;
  }
  for (std::size_t k = 0; k < planes_; ++k) {
    double total = count_ * bias_[k] - bias_late_[k];
    for (const OnlineLearner& part : parts) total += part.count_ * part.bias_[k] - part.bias_late_[k];
    bias_[k] = mean([&](const OnlineLearner& part) { return part.bias_[k]; });
    bias_late_[k] = count * bias_[k] - total;
  }
  for (std::size_t i = 0; i < variances_.size(); ++i)
    variances_[i] = mean([&](const OnlineLearner& part) { return part.variances_[i]; });
  const std::uint64_t seen_before = seen_;
  for (const OnlineLearner& part : parts) seen_ += part.seen_ - seen_before;
  scale_ = 1.0;
  scales_ = count_ = count;
  squared_norm_ = math::dot(v_, v_);
  find_moved();
}

Planes OnlineLearner::weights() const {
  Planes planes{planes_, v_, bias_};
  if (scale_ != 1.0) math::scale(scale_, planes.weights);
  return planes;
}

Planes OnlineLearner::average() const {
  Planes planes{planes_, v_, bias_};
  for (std::size_t i = 0; i < v_.size(); ++i) planes.weights[i] = (scales_ * v_[i] - u_[i]) / count_;
  for (std::size_t k = 0; k < planes_; ++k) planes.bias[k] = (count_ * bias_[k] - bias_late_[k]) / count_;
  return planes;
}

double OnlineLearner::norm() const {
  constexpr double kLeast = 1e-280;  // the squares below have lost digits, or overflowed
  const double squares = math::dot(v_, v_);
  if (squares > kLeast) return scale_ * std::sqrt(squares);
  constexpr int kExponent = 900;
  double sum = 0.0;
  for (const double v : v_) sum += std::ldexp(v, kExponent) * std::ldexp(v, kExponent);
  return scale_ * std::ldexp(std::sqrt(sum), -kExponent);
}

}  // namespace plumb
