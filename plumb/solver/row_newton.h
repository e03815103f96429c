// Newton's method in the space of rows, for rows that are no more than a few times the columns, as texts are. What a
// penalty holds is w = (1 / ridge) X'a with a number a_ik for every row and output, so the vectors of conjugate
// gradients have the length of the rows. docs/solvers.md has the formulas.
#pragma once

#include "plumb/solver/solver.h"

namespace plumb {

// Whether it suits: sparse rows, several outputs, a penalty on all weights, no more digits asked for than single
// precision serves.
bool suits_row_newton(const Objective& f, const SolverOptions& options);

// From weights of 0. It may give up short of the tolerance: then others go on from its weights.
Solution minimise_in_row_space(Objective& f, const SolverOptions& options);

}  // namespace plumb
