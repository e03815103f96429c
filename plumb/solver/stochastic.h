// Stochastic gradient descent: the online loop (online.h) on the loss and the penalty of one row after the other, its
// weights averaged over all steps but those of the first pass.
#pragma once

#include "plumb/solver/solver.h"

namespace plumb {

// `iterations` are passes. Throws Error(data) if the rate makes the weights grow without end.
Solution minimise_by_sgd(Objective& f, std::vector<double> start, const SolverOptions& options);

}  // namespace plumb
