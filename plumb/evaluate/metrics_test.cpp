// rows: E2
#include "plumb/evaluate/metrics.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "plumb/base/error.h"
#include "plumb/base/random.h"

namespace plumb::metrics_test {
namespace {

Predicted predicted(const std::vector<double>& predictions, const std::vector<double>& targets,
                    const std::vector<double>& weights = {}) {
  Predicted rows;
  for (std::size_t i = 0; i < predictions.size(); ++i)
    rows.add(predictions[i], targets[i], weights.empty() ? 1.0 : weights[i]);
  return rows;
}

Predicted random_rows(std::uint64_t n, std::uint64_t seed) {
  const RandomKey random{seed, 9};
  Predicted rows;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double x = 6 * random.uniform(2 * i);
    rows.add(x, x + 2 * random.uniform(2 * i + 1) - 1, 1.0);
  }
  return rows;
}

TEST(Metrics, AreWhatTheirNamesSay) {
  Executor executor;
  const auto found = regression_metrics(predicted({1, 2, 3, 7}, {1, 4, 3, 4}), plumb::Run{executor});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].name, "rmse");
  EXPECT_DOUBLE_EQ(found[0].value, std::sqrt(13.0 / 4));
  EXPECT_EQ(found[1].name, "mae");
  EXPECT_DOUBLE_EQ(found[1].value, 5.0 / 4);
  EXPECT_EQ(found[2].name, "r2");
  EXPECT_DOUBLE_EQ(found[2].value, 1 - 13.0 / 6);
}

TEST(Metrics, AConstantTargetHasNoR2AndTwoRowsNoInterval) {
  Executor executor;
  const plumb::Run run{executor};
  EXPECT_EQ(regression_metrics(predicted({1, 2}, {5, 5}), run).size(), 2u);
  const std::vector<double> ones(100, 1), tenths(100, 0.1);
  EXPECT_EQ(regression_metrics(predicted(ones, tenths), run).size(), 2u);
  EXPECT_FALSE(regression_metrics(predicted({1, 2}, {2, 7}), run)[0].low.has_value());
  EXPECT_TRUE(regression_metrics(predicted({1, 2, 3}, {2, 7, 5}), run)[0].low.has_value());
  EXPECT_FALSE(regression_metrics(predicted({1, 2, 3}, {2, 7, 5}), run, 0)[0].low.has_value());
  EXPECT_TRUE(regression_metrics(predicted({}, {}), run).empty());
  EXPECT_TRUE(regression_metrics(predicted({1, 2}, {1, 2}, {0, 0}), run).empty());
}

TEST(Metrics, ThreadsChangeNoBit) {
  for (const std::uint64_t n : {300u, 30000u}) {
    const Predicted rows = random_rows(n, 5);
    Executor one(1);
    const auto expected = regression_metrics(rows, plumb::Run{one, RandomKey{42, 0}}, 200);
    for (const unsigned threads : {2u, 7u}) {
      Executor many(threads);
      const auto found = regression_metrics(rows, plumb::Run{many, RandomKey{42, 0}}, 200);
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].value, expected[i].value);
        EXPECT_EQ(found[i].low, expected[i].low);
        EXPECT_EQ(found[i].high, expected[i].high);
      }
    }
    Executor again(1);
    EXPECT_NE(regression_metrics(rows, plumb::Run{again, RandomKey{43, 0}}, 200)[0].low, expected[0].low);
  }
}

// An interval should contain the true value about 95 times in 100. Errors are uniform on [-1, 1], targets x + error
// with x uniform on [0, 6]: E e^2 = 1/3, E |e| = 1/2, R^2 = 1 - (1/3) / (3 + 1/3) = 0.9. The standard deviation of the
// count is 4.9 in 500.
TEST(Metrics, IntervalsHoldTheTruthAboutAsOftenAsTheySay) {
  Executor executor;
  const double truth[3] = {std::sqrt(1.0 / 3), 0.5, 0.9};
  for (const std::uint64_t n : {15u, 100u}) {
    int held[3] = {0, 0, 0};
    for (std::uint64_t round = 0; round < 500; ++round) {
      const auto found = regression_metrics(random_rows(n, round), plumb::Run{executor, RandomKey{round, 0}}, 400);
      for (std::size_t i = 0; i < 3; ++i) held[i] += *found[i].low <= truth[i] && truth[i] <= *found[i].high;
    }
    for (const int count : held) {
      EXPECT_GE(count, 460) << n;
      EXPECT_LE(count, 495) << n;
    }
  }
}

// The mean size of n errors has standard deviation sd / sqrt(n): with many rows an interval is 1.96 of them to each
// side. Beyond 4096 rows groups are drawn, with equally precise widths.
TEST(Metrics, WidthIsThatOfTheClosedFormAlsoWhereRowsAreDrawnInGroups) {
  Executor executor;
  for (const std::uint64_t n : {4000u, 40000u}) {
    const Predicted rows = random_rows(n, 3);
    const Metric mae = regression_metrics(rows, plumb::Run{executor, RandomKey{42, 0}}, 8000)[1];
    const double sd = std::sqrt((1.0 / 3 - 0.25) / static_cast<double>(n));  // of |e|, uniform on [0, 1]
    EXPECT_NEAR((*mae.high - *mae.low) / (2 * 1.96 * sd), 1.0, 0.05) << n;
    EXPECT_NEAR((*mae.high + *mae.low) / 2, mae.value, 0.2 * sd) << n;
  }
}

// Groups are random, so sorted rows have the same interval as rows in any order.
TEST(Metrics, SortedRowsHaveIntervalsAsWideAsShuffledOnes) {
  Executor executor;
  Predicted sorted;
  constexpr std::uint64_t n = 20000;
  for (std::uint64_t i = 0; i < n; ++i) sorted.add(static_cast<double>(i) / n, 0.0, 1.0);
  const Metric mae = regression_metrics(sorted, plumb::Run{executor, RandomKey{42, 0}}, 8000)[1];
  EXPECT_NEAR((*mae.high - *mae.low) / (2 * 1.96 * std::sqrt(1.0 / 12 / n)), 1.0, 0.05);
}

TEST(Metrics, AWeightOfKIsKCopiesOfTheRow) {
  Executor executor;
  const plumb::Run run{executor, RandomKey{42, 0}};
  const Predicted weighted = predicted({1, 2, 3, 7, 9}, {1, 4, 3, 4, 0}, {2, 1, 3, 1, 0});
  const Predicted copied = predicted({1, 1, 2, 3, 3, 3, 7}, {1, 1, 4, 3, 3, 3, 4});
  const auto a = regression_metrics(weighted, run), b = regression_metrics(copied, run);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_DOUBLE_EQ(a[i].value, b[i].value);
  EXPECT_DOUBLE_EQ(mean_target(weighted, run), mean_target(copied, run));
}

// The copies of a row are drawn together, so equal weights give no more information about a metric than none.
TEST(Metrics, TheSameWeightEverywhereChangesNoInterval) {
  Executor executor;
  const plumb::Run run{executor, RandomKey{42, 0}};
  const std::vector<double> p = {1, 2, 3, 7, 5, 4}, y = {1, 4, 3, 4, 6, 2};
  const auto expected = regression_metrics(predicted(p, y), run);
  for (const double weight : {0.25, 1024.0}) {
    const auto found = regression_metrics(predicted(p, y, std::vector<double>(p.size(), weight)), run);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(found[i].low, expected[i].low);
      EXPECT_EQ(found[i].high, expected[i].high);
    }
  }
}

// Powers of two in the units of target and prediction change no bit, up to the ends of what a double can hold.
TEST(Metrics, UnitsChangeNoBit) {
  Executor executor;
  const plumb::Run run{executor, RandomKey{42, 0}};
  const std::vector<double> p = {1, 2, 3, 7}, y = {1, 4, 3, 4};
  const auto expected = regression_metrics(predicted(p, y), run);
  for (const int k : {-1022, -600, -300, 300, 600, 1020}) {
    std::vector<double> scaled_p = p, scaled_y = y;
    for (double& each : scaled_p) each = std::ldexp(each, k);
    for (double& each : scaled_y) each = std::ldexp(each, k);
    const auto found = regression_metrics(predicted(scaled_p, scaled_y), run);
    ASSERT_EQ(found.size(), 3u) << k;
    for (std::size_t i = 0; i < 3; ++i) {
      const int by = found[i].name == "r2" ? 0 : k;
      EXPECT_EQ(found[i].value, std::ldexp(expected[i].value, by)) << k;
    }
    EXPECT_EQ(found[2].low, expected[2].low) << k;
    EXPECT_EQ(mean_target(predicted(scaled_p, scaled_y), run), std::ldexp(3.0, k));
  }
}

RC_GTEST_PROP(Metrics, AnIntervalHoldsItsMetricAndFitsItsRange, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(3, 40);
  Predicted rows;
  for (std::size_t i = 0; i < n; ++i)
    rows.add(*rc::gen::inRange(-5, 5), *rc::gen::inRange(-5, 5), *rc::gen::inRange(1, 4));
  Executor executor;
  for (const Metric& metric : regression_metrics(rows, plumb::Run{executor, RandomKey{1, 0}}, 50)) {
    if (!metric.low) continue;
    RC_ASSERT(*metric.low <= metric.value);
    RC_ASSERT(metric.value <= *metric.high);
    RC_ASSERT((metric.name == "r2" ? *metric.high <= 1 : *metric.low >= 0));
  }
}

TEST(Metrics, AnErrorThatIsNoNumberIsRefused) {
  Executor executor;
  EXPECT_THROW(regression_metrics(predicted({1, 1.7e308}, {1, -1.7e308}), plumb::Run{executor}), Error);
}

TEST(Metrics, TheBaselineIsAConstant) {
  Executor executor;
  const plumb::Run run{executor};
  const Predicted rows = predicted({0, 0, 0, 0}, {1, 4, 3, 4});
  EXPECT_EQ(mean_target(rows, run), 3.0);
  const auto found = constant_metrics(3.0, rows, run);
  EXPECT_DOUBLE_EQ(found[0].value, std::sqrt(6.0 / 4));
  EXPECT_DOUBLE_EQ(found[2].value, 0.0);
}

}  // namespace
}  // namespace plumb::metrics_test
