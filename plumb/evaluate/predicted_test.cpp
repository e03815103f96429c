// rows: E2
#include "plumb/evaluate/predicted.h"

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb::predicted_test {
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

TEST(Predicted, HoldsTheRowsThatCountInTheirOrder) {
  Executor executor(2);
  std::vector<double> x, y, weights;
  for (int i = 0; i < 10000; ++i) {
    x.push_back(i);
    y.push_back(-i);
    weights.push_back(i % 3);
  }
  const Predicted rows = predict_rows(copy_model(), examples(x, y, weights), plumb::Run{executor});
  ASSERT_EQ(rows.rows(), 6666u);
  std::size_t at = 0;
  for (int i = 0; i < 10000; ++i) {
    if (i % 3 == 0) continue;
    EXPECT_EQ(rows.prediction[at], i);
    EXPECT_EQ(rows.target[at], -i);
    EXPECT_EQ(rows.weight[at++], i % 3);
  }
}

TEST(Predicted, APredictionThatIsNoNumberIsRefusedWithItsRow) {
  Executor executor;
  try {
    predict_rows(copy_model(), examples({1, 1.7e308}, {1, -1.7e308}), plumb::Run{executor});
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_NE(error.message().find("row 2"), std::string::npos) << error.message();
  }
}

TEST(Predicted, TheMeanOfOneValueIsThatValue) {
  Executor executor;
  const plumb::Run run{executor};
  const std::vector<double> zeros(7, 0.0);
  EXPECT_EQ(mean_target(examples(zeros, std::vector<double>(7, 7.1)), run), 7.1);
  EXPECT_EQ(mean_target(examples({0, 0, 0}, {1, 7.1, 2}, {0, 5, 0}), run), 7.1);
  EXPECT_EQ(mean_target(examples({0, 0}, {1, 2}, {0, 0}), run), 0.0);
  EXPECT_EQ(mean_target(examples({0, 0}, {1.7e308, 1.5e308}), run), 1.6e308);
}

TEST(Predicted, TheMeanIsRightToItsLastDigit) {
  Executor executor;
  std::vector<double> y;
  for (int i = 0; i < 10000; ++i) y.push_back(i % 2 == 0 ? 0.1 : 1e8 + 0.1);
  const std::vector<double> zeros(y.size(), 0.0);
  const double exact = static_cast<double>((static_cast<long double>(0.1) + static_cast<long double>(1e8 + 0.1)) / 2);
  EXPECT_EQ(mean_target(examples(zeros, y), plumb::Run{executor}), exact);
}

}  // namespace
}  // namespace plumb::predicted_test
