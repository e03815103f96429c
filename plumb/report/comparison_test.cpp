// rows: E6
#include "plumb/report/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb::comparison_test {
namespace {

PredictedClasses said(const std::vector<std::uint32_t>& predicted) {
  PredictedClasses rows;
  rows.labels = {"no", "yes"};
  rows.known = 2;
  rows.predicted = predicted;
  rows.actual.assign(predicted.size(), 1);
  rows.weight.assign(predicted.size(), 1.0);
  return rows;
}

// Errors of the first model in folds 0, 1, 2: 0, 0, 0; of the second 1/2, 0, 1.
TEST(Comparison, DifferencesOverFoldsAreThoseOfTheirErrors) {
  std::vector<ComparedPair> pairs = {{0, 1, {}, {}, false}};
  test_over_folds(pairs, {}, {said({1, 1, 1, 1, 1}), said({0, 1, 1, 0, 0})}, {0, 0, 1, 2, 2});
  ASSERT_TRUE(pairs[0].over_folds);
  EXPECT_NEAR(pairs[0].over_folds->mean, -0.5, 1e-15);
  EXPECT_NEAR(pairs[0].over_folds->standard_error, std::sqrt((1.0 / 3 + 1.0 / 2) * 0.25), 1e-15)
      << "variance of (-1/2, 0, -1) is 1/4, n_test/n_train 1/2";
}

TEST(Comparison, WithoutFoldsThereIsNoTestOverThem) {
  std::vector<ComparedPair> pairs = {{0, 1, {}, {}, false}};
  test_over_folds(pairs, {}, {said({1}), said({0})}, {});
  EXPECT_FALSE(pairs[0].over_folds);
}

}  // namespace
}  // namespace plumb::comparison_test
