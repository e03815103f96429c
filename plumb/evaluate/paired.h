// Whether one of two sets of predictions of the same rows is significantly better, and whether the errors of one of
// them still follow a pattern. Formulas and limits: docs/evaluation.md.
#pragma once

#include <cstdint>
#include <optional>

#include "plumb/base/run.h"
#include "plumb/evaluate/predicted.h"
#include "plumb/evaluate/predicted_classes.h"

namespace plumb {

// Row by row the squared error of a minus that of b; their mean, and Student's t of it.
struct PairedTest {
  std::uint64_t rows = 0;
  double difference = 0.0;  // mean squared error of a minus that of b: below 0 if a is better
  double standard_error = 0.0;
  double low = 0.0;  // of the difference, with 95 % confidence
  double high = 0.0;
  double p_value = 1.0;  // of a difference at least that large, if there is none in truth
};

// Empty below 2 rows, or if the squares overflow. Throws Error(internal) if the rows are not the same.
std::optional<PairedTest> compare_squared_errors(const Predicted& a, const Predicted& b, const Run& run);

// Row by row whether a was wrong minus whether b was. The p-value is McNemar's: among the rows that exactly one got
// right, each is equally likely to be either's (exact up to 1000 of them, or normal with a correction for continuity).
// The interval contains the differences that this test does not reject, so it contains 0 if p is above 0.05. Rows of
// weight k count as k. Empty below 2 rows. Throws Error(internal) if the rows are not the same.
std::optional<PairedTest> compare_errors(const PredictedClasses& a, const PredictedClasses& b);

// Wald and Wolfowitz's runs test: rows in the order of their prediction, and how often the sign of the residual target
// - prediction then stays the same. A line fitted to a curve leaves few long runs.
struct RunsTest {
  std::uint64_t above = 0;  // residuals above 0
  std::uint64_t below = 0;  // residuals below 0; zeros are left out
  std::uint64_t runs = 0;
  double expected = 0.0;  // number of runs if signs are in random order
  double p_value = 1.0;   // of that few runs or fewer
};
RunsTest runs_of_residuals(const Predicted& rows);

// Whether residuals bend with the prediction: their correlation with its square, after removing from both what a line
// in the prediction explains (Ramsey's RESET test with one power). Positive if residuals are above 0 at both ends.
struct CurveTest {
  double correlation = 0.0;
  double p_value = 1.0;  // of one at least that large either way, by Student's t with n - 3 degrees of freedom
};
// Empty below 4 rows, for predictions of fewer than three values, or if all residuals are 0.
std::optional<CurveTest> curve_of_residuals(const Predicted& rows, const Run& run);

// P(R <= runs) for signs in random order: exact up to 1000 of them, beyond that normal with a correction for
// continuity.
double chance_of_few_runs(std::uint64_t above, std::uint64_t below, std::uint64_t runs);

}  // namespace plumb
