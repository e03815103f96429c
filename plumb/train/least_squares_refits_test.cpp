// rows: E1 E6
#include "plumb/train/refitter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/train/testing.h"

namespace plumb::least_squares_refits_test {
namespace {

// Every row by the fit to all others, in the plainest way.
std::vector<double> by_refits(const Data& data, bool bias = true) {
  std::vector<double> predictions;
  for (std::size_t i = 0; i < data.y.size(); ++i) {
    if (!data.s.empty() && data.s[i] == 0) continue;
    Data others = data;
    others.x.erase(others.x.begin() + static_cast<std::ptrdiff_t>(i));
    others.y.erase(others.y.begin() + static_cast<std::ptrdiff_t>(i));
    if (!others.s.empty()) others.s.erase(others.s.begin() + static_cast<std::ptrdiff_t>(i));
    const Trained fitted = fit(others, bias);
    double sum = fitted.model.parts().bias[0];
    for (std::size_t j = 0; j < data.x[i].size(); ++j) sum += weights(fitted)[j] * data.x[i][j];
    predictions.push_back(sum);
  }
  return predictions;
}

Predicted predict_left_out(const Trainer& trainer, const Problem& problem, const Trained& whole,
                           const plumb::Run& run) {
  const FeaturePlan plan;
  const std::unique_ptr<Refitter> refitter = trainer.refitter({problem, plan, &whole});
  EXPECT_EQ(refitter->way(true), FoldWay::leverages);
  return merged(refitter->without({}, run)).numbers;
}

Predicted left_out(const Data& data, bool bias, unsigned threads = 1) {
  Executor executor(threads);
  const Examples examples = examples_of(data);
  const FeatureMap map = numbers(examples.features());
  const LeastSquaresTrainer trainer({.bias = bias});
  const plumb::Run run{executor};
  return predict_left_out(trainer, {examples, map}, trainer.train({examples, map}, run), run);
}

void expect_same(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-10) << i;
}

TEST(LeastSquaresRefits, LeverageGivesThePredictionOfTheFitWithoutTheRow) {
  Data data = random_data(25, 3, 1);
  expect_same(left_out(data, true).prediction, by_refits(data));
  expect_same(left_out(data, false).prediction, by_refits(data, false));
  for (std::size_t i = 0; i < data.y.size(); ++i) data.s.push_back(static_cast<double>(i % 4));
  const Predicted rows = left_out(data, true);
  EXPECT_EQ(rows.rows(), 18u) << "rows of weight 0 are left out";
  expect_same(rows.prediction, by_refits(data));
}

TEST(LeastSquaresRefits, LeverageIsExactWithAPenaltyToo) {
  const Data data = random_data(20, 3, 6);
  Executor executor;
  const Examples examples = examples_of(data);
  const FeatureMap map = numbers(3);
  LeastSquaresOptions options;
  options.l2 = OptionText<decltype(options.l2)>::read("2.5");
  const LeastSquaresTrainer trainer(options);
  const plumb::Run run{executor};
  const Problem problem{examples, map};
  std::vector<double> refits;
  for (std::uint64_t row = 0; row < 20; ++row) {
    RowSet alone(20);
    alone.add(row);
    const Examples others = examples.with(alone.complement());
    refits.push_back(
        predict_rows(trainer.train({others, map}, run).model, examples.with(alone), run).prediction.front());
  }
  expect_same(predict_left_out(trainer, problem, trainer.train(problem, run), run).prediction, refits);
}

// A row that alone has a level: without it the level is unseen, and is ignored.
TEST(LeastSquaresRefits, ARowThatAloneDecidesAWeightIsFittedAnew) {
  Data data = random_data(20, 2, 2);
  for (std::size_t i = 0; i < 20; ++i) data.x[i].push_back(i == 7 ? 1.0 : 0.0);
  data.y[7] += 100;
  const Predicted rows = left_out(data, true);
  expect_same(rows.prediction, by_refits(data));
  EXPECT_NEAR(rows.target[7] - rows.prediction[7], 100, 1);
}

TEST(LeastSquaresRefits, ThreadsChangeNoBit) {
  const Data data = random_data(9000, 3, 5);
  const Predicted expected = left_out(data, true);
  for (const unsigned threads : {2u, 7u}) EXPECT_EQ(left_out(data, true, threads).prediction, expected.prediction);
}

}  // namespace
}  // namespace plumb::least_squares_refits_test
