// rows: R1
// Numbers at the ends of a double's range, and data without information.
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/error.h"
#include "plumb/train/testing.h"

namespace plumb::least_squares_range_test {
namespace {

TEST(LeastSquaresRange, AnyConstantTargetHasNoRSquared) {
  Data data = random_data(1000, 2, 6);
  data.y.assign(1000, 0.1);
  const Trained found = fit(data);
  EXPECT_EQ(found.model.parts().bias[0], 0.1);
  EXPECT_TRUE(found.record.converged);
  for (const auto& [name, value] : found.record.fit) EXPECT_NE(name, "r_squared") << value;
}

TEST(LeastSquaresRange, UnitsAtTheEndsOfTheRangeChangeNoBit) {
  const Data data = random_data(40, 2, 12);
  const Trained plain = fit(data);
  for (const int k_y : {-480, 480})
    for (const int k_x : {-1000, -500, 500, 1000}) {
      Data scaled = data;
      for (auto& x : scaled.x) x[1] = std::ldexp(x[1], k_x);
      for (double& y : scaled.y) y = std::ldexp(y, k_y);
      if (k_y - k_x > 1000 || k_y - k_x < -1000) continue;
      const Trained found = fit(scaled);
      EXPECT_EQ(weights(found)[0], std::ldexp(weights(plain)[0], k_y));
      EXPECT_EQ(weights(found)[1], std::ldexp(weights(plain)[1], k_y - k_x));
      EXPECT_EQ(found.record.standard_errors.weights[1],
                std::ldexp(plain.record.standard_errors.weights[1], k_y - k_x));
      EXPECT_EQ(found.record.standard_errors.bias[0], std::ldexp(plain.record.standard_errors.bias[0], k_y));
      EXPECT_EQ(number_of(found, "residual_sd"), std::ldexp(number_of(plain, "residual_sd"), k_y));
      EXPECT_EQ(number_of(found, "r_squared"), number_of(plain, "r_squared"));
      EXPECT_EQ(found.record.objective, std::ldexp(plain.record.objective, 2 * k_y));
      EXPECT_EQ(found.record.certificate.value, plain.record.certificate.value);
      EXPECT_TRUE(found.record.converged);
    }
}

TEST(LeastSquaresRange, WhatANumberCannotHoldIsRefusedOrSaid) {
  Data data = random_data(40, 1, 12);
  Data large = data;
  for (double& y : large.y) y *= 1e200;
  EXPECT_THROW(fit(large), Error);  // the squared errors
  Data steep = data;
  for (auto& x : steep.x) x[0] *= 1e-306;
  for (double& y : steep.y) y *= 1e10;
  try {
    fit(steep);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "the weight of feature \"x0\" is too large for a number: its values are tiny beside those of the target");
  }
  Data small = data;
  for (double& y : small.y) y *= 1e-200;
  const Trained found = fit(small);
  EXPECT_EQ(found.record.objective, 0.0);
  EXPECT_GT(number_of(found, "residual_sd"), 0.0);
  EXPECT_GT(found.record.standard_errors.weights[0], 0.0);
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_TRUE(found.warnings[0].starts_with("the squared errors add up to less")) << found.warnings[0];
  // A weight below the smallest number is 0, and the certificate includes the cost.
  Data flat = data;
  for (auto& x : flat.x) x[0] *= 1e300;
  for (double& y : flat.y) y = (y - 3) * 1e-30;
  const Trained lost = fit(flat, false);
  EXPECT_EQ(weights(lost)[0], 0.0);
  EXPECT_FALSE(lost.record.converged);
  EXPECT_GT(lost.record.certificate.value, 0.9);
}

TEST(LeastSquaresRange, AColumnFarFromZeroIsFittedAsFarAsDoublesGo) {
  Data data = random_data(200, 1, 21);
  Data far = data;
  for (auto& x : far.x) x[0] = std::ldexp(std::round(std::ldexp(x[0], 15)), -15) + 1e10;
  const Trained found = fit(far);
  EXPECT_TRUE(found.record.converged);
  EXPECT_GT(found.record.certificate.value, 0.0);
  Data farther = data;
  for (auto& x : farther.x) x[0] = 1e15 + std::round(x[0] * 3);
  const Trained lost = fit(farther);
  EXPECT_FALSE(lost.record.converged);
  ASSERT_EQ(lost.warnings.size(), 1u);
  EXPECT_NE(lost.warnings[0].find("feature \"x0\" is far from 0"), std::string::npos) << lost.warnings[0];
}

// Milliseconds since 1970 as a feature: the cost of rounding w and b is not part of the errors. Shifting the column
// gives the same errors, to the last digits.
TEST(LeastSquaresRange, AColumnFarFromZeroHasTheErrorsOfTheShiftedOne) {
  Data far, near;
  for (int i = 0; i < 20; ++i) {
    far.x.push_back({1.7e12 + i});
    near.x.push_back({static_cast<double>(i)});
    far.y.push_back(i * 0.3 + (i % 2 == 0 ? 1e-6 : -1e-6));
  }
  near.y = far.y;
  const Trained a = fit(far), b = fit(near);
  expect_close(number_of(a, "residual_sd"), number_of(b, "residual_sd"), 1e-12);
  expect_close(number_of(a, "residual_sum_of_squares"), number_of(b, "residual_sum_of_squares"), 1e-12);
  expect_close(a.record.standard_errors.weights[0], b.record.standard_errors.weights[0], 1e-12);
  EXPECT_GT(a.record.objective, 100 * b.record.objective);
  ASSERT_EQ(a.warnings.size(), 1u);
  EXPECT_TRUE(a.warnings[0].starts_with("rounding the weights raises the squared error from")) << a.warnings[0];
  EXPECT_TRUE(b.warnings.empty());
}

TEST(LeastSquaresRange, SmallWeightsCountAsFewRowsAndAreSaid) {
  Data data = random_data(15, 1, 30);
  data.s.assign(15, 1.0 / 15);
  const Trained found = fit(data);
  EXPECT_EQ(number_of(found, "degrees_of_freedom"), 0.0);
  EXPECT_TRUE(found.record.standard_errors.empty());
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_TRUE(found.warnings[0].starts_with("the weights of the rows add up to 1:")) << found.warnings[0];
  EXPECT_DOUBLE_EQ(weights(found)[0], weights(fit(random_data(15, 1, 30)))[0]);
}

TEST(LeastSquaresRange, WeightsOfAnySizeGiveTheSameLine) {
  Data data = random_data(30, 2, 31);
  for (std::size_t r = 0; r < 30; ++r) data.s.push_back(1.0 + static_cast<double>(r % 3));
  const Trained plain = fit(data);
  for (const int k : {-900, -300, 300, 900}) {
    Data scaled = data;
    for (double& s : scaled.s) s = std::ldexp(s, k);
    const Trained found = fit(scaled);
    EXPECT_EQ(weights(found), weights(plain));
    EXPECT_EQ(found.record.objective, std::ldexp(plain.record.objective, k));
  }
}

TEST(LeastSquaresRange, HugeNumbersAreFittedOrRefusedButNeverNaN) {
  for (const double size : {1e150, 1e300, 1.7e308}) {
    Data data = random_data(20, 2, 1);
    for (auto& x : data.x) x[0] *= size;
    for (double& y : data.y) y = y / 20 * size;
    try {
      const Trained found = fit(data);
      for (const double w : weights(found)) EXPECT_TRUE(std::isfinite(w));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data);
    }
  }
}

// Columns that are nearly equal amplify the errors of the rest of the others.
TEST(LeastSquaresRange, RankIsNeverAboveTheRowsAndWeightsStaySmall) {
  const Trained two = fit_with({{{1, 1.001, 3}, {2, 2.003, 1}}, {1, 3}, {}}, {.bias = false});
  EXPECT_EQ(number_of(two, "rank"), 2);
  expect_close(weights(two)[0], 0.798701, 1e-5);  // by the pseudo-inverse
  expect_close(weights(two)[2], -0.19984, 1e-4);
  const RandomKey key{77, 0};
  std::uint64_t draw = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t n = 2 + static_cast<std::size_t>(3 * key.uniform(draw++)), p = n + 2;
    Data data;
    for (std::size_t r = 0; r < n; ++r) {
      data.x.emplace_back();
      for (std::size_t j = 0; j < p; ++j) data.x[r].push_back(std::round(100 * key.uniform(draw++)) / 100);
      data.x[r][1] = data.x[r][0] + std::round(10 * key.uniform(draw++)) / 1000;
      data.y.push_back(std::round(100 * key.uniform(draw++)) / 100);
    }
    const Trained fit = fit_with(data, {});
    EXPECT_LE(number_of(fit, "rank"), static_cast<double>(n));
    EXPECT_TRUE(fit.record.converged);
    for (const double w : weights(fit)) EXPECT_LE(std::abs(w), 1e6);
  }
}

TEST(LeastSquaresRange, AColumnThatThePenaltyCrushesStillHasItsStandardError) {
  Data data = random_data(60, 1, 5);
  for (auto& x : data.x) x[0] *= 1e-9;
  const Trained fit = fit_with(data, {.bias = false, .l2 = {1.0}});
  double g = 0.0;
  for (const auto& x : data.x) g += x[0] * x[0];
  // Var w = sd^2 g / (g + l2)^2.
  expect_close(fit.record.standard_errors.weights[0], number_of(fit, "residual_sd") * std::sqrt(g) / (g + 1.0), 1e-12);
}

}  // namespace
}  // namespace plumb::least_squares_range_test
