#include "plumb/solver/dual_passes.h"

#include <algorithm>
#include <cmath>

#include "plumb/solver/newton.h"
#include "plumb/solver/packed_rows.h"

namespace plumb {
namespace {

constexpr std::uint64_t kPassPatience = 12;  // passes, in which the gap should ...
constexpr double kSlow = 0.1;                // ... decrease to this share at least

constexpr std::size_t kMostFactored = 2048;  // columns

constexpr std::size_t kCheap = PackedRows<float>::kCheap;

}  // namespace

Solution DualPasses::solve(std::vector<double> start) {
  if (std::any_of(start.begin(), start.end(), [](double w) { return w != 0.0; })) begin_at(std::move(start));
  Solution result;
  result.gap = kInfinity;
  double earlier = kInfinity;  // the gap kPatience passes ago
  for (;;) {
    if (worth_a_check(result.iterations)) {
      check(result);
      if (result.gap <= options_.tolerance * result.point.value) return result;
      if (result.iterations >= options_.iterations) return fallen_short(std::move(result));
      if (result.iterations % kPassPatience == 0 && result.iterations > 0) {
        if (newton_ends_it() && !(result.gap < kSlow * earlier)) return finish_by_newton(std::move(result));
        earlier = result.gap;
      }
    } else {
      tell(result.iterations);
    }
    before_ = last_;
    last_ = pass(result.iterations++);
    f_.count_passes(2);
  }
}

void DualPasses::begin_at(std::vector<double> start) {
  start_ = f_.at(std::move(start));
  begin(start_->slope, start_->z);
  const std::vector<double> u = slopes();
  std::vector<double> sums(f_.size());
  x_.transpose_times(u, f_.outputs(), sums, f_.run());
  renew(sums);
  if (f_.free_bias()) move_biases(start_->w);
}

// The weights of the duals are useless if the start was better.
Solution DualPasses::fallen_short(Solution result) const {
  result.why = StopReason::iteration_limit;
  if (start_ && start_->value < result.point.value) {
    result.gap = std::min(start_->value, result.gap - (result.point.value - start_->value));
    result.point = *start_;
    note_step(f_, result, 0.0, options_);
  }
  return result;
}

std::vector<double> DualPasses::shares(const Objective& f) {
  std::vector<double> share;
  for (const double ridge : f.ridge()) share.push_back(ridge > 0.0 ? 1.0 / std::sqrt(ridge) : 0.0);
  return share;
}

double DualPasses::pull(const Objective& f, double mean_norm) {
  if (!f.free_bias()) return 0.0;
  if (f.outputs() > 1) return std::max(mean_norm, 1e-3);
  // The bias couples all rows, the more the harder it pulls; with many rows, a tenth of their own length is enough for
  // their sum to go to 0 as fast as the rest.
  constexpr double kPull = 0.1, kFewRows = 1000.0;
  return std::max({kPull * mean_norm, std::min(mean_norm, kFewRows / f.total_weight()), 1e-3});
}

// A check takes two passes over the data, three with a bias. If these are expensive it waits until the rows' violations
// in the last pass, and their decrease since the pass before, promise that it succeeds, or a sample of rows shows that
// it will.
bool DualPasses::worth_a_check(std::uint64_t passes) const {
  if (passes >= options_.iterations || (passes > 0 && passes % kPassPatience == 0)) return true;
  if (x_.entries() <= kCheap) return passes < 3 || passes % 3 == 0;
  if (last_.left >= 0.0) return last_.left <= options_.tolerance * last_.value;
  return promised(last_, before_) <= 0.5;
}

// For a pass without a check: the weights, and about their value.
void DualPasses::tell(std::uint64_t passes) const {
  if (!options_.on_step || passes == 0) return;
  Solution so_far;
  so_far.point.w = weights();
  so_far.point.value = last_.value;
  so_far.iterations = passes;
  so_far.gap = kInfinity;
  so_far.trace.push_back({passes, last_.value, 0.0, 1.0, f_.passes(), kInfinity});
  options_.on_step(so_far);
}

// The interior point method of a hinge is best if it can factor its matrix.
bool DualPasses::newton_ends_it() const { return f_.loss().curved() || x_.columns() <= kMostFactored; }

// Few columns in different units, or a weak penalty, couple all rows; from here second-order steps finish sooner.
Solution DualPasses::finish_by_newton(Solution result) {
  SolverOptions options = options_;
  if (options_.on_step)
    options.on_step = [this, passes = result.iterations](const Solution& so_far) {
      Solution counted = so_far;
      counted.iterations += passes;
      counted.trace.back().iteration += passes;
      options_.on_step(counted);
    };
  Solution end = minimise_by_newton(f_, std::move(result.point.w), options);
  end.ended_by_newton = true;
  end.iterations += result.iterations;
  for (SolverStep& step : end.trace) step.iteration += result.iterations;
  end.trace.insert(end.trace.begin(), result.trace.begin(), result.trace.end());
  return end;
}

void DualPasses::check(Solution& result) {
  std::vector<double> u = slopes(), sums(f_.size());
  x_.transpose_times(u, f_.outputs(), sums, f_.run());
  renew(sums);
  // For a large matrix the gradient, which is not needed here, is not computed; without a bias the sums are those of
  // the gap too.
  result.point = x_.entries() <= kCheap ? f_.at(weights()) : f_.valued(weights());
  result.gap = f_.free_bias() ? f_.gap(result.point, std::move(u), {}) : f_.gap(result.point, u, sums, {});
  note_step(f_, result, 1.0, options_);
}

}  // namespace plumb
