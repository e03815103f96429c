// The margin of a given model on given rows: the distance from its boundary of the nearest row, or of the row farthest
// on the wrong side.
#pragma once

#include <cstdint>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/model/model.h"

namespace plumb {

struct ModelMargin {
  double margin = 0.0;    // the least y (w.x + b) / |w|; with many classes, (s_y - s_r) / |w_y - w_r| over all r
  std::uint64_t row = 0;  // the row, by its number in the storage; the first if several are equal
  std::uint64_t rows = 0;
  std::uint64_t wrong = 0;  // rows whose margin is negative
};

// Throws Error(usage) for a model of numbers or of votes, which has no single boundary, and Error(data) for a label
// that the model does not know.
ModelMargin model_margin(const LinearModel& model, const Examples& examples, const Run& run);

}  // namespace plumb
