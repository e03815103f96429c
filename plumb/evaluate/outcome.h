// Out-of-sample predictions: predicted numbers, or predicted classes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/evaluate/class_metrics.h"
#include "plumb/evaluate/metrics.h"

namespace plumb {

struct Outcome {
  bool labels = false;
  Predicted numbers;
  PredictedClasses classes;

  std::uint64_t rows() const noexcept { return labels ? classes.rows() : numbers.rows(); }
  std::vector<Metric> metrics(const Run& run, std::uint64_t resamples = kResamples) const;
  // The mean loss of a row, and its standard error: squared error for numbers, log loss for classes, or errors if there
  // are no probabilities.
  struct Loss {
    double mean = 0.0;
    double standard_error = 0.0;
  };
  Loss loss() const;
  std::string loss_name() const { return !labels ? "squared_error" : classes.probable ? "log_loss" : "error"; }
};

}  // namespace plumb
