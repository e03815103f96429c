#include "plumb/solver/first_order.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/math/dense.h"
#include "plumb/solver/certifier.h"
#include "plumb/solver/line_search.h"

namespace plumb {
namespace {

constexpr std::uint64_t kFreshScores = 50;  // steps after which scores are recomputed from the weights
constexpr std::size_t kHistory = 10;        // pairs that L-BFGS keeps

constexpr std::uint64_t kFirstMetric =
    100;  // steps by the metric of the start; it is recomputed after twice as many each time

// A direction from the gradient at this point, its preconditioned form, and the previous state, under another metric if
// it was recomputed.
struct Slope {
  const Objective::Point& point;
  In preconditioned;
  const Preconditioner& metric;
  bool anew;
};
using Rule = std::function<std::vector<double>(const Slope& slope)>;

// The largest change of a weight by t d, or the largest component of the gradient, in the units of the features.
double largest_change(const Objective& f, In d, double t) {
  double most = 0.0;
  for (std::size_t i = 0; i < d.size(); ++i)
    most = std::max(most, std::abs(std::ldexp(t * d[i], -f.matrix().exponent(i % f.matrix().columns()))));
  return most;
}
double largest_slope(const Objective& f, In g) {
  double most = 0.0;
  for (std::size_t i = 0; i < g.size(); ++i)
    most = std::max(most, std::abs(std::ldexp(g[i], f.matrix().exponent(i % f.matrix().columns()))));
  return most;
}

// The metric at this point, unless it would set aside columns that the one before moves.
bool renew(std::optional<Preconditioner>& metric, Objective& f, const Objective::Point& point) {
  Preconditioner here(f, point);
  if (here.rank() < metric->rank()) return false;
  metric.emplace(std::move(here));
  return true;
}

Solution minimise_along(Objective& f, std::vector<double> start, const SolverOptions& options, const Rule& rule) {
  Solution result;
  result.point = f.at(std::move(start));
  Objective::Point& point = result.point;
  std::optional<Preconditioner> metric;
  metric.emplace(f, point);
  std::uint64_t next_metric = kFirstMetric;
  Certifier certifier(f, options.tolerance);
  std::vector<double> preconditioned(f.size());
  double step = 1.0;
  const auto finish = [&](StopReason why) {
    if (!(result.gap <= options.tolerance * point.value)) result.gap = certifier.gap(point);
    result.why = result.gap <= options.tolerance * point.value ? StopReason::converged : why;
    return result;
  };
  result.gap = kInfinity;
  for (;; ++result.iterations) {
    if (result.iterations % kFreshScores == kFreshScores - 1) point = f.at(std::move(point.w));
    // A long descent ends where the curvature differs from that at its start: rows that are all but certain have none.
    const bool anew = result.iterations == next_metric && renew(metric, f, point);
    if (result.iterations == next_metric) next_metric *= 2;
    metric->apply(point.gradient, preconditioned);
    const double left = math::dot(point.gradient, preconditioned) / 2;
    if (options.stop == StopRule::gap && certifier.worth(point, left)) result.gap = certifier.gap(point);
    note_step(f, result, 0.0, options);
    if (result.gap <= options.tolerance * point.value) return finish(StopReason::converged);
    if (options.stop == StopRule::gradient && largest_slope(f, point.gradient) <= options.tolerance)
      return finish(StopReason::by_rule);
    if (result.iterations >= options.iterations) return finish(StopReason::iteration_limit);
    const std::vector<double> d = rule({point, preconditioned, *metric, anew});
    const std::vector<double> zd = f.scores(d);
    step = line_search(f, point, d, zd, 1.0, 0.1);
    if (step == 0.0) return finish(StopReason::no_progress);
    result.trace.back().step = step;
    const double change = largest_change(f, d, step);
    f.move(point, d, zd, step);
    if (options.stop == StopRule::change && change < options.tolerance) {
      ++result.iterations;
      return finish(StopReason::by_rule);
    }
  }
}

// A rate that makes no step too long: slopes of the loss change by at most its curve bound times the score's change, so
// those of the sum by at most that times the sum of the squares. Without a bound, as if it were 1.
double safe_rate(const Objective& f) {
  const DesignMatrix& x = f.matrix();
  const double bend = std::isfinite(f.loss().curve_bound()) ? f.loss().curve_bound() : 1.0;
  double most = 0.0, l2 = 0.0;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const Row row = x.row(i);
    for (std::size_t e = 0; e < row.value.size(); ++e) {
      const double own = std::ldexp(row.value[e], x.exponent(row.index.empty() ? e : row.index[e]));
      most += x.weights()[i] * own * own;
    }
  }
  for (std::size_t j = 0; j < x.columns(); ++j) l2 = std::max(l2, std::ldexp(f.ridge()[j], 2 * x.exponent(j)));
  return 1.0 / (bend * most + l2);
}

// w - rate g, in the units of the features, as in textbooks: scores are recomputed from the weights in every step, so
// that a trace can be followed by hand.
Solution minimise_at_fixed_rate(Objective& f, std::vector<double> start, const SolverOptions& options) {
  Solution result;
  result.gap = kInfinity;
  std::vector<double> w = std::move(start), preconditioned(w.size());
  const std::size_t p = f.matrix().columns();
  Certifier certifier(f, options.tolerance);
  std::optional<Preconditioner> preconditioner;  // says when a certificate is likely to succeed
  for (;; ++result.iterations) {
    try {
      result.point = f.at(w);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::data) throw;
      throw Error(ErrorCode::data,
                  "the loss diverges after " + count_text(result.iterations) + " steps of rate " +
                      number_text(options.rate) + "; a smaller rate was expected",
                  "--rate " + number_text(std::min(options.rate / 10, safe_rate(f)), 2) +
                      ", or --step line-search, which needs none");
    }
    double change = 0.0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      const int exponent = f.matrix().exponent(i % p);
      const double own = options.rate * std::ldexp(result.point.gradient[i], exponent);
      w[i] -= std::ldexp(own, exponent);
      change = std::max(change, std::abs(own));
    }
    if (options.stop == StopRule::gap) {
      if (!preconditioner) preconditioner.emplace(f, result.point);
      preconditioner->apply(result.point.gradient, preconditioned);
      const double left = math::dot(result.point.gradient, preconditioned) / 2;
      result.gap = certifier.worth(result.point, left) ? certifier.gap(result.point) : kInfinity;
    }
    note_step(f, result, options.rate, options);
    const bool still =
        (options.stop == StopRule::change && change < options.tolerance) ||
        (options.stop == StopRule::gradient && largest_slope(f, result.point.gradient) <= options.tolerance);
    const bool near = result.gap <= options.tolerance * result.point.value || change == 0.0;
    if (!still && !near && result.iterations < options.iterations) continue;
    if (!std::isfinite(result.gap)) result.gap = certifier.gap(result.point);
    const bool certain = result.gap <= std::max(options.tolerance, 1e-6) * result.point.value;
    result.why = certain ? StopReason::converged : still ? StopReason::by_rule : StopReason::iteration_limit;
    return result;
  }
}

std::vector<double> negative(In g) {
  std::vector<double> d(g.begin(), g.end());
  for (double& each : d) each = -each;
  return d;
}

}  // namespace

Solution minimise_by_descent(Objective& f, std::vector<double> start, const SolverOptions& options) {
  if (options.step == StepRule::fixed) return minimise_at_fixed_rate(f, std::move(start), options);
  return minimise_along(f, std::move(start), options,
                        [](const Slope& slope) { return negative(slope.preconditioned); });
}

Solution minimise_by_conjugate_gradients(Objective& f, std::vector<double> start, const SolverOptions& options) {
  std::vector<double> direction, last;  // the preconditioned gradient before
  double length = 0.0;                  // g.M^-1 g before
  return minimise_along(f, std::move(start), options, [&](const Slope& slope) {
    const auto& [point, preconditioned, metric, anew] = slope;
    if (anew) last.clear();
    const double own = math::dot(point.gradient, preconditioned);
    const double beta = last.empty() ? 0.0 : std::max(0.0, (own - math::dot(point.gradient, last)) / length);
    std::vector<double> d = negative(preconditioned);
    if (beta > 0.0) math::axpy(beta, direction, d);
    if (!(math::dot(d, point.gradient) < 0.0)) d = negative(preconditioned);
    last.assign(preconditioned.begin(), preconditioned.end());
    length = own;
    direction = d;
    return d;
  });
}

// The two-loop recursion of Nocedal, from the preconditioner instead of a multiple of the identity.
Solution minimise_by_lbfgs(Objective& f, std::vector<double> start, const SolverOptions& options) {
  struct Pair {
    std::vector<double> s, y;
    double product;
  };
  std::deque<Pair> pairs;
  std::vector<double> w, g;  // of the point before
  return minimise_along(f, std::move(start), options, [&](const Slope& slope) {
    const Objective::Point& point = slope.point;
    if (!w.empty()) {
      Pair pair{point.w, point.gradient, 0.0};
      math::axpy(-1.0, w, pair.s);
      math::axpy(-1.0, g, pair.y);
      pair.product = math::dot(pair.s, pair.y);
      const double size = std::sqrt(math::dot(pair.s, pair.s) * math::dot(pair.y, pair.y));
      if (pair.product > 1e-12 * size) pairs.push_back(std::move(pair));
      if (pairs.size() > kHistory) pairs.pop_front();
    }
    w = point.w;
    g = point.gradient;
    std::vector<double> q = point.gradient, share(pairs.size());
    for (std::size_t i = pairs.size(); i-- > 0;) {
      share[i] = math::dot(pairs[i].s, q) / pairs[i].product;
      math::axpy(-share[i], pairs[i].y, q);
    }
    slope.metric.apply(q, q);
    if (!pairs.empty()) {  // the size of the metric along the last change of the gradient
      std::vector<double> y(q.size());
      slope.metric.apply(pairs.back().y, y);
      math::scale(pairs.back().product / math::dot(pairs.back().y, y), q);
    }
    for (std::size_t i = 0; i < pairs.size(); ++i)
      math::axpy(share[i] - math::dot(pairs[i].y, q) / pairs[i].product, pairs[i].s, q);
    std::vector<double> d = negative(q);
    if (!(math::dot(d, point.gradient) < 0.0)) {
      pairs.clear();
      slope.metric.apply(point.gradient, q);
      d = negative(q);
    }
    return d;
  });
}

}  // namespace plumb
