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
#include "plumb/select/split.h"
#include "plumb/train/trainer.h"

namespace plumb {

// What fits said of rows that they had not seen: of numbers, or of classes.
struct Outcome {
  bool labels = false;
  Predicted numbers;
  PredictedClasses classes;

  std::uint64_t rows() const noexcept { return labels ? classes.rows() : numbers.rows(); }
  std::vector<Metric> metrics(const Run& run, std::uint64_t resamples = kResamples) const;
  // The mean loss of a row, and how far that is off for the rows being a sample: of the squared error of numbers, of
  // the log loss of classes, or of errors where there are no probabilities.
  struct Loss {
    double mean = 0.0;
    double standard_error = 0.0;
  };
  Loss loss() const;
  std::string loss_name() const { return !labels ? "squared_error" : classes.probable ? "log_loss" : "error"; }
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

  // Folds of some rows, classes spread evenly: a number for each row of the data, kNoFold for those that have none.
  std::vector<std::uint32_t> folds(const RowSet& among, std::uint64_t count, RandomKey key) const;
  // Every row with a fold by the fit to those of other folds.
  Outcome out_of_fold(std::span<const std::uint32_t> fold, const Run& run) const;
  // Rows to hold out of some, a share of each class.
  RowSet hold_out(const RowSet& among, const TestChoice& choice, RandomKey key) const;

  static constexpr std::uint32_t kNoFold = 0xffffffff;

 private:
  // The rows of a set, and what they are of.
  std::vector<std::uint64_t> listed(const RowSet& among) const;
  std::vector<std::uint32_t> classes_of_rows(const std::vector<std::uint64_t>& rows) const;

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
