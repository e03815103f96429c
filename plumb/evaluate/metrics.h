// Metrics of predictions, each with a confidence interval. THE list of them is metric_list(): a metric is one entry
// there, and no other code asks for a metric by its name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/evaluate/bootstrap.h"
#include "plumb/evaluate/metric.h"
#include "plumb/evaluate/predicted.h"

namespace plumb {

// What a metric needs to be defined.
enum class MetricNeeds {
  numbers,        // predictions and targets that are numbers
  counts,         // the same with a log link: predictions above 0, targets of at least 0
  labels,         // predicted and actual labels
  scores,         // and scores, which rank the rows
  probabilities,  // and probabilities
};
enum class MetricGoal { large, small, near_zero };
enum class MetricInterval { bootstrap, wilson, delong };

// Where a metric is shown, and for what; bits of MetricEntry::uses.
enum MetricUse : unsigned {
  kHeadline = 1,       // the main metric of a fit, in tables of tune and curve
  kError = 2,          // small is good: named in verdicts, and picks the best model
  kShort = 4,          // in a line of train
  kCompared = 8,       // in the table of compare
  kDrawn = 16,         // in the plot of compare
  kOfBaseline = 32,    // also for always predicting the most common label
  kNats = 64,          // shown in bits too
  kRocArea = 128,      // the area under the ROC curve
  kSpreadNeeded = 256  // for numbers, only if the targets are not all the same
};

struct MetricValue;
struct JudgedNumbers;
struct JudgedClasses;

struct MetricEntry {
  std::string_view name;
  MetricNeeds needs;
  MetricGoal goal;
  double least, most;  // its possible values
  MetricInterval interval;
  unsigned uses;
  // One of the three computes it (plumb/evaluate/judged.h). For numbers a mean over rows, which is bootstrapped by
  // itself; or any function of the rows; the same for classes.
  double (*of_row)(double prediction, double target);
  std::optional<MetricValue> (*of_numbers)(const JudgedNumbers& judged);
  std::optional<MetricValue> (*of_classes)(const JudgedClasses& judged);
};

// Those of numbers, then those of classes, in the order in which they are shown.
std::span<const MetricEntry> metric_list();
std::span<const MetricEntry> metrics_of(bool labels);
// Null for a name that is not in the list.
const MetricEntry* find_entry(std::string_view name);
// The first metric with this use, by the list; null if there is none.
const Metric* find_metric(std::span<const Metric> metrics, MetricUse use);
std::vector<std::string> names_of(bool labels, MetricUse use);

// Empty without rows; otherwise rmse, mae, and r2 if the targets are not all the same: 1 - squared error / squared
// distance from their mean; for counts the deviance too, the mean of 2 (y log(y / m) - y + m) with prediction m. A
// weight of k counts as k copies of the row, which the bootstrap draws together. Without resamples there are no
// intervals. Throws Error(data) for an error that overflows.
std::vector<Metric> regression_metrics(const Predicted& rows, const Run& run, std::uint64_t resamples = kResamples);

// The same for the model that always predicts `value` on these rows, without intervals.
std::vector<Metric> constant_metrics(double value, const Predicted& rows, const Run& run);

}  // namespace plumb
