// Solvers: they minimise an Objective, report why they stopped, and bound the optimality gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/objective/objective.h"
#include "plumb/solver/online_options.h"
#include "plumb/solver/solver_options.h"

namespace plumb {

struct Solution;

// Called at every step, before the solver goes on from it.
using OnStep = std::function<void(const Solution& so_far)>;

struct SolverOptions {
  StepRule step = StepRule::line_search;
  StopRule stop = StopRule::gap;
  double rate = 0.0;  // of fixed steps; 0: not given
  double tolerance = 1e-6;
  std::uint64_t iterations = 0;  // at most; 0: the solver's default
  bool last_digits = false;      // Newton's method: digits beyond the tolerance too, unless the matrix is very large
  // Only for sgd: in which order, whether weights are averaged, and whether each has a rate of its own.
  RowOrder order = RowOrder::shuffled;
  bool average = false;
  bool adaptive = false;
  OnStep on_step = {};
  // Called with an unfinished step when an Error stopped it: from w along d.
  std::function<void(In w, In d)> on_abandoned = {};
};

// by_rule: the change or slope that --stop names is below the tolerance, which bounds nothing.
enum class StopReason { converged, by_rule, iteration_limit, no_progress, asked };

struct Solution {
  Objective::Point point;
  double gap = 0.0;  // F(w) - min F is at most this
  StopReason why = StopReason::converged;
  std::uint64_t iterations = 0;
  std::vector<SolverStep> trace = {};
  bool ended_by_newton = false;  // another solver began, and handed over
};

// Adds the point to the trace, and calls the listener; `step` is the factor of the direction from here.
void note_step(const Objective& f, Solution& solution, double step, const SolverOptions& options);

struct SolverEntry {
  std::string_view name;
  std::string_view meaning;
  std::uint64_t iterations;                  // at most, by default
  bool exact;                                // promises the optimum: falling short is worth an exit code
  std::string (*lacks)(const Objective& f);  // the missing requirement; empty if it fits
  Solution (*minimise)(Objective& f, std::vector<double> start, const SolverOptions& options);
};

// THE list of solvers.
std::span<const SolverEntry> solver_list();

// The name of a solver that makes no step: the start is the solution, with its gap.
inline constexpr std::string_view kNoSolver = "none";
// By name; throws Error(usage) that names the nearest.
const SolverEntry& find_solver(std::string_view name);

// Throws Error(usage) that says what is missing and names the solvers that fit.
void expect_fit(const SolverEntry& solver, const Objective& f);

// The default solver, from counts of the data, and the reason.
struct SolverChoice {
  const SolverEntry* solver;
  std::string reason;
};
SolverChoice choose_solver(const Objective& f);

}  // namespace plumb
