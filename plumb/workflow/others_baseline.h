// What always saying the mean, or the commonest label, comes to on rows that a model of the others is tried on.
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

// Of a model that is trained on all rows but those tried.
class OthersBaseline {
 public:
  explicit OthersBaseline(const Outcome& all);

  double mean_without(const Outcome& part) const;
  std::vector<Metric> metrics(const Outcome& part, const Run& run) const;
  std::size_t label(const PredictedClasses& rows) const { return share_baseline(of_class_, rows).label; }
  static double total(const Outcome& rows);

 private:
  // What the rows add to how far the mean of all is from the first target: nothing where all are the same. Sums of
  // targets could be too large for a number.
  double share_of_mean(const Outcome& rows) const;

  double total_, first_;
  double mean_;  // of all, less first_
  std::vector<double> of_class_;
  std::vector<std::uint64_t> rows_of_class_;
};

// The baseline of every fold as one: `fold` has a number for each row of the outcome.
std::vector<Metric> baseline_out_of_fold(const Outcome& outcome, const std::vector<std::uint32_t>& fold,
                                         const Run& run);

}  // namespace plumb
