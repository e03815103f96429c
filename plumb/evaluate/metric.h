// A metric of predictions, with its confidence interval, since the rows are a sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace plumb {

// `low` and `high` bound the metric with 95 % confidence (bootstrap.h); absent below 3 rows.
struct Metric {
  std::string name;
  double value = 0.0;
  std::optional<double> low;
  std::optional<double> high;
  std::uint64_t splits = 0;  // for a mean over splits: the number of splits that have the metric
};

}  // namespace plumb
