// Solvers that use gradients alone: steepest descent, nonlinear conjugate gradients (Polak and Ribiere, never
// negative), and L-BFGS. Directions are taken in the metric of a preconditioner, so that units of the columns do not
// matter.
#pragma once

#include "plumb/solver/solver.h"

namespace plumb {

Solution minimise_by_descent(Objective& f, std::vector<double> start, const SolverOptions& options);
Solution minimise_by_conjugate_gradients(Objective& f, std::vector<double> start, const SolverOptions& options);
Solution minimise_by_lbfgs(Objective& f, std::vector<double> start, const SolverOptions& options);

}  // namespace plumb
