// Iterative scaling, generalised (Darroch and Ratcliff) and improved (Della Pietra, Della Pietra and Lafferty): every
// weight is moved so that the model's sum of its feature becomes that of the data. For teaching and comparison: slow,
// and simple. Features must not be negative; otherwise they are shifted and the bias absorbs that.
#pragma once

#include "plumb/solver/solver.h"

namespace plumb {

Solution minimise_by_gis(Objective& f, std::vector<double> start, const SolverOptions& options);
Solution minimise_by_iis(Objective& f, std::vector<double> start, const SolverOptions& options);

// The missing requirement of a model; empty if it has all.
std::string lacks_for_scaling(const Objective& f);

}  // namespace plumb
