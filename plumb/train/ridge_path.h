// The penalty with the least leave-one-out error of least squares: for many penalties, exact and without a refit, from
// one factorisation. Derivation: docs/ridge.md.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/train/offset.h"

namespace plumb {

struct RidgePoint {
  double l2 = 0.0;
  double freedom = 0.0;   // effective degrees of freedom, including the bias: the trace of the hat matrix
  double loo_rmse = 0.0;  // root of the mean squared error of leave-one-out predictions; infinite if one is undefined
  double gcv = 0.0;       // n RSS / (n - freedom)^2
  double rounding = 0.0;  // of loo_rmse, relative to it
};

struct RidgePath {
  std::vector<RidgePoint> points;  // l2 ascending
  // With the least leave-one-out error, the largest l2 if equal; the first if it is as good within rounding.
  std::size_t best = 0;
  // l2 = 0, if that fit exists (more rows than weights, no column a combination of others) and no penalty lowers the
  // error by more than a billionth, or rounding: a penalty would cost the tests and intervals, and gain nothing.
  std::optional<RidgePoint> none = {};

  const RidgePoint& chosen() const noexcept { return none ? *none : points[best]; }
};

// Penalties to try: `coarse` of them from 1e-15 to 1e2 times the largest eigenvalue (smaller eigenvalues than that are
// rounding errors), then `fine` between the neighbours of the best, both ends included.
struct RidgeGrid {
  std::size_t coarse = 86;  // five for each power of ten
  std::size_t fine = 21;
};

// `factors` multiply l2 for each feature, in the user's units; a feature of factor 0 is not penalised. Weight k counts
// as k rows in the means, and leave-one-out leaves out the whole row.
RidgePath find_ridge_path(const Examples& examples, bool bias, const Offset& offset, const std::vector<double>& factors,
                          const Run& run, const RidgeGrid& grid = {});

}  // namespace plumb
