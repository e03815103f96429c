// The hinge by a primal-dual interior point method: its corner has no second derivative to step by.
#pragma once

#include <vector>

#include "plumb/solver/solver.h"

namespace plumb {

// Of the hinge alone. Needs no scaling of the columns, and brings its own dual point: docs/solvers.md.
Solution minimise_by_interior_point(Objective& f, std::vector<double> start, const SolverOptions& options);

}  // namespace plumb
