// What the search of -m auto compares: a loss for each row, and differences of two models row by row.
#pragma once

#include <string>
#include <vector>

#include "plumb/evaluate/outcome.h"

namespace plumb {

// One number a row, less is better; several settings have those of the same rows in the same order.
using Losses = std::vector<double>;

struct Difference {
  double mean = 0.0, standard_error = 0.0;
};

// a - b. Rows of weight k count as k.
Difference difference(const Losses& a, const Losses& b, const std::vector<double>& weights);
double mean(const Losses& losses, const std::vector<double>& weights);

// Losses that stand for a metric, which may not be a mean over rows itself. Those of probabilities are of calibrated
// ones, so that models without probabilities can be compared.
// Without `calibrated` they are those of the model, which loses if it has none.
Losses losses_of(const Outcome& outcome, const std::string& metric, bool calibrated = true);
// Whether the metric is a function of the mean of these losses.
bool is_by_row(const std::string& metric);

}  // namespace plumb
