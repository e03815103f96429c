// Gordan's alternative without rounding, for small data: doubles are whole numbers in units of a power of two, and the
// simplex method goes from basis to basis in whole numbers alone. What it says is so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "plumb/base/run.h"
#include "plumb/data/row_table.h"
#include "plumb/math/double_double.h"
#include "plumb/solver/combination.h"

namespace plumb {

// Of these rows of the table (all, if none are named): shares that make sum share y (x, 1) zero, or a plane that has
// every row strictly on its right side; shares rounded to doubles at the end, weights to double-doubles. Nothing if it
// would take more than some seconds.
struct ExactAlternative {
  std::optional<Combination> zero;
  std::vector<math::DoubleDouble> weights;
  double bias = 0.0;
};
std::optional<ExactAlternative> exact_alternative(const RowTable& rows, bool bias, const Run& run,
                                                  std::span<const std::uint64_t> only = {});

}  // namespace plumb
