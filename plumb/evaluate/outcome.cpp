#include "plumb/evaluate/outcome.h"

#include <cmath>

namespace plumb {

std::vector<Metric> Outcome::metrics(const Run& run, std::uint64_t resamples) const {
  return labels ? class_metrics(classes, run, resamples).metrics : regression_metrics(numbers, run, resamples);
}

Outcome::Loss Outcome::loss() const {
  const auto of_row = [&](std::uint64_t i) {
    if (!labels) return (numbers.prediction[i] - numbers.target[i]) * (numbers.prediction[i] - numbers.target[i]);
    return classes.probable ? classes.log_loss[i] : classes.predicted[i] == classes.actual[i] ? 0.0 : 1.0;
  };
  const std::vector<double>& weight = labels ? classes.weight : numbers.weight;
  Loss found;
  double total = 0.0, spread = 0.0;
  for (std::uint64_t i = 0; i < rows(); ++i) {
    total += weight[i];
    found.mean += weight[i] * of_row(i);
  }
  if (!(total > 0)) return found;
  found.mean /= total;
  for (std::uint64_t i = 0; i < rows(); ++i) {
    const double away = weight[i] * (of_row(i) - found.mean);
    spread += away * away;
  }
  found.standard_error = std::sqrt(spread) / total;
  return found;
}

}  // namespace plumb
