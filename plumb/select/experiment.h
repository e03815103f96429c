// One model on shared rows: fitted to some of them, with features, vocabulary and labels learnt from those alone, and
// tried on others. What compare, tune and curve are made of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/evaluate/class_metrics.h"
#include "plumb/evaluate/metrics.h"
#include "plumb/select/classes.h"
#include "plumb/select/shared_rows.h"
#include "plumb/train/trainer.h"

namespace plumb {

// What fits said of rows that they had not seen: of numbers, or of classes.
struct Outcome {
  bool labels = false;
  Predicted numbers;
  PredictedClasses classes;

  std::uint64_t rows() const noexcept { return labels ? classes.rows() : numbers.rows(); }
  std::vector<Metric> metrics(const Run& run, std::uint64_t resamples = kResamples) const;
};

class Experiment {
 public:
  // All of them must outlive this. The plan's target must be of the kind that the trainer takes.
  Experiment(const SharedRows& shared, const FeaturePlan& plan, const Trainer& trainer,
             const ClassOptions& options = {});

  bool labels() const noexcept { return labels_; }
  const Classes& classes() const noexcept { return classes_; }  // of all rows
  // Rows that take part: all, or those of --classes.
  const RowSet& rows() const noexcept { return rows_; }

  struct Fitted {
    Fit fit;
    Examples examples;                // of all rows, by the map of the fit
    std::vector<std::string> labels;  // that their targets stand for: the fit's first
    std::vector<std::string> warnings;
  };
  Fitted fit(const RowSet& training, const Run& run) const;
  // The rows in row order; labels are those of all rows, whatever the fit saw.
  Outcome predict(const Fitted& fitted, const RowSet& rows, const Run& run) const;

  // Every row of rows() by the fit to those of other folds; `fold` has a number for each row of the data.
  Outcome out_of_fold(std::span<const std::uint32_t> fold, const Run& run) const;
  // Folds of the rows, classes spread evenly.
  std::vector<std::uint32_t> folds(std::uint64_t count, RandomKey key) const;

 private:
  const SharedRows& shared_;
  const FeaturePlan& plan_;
  const Trainer& trainer_;
  bool labels_;
  std::string positive_;
  Classes classes_;
  RowSet rows_;
  std::vector<std::string> all_labels_;  // of the rows that take part, in label order
};

}  // namespace plumb
