// rows: E1 E2
#include "plumb/evaluate/resampled.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace plumb::resampled_test {
namespace {

TEST(Resampled, WithoutSharedRowsItIsStudentsT) {
  const auto found = resampled_mean({1, 2, 3, 4, 5}, 0.0);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->mean, 3, 1e-15);
  EXPECT_NEAR(found->standard_error, std::sqrt(2.5 / 5), 1e-15);
  EXPECT_NEAR(found->high - found->mean, 2.7764451051977987 * std::sqrt(0.5), 1e-9);
}

TEST(Resampled, SharedRowsWidenTheInterval) {
  const std::vector<double> values = {0.9, 0.8, 0.85, 0.95, 0.9, 0.88, 0.91, 0.86, 0.9, 0.89};
  const auto apart = resampled_mean(values, 0.0), shared = resampled_mean(values, 1.0 / 9);
  EXPECT_NEAR(shared->standard_error / apart->standard_error, std::sqrt((0.1 + 1.0 / 9) / 0.1), 1e-12);
  EXPECT_GT(shared->p_value, 0.0);
  EXPECT_LT(apart->p_value, shared->p_value);
}

TEST(Resampled, OneSplitHasNoInterval) {
  EXPECT_FALSE(resampled_mean({1.0}, 0.25));
  const std::vector<Metric> means = over_splits({{{"accuracy", 0.5, {}, {}}}}, 0.25);
  ASSERT_EQ(means.size(), 1u);
  EXPECT_EQ(means[0].value, 0.5);
  EXPECT_FALSE(means[0].low);
}

TEST(Resampled, AnInfiniteValueHasNoIntervalAndEqualOnesNoWidth) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Metric> means = over_splits({{{"log_loss", infinity, {}, {}}, {"error", 0.1, {}, {}}},
                                                 {{"log_loss", 0.5, {}, {}}, {"error", 0.1, {}, {}}},
                                                 {{"log_loss", infinity, {}, {}}, {"error", 0.1, {}, {}}}},
                                                0.25);
  EXPECT_EQ(means[0].value, infinity);
  EXPECT_FALSE(means[0].low || means[0].high);
  EXPECT_EQ(means[1].value, 0.1);
  EXPECT_EQ(means[1].low, 0.1);
  EXPECT_EQ(means[1].high, 0.1);
}

TEST(Resampled, AnIntervalEndsWhereTheMetricDoes) {
  const std::vector<Metric> means = over_splits(
      {{{"recall", 1.0, {}, {}}, {"rmse", 0.1, {}, {}}}, {{"recall", 0.8, {}, {}}, {"rmse", 3.0, {}, {}}}}, 0.25);
  EXPECT_EQ(means[0].high, 1.0);
  EXPECT_EQ(means[0].low, 0.0);
  EXPECT_EQ(means[1].low, 0.0);
  EXPECT_GT(means[1].high, 3.0);
}

TEST(Resampled, AMetricIsAveragedOverTheSplitsThatHaveIt) {
  const std::vector<Metric> means =
      over_splits({{{"accuracy", 0.5, {}, {}}}, {{"accuracy", 0.7, {}, {}}, {"auc", 0.6, {}, {}}}}, 0.25);
  ASSERT_EQ(means.size(), 2u);
  EXPECT_NEAR(means[0].value, 0.6, 1e-15);
  EXPECT_EQ(means[1].value, 0.6);
  EXPECT_EQ(means[0].splits, 2u);
  EXPECT_EQ(means[1].splits, 1u) << "which is said";
}

TEST(Resampled, AMetricThatTheFirstSplitLacksStandsWhereOthersHaveIt) {
  const std::vector<Metric> means = over_splits(
      {{{"recall", 0.0, {}, {}}, {"f1", 0.0, {}, {}}}, {{"precision", 1.0, {}, {}}, {"recall", 0.7, {}, {}}}}, 0.25);
  ASSERT_EQ(means.size(), 3u);
  EXPECT_EQ(means[0].name, "precision");
  EXPECT_EQ(means[1].name, "recall");
  EXPECT_EQ(means[2].name, "f1");
}

}  // namespace
}  // namespace plumb::resampled_test
