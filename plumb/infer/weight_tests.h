// The table under a fit: t, p and an interval for every weight, from what the record keeps.
#pragma once

#include <optional>

#include "plumb/model/model.h"
#include "plumb/model/record.h"

namespace plumb {

inline constexpr double kIntervalLevel = 0.95;

// In the shape of the standard errors. NaN where an error is 0.
struct WeightTests {
  ModelNumbers t;    // weight / standard error
  ModelNumbers p;    // of a t as large or larger by size, if the weight were 0
  ModelNumbers low;  // weight -+ standard error times the quantile of t
  ModelNumbers high;
};

// None where the record has no standard errors, no degrees of freedom to judge them by, or a penalty, which draws the
// weights to 0 and makes t and p untrue.
std::optional<WeightTests> weight_tests(const LinearModel& model, const Record& record, double level = kIntervalLevel);

}  // namespace plumb
