// The baseline in cross-validation: always predicting the mean, or the most common label, of the other rows.
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/evaluate/class_metrics.h"
#include "plumb/evaluate/metrics.h"
#include "plumb/select/experiment.h"

namespace plumb {

// The mean of each metric over the repeats that have it, and of the ends of its interval.
std::vector<Metric> averaged(const std::vector<std::vector<Metric>>& repeats);

// For a model that is trained on all rows except the held-out ones.
class OthersBaseline {
 public:
  explicit OthersBaseline(const Outcome& all);

  double mean_without(const Outcome& part) const;
  std::vector<Metric> metrics(const Outcome& part, const Run& run) const;
  std::size_t label(const PredictedClasses& rows) const { return share_baseline(of_class_, rows).label; }
  static double total(const Outcome& rows);

 private:
  // Adds the rows' deviation from the first target to the mean of all: zero if all are the same. Plain sums of targets
  // could overflow.
  double share_of_mean(const Outcome& rows) const;

  double total_, first_;
  double mean_;  // of all, minus first_
  std::vector<double> of_class_;
  std::vector<std::uint64_t> rows_of_class_;
};

// The baseline of every fold combined: `fold` has a number for each row of the outcome.
std::vector<Metric> baseline_out_of_fold(const Outcome& outcome, const std::vector<std::uint32_t>& fold,
                                         const Run& run);

}  // namespace plumb
