// Gordan's alternative for few features: either a plane has all rows on their right sides, or a convex combination of
// the signed rows y (x, 1) is zero. Never both; each is a proof.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/row_table.h"
#include "plumb/solver/margin.h"

namespace plumb {

struct Combination {
  std::vector<DataMargin::Share> shares;
  double residual = 0.0;  // residual_of the shares as they are told
  bool exact = false;     // proved without rounding; else zero in double-double
};

// The largest entry of sum share y (x, 1), each feature in units of its largest value among these rows.
double residual_of(const RowTable& rows, bool bias, const std::vector<DataMargin::Share>& shares);

// What the search came to: a proof, or else a plane that may have the rows apart.
struct Alternative {
  std::optional<Combination> zero;
  std::vector<double> weights;
  double bias = 0.0;
};

// Two rows of equal features and different labels: half of each is zero, exactly.
std::optional<Combination> contradiction(const RowTable& rows);

// Whether least squares are worth their time; `exact`: in double-double.
bool few_enough(const RowTable& rows, bool exact = false) noexcept;
// By non-negative least squares (Lawson and Hanson), its last step in double-double. Zero and plane are for others to
// check (exact_alternative.h): a number as small as rounding may be all that keeps the rows apart.
Alternative zero_combination(const RowTable& rows, bool bias, const Run& run);

// The a of the hard-margin problem (hull_distance.h) up to a factor and rounding: one for each row. And the plane that
// they make, which was summed up before they were rounded: beside large columns that is all that is left of it.
struct NearestPoints {
  std::vector<double> shares;
  std::vector<double> weights;
  double bias = 0.0;
};
NearestPoints nearest_points(const RowTable& rows, BiasKind bias, bool exact, const Run& run);

}  // namespace plumb
