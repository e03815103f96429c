// The minimum of an objective with an L1 penalty: a second-order model of the weights that matter, minimised by
// coordinate descent, then a line search. Least squares takes one such step. Every solution has a duality gap.
// docs/sparse_models.md.
#pragma once

#include <string>

#include "plumb/solver/solver.h"

namespace plumb {

// What an objective lacks for it; empty if it fits.
std::string lacks_proximal_newton(const Objective& f);
Solution minimise_by_proximal_newton(Objective& f, std::vector<double> start, const SolverOptions& options);

// The columns that need no weight under an L1 penalty alone: those that are constant beside an unpenalised bias, later
// copies of a column with the same penalty, and, beside such a bias, a later column whose sum with one is constant, as
// that of two levels. twin[j]: the column that j is a copy of, with kMirrored if they have a constant sum, j itself if
// it is needed, kConstantColumn if it is constant. Empty for more columns than are worth a look.
inline constexpr std::size_t kConstantColumn = static_cast<std::size_t>(-1);
inline constexpr std::size_t kMirrored = std::size_t{1} << 62;
std::vector<std::size_t> needless_columns(const Objective& f);

// From a point of f, along a path of penalties: `needless` as needless_columns() has it. No step is reported.
Solution follow_by_proximal_newton(Objective& f, Objective::Point point, const std::vector<std::size_t>& needless,
                                   const SolverOptions& options);

}  // namespace plumb
