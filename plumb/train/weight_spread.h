// The variance of each weight relative to that of a target: the diagonal of A^-1 G A^-1 with G the Gram matrix and A =
// G + penalty; without a penalty that of G^-1. And a bound on its error. Derivation: docs/ridge.md.
#pragma once

#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/train/basis.h"
#include "plumb/train/normal_equations.h"

namespace plumb {

struct WeightSpread {
  // In the units of the solution. Empty if they cannot be computed; `why` then gives the reason, if it is worth
  // telling.
  std::vector<double> weights;
  double bias = 0.0;
  bool known = false;
  std::string why = {};
  double free_weights = 0.0;    // the rank; with a penalty the trace of A^-1 G
  double freedom = 0.0;         // the sum of the weights of the rows minus that, at least 0
  double leverage_error = 0.0;  // no leverage is off by more
};

// The basis of a solution in its units: U'U = A with row weights in theirs.
Basis basis_in_units(const NormalSolution& solution);

// The basis for inference, if that is known better.
struct SolvedBasis {
  Basis basis;
  bool refined = false;
};
SolvedBasis solved_basis(const NormalSolution& solution, const Examples& examples, const Run& run);

// Examples are those of the solution.
WeightSpread find_weight_spread(const NormalSolution& solution, const SolvedBasis& basis, const Examples& examples,
                                const Run& run);

}  // namespace plumb
