// Tests of terms of least squares against fits without them, and the quantiles of residuals.
#include "plumb/infer/least_squares_terms.h"

#include <gtest/gtest.h>

#include "plumb/infer/model_terms.h"
#include "plumb/infer/testing.h"
#include "plumb/math/distributions.h"

namespace plumb::least_squares_terms_test {
namespace {

const InferenceOptions kFull{.inference = InferenceAmount::full};

// Columns a, b=y, b=z and the products of a with those of b.
FeatureMap crossed() {
  FeatureMap::Parts parts;
  parts.inputs = {{"a", Kind::number, {}}, {"b", Kind::category, {"x", "y", "z"}}};
  parts.terms = {ProductTerm{{{0, 1}}}, CategoryTerm{1, 0}, CrossTerm{{0, {}}, {1, 0}}};
  return FeatureMap(parts);
}

Data crossed_data(std::size_t n, double origin) {
  const RandomKey key{17, 0};
  Data data;
  for (std::size_t r = 0; r < n; ++r) {
    const double a = origin + key.uniform(2 * r);
    const double y = r % 3 == 1 ? 1 : 0, z = r % 3 == 2 ? 1 : 0;
    data.x.push_back({a, y, z, a * y, a * z});
    data.y.push_back(a + 0.5 * y - 0.2 * z + 0.3 * a * z + key.uniform(2 * r + 1));
  }
  return data;
}

double residual_squares(const Data& data, const std::vector<std::size_t>& columns) {
  Data less = data;
  for (std::size_t r = 0; r < data.x.size(); ++r) {
    less.x[r].clear();
    for (const std::size_t j : columns) less.x[r].push_back(data.x[r][j]);
  }
  return number_of(fit(less), "residual_sum_of_squares");
}

TEST(LeastSquaresTerms, AreTestedByTheSquaresThatFitsWithoutThemLeave) {
  for (const double origin : {0.0, 50.0}) {
    const Data data = crossed_data(40, origin);
    Executor executor(1);
    const plumb::Run run{executor};
    const Examples examples = examples_of(data);
    const FeatureMap map = crossed();
    Trained found = LeastSquaresTrainer().train({examples, map}, run);
    add_inference(found, examples, {}, run);
    const std::vector<TermTest> tests = term_tests(map, found.record);
    ASSERT_EQ(tests.size(), 3);
    const double all = residual_squares(data, {0, 1, 2, 3, 4}), main = residual_squares(data, {0, 1, 2});
    const double squares[] = {residual_squares(data, {1, 2}) - main, residual_squares(data, {0}) - main, main - all};
    const double degrees[] = {1, 2, 2};
    for (std::size_t t = 0; t < 3; ++t) {
      EXPECT_EQ(tests[t].degrees, degrees[t]);
      expect_close(tests[t].squares, squares[t], 1e-7);
      expect_close(tests[t].statistic, squares[t] / degrees[t] / (all / 34), 1e-7);
      expect_close(tests[t].p, math::FRatio{degrees[t], 34}.upper(tests[t].statistic), 1e-12);
    }
  }
}

TEST(LeastSquaresTerms, OfOneFeatureHaveTheSquareOfTAndOnlyOnRequest) {
  const Data data = random_data(30, 2, 9);
  EXPECT_TRUE(term_tests(numbers(2), inferred(data).record).empty());
  Executor executor(1);
  Trained found = fit(data);
  add_inference(found, examples_of(data), kFull, plumb::Run{executor});
  const std::vector<TermTest> tests = term_tests(numbers(2), found.record);
  ASSERT_EQ(tests.size(), 2);
  for (std::size_t j = 0; j < 2; ++j) {
    const double t = weights(found)[j] / found.record.standard_errors.weights[j];
    expect_close(tests[j].statistic, t * t, 1e-11);
  }
}

std::vector<double> quantiles_of(const std::vector<double>& targets) {
  Data data;
  for (const double y : targets) {
    data.x.push_back({0});
    data.y.push_back(y);
  }
  const Trained found = inferred(data);
  const Statistic* const quantiles = find_statistic(found.record, kResidualQuantiles);
  return quantiles == nullptr ? std::vector<double>() : std::get<std::vector<double>>(quantiles->values);
}

TEST(ResidualQuantiles, LieBetweenTheSortedResiduals) {
  EXPECT_EQ(quantiles_of({6, 2, 5, 8, 4}), (std::vector<double>{-3, -1, 0, 1, 3}));
  EXPECT_EQ(quantiles_of({0, 4, 1, 3}), (std::vector<double>{-2, -1.25, 0, 1.25, 2}));
}

}  // namespace
}  // namespace plumb::least_squares_terms_test
