#include <array>
#include <cmath>
#include <utility>

#include "plumb/base/choices.h"
#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/solver/dual_descent.h"
#include "plumb/solver/first_order.h"
#include "plumb/solver/newton.h"
#include "plumb/solver/newton_system.h"
#include "plumb/solver/proximal_newton.h"
#include "plumb/solver/scaling.h"
#include "plumb/solver/solver.h"
#include "plumb/solver/stochastic.h"

namespace plumb {
namespace {

// The requirement of a solver that a loss does not meet.
std::string of_loss(const std::string& part, const Objective& f) {
  return part + ", and the loss " + std::string(f.loss().name()) + " has none";
}

constexpr const char* kSmooth = "an objective without an L1 penalty";

std::string lacks_slopes(const Objective& f) {
  if (!f.lasso().empty()) return kSmooth;
  return f.loss().curved() ? "" : "a loss without corners";
}

// Without curvature it is an interior point method, only for the hinge.
std::string lacks_newton(const Objective& f) {
  if (!f.lasso().empty()) return kSmooth;
  return f.loss().curved() || f.loss().kind() == Loss::hinge ? "" : of_loss("a second derivative", f);
}

std::string lacks_rate(const Objective& f) {
  if (!f.lasso().empty()) return kSmooth;
  return f.loss().curved() && !std::isfinite(f.loss().curve_bound()) ? of_loss("a bound on the curvature", f) : "";
}

std::string lacks_scaling(const Objective& f) { return f.lasso().empty() ? lacks_for_scaling(f) : kSmooth; }

std::string lacks_dual(const Objective& f) {
  if (!f.lasso().empty()) return lacks_proximal_newton(f);
  if (!f.loss().has_dual_step()) return of_loss("a dual step", f);
  if (f.loss().reference()) return "a weight vector for every class";
  return f.penalised() ? "" : "a penalty on every feature";
}

Solution minimise_by_coordinates(Objective& f, std::vector<double> start, const SolverOptions& options) {
  return f.lasso().empty() ? minimise_by_dual_descent(f, std::move(start), options)
                           : minimise_by_proximal_newton(f, std::move(start), options);
}

Solution stay(Objective& f, std::vector<double> start, const SolverOptions& options) {
  Solution solution{f.at(std::move(start))};
  solution.gap = f.gap(solution.point, solution.point.slope, {});
  solution.why = StopReason::by_rule;
  note_step(f, solution, 0.0, options);
  return solution;
}

}  // namespace

void note_step(const Objective& f, Solution& solution, double step, const SolverOptions& options) {
  const Objective::Point& point = solution.point;
  SolverStep noted{solution.iterations, point.value, gradient_norm(f, point), step, f.passes(), solution.gap};
  if (point.w.size() <= SolverStep::kTracedWeights)
    for (std::size_t k = 0; k < f.outputs(); ++k) {
      const std::size_t p = f.matrix().columns();
      const std::vector<double> own = f.matrix().in_units(In(point.w).subspan(k * p, p));
      noted.weights.insert(noted.weights.end(), own.begin(), own.end());
    }
  solution.trace.push_back(std::move(noted));
  if (options.on_step) options.on_step(solution);
}

std::span<const SolverEntry> solver_list() {
  static constexpr std::array list = {
      SolverEntry{"newton", "second-order steps: few and expensive; the most precise optimum", 200, true, lacks_newton,
                  minimise_by_newton},
      SolverEntry{"lbfgs", "quasi-Newton steps with limited memory", 10'000, true, lacks_slopes, minimise_by_lbfgs},
      SolverEntry{"conjugate-gradient", "nonlinear conjugate gradients", 20'000, true, lacks_slopes,
                  minimise_by_conjugate_gradients},
      SolverEntry{"gradient-descent", "gradient descent with line search or a fixed rate", 100'000, true, lacks_slopes,
                  minimise_by_descent},
      SolverEntry{"sgd", "stochastic gradient descent: near the optimum soon, never certified", 20, false, lacks_rate,
                  minimise_by_sgd},
      SolverEntry{"gis", "generalised iterative scaling", 20'000, false, lacks_scaling, minimise_by_gis},
      SolverEntry{"iis", "improved iterative scaling", 5'000, false, lacks_scaling, minimise_by_iis},
      SolverEntry{"coordinate-descent", "coordinate descent: of the dual, best for text; of the weights with --l1",
                  1'000, true, lacks_dual, minimise_by_coordinates},
  };
  return list;
}

std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  for (const SolverEntry& entry : solver_list()) names.emplace_back(entry.name);
  return names;
}

const SolverEntry& find_solver(std::string_view name) {
  // Not of the list, because it does not minimise.
  static constexpr SolverEntry none{kNoSolver, "no step", 1, false, [](const Objective&) { return std::string(); },
                                    stay};
  if (name == none.name) return none;
  std::vector<std::string> names = {"auto"};
  for (const SolverEntry& entry : solver_list()) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
  }
  throw unknown_choice("solver", name, names, "--solver ");
}

void expect_fit(const SolverEntry& solver, const Objective& f) {
  const std::string missing = solver.lacks(f);
  if (missing.empty()) return;
  std::vector<std::string> fitting;
  for (const SolverEntry& entry : solver_list())
    if (entry.lacks(f).empty()) fitting.emplace_back(entry.name);
  throw Error(ErrorCode::usage,
              "--solver " + std::string(solver.name) + " needs " + missing + "; " +
                  (fitting.empty() ? "no solver fits this model without a penalty" : listed(fitting) + " would fit"),
              fitting.empty() ? "--l2 1" : "--solver " + fitting.front());
}

// Costs measured in docs/solvers.md: with at most four times as many rows as columns a pass of the dual gains more than
// a Newton step; with few columns the factor of a small matrix costs next to nothing.
SolverChoice choose_solver(const Objective& f) {
  const DesignMatrix& x = f.matrix();
  const std::string counts = counted(x.rows(), "row") + ", " + counted(x.columns() - (x.bias() ? 1 : 0), "feature");
  if (!f.lasso().empty())
    return {&find_solver("coordinate-descent"), counts + ": an L1 penalty takes coordinate descent"};
  if (few_weights(f)) return {&find_solver("newton"), counts + ": small enough for Newton's method"};
  if (lacks_dual(f).empty() && x.sparse() && (x.rows() <= 4 * x.columns() || !f.loss().curved()))
    return {&find_solver("coordinate-descent"), counts + ": sparse, with few rows for its features"};
  return {&find_solver("newton"), counts + ": Newton steps by conjugate gradients"};
}

}  // namespace plumb
