// The normal equations of least squares, with or without a penalty, solved to the last bit: a ladder from one pass in
// double to a Gram matrix in double-double, then refinement with double-double residuals. Derivation and numerical
// care: docs/least_squares.md.
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/math/cholesky.h"
#include "plumb/train/design.h"
#include "plumb/train/moments.h"
#include "plumb/train/rank_rule.h"

namespace plumb {

struct NormalOptions {
  bool bias = true;
  Offset offset = Offset();
  RankRule rank = RankRule::unsaid;
  std::vector<double> penalty = {};  // l2 of each feature, in the user's units; empty: no penalty
  double digits = 0;                 // wanted digits of the weights; 0: by the size of the data
  double refined_cells = 1e7;        // n p up to which all digits are computed if `digits` is 0
};

// `weights` and `bias` are in the user's units, and not finite if they overflow; the offset's weight is 1, and numbers
// about the target refer to the target minus the offset. Everything else is
// in the units of `moments`; sums of squares are those of s y^2.
struct NormalSolution {
  Moments moments;
  math::Cholesky factor;        // of sum s z z' + penalty, with z = (1, x - shift), the 1 only with a bias
  std::vector<double> gram;     // with a penalty, without it: the lower triangle, the target as last row
  std::vector<double> shift;    // c_j: near the mean of column j, or 0
  std::vector<double> penalty;  // of each feature; empty: no penalty
  std::vector<double> weights;
  double bias = 0.0;
  std::vector<double> weight_lows;  // rounding errors of the weights, and of the bias
  double bias_low = 0.0;
  double squared_error = 0.0;     // sum s r^2 of the result
  double solved_error = 0.0;      // the same before weights and bias were rounded to doubles
  double squared_target = 0.0;    // sum s (y - mean)^2, or sum s y^2 without a bias
  double squared_weights = 0.0;   // sum penalty w^2 of the result
  double decrement = 0.0;         // twice the optimality gap of the result
  double solved_decrement = 0.0;  // the same before rounding
  double digits = 0.0;            // correct digits of the weights and the bias, at least: see docs/least_squares.md
  std::vector<double> inverse_diagonal = {};  // of the factor's matrix, if it was needed
  bool exact_factor = false;                  // in double-double
  bool shared = false;                        // aliased columns have a weight, too: sum w^2 is least
  std::uint64_t passes = 0;                   // with residuals
};

NormalSolution solve_normal_equations(const Examples& examples, const NormalOptions& options, const Run& run);

}  // namespace plumb
