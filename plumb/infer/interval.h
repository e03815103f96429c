// Intervals around predictions of a saved model: for the mean at x, and of least squares for a new target at x.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/data/examples.h"
#include "plumb/model/record.h"
#include "plumb/train/basis.h"

namespace plumb {

// Puts the basis into the record's statistics, where IntervalPredictor finds it.
void keep_basis(Record& record, const Basis& basis);

struct Interval {
  double low = 0.0, high = 0.0;            // contains a new target at x with the requested probability
  double mean_low = 0.0, mean_high = 0.0;  // and the mean of all targets at x
};

// Has its own buffers: one per thread; copies are cheap beside the model.
class IntervalPredictor {
 public:
  // Throws Error(usage) if the record lacks standard errors or the basis. Of a likelihood, intervals are those of the
  // score, by the normal distribution, and only those for the mean mean anything.
  IntervalPredictor(const Record& record, std::size_t features, double level);

  // Whether derived columns should come with their low parts: the fit knew them in double-double.
  bool exact() const noexcept { return basis_.exact(); }
  // Around a prediction made for the row x, whose low parts, if there are any, are those of the features `lows_of`.
  Interval around(double prediction, const Row& x, In lows = {}, std::span<const std::uint32_t> lows_of = {}) noexcept;

 private:
  Basis basis_;
  double sd_;
  double quantile_;  // of Student's t, at the requested level
  std::vector<double> t_, t_low_;
};

}  // namespace plumb
