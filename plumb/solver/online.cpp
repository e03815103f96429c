#include "plumb/solver/online.h"

#include <algorithm>
#include <cmath>
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

// Below this the scale is multiplied out: S v and u are as much larger than the sum that is their difference, and so
// cost it as many digits. Without an average only underflow counts.
constexpr double kSmallestAveragedScale = 0x1p-10, kSmallestScale = 0x1p-200;

double slope(Loss loss, double s, double y) noexcept {
  return with_loss(loss, [&](auto l) { return decltype(l)::slope(s, y); });
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
}

void OnlineLearner::start(Planes planes) {
  v_ = std::move(planes.weights);
  bias_ = std::move(planes.bias);
  scale_ = 1.0;
  squared_norm_ = math::dot(v_, v_);
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

// How far to go along y x from the margin m; with several planes, that of the right one over the best other.
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

// w += step x (arow: step V x) in one plane, and its share of the average.
template <class X>
void OnlineLearner::move(const X& x, std::uint32_t plane, double step, double spread) {
  if (variances_.empty() && planes_ == 1) {
    if (rule_.relative) squared_norm_ += step * (2.0 * dot(x, v_) + step * squared_norm(x));
    if (u_.empty()) {
      axpy(step / scale_, x, v_);
    } else if (!pairs_.empty()) {
      if constexpr (std::is_same_v<X, FloatRow>)
        math::sparse_axpy_turns(step / scale_, step / scale_ * scales_, x.index, x.value, pairs_);
      else if constexpr (std::is_same_v<X, CountRow>)
        math::count_axpy_turns(step / scale_, step / scale_ * scales_, x.entries, pairs_);
    } else {
      axpy_pair(step / scale_, step / scale_ * scales_, x, v_, u_);
    }
  } else if constexpr (!std::is_same_v<X, CountRow>) {
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
      v_[i] += change;
      if (!u_.empty()) u_[i] += change * scales_;
    });
  }
  if (!rule_.bias) return;
  double change = step;
  if (!variances_.empty()) {
    double& variance = variances_[v_.size() + plane];
    change *= variance;
    variance -= variance * variance / (spread + 1.0 / rule_.aggressiveness);
  }
  bias_[plane] += change;
  bias_late_[plane] += change * count_;
}

// Every plane its own step, as softmax and the squared loss ask for.
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
double OnlineLearner::product(const X& x) const noexcept {
  if constexpr (std::is_same_v<X, FloatRow>)
    if (!pairs_.empty()) return math::sparse_dot_ahead_turns(x.index, x.value, pairs_, x.next_index, x.next_value);
  if constexpr (std::is_same_v<X, CountRow>)
    if (!pairs_.empty()) return math::count_dot_turns(x.entries, pairs_);
  return dot(x, v_);
}

template <class X>
OnlineLearner::Outcome OnlineLearner::learn_one(const X& x, double target, double weight) {
  const double score = scale_ * product(x) + bias_[0];
  const double margin = target * score;
  double& step = steps_[0];
  if (rule_.update == Update::loss) {
    step = -rate_ * slope(rule_.loss, score, target);
    if (rule_.l2 > 0.0) shrink(1.0 - rate_ * rule_.l2);
    if (step != 0.0) move(x, 0, step *= weight, 0.0);
  } else {
    const double spread = needs_spread() && margin < 1.0 ? spread_of(x, 0) : 0.0;
    step = step_of(margin, spread) * target * weight;
    if (step != 0.0) move(x, 0, step, spread);
  }
  return {margin <= 0.0, step != 0.0};
}

template <class X>
OnlineLearner::Outcome OnlineLearner::learn_many(const X& x, std::size_t label, double weight) {
  std::copy(bias_.begin(), bias_.end(), scores_.begin());
  for_each_entry(x, [&](std::size_t j, double value) {
    const double* const v = &v_[j * planes_];
    const double scaled = scale_ * value;
    for (std::size_t k = 0; k < planes_; ++k) scores_[k] += scaled * v[k];
  });
  std::size_t rival = label == 0 ? 1 : 0;  // the last of equals, as in prediction
  for (std::size_t k = 0; k < planes_; ++k)
    if (k != label && scores_[k] >= scores_[rival]) rival = k;
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
OnlineLearner::Outcome OnlineLearner::learn_any(const X& x, double target, double weight) {
  if (rule_.update == Update::loss) rate_ = rule_.rate / (1.0 + rule_.decay * static_cast<double>(seen_));
  const Outcome outcome = [&] {
    if constexpr (!std::is_same_v<X, CountRow>)
      if (planes_ > 1) return learn_many(x, static_cast<std::size_t>(target), weight);
    return learn_one(x, target, weight);
  }();
  ++seen_;
  scales_ += scale_;
  count_ += 1.0;
  return outcome;
}

OnlineLearner::Outcome OnlineLearner::learn(const Row& x, double target, double weight) {
  return learn_any(x, target, weight);
}

// Where nearly every row moves weights and their share of the average, these are in one line of the cache if they are
// in one array. That is made for a pass, and so must be small beside it.
bool OnlineLearner::pays_to_pair(const RowTable& rows, std::size_t count) const noexcept {
  if (planes_ > 1 || u_.empty() || rule_.update != Update::loss || rule_.l2 > 0.0 || !rows.floats()) return false;
  const double share = static_cast<double>(count) / static_cast<double>(std::max<std::uint64_t>(rows.size(), 1));
  return static_cast<double>(rows.examples().entries()) * share > 8.0 * static_cast<double>(features_);
}

OnlineLearner::Pass OnlineLearner::pass(RowReader& rows, std::span<const std::uint64_t> order,
                                        const OnUpdate& on_update) {
  constexpr std::size_t kAhead = 2, kPlacesAhead = 8, kRowAhead = 4;
  const RowTable& table = rows.table();
  const bool floats = table.floats() && planes_ == 1;  // rows ahead are fetched while one is read, bit by bit
  if (pays_to_pair(table, order.size())) {
    pairs_.resize(2 * v_.size());
    for (std::size_t i = 0; i < v_.size(); ++i) pairs_[2 * i] = v_[i], pairs_[2 * i + 1] = u_[i];
  }
  Pass pass;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (floats && i + kPlacesAhead < order.size()) rows.expect_place(order[i + kPlacesAhead]);
    if (!floats && i + kRowAhead < order.size()) rows.expect(order[i + kRowAhead]);
    const double given = table.target(order[i]);
    const double target = rule_.labels && planes_ == 1 ? 2.0 * given - 1.0 : given;
    const double weight = table.weight(order[i]);
    const std::uint64_t next = order[floats && i + kAhead < order.size() ? i + kAhead : i];
    const Outcome outcome = rows.with_row(order[i], next, [&](const auto& x) { return learn_any(x, target, weight); });
    pass.mistakes += outcome.mistake ? 1 : 0;
    pass.updates += outcome.update ? 1 : 0;
    if (outcome.update && on_update) on_update(i, steps_);
  }
  for (std::size_t i = 0; i < pairs_.size() / 2; ++i) v_[i] = pairs_[2 * i], u_[i] = pairs_[2 * i + 1];
  pairs_.clear();
  if (rule_.relative) squared_norm_ = math::dot(v_, v_);  // what rounding has added up goes
  return pass;
}

// Weights by place, and one for what fills up rows, while it lives.
class OnlineLearner::ByPlace {
 public:
  ByPlace(OnlineLearner& learner, const CountRows& rows, std::size_t count)
      : learner_(learner), places_(rows.places()) {
    const bool average = !learner.u_.empty();
    const double entries = static_cast<double>(rows.entries()) * static_cast<double>(count);
    const bool often = entries > 8.0 * static_cast<double>(places_.size()) * static_cast<double>(rows.size());
    const std::size_t size = places_.size() + 1;
    if (average && often && learner.rule_.update == Update::loss && learner.rule_.l2 == 0.0) {
      learner.pairs_.resize(2 * size);
      for (std::size_t j = 0; j < places_.size(); ++j) {
        double* const pair = &learner.pairs_[2 * std::size_t{places_[j]}];
        pair[0] = learner.v_[j];
        pair[1] = learner.u_[j];
      }
      return;
    }
    v_.resize(size);
    if (average) u_.resize(size);
    for (std::size_t j = 0; j < places_.size(); ++j) v_[places_[j]] = learner.v_[j];
    for (std::size_t j = 0; average && j < places_.size(); ++j) u_[places_[j]] = learner.u_[j];
    learner.v_.swap(v_);
    learner.u_.swap(u_);
  }
  ~ByPlace() {
    std::vector<double>& pairs = learner_.pairs_;
    if (!pairs.empty()) {
      for (std::size_t j = 0; j < places_.size(); ++j) {
        const double* const pair = &pairs[2 * std::size_t{places_[j]}];
        learner_.v_[j] = pair[0];
        learner_.u_[j] = pair[1];
      }
      pairs.clear();
      return;
    }
    learner_.v_.swap(v_);
    learner_.u_.swap(u_);
    for (std::size_t j = 0; j < places_.size(); ++j) learner_.v_[j] = v_[places_[j]];
    for (std::size_t j = 0; !u_.empty() && j < places_.size(); ++j) learner_.u_[j] = u_[places_[j]];
  }
  ByPlace(const ByPlace&) = delete;
  ByPlace& operator=(const ByPlace&) = delete;

 private:
  OnlineLearner& learner_;
  std::span<const std::uint32_t> places_;
  std::vector<double> v_, u_;  // by place until they are swapped with those of the learner, by feature then
};

OnlineLearner::Pass OnlineLearner::pass(const CountRows& rows, std::span<const std::uint64_t> order,
                                        const OnPart& on_part) {
  constexpr std::size_t kAhead = 8, kPlacesAhead = 24;
  const ByPlace by_place(*this, rows, order.size());
  Pass pass;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % kPart == 0 && on_part) on_part(i, pass);
    if (i + kPlacesAhead < order.size()) rows.expect_place(order[i + kPlacesAhead]);
    if (i + kAhead < order.size()) rows.expect(order[i + kAhead]);
    const double given = rows.target(order[i]);
    const double target = rule_.labels ? 2.0 * given - 1.0 : given;
    const Outcome outcome = learn_any(rows.row(order[i]), target, rows.weight(order[i]));
    pass.mistakes += outcome.mistake ? 1 : 0;
    pass.updates += outcome.update ? 1 : 0;
  }
  return pass;
}

void OnlineLearner::expect_finite() const {
  if (!std::isfinite(norm()) || !std::all_of(bias_.begin(), bias_.end(), [](double b) { return std::isfinite(b); }))
    throw Error(ErrorCode::data, "the weights have grown beyond what a number can hold",
                rule_.update == Update::loss ? "--rate " + number_text(rule_.rate / 100, 3)
                                             : "divide columns of large numbers by a power of ten");
}

void OnlineLearner::shrink(double factor) {
  scale_ *= factor;
  if (scale_ < (u_.empty() ? kSmallestScale : kSmallestAveragedScale)) fold_scale();
}

// v = scale v and scale = 1; u so that the sum so far, S v - u, stays.
void OnlineLearner::fold_scale() {
  for (std::size_t i = 0; i < v_.size(); ++i) {
    const double sum = u_.empty() ? 0.0 : scales_ * v_[i] - u_[i];
    v_[i] *= scale_;
    if (!u_.empty()) u_[i] = -sum;
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
  constexpr double kLeast = 1e-280;  // squares below have lost digits, or are none
  const double squares = math::dot(v_, v_);
  if (squares > kLeast) return scale_ * std::sqrt(squares);
  constexpr int kExponent = 900;
  double sum = 0.0;
  for (const double v : v_) sum += std::ldexp(v, kExponent) * std::ldexp(v, kExponent);
  return scale_ * std::ldexp(std::sqrt(sum), -kExponent);
}

}  // namespace plumb
