// Coordinate descent on the dual of softmax: one row at a time, with a dual number for each of its classes. For sparse
// rows that are few beside the columns, as texts are. docs/solvers.md has the formulas.
#pragma once

#include "plumb/solver/solver.h"

namespace plumb {

// Of every class a weight vector, and a penalty on every feature.
Solution minimise_by_softmax_descent(Objective& f, std::vector<double> start, const SolverOptions& options);

}  // namespace plumb
