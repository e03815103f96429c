// A gate is a bound that a metric must keep: --fail-under r2=0.9. If large values are good the bound is the smallest
// that passes, if small ones are good the largest.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/evaluate/metrics.h"

namespace plumb {

struct Gate {
  std::string metric;
  double bound = 0.0;
  bool at_least = true;
  bool of_size = false;  // at most that far from 0, on either side

  // "r2 at least 0.9"
  std::string text() const;
};

// From METRIC=BOUND, by the metrics of numbers or of classes. Throws Error(usage) that names the nearest metric, or
// says what was expected.
Gate read_gate(std::string_view text, std::span<const MetricEntry> metrics = metrics_of(false));

struct GateResult {
  Gate gate;
  std::optional<double> value;  // empty if the rows do not define the metric; the gate then fails
  bool met = false;
};
GateResult judge(const Gate& gate, const std::vector<Metric>& metrics);

}  // namespace plumb
