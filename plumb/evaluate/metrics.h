// Numbers that judge predictions, each with an interval: how far it may be off because the rows are a sample. THE list
// of them is metric_list(): a metric is one entry there, and nobody else asks for a metric by its name.
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

// What rows must have for a metric to be defined.
enum class MetricNeeds {
  numbers,        // predictions and targets that are numbers
  counts,         // the same by a log link: predictions above 0, targets of at least 0
  labels,         // predicted and actual labels
  scores,         // and scores, which put the rows in order
  probabilities,  // and probabilities
};
enum class MetricGoal { large, small, near_zero };
enum class MetricInterval { bootstrap, wilson, delong };

// Where a metric is shown, and what for; bits of MetricEntry::uses.
enum MetricUse : unsigned {
  kHeadline = 1,       // the one number of a fit, in tables of tune and curve
  kError = 2,          // small is good: what verdicts name, and what picks the best model
  kShort = 4,          // in a line of train
  kCompared = 8,       // in the table of compare
  kDrawn = 16,         // in the picture of compare
  kOfBaseline = 32,    // also of always saying the commonest label
  kNats = 64,          // shown in bits too
  kRocArea = 128,      // the area under the ROC curve
  kSpreadNeeded = 256  // of numbers, only where the targets are not all the same
};

struct MetricValue;
struct JudgedNumbers;
struct JudgedClasses;

struct MetricEntry {
  std::string_view name;
  MetricNeeds needs;
  MetricGoal goal;
  double least, most;  // what it can be
  MetricInterval interval;
  unsigned uses;
  // One of the three says what it is (plumb/evaluate/judged.h). Of numbers a mean over rows of what a row adds, which
  // is bootstrapped by itself; or any function of the rows; the same of classes.
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

// None without rows; else rmse, mae, and r2 where the targets are not all the same: 1 - squared error / squared
// distance from their mean; of counts the deviance too, the mean of 2 (y log(y / m) - y + m) with m predicted. A weight
// of k counts as k copies of the row, which the bootstrap draws together. Without intervals if there are to be no
// resamples. Throws Error(data) for an error that is too large for a number.
std::vector<Metric> regression_metrics(const Predicted& rows, const Run& run, std::uint64_t resamples = kResamples);

// The same of the model that always says `value` of these rows, without intervals.
std::vector<Metric> constant_metrics(double value, const Predicted& rows, const Run& run);

}  // namespace plumb
