#include "plumb/workflow/others_baseline.h"

#include <algorithm>
#include <optional>

#include "plumb/evaluate/resampled.h"

namespace plumb {
namespace {

std::vector<double> of_class(const Outcome& rows) {
  std::vector<double> weights(rows.classes.known);
  for (std::uint64_t i = 0; i < rows.classes.rows(); ++i)
    if (rows.classes.actual[i] < weights.size()) weights[rows.classes.actual[i]] += rows.classes.weight[i];
  return weights;
}

std::vector<std::uint64_t> rows_of_class(const Outcome& rows) {
  std::vector<std::uint64_t> counts(rows.classes.known);
  for (std::uint64_t i = 0; i < rows.classes.rows(); ++i)
    if (rows.classes.actual[i] < counts.size() && rows.classes.weight[i] > 0) ++counts[rows.classes.actual[i]];
  return counts;
}

}  // namespace

std::vector<Metric> averaged(const std::vector<std::vector<Metric>>& repeats) {
  std::vector<Metric> means;
  for (const MetricValues& all : by_metric(repeats)) {
    const auto count = static_cast<double>(all.each.size());
    Metric metric{all.name, 0.0, 0.0, 0.0, repeats.size() > 1 ? all.each.size() : 0};
    for (const Metric* const each : all.each) {
      metric.value += each->value / count;
      metric.low = metric.low && each->low ? std::optional(*metric.low + *each->low / count) : std::nullopt;
      metric.high = metric.high && each->high ? std::optional(*metric.high + *each->high / count) : std::nullopt;
    }
    means.push_back(std::move(metric));
  }
  return means;
}

OthersBaseline::OthersBaseline(const Outcome& all)
    : total_(total(all)),
      first_(all.numbers.rows() > 0 ? all.numbers.target[0] : 0.0),
      mean_(share_of_mean(all)),
      of_class_(of_class(all)),
      rows_of_class_(rows_of_class(all)) {}

double OthersBaseline::mean_without(const Outcome& part) const {
  const double rest = 1.0 - total(part) / total_;
  return first_ + (rest > 0 ? (mean_ - share_of_mean(part)) / rest : mean_);
}

std::vector<Metric> OthersBaseline::metrics(const Outcome& part, const Run& run) const {
  if (!part.labels) return constant_metrics(mean_without(part), part.numbers, run);
  std::vector<double> weights = of_class_;
  const std::vector<double> own = of_class(part);
  const std::vector<std::uint64_t> own_rows = rows_of_class(part);
  for (std::size_t k = 0; k < weights.size(); ++k)  // the rounding error of a class without rows is not a weight
    weights[k] = own_rows[k] < rows_of_class_[k] ? std::max(0.0, weights[k] - own[k]) : 0.0;
  return share_baseline(weights, part.classes, of_class_).metrics;
}

double OthersBaseline::total(const Outcome& rows) {
  double total = 0.0;
  for (const double each : rows.labels ? rows.classes.weight : rows.numbers.weight) total += each;
  return total;
}

double OthersBaseline::share_of_mean(const Outcome& rows) const {
  double sum = 0.0;
  for (std::uint64_t i = 0; i < rows.numbers.rows(); ++i) {
    const double share = rows.numbers.weight[i] / total_;
    sum += share * rows.numbers.target[i] - share * first_;
  }
  return sum;
}

std::vector<Metric> baseline_out_of_fold(const Outcome& outcome, const std::vector<std::uint32_t>& fold,
                                         const Run& run) {
  const OthersBaseline baseline(outcome);
  std::vector<std::vector<std::uint64_t>> rows_of(fold.empty() ? 0 : *std::max_element(fold.begin(), fold.end()) + 1);
  for (std::uint64_t i = 0; i < fold.size(); ++i) rows_of[fold[i]].push_back(i);
  Predicted means = outcome.numbers;
  std::vector<Metric> found;
  for (const std::vector<std::uint64_t>& rows : rows_of) {
    if (rows.empty()) continue;
    Outcome part;
    part.labels = outcome.labels;
    part.classes.labels = outcome.classes.labels;
    part.classes.known = outcome.classes.known;
    part.classes.probable = outcome.classes.probable;
    for (const std::uint64_t i : rows) {
      if (!outcome.labels) {
        part.numbers.add(0.0, outcome.numbers.target[i], outcome.numbers.weight[i]);
        continue;
      }
      part.classes.predicted.push_back(0);
      part.classes.actual.push_back(outcome.classes.actual[i]);
      part.classes.weight.push_back(outcome.classes.weight[i]);
    }
    if (!outcome.labels) {
      for (const std::uint64_t i : rows) means.prediction[i] = baseline.mean_without(part);
      continue;
    }
    const double weight = OthersBaseline::total(part);
    for (const Metric& metric : baseline.metrics(part, run)) {
      const auto known =
          std::find_if(found.begin(), found.end(), [&](const Metric& each) { return each.name == metric.name; });
      if (known == found.end()) {
        found.push_back({metric.name, weight * metric.value, {}, {}});
      } else {
        known->value += weight * metric.value;
      }
    }
  }
  for (Metric& metric : found) metric.value /= OthersBaseline::total(outcome);
  return outcome.labels ? found : regression_metrics(means, run, 0);
}

}  // namespace plumb
