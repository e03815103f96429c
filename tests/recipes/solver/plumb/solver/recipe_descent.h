#pragma once

#include "plumb/solver/solver.h"

namespace plumb {

Solution minimise_by_recipe(Objective& f, std::vector<double> start, const SolverOptions& options);

}  // namespace plumb
