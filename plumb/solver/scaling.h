// Iterative scaling, generalised (Darroch and Ratcliff) and improved (Della Pietra, Della Pietra and Lafferty): every
// weight is moved so that the model's sum of its feature comes to that of the data. For teaching and comparison: slow,
// and simple. Features must not be negative; where they are, they are shifted and the bias takes that up.
#pragma once

#include "plumb/solver/solver.h"

namespace plumb {

Solution minimise_by_gis(Objective& f, std::vector<double> start, const SolverOptions& options);
Solution minimise_by_iis(Objective& f, std::vector<double> start, const SolverOptions& options);

// What a model must have for them; empty if it has it.
std::string lacks_for_scaling(const Objective& f);

}  // namespace plumb
