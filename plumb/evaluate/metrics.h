// Numbers that judge predictions of a number, each with an interval: how far it may be off because the rows are a
// sample.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/model/model.h"

namespace plumb {

// `low` and `high` bound the metric with 95 % confidence (normal approximation of a mean); absent below 2 rows.
struct Metric {
  std::string name;
  double value = 0.0;
  std::optional<double> low;
  std::optional<double> high;
};

// None if no row has a weight above 0; else rmse, mae, and r2 where the targets are not all the same: 1 - squared error
// / squared distance from their mean.
std::vector<Metric> regression_metrics(const LinearModel& model, const Examples& examples, const Run& run);

// The same of the model that always says `value`, without intervals.
std::vector<Metric> constant_metrics(double value, const Examples& examples, const Run& run);

// The weighted mean of the targets.
double mean_target(const Examples& examples, const Run& run);

}  // namespace plumb
