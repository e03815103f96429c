// The hinge by a primal-dual interior point method, because its corner has no second derivative.
#pragma once

#include <vector>

#include "plumb/solver/solver.h"

namespace plumb {

// Only for the hinge. Needs no scaling of the columns, and provides its own dual point: docs/solvers.md.
Solution minimise_by_interior_point(Objective& f, std::vector<double> start, const SolverOptions& options);

}  // namespace plumb
