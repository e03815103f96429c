#include "plumb/workflow/row_losses.h"

#include <algorithm>
#include <cmath>

#include "plumb/evaluate/calibration.h"

namespace plumb {

constexpr double kMostLoss = 34.5;  // of a probability of 1e-15

Difference difference(const Losses& a, const Losses& b, const std::vector<double>& weights) {
  double total = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += weights[i] * (a[i] - b[i]);
    total += weights[i];
  }
  Difference found;
  if (!(total > 1.0)) return found;
  found.mean = sum / total;
  double squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double own = a[i] - b[i] - found.mean;
    squares += weights[i] * own * own;
  }
  found.standard_error = std::sqrt(squares / (total - 1.0) / total);
  return found;
}

double mean(const Losses& losses, const std::vector<double>& weights) {
  double total = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    sum += weights[i] * losses[i];
    total += weights[i];
  }
  return total > 0.0 ? sum / total : 0.0;
}

Losses losses_of(const Outcome& outcome, const std::string& metric, bool calibrated) {
  Losses losses;
  if (!outcome.labels) {
    const Predicted& rows = outcome.numbers;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const double residual = rows.target[i] - rows.prediction[i];
      losses.push_back(metric == "mae" ? std::abs(residual) : residual * residual);
    }
    return losses;
  }
  const PredictedClasses& rows = outcome.classes;
  if (metric != "accuracy" && metric != "error") {
    if (calibrated) losses = calibrated_log_losses(rows);
    if (!calibrated && rows.probable)
      for (const double loss : rows.log_loss) losses.push_back(std::min(loss, kMostLoss));
    if (!calibrated && !rows.probable) losses.assign(rows.rows(), kMostLoss);
  }
  if (losses.empty())
    for (std::size_t i = 0; i < rows.rows(); ++i) losses.push_back(rows.predicted[i] != rows.actual[i] ? 1.0 : 0.0);
  return losses;
}

bool is_by_row(const std::string& metric) {
  return metric == "accuracy" || metric == "error" || metric == "log_loss" || metric == "rmse" || metric == "mae" ||
         metric == "r2";
}

}  // namespace plumb
