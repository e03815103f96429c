// Minimises 1/2 d'Hd + g'd + sum_i lasso_i |w_i + d_i| over d: coordinate descent finds which weights are zero, and
// conjugate gradients on the others, while their signs last, find their values where columns are correlated.
#pragma once

#include <functional>

#include "plumb/base/span.h"
#include "plumb/solver/quadratic_model.h"

namespace plumb {

struct DescentLimits {
  double tolerance = 1e-3;          // the sum of violations at the end relative to that at the start
  std::size_t passes = 200;         // over all coordinates, at most
  std::function<void()> tick = {};  // called after each pass; an exception from it ends the work
};

// A violation is what a coordinate's derivative exceeds its penalty by. Results: the passes that were made, and d in
// the model.
std::size_t descend(QuadraticModel& model, In w, In lasso, const DescentLimits& limits);

}  // namespace plumb
