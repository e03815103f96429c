#include "plumb/evaluate/resampled.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/math/distributions.h"

namespace plumb {

std::optional<ResampledMean> resampled_mean(const std::vector<double>& values, double share) {
  const auto count = static_cast<double>(values.size());
  if (values.size() < 2) return {};
  ResampledMean found;
  if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) return {};
  // A value that all of them share is not rounded.
  for (const double value : values) found.mean += (value - values.front()) / count;
  found.mean += values.front();
  double squares = 0.0;
  for (const double value : values) squares += (value - found.mean) * (value - found.mean);
  const math::StudentT t{count - 1};
  found.standard_error = std::sqrt((1.0 / count + share) * squares / (count - 1));
  const double away = t.quantile(0.975) * found.standard_error;
  found.low = found.mean - away;
  found.high = found.mean + away;
  if (found.standard_error > 0) {
    found.p_value = t.two_sided(found.mean / found.standard_error);
  } else if (found.mean != 0) {
    found.p_value = 0.0;
  }
  return found;
}

std::vector<MetricValues> by_metric(const std::vector<std::vector<Metric>>& splits) {
  std::vector<MetricValues> found;
  for (const std::vector<Metric>& split : splits) {
    std::size_t place = 0;  // after the metric before it
    for (const Metric& metric : split) {
      auto known =
          std::find_if(found.begin(), found.end(), [&](const MetricValues& each) { return each.name == metric.name; });
      if (known == found.end())
        known = found.insert(found.begin() + static_cast<std::ptrdiff_t>(place), {metric.name, {}});
      known->each.push_back(&metric);
      place = static_cast<std::size_t>(known - found.begin()) + 1;
    }
  }
  return found;
}

std::vector<Metric> over_splits(const std::vector<std::vector<Metric>>& splits, double share) {
  std::vector<Metric> means;
  for (const MetricValues& all : by_metric(splits)) {
    Metric metric{all.name, 0.0, {}, {}, all.each.size()};
    std::vector<double> values;
    for (const Metric* const each : all.each) values.push_back(each->value);
    if (const std::optional<ResampledMean> found = resampled_mean(values, share)) {
      metric.value = found->mean;
      const MetricEntry* const entry = find_entry(metric.name);
      metric.low = entry == nullptr ? found->low : std::max(entry->least, found->low);
      metric.high = entry == nullptr ? found->high : std::min(entry->most, found->high);
    } else {
      metric.value = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    }
    means.push_back(std::move(metric));
  }
  return means;
}

}  // namespace plumb
