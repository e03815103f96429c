// The weights with the least sum of squares, in the user's units, among all that fit equally well: see
// docs/least_squares.md, "Rank".
#pragma once

#include <vector>

#include "plumb/math/cholesky.h"
#include "plumb/math/double_double.h"
#include "plumb/train/design.h"

namespace plumb {

struct LeastNorm {
  std::vector<math::DoubleDouble> move;  // of u, the solver's coordinates, from the point to the one of least norm
  double error = 0.0;  // bound for a weight there, relative to it or a `smallest` part of the largest; see the source
};

// `point` is a solution, and is 0 where `factor` has aliased columns; each of its weights is off by at most `error` of
// it. `gram` is the factored matrix, its low parts empty if that was in double; `condition` is that of its kept part.
LeastNorm find_least_norm(const Design& design, const math::Cholesky& factor, const Design::ExactGram& gram,
                          double condition, const Design::Point& point, double error, double smallest);

}  // namespace plumb
