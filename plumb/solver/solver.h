// Solvers: they minimise an Objective, say why they stopped, and how far from the optimum they may be.
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

// Hears of every step, before the solver goes on from it.
using OnStep = std::function<void(const Solution& so_far)>;

struct SolverOptions {
  StepRule step = StepRule::line_search;
  StopRule stop = StopRule::gap;
  double rate = 0.0;  // of fixed steps; 0: none was given
  double tolerance = 1e-6;
  std::uint64_t iterations = 0;  // at most; 0: as the solver suggests
  bool last_digits = false;      // of Newton's method: those beyond the tolerance too, unless the matrix is very large
  // Of sgd alone: in which order, whether weights are averaged, and whether each has a rate of its own.
  RowOrder order = RowOrder::shuffled;
  bool average = false;
  bool adaptive = false;
  OnStep on_step = {};
  // Hears of a step that was not finished when an Error stopped it: from w along d.
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

// Adds the point to the trace, and tells whoever listens; `step` is what multiplies the direction from here.
void note_step(const Objective& f, Solution& solution, double step, const SolverOptions& options);

struct SolverEntry {
  std::string_view name;
  std::string_view meaning;
  std::uint64_t iterations;                  // at most, where the user says nothing
  bool exact;                                // promises the optimum: falling short is worth an exit code
  std::string (*lacks)(const Objective& f);  // what it needs and does not find there; empty if it fits
  Solution (*minimise)(Objective& f, std::vector<double> start, const SolverOptions& options);
};

// THE list of solvers.
std::span<const SolverEntry> solver_list();

// By name; throws Error(usage) that names the nearest.
const SolverEntry& find_solver(std::string_view name);

// Throws Error(usage) that says what is missing and names those that fit.
void expect_fit(const SolverEntry& solver, const Objective& f);

// Which one suits, from counts of the data, and why.
struct SolverChoice {
  const SolverEntry* solver;
  std::string reason;
};
SolverChoice choose_solver(const Objective& f);

}  // namespace plumb
