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
  parts.map = FeatureMap({{{"x", Kind::number, {}}}, {ProductTerm{{{0, 1}}}}});
  parts.weights = Weights::dense(1, 1, {1});
  parts.bias = {0};
  return LinearModel(std::move(parts));
}

Examples examples(std::vector<double> predictions, std::vector<double> targets, std::vector<double> weights = {}) {
  Piece piece;
  piece.rows = predictions.size();
  piece.features = 1;
  piece.values.append(predictions);
  piece.targets = std::move(targets);
  piece.weights = std::move(weights);
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
  const auto tenths = regression_metrics(
      copy_model(), examples(std::vector<double>(100, 1), std::vector<double>(100, 0.1)), plumb::Run{executor});
  EXPECT_EQ(tenths.size(), 2u);
  const auto one = regression_metrics(copy_model(), examples({1}, {2}), plumb::Run{executor});
  EXPECT_FALSE(one[0].low.has_value());
  EXPECT_TRUE(regression_metrics(copy_model(), examples({}, {}), plumb::Run{executor}).empty());
  EXPECT_TRUE(regression_metrics(copy_model(), examples({1, 2}, {1, 2}, {0, 0}), plumb::Run{executor}).empty());
  EXPECT_EQ(mean_target(examples(std::vector<double>(7, 0), std::vector<double>(7, 7.1)), plumb::Run{executor}), 7.1);
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

TEST(Metrics, AWeightOfKIsKCopiesOfTheRow) {
  Executor executor;
  const plumb::Run run{executor};
  const Examples weighted = examples({1, 2, 3, 7, 9}, {1, 4, 3, 4, 0}, {2, 1, 3, 1, 0});
  const Examples copied = examples({1, 1, 2, 3, 3, 3, 7}, {1, 1, 4, 3, 3, 3, 4});
  const auto a = regression_metrics(copy_model(), weighted, run), b = regression_metrics(copy_model(), copied, run);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_DOUBLE_EQ(a[i].value, b[i].value);
    EXPECT_NEAR(a[i].low.value(), b[i].low.value(), 1e-13);
    EXPECT_NEAR(a[i].high.value(), b[i].high.value(), 1e-13);
  }
  EXPECT_DOUBLE_EQ(mean_target(weighted, run), mean_target(copied, run));
  // Weights that add up to one row say nothing about how far off a metric is.
  EXPECT_FALSE(regression_metrics(copy_model(), examples({1, 2}, {2, 2}, {0.5, 0.5}), run)[0].low.has_value());
}

// Powers of two in the units of target, prediction and weights change no bit, up to the ends of what a double can hold.
TEST(Metrics, UnitsChangeNoBit) {
  Executor executor;
  const plumb::Run run{executor};
  const std::vector<double> p = {1, 2, 3, 7}, y = {1, 4, 3, 4};
  const auto expected = regression_metrics(copy_model(), examples(p, y), run);
  for (const int k : {-1022, -600, -300, 300, 600, 1020}) {
    std::vector<double> scaled_p = p, scaled_y = y;
    for (double& each : scaled_p) each = std::ldexp(each, k);
    for (double& each : scaled_y) each = std::ldexp(each, k);
    const auto found = regression_metrics(copy_model(), examples(scaled_p, scaled_y), run);
    ASSERT_EQ(found.size(), 3u) << k;
    for (std::size_t i = 0; i < 3; ++i) {
      const int by = found[i].name == "r2" ? 0 : k;
      EXPECT_EQ(found[i].value, std::ldexp(expected[i].value, by)) << k;
      EXPECT_EQ(found[i].low.value(), std::ldexp(expected[i].low.value(), by)) << k;
      EXPECT_EQ(found[i].high.value(), std::ldexp(expected[i].high.value(), by)) << k;
    }
    EXPECT_EQ(mean_target(examples(scaled_p, scaled_y), run), std::ldexp(3.0, k));
  }
}

TEST(Metrics, APredictionThatIsNoNumberIsRefusedWithItsRow) {
  Executor executor;
  try {
    regression_metrics(copy_model(), examples({1, 1.7e308}, {1, -1.7e308}), plumb::Run{executor});
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_NE(error.message().find("row 2"), std::string::npos) << error.message();
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
