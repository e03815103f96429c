// rows: E6 R2
#include "plumb/evaluate/paired.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "plumb/base/random.h"

namespace plumb::paired_test {
namespace {

Predicted predicted(const std::vector<double>& predictions, const std::vector<double>& targets,
                    const std::vector<double>& weights = {}) {
  Predicted rows;
  for (std::size_t i = 0; i < predictions.size(); ++i)
    rows.add(predictions[i], targets[i], weights.empty() ? 1.0 : weights[i]);
  return rows;
}

// Differences of squares 1 - 4, 4 - 1, 9 - 1: mean 8/3, variance 30.33..; t with 2 degrees of freedom has the closed
// form P(|T| > t) = 1 - t / sqrt(2 + t^2).
TEST(Paired, IsStudentsTOfTheDifferences) {
  Executor executor;
  const auto test =
      compare_squared_errors(predicted({1, 2, 3}, {0, 0, 0}), predicted({2, 1, -1}, {0, 0, 0}), plumb::Run{executor});
  const double mean = 8.0 / 3,
               error =
                   std::sqrt(((-3 - mean) * (-3 - mean) + (3 - mean) * (3 - mean) + (8 - mean) * (8 - mean)) / 2 / 3);
  ASSERT_TRUE(test.has_value());
  EXPECT_DOUBLE_EQ(test->difference, mean);
  EXPECT_DOUBLE_EQ(test->standard_error, error);
  const double t = mean / error;
  EXPECT_NEAR(test->p_value, 1 - t / std::sqrt(2 + t * t), 1e-14);
  EXPECT_NEAR(test->high - test->low, 2 * 4.302652729749464 * error, 1e-12);
}

TEST(Paired, TheOrderOfTheTwoOnlyChangesTheSign) {
  Executor executor;
  const Predicted a = predicted({1, 2, 3, 5}, {0, 1, 0, 4}, {1, 2, 1, 3}),
                  b = predicted({2, 1, 0, 4}, {0, 1, 0, 4}, {1, 2, 1, 3});
  const auto ab = compare_squared_errors(a, b, plumb::Run{executor}),
             ba = compare_squared_errors(b, a, plumb::Run{executor});
  EXPECT_EQ(ab->difference, -ba->difference);
  EXPECT_EQ(ab->low, -ba->high);
  EXPECT_EQ(ab->p_value, ba->p_value);
}

TEST(Paired, TheSamePredictionsDoNotDifferAndUnitsDoNotMatter) {
  Executor executor;
  const Predicted a = predicted({1, 2, 3}, {0, 1, 0}), b = predicted({1, 1, 0}, {0, 1, 0});
  EXPECT_EQ(compare_squared_errors(a, a, plumb::Run{executor})->p_value, 1.0);
  EXPECT_EQ(compare_squared_errors(a, a, plumb::Run{executor})->difference, 0.0);
  EXPECT_FALSE(compare_squared_errors(predicted({1}, {0}), predicted({2}, {0}), plumb::Run{executor}).has_value());
  const double scale = std::ldexp(1.0, -400);
  Predicted small_a = a, small_b = b;
  for (Predicted* each : {&small_a, &small_b})
    for (auto* numbers : {&each->prediction, &each->target})
      for (double& number : *numbers) number *= scale;
  EXPECT_EQ(compare_squared_errors(small_a, small_b, plumb::Run{executor})->p_value,
            compare_squared_errors(a, b, plumb::Run{executor})->p_value);
}

// Two predictions that are equally bad: a test at 5 % finds a difference about 5 times in 100.
TEST(Paired, FindsADifferenceThatIsNotThereAboutAsOftenAsItSays) {
  Executor executor;
  int found = 0;
  for (std::uint64_t round = 0; round < 2000; ++round) {
    const RandomKey random{round, 3};
    Predicted a, b;
    for (std::uint64_t i = 0; i < 40; ++i) {
      a.add(random.uniform(2 * i) - 0.5, 0.0, 1.0);
      b.add(random.uniform(2 * i + 1) - 0.5, 0.0, 1.0);
    }
    found += compare_squared_errors(a, b, plumb::Run{executor})->p_value < 0.05;
  }
  EXPECT_NEAR(found, 100, 40) << "standard deviation 10";
}

TEST(Paired, ThreadsChangeNoBit) {
  const RandomKey random{1, 3};
  Predicted a, b;
  for (std::uint64_t i = 0; i < 30000; ++i) {
    a.add(random.uniform(2 * i), 0.0, 1.0);
    b.add(random.uniform(2 * i + 1), 0.0, 1.0);
  }
  Executor one(1);
  const auto expected = compare_squared_errors(a, b, plumb::Run{one});
  for (const unsigned threads : {2u, 7u}) {
    Executor many(threads);
    EXPECT_EQ(compare_squared_errors(a, b, plumb::Run{many})->p_value, expected->p_value);
  }
}

// All orders of a signs of one kind and b of the other, counted one by one.
TEST(RunsTest, ChanceIsTheShareOfOrdersWithSoFewRuns) {
  for (const unsigned n : {2u, 5u, 9u}) {
    for (unsigned above = 1; above < n; ++above) {
      std::vector<double> with(n + 1);
      double all = 0.0;
      for (unsigned signs = 0; signs < 1u << n; ++signs) {
        if (static_cast<unsigned>(std::popcount(signs)) != above) continue;
        const unsigned changes = (signs ^ signs >> 1) & ((1u << (n - 1)) - 1);
        with[static_cast<std::size_t>(std::popcount(changes)) + 1] += 1;
        all += 1;
      }
      double few = 0.0;
      for (unsigned runs = 1; runs <= n; ++runs) {
        few += with[runs];
        EXPECT_NEAR(chance_of_few_runs(above, n - above, runs), few / all, 1e-14) << n << ' ' << above << ' ' << runs;
      }
    }
  }
}

TEST(RunsTest, TheNormalFormGoesOnWhereTheExactOneEnds) {
  for (const std::uint64_t runs : {440u, 480u, 500u, 520u})
    EXPECT_NEAR(chance_of_few_runs(500, 500, runs), chance_of_few_runs(500, 501, runs), 0.02) << runs;
  EXPECT_EQ(chance_of_few_runs(7, 0, 1), 1.0);
}

// A line through a parabola is above it in the middle and below it at both ends: three runs.
TEST(RunsTest, SeesTheCurveThatALineLeaves) {
  Predicted rows;
  for (int i = -10; i <= 10; ++i) rows.add(i, i + i * i - 36.5, 1.0);
  const RunsTest test = runs_of_residuals(rows);
  EXPECT_EQ(test.runs, 3u);
  EXPECT_EQ(test.above, 8u);
  EXPECT_EQ(test.below, 13u);
  EXPECT_LT(test.p_value, 1e-3);
}

// Five predictions -2, ..., 2: their squares without a line are the contrast (2, -1, -2, -1, 2). Residuals that are
// three times it, plus a line, plus d times (-1, 2, 0, -2, 1), which is orthogonal to all of them, have the correlation
// 3 sqrt(14) / sqrt(9 * 14 + 10 d^2).
TEST(CurveTest, IsThePartialCorrelationWithTheSquare) {
  Executor executor;
  const double contrast[] = {2, -1, -2, -1, 2}, other[] = {-1, 2, 0, -2, 1};
  for (const double d : {1.0, -3.0}) {
    Predicted rows;
    for (int i = 0; i < 5; ++i) rows.add(i - 2, i - 2 + 7 + 0.5 * (i - 2) + 3 * contrast[i] + d * other[i], 2.0);
    const auto test = curve_of_residuals(rows, plumb::Run{executor});
    ASSERT_TRUE(test.has_value());
    const double expected = 3 * std::sqrt(14.0) / std::sqrt(9 * 14 + 10 * d * d);
    EXPECT_NEAR(test->correlation, expected, 1e-14);
    const double t = expected * std::sqrt(2 / (1 - expected * expected));
    EXPECT_NEAR(test->p_value, 1 - t / std::sqrt(2 + t * t), 1e-13) << "closed form for 2 degrees of freedom";
  }
}

TEST(CurveTest, NeedsThreePredictionsAndAResidual) {
  Executor executor;
  EXPECT_FALSE(curve_of_residuals(predicted({1, 2, 1, 2, 1}, {1, 3, 0, 2, 5}), plumb::Run{executor}).has_value());
  EXPECT_FALSE(curve_of_residuals(predicted({1, 1, 1, 1}, {1, 3, 0, 2}), plumb::Run{executor}).has_value());
  EXPECT_FALSE(curve_of_residuals(predicted({1, 2, 3, 4}, {1, 2, 3, 4}), plumb::Run{executor}).has_value());
  EXPECT_FALSE(curve_of_residuals(predicted({1, 2, 3}, {1, 3, 1}), plumb::Run{executor}).has_value());
}

TEST(CurveTest, SeesACurveThatIsNotThereAboutAsOftenAsItSays) {
  Executor executor;
  int found = 0;
  for (std::uint64_t round = 0; round < 2000; ++round) {
    const RandomKey random{round, 4};
    Predicted rows;
    for (std::uint64_t i = 0; i < 20; ++i)
      rows.add(random.uniform(2 * i), random.uniform(2 * i) + random.uniform(2 * i + 1), 1.0);
    found += curve_of_residuals(rows, plumb::Run{executor})->p_value < 0.05;
  }
  EXPECT_NEAR(found, 100, 40) << "standard deviation 10";
}

PredictedClasses wrong_in(std::uint64_t begin, std::uint64_t end, std::uint64_t rows, double weight = 1.0) {
  PredictedClasses classes;
  classes.labels = {"no", "yes"};
  classes.known = 2;
  for (std::uint64_t i = 0; i < rows; ++i) {
    classes.predicted.push_back(i >= begin && i < end ? 1 : 0);
    classes.actual.push_back(0);
    classes.weight.push_back(weight);
  }
  return classes;
}

// Wald's interval left out 0 where the exact test did not.
TEST(CompareErrors, TheIntervalHoldsNoDifferenceExactlyWhereTheTestDoesNotRefuseIt) {
  for (const double weight : {1.0, 0.5, 100.0})  // exact, and normal for weights that are no counts or many
    for (std::uint64_t a = 0; a <= 20; ++a)
      for (std::uint64_t b = 0; b <= 20; ++b) {
        const auto test = compare_errors(wrong_in(0, a, 60, weight), wrong_in(a, a + b, 60, weight));
        ASSERT_TRUE(test);
        EXPECT_EQ(test->low <= 0 && test->high >= 0, test->p_value >= 0.05) << a << " " << b << " " << weight;
        EXPECT_LE(test->low, test->difference);
        EXPECT_GE(test->high, test->difference);
      }
  const auto test = compare_errors(wrong_in(0, 2, 10), wrong_in(2, 10, 10));
  EXPECT_NEAR(test->low, 2 * 0.025210726326833 - 1, 1e-9) << "Clopper and Pearson's of 2 in 10";
  EXPECT_NEAR(test->high, 2 * 0.556095462307641 - 1, 1e-9);
}

}  // namespace
}  // namespace plumb::paired_test
