// Newton's method: a step of 1 is iteratively reweighted least squares, a line search makes it converge from anywhere.
#pragma once

#include "plumb/solver/solver.h"

namespace plumb {

Solution minimise_by_newton(Objective& f, std::vector<double> start, const SolverOptions& options);

// The smaller of the bounds from the point's own slopes and from the direction's dual point.
double certified_gap(Objective& f, const Objective::Point& point, In d, In zd);

// |gradient| in the units of the features.
double gradient_norm(const Objective& f, const Objective::Point& point);

}  // namespace plumb
