#include "plumb/solver/newton.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/dense.h"
#include "plumb/solver/interior_point.h"
#include "plumb/solver/line_search.h"
#include "plumb/solver/newton_system.h"

namespace plumb {
namespace {

constexpr double kNewtonLastDigits = 1e-13;  // relative gap, before a last step that squares it
// Entries of a matrix whose passes are too expensive for digits beyond the tolerance: with and without the solver's
// name.
constexpr std::size_t kLastDigitEntries = 10'000'000, kFewEntries = 200'000;
constexpr std::size_t kManyRows = 20'000;    // for which first fits ...
constexpr std::size_t kSampled[] = {64, 8};  // ... use one in that many rows, each from where the last ended ...
constexpr std::size_t kRowsPerWeight = 32;   // ... if there are that many
constexpr double kPartOfScatter = 0.1;       // gap that a rough fit may leave
constexpr int kMostRoughSteps = 30;
constexpr int kMostSinceBest = 8;       // steps without a better certificate
constexpr double kWorthACheck = 100.0;  // times the tolerance: limit of a step's promise for its end to be within it

// If it was stopped, the direction so far may still be useful.
NewtonSystem::Direction solved_or_told(NewtonSystem& system, const Objective::Point& point, bool precise, double enough,
                                       std::vector<double> hessian, const SolverOptions& options) {
  try {
    return system.solve(point, precise, enough, std::move(hessian));
  } catch (const Error&) {
    if (options.on_abandoned && !system.unfinished().empty()) options.on_abandoned(point.w, system.unfinished());
    throw;
  }
}

Objective::Landing landed_or_told(Objective& f, const Objective::Point& point, In d, Objective::Beside beside,
                                  const SolverOptions& options) {
  try {
    return f.land(point, d, beside);
  } catch (const Error&) {
    if (options.on_abandoned) options.on_abandoned(point.w, d);
    throw;
  }
}

bool worth_a_sample(const Objective& f, const SolverOptions& options) {
  const std::size_t rows = f.matrix().rows();
  return rows >= kManyRows && rows / std::end(kSampled)[-1] >= kRowsPerWeight * f.size() && few_weights(f) &&
         options.step == StepRule::line_search;
}

// How far the optimum of one row in `part` is from that of all, by the theory of likelihood: half for each weight,
// times (part - 1).
double scatter(const Objective& f, std::size_t part) {
  const double weight = f.total_weight() / static_cast<double>(f.matrix().rows());
  return weight * static_cast<double>(f.size() * (part - 1)) / 2;
}

// The point where a step leaves a gap of at most `enough`, by the square of its promise. Empty if there is none.
std::vector<double> roughly_fitted(Objective& f, std::vector<double> start, double enough) {
  NewtonSystem system(f);
  std::vector<double> hessian;
  Objective::Point point = f.at(std::move(start), &hessian);
  for (int steps = 0; steps < kMostRoughSteps; ++steps) {
    const NewtonSystem::Direction direction = system.solve(point, false, 0.0, std::move(hessian));
    const double promise = direction.decrement / 2;
    if (promise * promise <= enough * point.value) {
      math::axpy(1.0, direction.d, point.w);
      return std::move(point.w);
    }
    Objective::Landing landing = f.land(point, direction.d, Objective::Beside::hessian);
    const double t = line_search(f, point, direction.d, landing.zd, 1.0, 0.9, &landing.along);
    if (t == 0.0) return {};
    if (t == 1.0) {
      point = std::move(landing.point);
      hessian = std::move(landing.hessian);
    } else {
      f.move(point, direction.d, landing.zd, t);
      hessian.clear();
    }
  }
  return {};
}

// The weights that fit one row in `part`, from `start` on. Empty if the sample has no optimum.
std::vector<double> fitted_to_sample(Objective& f, std::size_t part, std::vector<double> start) {
  const RandomKey draw = f.run().random.with_stream(Stream::sample);
  std::vector<std::uint32_t> rows;
  rows.reserve(f.matrix().rows() / part);
  double weight = 0.0;
  for (std::size_t begin = 0; begin + part <= f.matrix().rows(); begin += part) {
    rows.push_back(static_cast<std::uint32_t>(begin + draw.bits(begin) % part));
    weight += f.matrix().weights()[rows.back()];
  }
  if (!(weight > 0.0)) return {};
  const DesignMatrix x(f.matrix(), rows, f.total_weight() / weight);
  Objective sample(x, f.loss().copy(), {f.ridge().begin(), f.ridge().end()}, f.run());
  try {
    std::vector<double> found = roughly_fitted(sample, std::move(start), kPartOfScatter * scatter(f, part));
    f.count_passes(sample.passes() * static_cast<double>(rows.size()) / static_cast<double>(f.matrix().rows()));
    return found;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::data) throw;
  }
  return {};
}

// The weights that fit a sample of the rows: as close to those of all as sampling error allows, so that one or two
// steps over all rows are then enough. Zeros if a sample has no optimum.
std::vector<double> sampled_start(Objective& f) {
  std::vector<double> w(f.size());
  for (const std::size_t part : kSampled) {
    if (f.matrix().rows() / part < kRowsPerWeight * f.size()) continue;
    w = fitted_to_sample(f, part, std::move(w));
    if (w.empty()) return std::vector<double>(f.size());
  }
  return w;
}

}  // namespace

double certified_gap(Objective& f, const Objective::Point& point, In d, In zd) {
  const double tight = zd.empty() ? kInfinity : f.gap(point, f.newton_slopes(point, zd), d);
  if (tight <= 1e-3 * point.value || !f.penalised()) return tight;
  return std::min(tight, f.gap(point, point.slope, d));
}

double gradient_norm(const Objective& f, const Objective::Point& point) {
  const std::size_t p = f.matrix().columns();
  double sum = 0.0;
  for (std::size_t i = 0; i < point.gradient.size(); ++i) {
    const std::size_t j = i % p;
    double slope = point.gradient[i];  // with an L1 penalty, the part that it cannot take
    if (const In l = f.lasso(); !l.empty() && point.w[i] != 0.0)
      slope += std::copysign(l[j], point.w[i]);
    else if (!l.empty())
      slope -= std::clamp(slope, -l[j], l[j]);
    double own = std::ldexp(slope, f.matrix().exponent(j));
    if (f.matrix().centred()) own += f.matrix().shift(j) * point.gradient[i - j + p - 1];
    sum += own * own;
  }
  return std::sqrt(sum);
}

// F(w) decreases by about half the decrement g'H^-1 g in a step; if that is far above the tolerance no certificate can
// be within it, and none is computed. The step that a certificate comes with is taken too: it squares the error.
Solution minimise_by_newton(Objective& f, std::vector<double> start, const SolverOptions& options) {
  if (!f.loss().curved()) return minimise_by_interior_point(f, std::move(start), options);
  if (math::is_zero(start) && worth_a_sample(f, options)) start = sampled_start(f);
  Solution result;
  NewtonSystem system(f);
  std::vector<double> hessian;  // at the point, if it is known
  std::vector<double>* const wanted_hessian = system.direct() ? &hessian : nullptr;
  result.point = f.at(std::move(start), wanted_hessian);
  Objective::Point& point = result.point;
  // Scores of thousands have no usable curvature: a start that is worse than zero is not used.
  if (!math::is_zero(point.w) && f.value_of_zero() < point.value)
    point = f.at(std::vector<double>(f.size()), wanted_hessian);
  // If a step costs little the last digits take one or two more; users who ask for fewer do not need them. Without a
  // penalty they are estimates that users compare with those of other programs.
  const bool dear = f.matrix().entries() > (options.last_digits || !f.penalised() ? kLastDigitEntries : kFewEntries);
  const bool last_digits = system.direct() && options.tolerance <= SolverOptions().tolerance && !dear;
  const double goal = last_digits ? std::min(options.tolerance, kNewtonLastDigits) : options.tolerance;
  bool precise = false;
  // Weights are rounded, and a further step may be one back, far back if they nearly cancel. The best is kept.
  Objective::Point best;
  double best_gap = kInfinity;
  int since_best = 0;
  const auto finish = [&](StopReason why) {
    if (best_gap < result.gap) {
      point = std::move(best);
      result.gap = best_gap;
    }
    result.why = result.gap <= options.tolerance * point.value ? StopReason::converged : why;
    return result;
  };
  for (;; ++result.iterations) {
    // With conjugate gradients the certificate is that of the point after the step, since its residual is then known.
    const bool after = !system.direct() && f.penalised() && !precise;
    const double wanted = options.tolerance * point.value;
    const bool last = result.iterations >= options.iterations;
    NewtonSystem::Direction direction = solved_or_told(system, point, precise || (last && system.direct()),
                                                       after ? 0.3 * wanted : 0.0, std::exchange(hessian, {}), options);
    const double promise = direction.decrement / 2;
    const bool near = promise <= 10 * wanted;
    const bool here = (near && !after) || last;
    // A step squares the gap, relative to the value, and its dual point squares it again: if a matrix is expensive the
    // certificate of its end is tried before another one is made.
    const bool squared = dear && system.direct() && promise * promise <= wanted * point.value;
    std::optional<Objective::Landing> landing;
    if (direction.zd.empty() && !here && options.step == StepRule::line_search)
      landing = landed_or_told(f, point, direction.d, squared ? Objective::Beside::dual : Objective::Beside::hessian,
                               options);
    else if (direction.zd.empty())
      direction.zd = f.scores(direction.d);
    const In zd = landing ? landing->zd : direction.zd;
    result.gap = here ? certified_gap(f, point, direction.d, direction.zd) : kInfinity;
    note_step(f, result, 0.0, options);
    const bool done = result.gap <= wanted && result.gap - f.lost_in_scores(point) <= goal * point.value;
    if (done && system.direct() && (dear || f.exact())) return result;
    if (!done && last) return finish(StopReason::iteration_limit);
    if (result.gap < best_gap) {
      best = point;
      best_gap = result.gap;
      since_best = 0;
    } else if (best_gap < kInfinity && ++since_best == kMostSinceBest) {
      return finish(StopReason::no_progress);
    }
    double t = 1.0;
    try {
      if (options.step == StepRule::line_search)
        t = line_search(f, point, direction.d, zd, 1.0, 0.9, landing ? &landing->along : nullptr);
    } catch (const Error&) {
      if (options.on_abandoned) options.on_abandoned(point.w, direction.d);
      throw;
    }
    if (t == 0.0) {
      if (!precise &&
          (system.direct() ? !f.penalised() && !direction.judged : near)) {  // a better direction is still possible
        precise = true;
        continue;
      }
      if (!done) result.gap = certified_gap(f, point, direction.d, zd);
      return finish(StopReason::no_progress);
    }
    result.trace.back().step = t;
    const bool ends = squared || (after && direction.rest <= 0.5 * wanted && promise <= kWorthACheck * wanted);
    const bool lands = landing && t == 1.0;
    std::vector<double> dual;
    if (done || (ends && !lands)) dual = f.newton_slopes(point, zd);
    const double before = point.value;
    if (lands) {
      if (ends) result.gap = f.gap(*landing, direction.d);
      point = std::move(landing->point);
      hessian = std::move(landing->hessian);
    } else {
      f.move(point, direction.d, zd, t);
      if (ends) result.gap = f.gap(point, std::move(dual), direction.d);
    }
    if (ends) {
      if (result.gap <= options.tolerance * point.value) {
        ++result.iterations;
        note_step(f, result, 0.0, options);
        return result;
      }
    }
    if (done) {
      ++result.iterations;
      result.gap = std::min(result.gap, f.gap(point, std::move(dual), direction.d));
      note_step(f, result, 0.0, options);
      return result;
    }
    precise = near && (after ? ends : !dear || here);
    if (!f.penalised() && point.loss < 1e-9 * f.total_weight() && before > point.value) {
      result.why = StopReason::no_progress;
      result.gap = point.value;  // no loss is below 0
      return result;
    }
  }
}

}  // namespace plumb
