// Rows with their predicted numbers: all that a metric needs, whoever predicted.
#pragma once

#include <cstdint>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/model/model.h"

namespace plumb {

// In row order; rows of weight 0 are left out.
struct Predicted {
  std::vector<double> prediction, target, weight;
  bool counts = false;  // predicted with a log link: means of counts

  std::uint64_t rows() const noexcept { return prediction.size(); }
  void add(double predicted, double actual, double counts) {
    if (!(counts > 0)) return;
    prediction.push_back(predicted);
    target.push_back(actual);
    weight.push_back(counts);
  }
};

// In units of the target's column, where the model predicts through a formula of it and the examples are of that.
// Throws Error(data) with the number of the first row whose prediction, or its error, overflows.
Predicted predict_rows(const LinearModel& model, const Examples& examples, const Run& run);

// The weighted mean of the targets; 0 if no row has a weight above 0.
double mean_target(const Examples& examples, const Run& run);
double mean_target(const Predicted& rows, const Run& run);

}  // namespace plumb
