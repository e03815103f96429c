// Coordinate descent on the dual: one row at a time, in an order drawn anew for every pass. It suits rows that are few
// beside the columns, as texts are. docs/solvers.md has the formulas.
#pragma once

#include "plumb/solver/solver.h"

namespace plumb {

Solution minimise_by_dual_descent(Objective& f, std::vector<double> start, const SolverOptions& options);

}  // namespace plumb
