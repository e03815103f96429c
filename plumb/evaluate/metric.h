// A number that judges predictions, with how far it may be off because the rows are a sample.
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
  std::uint64_t splits = 0;  // of a mean over splits: how many it is of, as not every one need have it
};

}  // namespace plumb
