// Coordinate descent on the dual of softmax: one row at a time, with a dual variable for each of its classes. For
// sparse data with few rows relative to the columns, such as texts. docs/solvers.md has the formulas.
#pragma once

#include "plumb/solver/solver.h"

namespace plumb {

// Needs a weight vector for every class, and a penalty on every feature.
Solution minimise_by_softmax_descent(Objective& f, std::vector<double> start, const SolverOptions& options);

}  // namespace plumb
