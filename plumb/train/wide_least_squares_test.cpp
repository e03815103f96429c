#include "plumb/train/wide_least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/train/least_squares.h"
#include "plumb/train/testing.h"

namespace plumb::wide_least_squares_test {
namespace {

// More features than rows, far from 0, with weights.
Data wide_data(bool weighted) {
  Data data;
  const RandomKey key{11, 0};
  std::uint64_t draw = 0;
  for (int i = 0; i < 12; ++i) {
    data.x.emplace_back();
    for (int j = 0; j < 30; ++j) data.x.back().push_back(5.0 * j + (1 + j % 4) * key.uniform(draw++));
    data.y.push_back(data.x.back()[0] + 3 * key.uniform(draw++));
    if (weighted) data.s.push_back(1 + i % 3);
  }
  return data;
}

WideFit wide(const Data& data, const LeastSquaresOptions& options, unsigned threads = 1) {
  Executor executor(threads);
  const Examples examples = examples_of(data);
  const FeatureMap map = numbers(examples.features());
  return fit_wide({examples, map}, options, std::vector<double>(map.features(), 1.0), plumb::Run{executor});
}

Trained narrow(const Data& data, const LeastSquaresOptions& options) {
  Executor executor(1);
  const Examples examples = examples_of(data);
  return LeastSquaresTrainer(options).train({examples, numbers(examples.features())}, plumb::Run{executor});
}

void expect_same(const Trained& a, const Trained& b, double near) {
  const std::vector<double> w = weights(a), v = weights(b);
  ASSERT_EQ(w.size(), v.size());
  double size = 0.0;
  for (const double each : v) size = std::max(size, std::abs(each));
  for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(w[j], v[j], near * size) << j;
  EXPECT_NEAR(a.model.parts().bias[0], b.model.parts().bias[0], near * 1e3 * std::abs(b.model.parts().bias[0]));
}

TEST(WideLeastSquares, IsTheRidgeFitOfTheMatrixOfFeatures) {
  for (const bool weighted : {false, true})
    for (const bool bias : {true, false}) {
      const Data data = wide_data(weighted);
      const LeastSquaresOptions options{.bias = bias, .l2 = {0.7}};
      const WideFit found = wide(data, options);
      const Trained held = narrow(data, options);
      expect_same(found.trained, held, 1e-9);
      EXPECT_TRUE(found.trained.record.converged);
      for (const char* name : {"effective_weights", "degrees_of_freedom", "residual_sum_of_squares", "r_squared"})
        EXPECT_NEAR(*find_number(found.trained.record, name), *find_number(held.record, name),
                    1e-7 * (1 + std::abs(*find_number(held.record, name))))
            << name;
    }
}

TEST(WideLeastSquares, WithoutAPenaltyHasTheWeightsOfLeastNorm) {
  const Data data = wide_data(false);
  const WideFit found = wide(data, {});
  expect_same(found.trained, narrow(data, {.rank = RankRule::min_norm}), 1e-8);
  EXPECT_TRUE(found.trained.record.converged);
  ASSERT_EQ(found.trained.warnings.size(), 1u);
}

TEST(WideLeastSquares, ChosenPenaltyHasTheLeastErrorOfRefitsWithoutEachRow) {
  const Data data = wide_data(false);
  const WideFit found = wide(data, {.l2 = {0.0, true}});
  const auto left_out = [&](double l2) {
    double sum = 0.0;
    for (std::size_t i = 0; i < data.y.size(); ++i) {
      Data others = data;
      others.x.erase(others.x.begin() + static_cast<std::ptrdiff_t>(i));
      others.y.erase(others.y.begin() + static_cast<std::ptrdiff_t>(i));
      const Trained fit = narrow(others, {.l2 = {l2}});
      double predicted = fit.model.parts().bias[0];
      const std::vector<double> w = weights(fit);
      for (std::size_t j = 0; j < w.size(); ++j) predicted += w[j] * data.x[i][j];
      sum += (data.y[i] - predicted) * (data.y[i] - predicted);
    }
    return std::sqrt(sum / static_cast<double>(data.y.size()));
  };
  const double l2 = found.path->chosen().l2, least = left_out(l2);
  EXPECT_NEAR(found.path->chosen().loo_rmse, least, 1e-7 * least);
  for (const double other : {l2 / 100, l2 / 3, l2 * 3, l2 * 100}) EXPECT_LE(least, left_out(other) * (1 + 1e-9));
}

TEST(WideLeastSquares, HasTheSameBitsForAnyNumberOfThreads) {
  const Data data = wide_data(true);
  EXPECT_EQ(weights(wide(data, {.l2 = {1.0}}, 1).trained), weights(wide(data, {.l2 = {1.0}}, 7).trained));
}

}  // namespace
}  // namespace plumb::wide_least_squares_test
