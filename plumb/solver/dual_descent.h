// Coordinate descent on the dual: one row at a time, in an order drawn for every pass. It suits data with few rows
// relative to the columns, such as texts. docs/solvers.md has the formulas.
#pragma once

#include "plumb/solver/solver.h"

namespace plumb {

Solution minimise_by_dual_descent(Objective& f, std::vector<double> start, const SolverOptions& options);

}  // namespace plumb
