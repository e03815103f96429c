// Stochastic gradient descent: for one row after the other, a step along the negative gradient of its loss and of its
// share of the penalty. A feature's penalty is divided among the rows that have it, so that a row moves only the
// weights of its own features and the sum over all rows is the objective, whatever the penalty of each feature.
#pragma once

#include "plumb/solver/solver.h"

namespace plumb {

// `iterations` are passes. Throws Error(data) if the rate makes the weights grow without end.
Solution minimise_by_sgd(Objective& f, std::vector<double> start, const SolverOptions& options);

}  // namespace plumb
