// rows: E2
#include "plumb/evaluate/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/error.h"
#include "plumb/base/random.h"

namespace plumb {
namespace {

// One feature that is the prediction itself.
LinearModel copy_model() {
  LinearModel::Parts parts;
  parts.map = FeatureMap({{{"x", Kind::number, {}}}, {{{{0, 1}}, 0, {}}}});
  parts.weights = Weights::dense(1, 1, {1});
  parts.bias = {0};
  return LinearModel(std::move(parts));
}

Examples examples(std::vector<double> predictions, std::vector<double> targets) {
  Piece piece;
  piece.rows = predictions.size();
  piece.features = 1;
  piece.values = std::move(predictions);
  piece.targets = std::move(targets);
  return Examples({std::move(piece)}, 1);
}

TEST(Metrics, AreWhatTheirNamesSay) {
  Executor executor;
  const auto found = regression_metrics(copy_model(), examples({1, 2, 3, 7}, {1, 4, 3, 4}), plumb::Run{executor});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].name, "rmse");
  EXPECT_DOUBLE_EQ(found[0].value, std::sqrt(13.0 / 4));
  EXPECT_EQ(found[1].name, "mae");
  EXPECT_DOUBLE_EQ(found[1].value, 5.0 / 4);
  EXPECT_EQ(found[2].name, "r2");
  EXPECT_DOUBLE_EQ(found[2].value, 1 - 13.0 / 6);
}

TEST(Metrics, AConstantTargetHasNoR2AndOneRowNoInterval) {
  Executor executor;
  const auto same = regression_metrics(copy_model(), examples({1, 2}, {5, 5}), plumb::Run{executor});
  EXPECT_EQ(same.size(), 2u);
  const auto one = regression_metrics(copy_model(), examples({1}, {2}), plumb::Run{executor});
  EXPECT_FALSE(one[0].low.has_value());
  EXPECT_THROW(regression_metrics(copy_model(), examples({}, {}), plumb::Run{executor}), Error);
}

TEST(Metrics, ThreadsChangeNoBit) {
  const RandomKey random{5, 0};
  std::vector<double> p, y;
  for (std::uint64_t i = 0; i < 30000; ++i) {
    p.push_back(random.uniform(2 * i));
    y.push_back(random.uniform(2 * i + 1));
  }
  const Examples data = examples(p, y);
  Executor one(1);
  const auto expected = regression_metrics(copy_model(), data, plumb::Run{one});
  for (const unsigned threads : {2u, 3u, 7u}) {
    Executor many(threads);
    const auto found = regression_metrics(copy_model(), data, plumb::Run{many});
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].value, expected[i].value);
      EXPECT_EQ(found[i].low, expected[i].low);
    }
  }
}

// An interval should hold the true value about 95 times in 100. Errors are uniform on [-1, 1], targets x + error with x
// uniform on [0, 6]: E e^2 = 1/3, E |e| = 1/2, R^2 = 1 - (1/3) / (3 + 1/3) = 0.9.
TEST(Metrics, IntervalsHoldTheTruthAboutAsOftenAsTheySay) {
  Executor executor;
  int held[3] = {0, 0, 0};
  constexpr int kRounds = 1000;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const RandomKey random{round, 9};
    std::vector<double> p, y;
    for (std::uint64_t i = 0; i < 200; ++i) {
      p.push_back(6 * random.uniform(2 * i));
      y.push_back(p.back() + 2 * random.uniform(2 * i + 1) - 1);
    }
    const auto found = regression_metrics(copy_model(), examples(p, y), plumb::Run{executor});
    const double truth[3] = {std::sqrt(1.0 / 3), 0.5, 0.9};
    for (int i = 0; i < 3; ++i)
      held[i] +=
          *found[static_cast<std::size_t>(i)].low <= truth[i] && truth[i] <= *found[static_cast<std::size_t>(i)].high;
  }
  for (const int count : held) {
    EXPECT_GE(count, 920);
    EXPECT_LE(count, 980);
  }
}

TEST(Metrics, TheBaselineIsAConstant) {
  Executor executor;
  const Examples data = examples({0, 0, 0, 0}, {1, 4, 3, 4});
  EXPECT_EQ(mean_target(data, plumb::Run{executor}), 3.0);
  const auto found = constant_metrics(3.0, data, plumb::Run{executor});
  EXPECT_DOUBLE_EQ(found[0].value, std::sqrt(6.0 / 4));
  EXPECT_DOUBLE_EQ(found[2].value, 0.0);
}

}  // namespace
}  // namespace plumb
