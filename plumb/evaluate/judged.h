// The rows as a metric sees them: each row with its prediction, and sums over them that several metrics share.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "plumb/base/span.h"
#include "plumb/evaluate/class_metrics.h"
#include "plumb/evaluate/metrics.h"
#include "plumb/math/unit.h"

namespace plumb {

inline constexpr double kNormalQuantile = 1.959963984540054;  // of the normal distribution, at 0.975

struct MetricValue {
  double value = 0.0;
  std::optional<ShareInterval> interval = {};     // if theory gives it
  SampleStatistic statistic = {};                 // otherwise the value from the sums of a resample, for the bootstrap
  std::optional<ShareInterval> if_constant = {};  // instead of the bootstrap's, if all resamples agree
};

// Errors, targets and weights are scaled to about 1.
struct JudgedNumbers {
  // The terms of one row, each times its weight: summed over all rows or over those of a resample.
  enum Term : std::size_t { kWeight, kSquaredError, kSize, kTarget, kSquaredTarget, kTerms };

  const Predicted& rows;
  In sums;  // over all rows
  math::Unit error_unit, target_unit;
  bool one_target = true;

  std::optional<double> in_units(double number) const {
    if (!std::isfinite(number)) return {};
    return std::ldexp(number, error_unit.exponent);
  }
};

// F1 = 2 right / (predicted + actual).
struct LabelCounts {
  double right = 0.0, predicted = 0.0, actual = 0.0;
  double precision() const { return predicted > 0 ? right / predicted : 0.0; }
  double recall() const { return actual > 0 ? right / actual : 0.0; }
  double f1() const { return predicted + actual > 0 ? 2 * right / (predicted + actual) : 0.0; }
};

struct JudgedClasses {
  // The terms of one row; then for each watched label right, predicted, actual.
  enum Term : std::size_t { kWeight, kLogLoss, kPossible, kBrier, kTerms };

  const PredictedClasses& rows;
  std::vector<LabelCounts> counts = {};  // [label]
  double total = 0.0, right = 0.0;       // weights of rows
  double log_loss = 0.0, possible = 0.0, brier = 0.0;
  double impossible = 0.0;  // the weight of rows whose true label has probability 0
  std::size_t watched = 0;  // labels whose counts are bootstrapped
};

}  // namespace plumb
