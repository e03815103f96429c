// Metrics over several splits of the same rows: their means, and intervals that account for the rows that splits share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plumb/evaluate/metrics.h"

namespace plumb {

// Nadeau and Bengio's corrected variance of a mean over splits (Machine Learning 52, 2003): fits of splits share rows,
// so the variance of the mean of R numbers with sample variance s^2 is (1/R + n_test/n_train) s^2 rather than s^2/R.
// `share` is n_test/n_train.
struct ResampledMean {
  double mean = 0.0;
  double standard_error = 0.0;
  double low = 0.0;  // with 95 % confidence, by Student's t with R - 1 degrees of freedom
  double high = 0.0;
  double p_value = 1.0;  // of a mean at least that far from 0, if it is 0 in truth
};
// Empty below two splits.
std::optional<ResampledMean> resampled_mean(const std::vector<double>& values, double share);

// Each metric that some of the splits have, in order of appearance, and its values there.
struct MetricValues {
  std::string name;
  std::vector<const Metric*> each;
};
std::vector<MetricValues> by_metric(const std::vector<std::vector<Metric>>& splits);

// The mean of each metric over the splits that have it, with its interval, cut to the metric's range.
std::vector<Metric> over_splits(const std::vector<std::vector<Metric>>& splits, double share);

}  // namespace plumb
