// The table under a fit: t, p and an interval for every weight, from the record.
#pragma once

#include <optional>
#include <vector>

#include "plumb/model/model.h"
#include "plumb/model/record.h"

namespace plumb {

inline constexpr double kIntervalLevel = 0.95;

// In the shape of the standard errors. NaN where an error is 0.
struct WeightTests {
  bool normal = false;  // of a likelihood: z and the normal distribution in place of t
  bool bootstrap = false;  // t and p are NaN, and the intervals are those of its percentiles
  // By profile likelihood: then p and the intervals come from likelihood ratios, which are here; otherwise empty.
  ModelNumbers chi_square;
  ModelNumbers t;    // weight / standard error
  ModelNumbers p;    // probability of a t at least as large in size, if the weight were 0
  ModelNumbers low;  // weight -+ standard error times the quantile of t
  ModelNumbers high;
};

// Empty if the record has no standard errors, no degrees of freedom, or a penalty, which shrinks the weights and makes
// t and p wrong; not so with errors by the bootstrap, at the level kIntervalLevel. Of a softmax the differences from the weights of the reference label are tested.
std::optional<WeightTests> weight_tests(const LinearModel& model, const Record& record, double level = kIntervalLevel);

// The row of the reference label of a softmax with standard errors.
std::optional<std::uint64_t> reference_row(const LinearModel& model, const Record& record);
// Its weights and the bias (the last); zeros where there is none.
std::vector<double> reference_weights(const LinearModel& model, const Record& record);

}  // namespace plumb
