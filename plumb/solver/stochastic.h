// Stochastic gradient descent: one row after the other, a step down the slope of its loss and of its share of the
// penalty. A feature's penalty is shared out among the rows that have it, so that a row moves the weights of its own
// features alone and the sum over all rows is the objective, whatever the penalty of each feature.
#pragma once

#include "plumb/solver/solver.h"

namespace plumb {

// `iterations` are passes. Throws Error(data) if the rate makes the weights grow without end.
Solution minimise_by_sgd(Objective& f, std::vector<double> start, const SolverOptions& options);

}  // namespace plumb
