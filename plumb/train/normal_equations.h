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
  std::vector<double> penalty = {};  // l2 of each feature, in the user's units; empty: none
  double digits = 0;                 // wanted of the weights; 0: as the size of the data suggests
  double refined_cells = 1e7;        // n p up to which all digits are wanted where `digits` says nothing
};

// `weights` and `bias` are in the user's units, and not finite where they would be too large for a number; the offset's
// weight is 1, and what is said of the target is said of it without the offset. All else is
// in the units of `moments`; sums of squares are those of s y^2.
struct NormalSolution {
  Moments moments;
  math::Cholesky factor;        // of sum s z z' + penalty, with z = (1, x - shift), the 1 only with a bias
  std::vector<double> gram;     // with a penalty, without it: the lower triangle, the target as last row
  std::vector<double> shift;    // c_j: near the mean of column j, or 0
  std::vector<double> penalty;  // of each feature; empty: none
  std::vector<double> weights;
  double bias = 0.0;
  std::vector<double> weight_lows;  // what rounding took from the weights, and from the bias
  double bias_low = 0.0;
  double squared_error = 0.0;     // sum s r^2 of what is returned
  double solved_error = 0.0;      // the same before weights and bias were rounded to doubles
  double squared_target = 0.0;    // sum s (y - mean)^2, or sum s y^2 without a bias
  double squared_weights = 0.0;   // sum penalty w^2 of what is returned
  double decrement = 0.0;         // twice what the objective of what is returned is above its least value
  double solved_decrement = 0.0;  // the same before rounding
  double digits = 0.0;            // correct in the weights and the bias, at least: see docs/least_squares.md
  std::vector<double> inverse_diagonal = {};  // of the factor's matrix, where it was needed
  bool exact_factor = false;                  // in double-double
  bool shared = false;                        // aliased columns have a weight, too: sum w^2 is least
  std::uint64_t passes = 0;                   // with residuals
};

NormalSolution solve_normal_equations(const Examples& examples, const NormalOptions& options, const Run& run);

}  // namespace plumb
