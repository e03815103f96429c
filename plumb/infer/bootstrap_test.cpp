// The bootstrap: what its spread must be near, what it must not depend on, and what has no finite weights.
#include "plumb/infer/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/infer/likelihood_testing.h"
#include "plumb/infer/testing.h"
#include "plumb/infer/weight_tests.h"

namespace plumb::bootstrap_test {
namespace {

InferenceOptions resampled(std::uint64_t resamples) {
  InferenceOptions options{.errors = Errors::bootstrap};
  options.errors.resamples = resamples;
  return options;
}

Trained resampled_line(const Data& data, std::uint64_t resamples, unsigned threads = 1, double l2 = 0.0) {
  Executor executor(threads);
  const plumb::Run run{executor};
  const Examples examples = examples_of(data);
  LeastSquaresOptions options;
  options.l2 = {l2};
  const LeastSquaresTrainer trainer(options);
  Trained fit = trainer.train({examples, numbers(examples.features())}, run);
  add_inference(fit, examples, resampled(resamples), run, {{}, &trainer});
  return fit;
}

// A constant fit to numbers: the error of a mean by the bootstrap is sd / sqrt(n), sd with the divisor n, to within
// what so many resamples vary, 1 / sqrt(2 B).
TEST(Bootstrap, OfAMeanHasTheErrorOfAMean) {
  Data data;
  double sum = 0.0, squares = 0.0;
  const RandomKey key{5, 0};
  for (std::size_t i = 0; i < 50; ++i) {
    data.x.push_back({0.0});
    data.y.push_back(key.uniform(i));
    sum += data.y[i];
    squares += data.y[i] * data.y[i];
  }
  const Trained fit = resampled_line(data, 2000);
  const double wanted = std::sqrt((squares / 50 - sum * sum / 2500) / 50);
  expect_close(fit.record.standard_errors.bias[0], wanted, 4 / std::sqrt(2 * 2000.0));
  const auto tests = weight_tests(fit.model, fit.record);
  ASSERT_TRUE(tests);
  EXPECT_TRUE(tests->bootstrap);
  EXPECT_TRUE(std::isnan(tests->p.bias[0]));
  expect_close(tests->high.bias[0] - tests->low.bias[0], 2 * 1.96 * wanted, 0.15);
  EXPECT_EQ(number_of(fit, kBootstrapRefits), 2000);
}

TEST(Bootstrap, IsNearTheRobustErrorsOfManyRows) {
  const Data data = drawn_classes(600, 2, 2, 41);
  const Trained robust = inferred_classes(data, kTwoLabels, {}, {.errors = Errors::hc0});
  const Trained fit = inferred_classes(data, kTwoLabels, {}, resampled(400));
  for (std::size_t j = 0; j < 2; ++j)
    expect_close(fit.record.standard_errors.weights[j], robust.record.standard_errors.weights[j], 0.2);
}

TEST(Bootstrap, HasTheSameBitsForAnyThreadsAndASmallerErrorWithAPenalty) {
  const Data data = random_data(5000, 2, 42);
  const Trained one = resampled_line(data, 20), two = resampled_line(data, 20, 7);
  EXPECT_EQ(one.record.standard_errors.weights, two.record.standard_errors.weights);
  EXPECT_EQ(one.record.statistics, two.record.statistics);
  const Data few = random_data(30, 2, 43);
  const Trained penalised = resampled_line(few, 200, 1, 1e3), free = resampled_line(few, 200);
  EXPECT_LT(penalised.record.standard_errors.weights[1], free.record.standard_errors.weights[1]);
  EXPECT_TRUE(weight_tests(penalised.model, penalised.record));
}

TEST(Bootstrap, LeavesOutResamplesWithoutFiniteWeights) {
  // Overlapping by one row: where it is not drawn the classes are separable.
  Data data{{{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}}, {0, 0, 0, 1, 0, 1, 1, 1}, {}};
  const Trained fit = inferred_classes(data, kTwoLabels, {}, resampled(60));
  ASSERT_FALSE(fit.warnings.empty());
  EXPECT_NE(fit.warnings.front().find("no finite weights"), std::string::npos);
  const double* const used = find_number(fit.record, kBootstrapRefits);
  EXPECT_EQ(used == nullptr, fit.record.standard_errors.empty());
  EXPECT_LT(used == nullptr ? 0.0 : *used, 60);
}

}  // namespace
}  // namespace plumb::bootstrap_test
