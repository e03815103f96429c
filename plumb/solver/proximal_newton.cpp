#include "plumb/solver/proximal_newton.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "plumb/math/cholesky.h"
#include "plumb/math/dense.h"
#include "plumb/solver/coordinate_descent.h"
#include "plumb/solver/newton.h"
#include "plumb/solver/quadratic_model.h"

namespace plumb {
namespace {

constexpr double kFirstTolerance = 0.25, kLeastTolerance = 1e-4;  // of the model's minimum
constexpr std::size_t kFewPasses = 3;  // a model that takes no more may be solved more precisely the next time
constexpr double kNearPart = 0.1;      // part of the largest violation by which a weight may miss its threshold
constexpr double kNearMost = 0.3;      // of the threshold itself
constexpr double kFirstDamping = 0.1, kLeastDamping = 1e-3;
constexpr double kExact = 1e-10;
constexpr double kFeltGain = 1e-13;  // of the value
constexpr int kMostStuck = 3, kHalvings = 40;
constexpr double kArmijo = 1e-3;
constexpr double kBalanced = 1e-11;            // of the weight of the rows: the slopes' sum under an unpenalised bias
constexpr double kNoSlope = 1e-10;             // of the weight of the rows: of a weight without a penalty
constexpr std::size_t kMostFree = 1000;        // columns without any penalty, for a certificate
constexpr std::size_t kMostCompared = 20'000;  // columns that are looked at for copies

class ProximalNewton {
 public:
  // on_path: from the optimum of a penalty a little larger.
  ProximalNewton(Objective& f, const SolverOptions& options, std::vector<std::size_t> needless, bool on_path)
      : f_(f), options_(options), x_(f.matrix()), p_(x_.columns()), twin_(std::move(needless)), on_path_(on_path) {
    for (std::size_t j = 0; j < p_; ++j)
      if (free(j) && !(f_.free_bias() && j + 1 == p_)) free_.push_back(static_cast<std::uint32_t>(j));
    if (f_.loss().kind() == Loss::squared)
      tolerance_ = kLeastTolerance;
    else if (!exponential())
      damping_ = kFirstDamping;
  }

  Solution solve(std::vector<double> start) {
    for (std::size_t i = 0; i < start.size(); ++i)
      if (needless(i % p_)) start[i] = 0.0;
    Objective::Point point = f_.at(std::move(start));
    balance(point, true);
    return solve(std::move(point));
  }

  Solution solve(Objective::Point point) {
    Solution result;
    result.point = std::move(point);
    double step = 0.0, least = kInfinity;
    int stuck = 0;
    for (;; ++result.iterations) {
      result.gap = gap(result.point);
      if (!on_path_) note_step(f_, result, step, options_);
      if (result.gap <= options_.tolerance * result.point.value) return ended(std::move(result), StopReason::converged);
      if (result.iterations >= options_.iterations) return ended(std::move(result), StopReason::iteration_limit);
      // Near the end a step decreases the gap, but the value less than its rounding error.
      const bool better = result.gap < 0.5 * least || step_gain_ > kFeltGain * result.point.value;
      least = std::min(least, result.gap);
      stuck = better ? 0 : stuck + 1;
      if (stuck > kMostStuck) return ended(std::move(result), StopReason::no_progress);
      if (stuck > 0) tolerance_ = std::max(kExact, 0.01 * tolerance_);
      const double before = result.point.value;
      step = improve(result.point);
      step_gain_ = before - result.point.value;
    }
  }

 private:
  bool free(std::size_t j) const { return f_.ridge()[j] == 0.0 && f_.lasso()[j] == 0.0; }
  // Whether curvature changes by powers of e: from where there is little, a Newton step goes much too far.
  bool exponential() const { return f_.loss().probabilistic() || !std::isfinite(f_.loss().curve_bound()); }
  // With several outputs the biases are weights like others.
  bool eliminates_bias() const { return f_.free_bias() && f_.outputs() == 1; }
  bool needless(std::size_t j) const { return !twin_.empty() && twin_[j] != j; }
  static Solution ended(Solution result, StopReason why) {
    result.why = why;
    return result;
  }

  // The slopes of an unpenalised bias should cancel: Newton steps of it alone, on the scores, inside a bracket of the
  // root. `known`: slopes and gradient are those of the scores.
  void balance(Objective::Point& point, bool known) {
    if (!eliminates_bias()) {
      if (!known) f_.renew(point);
      return;
    }
    bool moved = false;
    double by = 0.0, low = -kInfinity, high = kInfinity;  // of all steps so far
    const In y = x_.targets(), s = x_.weights();
    std::vector<double> curve(point.z.size());
    for (int k = 0; k < 20; ++k) {
      if (k > 0 || !known) f_.loss().value(point.z, y, s, point.slope, point.curve);
      const double slope = math::sum(point.slope);
      if (std::abs(slope) <= kBalanced * f_.total_weight()) break;
      f_.loss().diagonal(point.curve, s, curve);
      const double curvature = math::sum(curve);
      if (!(curvature > 0.0) && !(std::isfinite(low) && std::isfinite(high))) break;
      (slope > 0.0 ? high : low) = by;
      double to = by - slope / curvature;
      if (exponential()) to = std::clamp(to, by - 2.0, by + 2.0);
      if (!(to > low && to < high)) to = low + (high - low) / 2;
      if (!std::isfinite(to) || to == by) break;
      for (double& each : point.z) each += to - by;
      point.w.back() += to - by;
      by = to;
      moved = true;
    }
    if (moved || !known) f_.renew(point);
  }

  // The gradient without the ridge is X'u at the slopes u.
  double gap(const Objective::Point& point) {
    std::vector<double> v(point.gradient);
    bool known = true;
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i] -= f_.ridge()[i % p_] * point.w[i];
      if (free(i % p_)) known = known && std::abs(v[i]) <= kNoSlope * f_.total_weight();
    }
    if (known) return f_.gap(point, point.slope, v, {});
    if (free_.empty() || free_.size() > kMostFree || f_.outputs() > 1) return f_.gap(point, point.slope, {});
    // A Newton step of the unpenalised weights alone makes their slopes cancel to first order.
    std::vector<std::uint32_t> columns = free_;
    if (f_.free_bias()) columns.push_back(static_cast<std::uint32_t>(p_ - 1));
    std::vector<double> curve(x_.rows()), gradient;
    f_.loss().diagonal(point.curve, x_.weights(), curve);
    for (const std::uint32_t j : columns) gradient.push_back(-v[j]);
    const math::Cholesky factor(WeightedColumns(x_, columns, curve, f_.run()).gram(f_.run()), columns.size(), {1e-12});
    std::vector<double> own(columns.size()), d(p_);
    factor.solve(gradient, own);
    for (std::size_t k = 0; k < columns.size(); ++k) d[columns[k]] = own[k];
    return f_.gap(point, f_.newton_slopes(point, f_.scores(d)), d);
  }

  // The weights that may move: those that are not 0, and those near or above their threshold.
  std::vector<std::uint32_t> working_set(const Objective::Point& point) const {
    double most = 0.0;
    const In l = f_.lasso();
    for (std::size_t i = 0; i < point.w.size(); ++i)
      if (l[i % p_] > 0.0 && point.w[i] == 0.0) most = std::max(most, std::abs(point.gradient[i]) / l[i % p_] - 1.0);
    // At the first step from a larger penalty, by the sequential strong rule: |gradient| grows no faster than the
    // penalty falls.
    const double near = 1.0 - std::min(on_path_ && models_ == 0 ? most : kNearPart * most, kNearMost);
    std::vector<std::uint32_t> set;
    for (std::size_t i = 0; i < point.w.size(); ++i) {
      const std::size_t j = i % p_;
      if ((eliminates_bias() && j + 1 == p_) || needless(j)) continue;
      if (point.w[i] != 0.0 || l[j] == 0.0 || std::abs(point.gradient[i]) >= near * l[j])
        set.push_back(static_cast<std::uint32_t>(i));
    }
    return set;
  }

  // Rows without curvature would let the model go anywhere: each has a part of the largest, or of the mean, curvature
  // until steps are taken whole.
  void damp(std::vector<double>& curve) const {
    if (damping_ == 0.0) return;
    const double bound = f_.loss().curve_bound();
    const double whole = std::isfinite(bound) ? bound : math::sum(curve) / f_.total_weight();
    for (std::size_t i = 0; i < curve.size(); ++i) curve[i] = std::max(curve[i], damping_ * whole * x_.weights()[i]);
  }
  void set_damping(double step) {
    if (step == 1.0)
      damping_ = damping_ < kLeastDamping ? 0.0 : 0.1 * damping_;
    else if (step < 0.5)
      damping_ = std::min(1.0, std::max(kLeastDamping, 10 * damping_));
  }

  std::unique_ptr<QuadraticModel> model_of(const Objective::Point& point, const std::vector<std::uint32_t>& set,
                                           ModelSlopes slopes) const {
    if (f_.outputs() > 1) {
      std::vector<ModelCoordinate> coordinates;
      for (const std::uint32_t i : set)
        coordinates.push_back({static_cast<std::uint32_t>(i / p_), static_cast<std::uint32_t>(i % p_)});
      return softmax_model(x_, coordinates, point.curve, f_.outputs(), std::move(slopes), f_.run());
    }
    std::vector<double> curve(x_.rows());
    f_.loss().diagonal(point.curve, x_.weights(), curve);
    damp(curve);
    slopes.free_bias = f_.free_bias();
    if (slopes.free_bias) slopes.bias_slope = point.gradient.back();
    return quadratic_model(WeightedColumns(x_, set, curve, f_.run()), std::move(slopes), f_.run());
  }

  // One model and one line search; returns the step.
  double improve(Objective::Point& point) {
    const std::vector<std::uint32_t> set = working_set(point);
    std::vector<double> w, lasso;
    ModelSlopes slopes;
    for (const std::uint32_t i : set) {
      w.push_back(point.w[i]);
      lasso.push_back(f_.lasso()[i % p_]);
      slopes.gradient.push_back(point.gradient[i]);
      slopes.ridge.push_back(f_.ridge()[i % p_]);
    }
    ++models_;
    const auto model = model_of(point, set, std::move(slopes));
    const std::size_t passes =
        descend(*model, w, lasso, {.tolerance = tolerance_, .tick = [&] { f_.run().report(Phase::fitting, 0, 0); }});
    f_.count_passes(2);
    if (passes <= kFewPasses) tolerance_ = std::max(kLeastTolerance, 0.25 * tolerance_);
    std::vector<double> d(point.w.size());
    for (std::size_t k = 0; k < set.size(); ++k) d[set[k]] = model->d()[k];
    if (eliminates_bias()) d.back() = model->bias_step();
    const double step = search(point, d);
    set_damping(step);
    return step;
  }

  // F decreases by at least a part of what the gradient and the penalty promise.
  double search(Objective::Point& point, In d) {
    const std::vector<double> zd = f_.scores(d);
    double promised = math::dot(point.gradient, d);
    for (std::size_t i = 0; i < d.size(); ++i)
      if (d[i] != 0.0) promised += f_.lasso()[i % p_] * (std::abs(point.w[i] + d[i]) - std::abs(point.w[i]));
    if (!(promised < kFeltGain * point.value)) return 0.0;
    double t = 1.0;
    // If the difference would be lost in rounding, the model is trusted.
    for (int k = 0; - promised > kFeltGain * point.value; ++k, t /= 2) {
      const double value = f_.along(point, d, zd, t).value;
      if (std::isfinite(value) && value <= point.value + kArmijo * t * promised) break;
      if (k == kHalvings) return 0.0;
    }
    math::axpy(t, d, point.w);
    math::axpy(t, zd, point.z);
    balance(point, false);
    return t;
  }

  Objective& f_;
  const SolverOptions& options_;
  const DesignMatrix& x_;
  std::size_t p_;
  std::vector<std::size_t> twin_;
  std::vector<std::uint32_t> free_;  // columns without a penalty, but for the bias
  double tolerance_ = kFirstTolerance;
  bool on_path_;
  std::size_t models_ = 0;  // so far
  double damping_ = 0.0;
  double step_gain_ = 0.0;  // of the last step
};

}  // namespace

std::string lacks_proximal_newton(const Objective& f) {
  if (!f.loss().curved()) return "a second derivative, and the loss " + std::string(f.loss().name()) + " has none";
  return "";
}

Solution minimise_by_proximal_newton(Objective& f, std::vector<double> start, const SolverOptions& options) {
  return ProximalNewton(f, options, needless_columns(f), false).solve(std::move(start));
}

Solution follow_by_proximal_newton(Objective& f, Objective::Point point, const std::vector<std::size_t>& needless,
                                   const SolverOptions& options) {
  return ProximalNewton(f, options, needless, true).solve(std::move(point));
}

namespace {

// For columns that may be alike: their numbers in a row, in the units of the features.
class RowValues {
 public:
  explicit RowValues(const DesignMatrix& x) : x_(x), values_(x.columns()) {}
  void read(std::size_t i) {
    for (const std::uint32_t j : stored_) values_[j] = 0.0;
    stored_.clear();
    const Row row = x_.row(i);
    for (std::size_t t = 0; t < row.value.size(); ++t) {
      const std::size_t j = row.dense() ? t : row.index[t];
      values_[j] = std::ldexp(row.value[t], x_.exponent(j));
      stored_.push_back(static_cast<std::uint32_t>(j));
    }
  }
  double operator[](std::size_t j) const noexcept { return values_[j]; }
  const std::vector<std::uint32_t>& stored() const noexcept { return stored_; }

 private:
  const DesignMatrix& x_;
  std::vector<double> values_;
  std::vector<std::uint32_t> stored_;
};

struct MaybeAlike {
  std::size_t first, later;
  double sum;  // of both columns, in the first row
  bool same = true, mirrored = true;
};

}  // namespace

// Sums of the columns, taken relative to the middle of their range, with random signs: equal ones, or opposite ones,
// may be alike, and are then compared row by row.
std::vector<std::size_t> needless_columns(const Objective& f) {
  const DesignMatrix& x = f.matrix();
  const std::size_t p = x.columns(), features = p - (x.bias() ? 1 : 0), n = x.rows();
  constexpr double kNearlyEqual = 1e-9;
  if (p > kMostCompared || f.lasso().empty()) return {};
  const RandomKey key{0x51a7, 0};
  RowValues values(x);
  std::vector<double> sums(p), low(p, kInfinity), high(p, -kInfinity);
  std::vector<std::size_t> stored(p);
  double all = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double r = key.uniform(i) - 0.5;
    all += r;
    values.read(i);
    for (const std::uint32_t j : values.stored()) {
      sums[j] += r * values[j];
      low[j] = std::min(low[j], values[j]);
      high[j] = std::max(high[j], values[j]);
      ++stored[j];
    }
  }
  std::vector<std::size_t> twin(p), order;
  for (std::size_t j = 0; j < p; ++j) {
    twin[j] = j;
    if (stored[j] < n) low[j] = std::min(low[j], 0.0), high[j] = std::max(high[j], 0.0);
    if (j >= features || f.lasso()[j] == 0.0) continue;
    if (!(low[j] < high[j]) && (f.free_bias() || high[j] == 0.0))
      twin[j] = kConstantColumn;
    else if (f.ridge()[j] == 0.0)
      order.push_back(j);
    if (f.free_bias()) sums[j] = std::abs(sums[j] - all * (low[j] + high[j]) / 2);
  }
  const auto penalty = [&](std::size_t j) { return std::ldexp(f.lasso()[j], x.exponent(j)); };
  const auto equal = [](double a, double b) { return std::abs(a - b) <= kNearlyEqual * std::abs(a); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sums[a] < sums[b]; });
  std::vector<MaybeAlike> pairs;
  values.read(0);
  for (std::size_t at = 0; at < order.size();) {
    std::size_t end = at + 1;
    while (end < order.size() && equal(sums[order[end]], sums[order[at]])) ++end;
    std::vector<std::size_t> group(order.begin() + static_cast<std::ptrdiff_t>(at),
                                   order.begin() + static_cast<std::ptrdiff_t>(end));
    std::sort(group.begin(), group.end());
    for (std::size_t k = 1; k < group.size(); ++k)
      if (equal(penalty(group[k]), penalty(group[0])))
        pairs.push_back({group[0], group[k], values[group[0]] + values[group[k]]});
    at = end;
  }
  for (std::size_t i = 0; i < n && !pairs.empty(); ++i) {
    values.read(i);
    for (MaybeAlike& each : pairs) {
      each.same = each.same && values[each.first] == values[each.later];
      each.mirrored = each.mirrored && f.free_bias() && values[each.first] + values[each.later] == each.sum;
    }
  }
  for (const MaybeAlike& each : pairs)
    if (each.same || each.mirrored) twin[each.later] = each.same ? each.first : each.first | kMirrored;
  return twin;
}

}  // namespace plumb
