// The normal equations of least squares, solved to the last bit: one pass for the Gram matrix, a Cholesky factor, then
// refinement with double-double residuals. Derivation and numerical care: docs/least_squares.md.
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/math/cholesky.h"
#include "plumb/train/moments.h"

namespace plumb {

// `weights` and `bias` are in the user's units, and not finite where they would be too large for a number. All else is
// in the units of `moments`; sums of squares are those of s y^2.
struct NormalSolution {
  Moments moments;
  math::Cholesky factor;      // of sum s z z' with z = (1, x - shift), the 1 only with a bias
  std::vector<double> shift;  // c_j: near the mean of column j, or 0
  std::vector<double> weights;
  double bias = 0.0;
  double squared_error = 0.0;     // sum s r^2 of what is returned
  double solved_error = 0.0;      // the same before weights and bias were rounded to doubles: the least there is
  double squared_target = 0.0;    // sum s (y - mean)^2, or sum s y^2 without a bias
  double decrement = 0.0;         // twice what the objective of what is returned is above its least value
  double solved_decrement = 0.0;  // the same before rounding
  std::uint64_t passes = 0;       // with residuals
};

NormalSolution solve_normal_equations(const Examples& examples, bool bias, const Run& run);

}  // namespace plumb
