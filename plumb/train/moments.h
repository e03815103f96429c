// A first pass over the data: units in which every column is near 1, the means, and whether the weights are valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/math/unit.h"
#include "plumb/train/offset.h"

namespace plumb {

struct Moments {
  std::uint64_t all_rows = 0;
  std::uint64_t rows = 0;        // with a weight above 0; the others are ignored below
  bool weighted = false;         // a weight is not 1
  std::vector<math::Unit> unit;  // of each column
  math::Unit target_unit;
  math::Unit weight_unit;
  std::vector<bool> full;      // column j has a value in every row
  std::vector<bool> zero;      // column j is 0 in every row
  std::vector<bool> constant;  // column j has one value, in every row
  std::vector<double> mean;    // of each column, in its unit
  double target_mean = 0.0;    // in its unit
  double weight = 0.0;         // sum of the weights, in their unit
};

// The target is the one minus the offset, whose column counts as 0 in every row. Throws Error(data) for a weight that
// is not a number of at least 0, and if no row has a weight above 0.
Moments find_moments(const Examples& examples, const Offset& offset, const Run& run);

// Units and means from three blocks of the rows; `rows`, `weight` and the like are those of the blocks.
Moments guess_moments(const Examples& examples, const Offset& offset, const Run& run);

}  // namespace plumb
