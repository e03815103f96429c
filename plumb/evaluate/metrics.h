// Numbers that judge predictions of a number, each with an interval: how far it may be off because the rows are a
// sample.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/evaluate/bootstrap.h"
#include "plumb/evaluate/predicted.h"

namespace plumb {

// `low` and `high` bound the metric with 95 % confidence (bootstrap.h); absent below 3 rows.
struct Metric {
  std::string name;
  double value = 0.0;
  std::optional<double> low;
  std::optional<double> high;
  std::uint64_t splits = 0;  // of a mean over splits: how many it is of, as not every one need have it
};

// None without rows; else rmse, mae, and r2 where the targets are not all the same: 1 - squared error / squared
// distance from their mean; of counts the deviance too, the mean of 2 (y log(y / m) - y + m) with m predicted. A weight
// of k counts as k copies of the row, which the bootstrap draws together. Without intervals if there are to be no
// resamples. Throws Error(data) for an error that is too large for a number.
std::vector<Metric> regression_metrics(const Predicted& rows, const Run& run, std::uint64_t resamples = kResamples);

// The same of the model that always says `value` of these rows, without intervals.
std::vector<Metric> constant_metrics(double value, const Predicted& rows, const Run& run);

// THE list of metrics of a number, in the order in which they are shown.
struct MetricEntry {
  std::string_view name;
  bool large_is_good;
};
inline constexpr MetricEntry kRegressionMetrics[] = {
    {"rmse", false}, {"mae", false}, {"r2", true}, {"deviance", false}};

}  // namespace plumb
