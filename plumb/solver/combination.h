// Gordan's alternative for few features: either a hyperplane separates the rows, or a convex combination of the signed
// rows y (x, 1) is zero. Never both; each is a proof.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/row_table.h"
#include "plumb/solver/margin.h"

namespace plumb {

struct Combination {
  std::vector<DataMargin::Share> shares;
  double residual = 0.0;  // the largest component of sum share y (x, 1), each feature in units of its largest value
  bool exact = false;     // whole numbers in the proportion of the shares make the sum zero without rounding
};

// Two rows of equal features and different labels: half of each is zero, exactly.
std::optional<Combination> contradiction(const RowTable& rows);

// Whether least squares are affordable; `quick`: the caller has little time.
bool few_enough(const RowTable& rows, bool quick = false) noexcept;

// Non-negative least squares (Lawson and Hanson) over the signed rows: the shares of the shortest convex combination,
// one for each row, and the hyperplane with that normal. `proof`: scales each feature, and searches for shares that
// make the sum zero in double-double. `only`: these rows; empty means all.
struct NearestPoints {
  std::vector<double> shares;
  std::vector<double> weights;
  double bias = 0.0;
  std::optional<Combination> zero;
};
NearestPoints nearest_points(const RowTable& rows, BiasKind bias, bool proof, const Run& run,
                             std::span<const std::uint64_t> only = {});

}  // namespace plumb
