// rows: E2
#include "plumb/evaluate/predicted_classes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <utility>
#include <vector>

#include "plumb/base/random.h"

namespace plumb::predicted_classes_test {
namespace {

// Rows of two sparse features, some without a weight, some of a label that the model does not know.
Examples rows_of_three_labels(std::uint64_t rows) {
  const RandomKey key{3, 1};
  std::uint64_t next = 0;
  Piece piece;
  piece.rows = rows;
  piece.features = 2;
  piece.offsets = {0};
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint32_t j = 0; j < 2; ++j) {
      if (key.below(next++, 3) == 0) continue;
      piece.index.push_back(j);
      piece.values.push(0.25 * static_cast<double>(key.below(next++, 40)) - 5);
    }
    piece.offsets.push_back(piece.index.size());
    piece.targets.push_back(static_cast<double>(key.below(next++, 11) / 5));
    piece.weights.push_back(0.5 * static_cast<double>(key.below(next++, 4)));
  }
  return Examples({std::move(piece)}, 2);
}

LinearModel model_of_two(double threshold) {
  LinearModel::Parts parts;
  parts.map =
      FeatureMap({{{"x", Kind::number, {}}, {"y", Kind::number, {}}}, {ProductTerm{{{0, 1}}}, ProductTerm{{{1, 1}}}}});
  parts.weights = Weights::dense(1, 2, {3.0, -1.25});
  parts.bias = {0.5};
  parts.link = Link::logistic;
  parts.labels = {"a", "b"};
  parts.threshold = threshold;
  return LinearModel(std::move(parts));
}

PredictedClasses row_by_row(const LinearModel& model, const Examples& examples) {
  PredictedClasses found(model);
  Predictor predictor(model);
  for (std::size_t b = 0; b < examples.blocks(); ++b)
    examples.block(b).for_each([&](const Example& e) { found.add(predictor, e.x, e.target, e.weight); });
  return found;
}

void expect_same_labels(const PredictedClasses& found, const PredictedClasses& expected) {
  EXPECT_EQ(found.predicted, expected.predicted);
  EXPECT_EQ(found.actual, expected.actual);
  EXPECT_EQ(found.weight, expected.weight);
}

TEST(PredictedClasses, ManyRowsAtOnceAreAsRowByRow) {
  Executor executor(2);
  const Examples examples = rows_of_three_labels(9000);
  for (const double threshold : {0.5, 0.7}) {
    const LinearModel model = model_of_two(threshold);
    const PredictedClasses found = predict_classes(model, examples, {"a", "b", "c"}, plumb::Run{executor});
    const PredictedClasses expected = row_by_row(model, examples);
    expect_same_labels(found, expected);
    EXPECT_EQ(found.scores, expected.scores);
    EXPECT_EQ(found.log_loss, expected.log_loss);
    EXPECT_EQ(found.brier, expected.brier);
    EXPECT_EQ(found.confidence, expected.confidence);
  }
}

// More classes than rows that are scored at once.
TEST(PredictedClasses, RowsOfManyLabelsAreAsRowByRow) {
  constexpr std::uint32_t kLabels = 2000;
  const RandomKey key{8, 1};
  Executor executor(2);
  LinearModel::Parts parts;
  parts.map =
      FeatureMap({{{"x", Kind::number, {}}, {"y", Kind::number, {}}}, {ProductTerm{{{0, 1}}}, ProductTerm{{{1, 1}}}}});
  std::vector<double> weights;
  for (std::uint32_t k = 0; k < kLabels; ++k) {
    parts.labels.push_back(std::to_string(k));
    for (std::uint32_t j = 0; j < 2; ++j) weights.push_back(static_cast<double>(key.below(2 * k + j, 41)) / 8 - 2.5);
  }
  parts.bias.assign(kLabels, 0.25);
  const Examples examples = rows_of_three_labels(1500);
  for (const Link link : {Link::softmax, Link::sign}) {
    parts.link = link;
    parts.weights = Weights::dense(kLabels, 2, weights);
    const LinearModel model(parts);
    const PredictedClasses found = predict_classes(model, examples, parts.labels, plumb::Run{executor});
    const PredictedClasses expected = row_by_row(model, examples);
    expect_same_labels(found, expected);
    ASSERT_EQ(found.scores.size(), expected.scores.size());
    for (std::size_t i = 0; i < found.scores.size(); ++i) ASSERT_NEAR(found.scores[i], expected.scores[i], 1e-15);
    for (std::size_t i = 0; i < found.log_loss.size(); ++i)
      ASSERT_NEAR(found.log_loss[i], expected.log_loss[i], 1e-13 * expected.log_loss[i]);
    if (link == Link::softmax) continue;
    // The distance of each score from the best of the others, by its definition; equals are at no distance.
    Predictor predictor(model);
    std::size_t row = 0;
    examples.block(0).for_each([&](const Example& e) {
      if (!(e.weight > 0) || row++ % 100 != 0) return;
      predictor.predict(e.x);
      const In scores = predictor.label_scores();
      for (std::size_t k = 0; k < kLabels; k += 7) {
        double best = -HUGE_VAL;
        for (std::size_t j = 0; j < kLabels; ++j)
          if (j != k) best = std::max(best, scores[j]);
        ASSERT_EQ(found.scores[(row - 1) * kLabels + k], scores[k] - best);
      }
    });
  }
}

TEST(PredictedClasses, ManyRowsOfThreeLabelsAreAsRowByRow) {
  Executor executor(2);
  const Examples examples = rows_of_three_labels(9000);
  LinearModel::Parts parts = model_of_two(0.5).parts();
  parts.weights = Weights::dense(3, 2, {3.0, -1.25, 0.5, 0.25, -1.0, 2.0});
  parts.bias = {0.5, 0.0, -0.25};
  parts.link = Link::softmax;
  parts.labels = {"a", "b", "c"};
  for (const double slope : {1.0, 0.5}) {
    parts.calibration.slope = slope;
    const LinearModel model(parts);
    EXPECT_EQ(is_plain(model), slope == 1.0);
    const PredictedClasses found = predict_classes(model, examples, {"a", "b", "c"}, plumb::Run{executor});
    const PredictedClasses expected = row_by_row(model, examples);
    expect_same_labels(found, expected);
    ASSERT_EQ(found.scores.size(), expected.scores.size());
    for (std::size_t i = 0; i < found.rows(); ++i) {
      // For a single row a small loss is the difference of two scores, and has their digits.
      EXPECT_NEAR(found.log_loss[i], expected.log_loss[i], 1e-14 * (1 + expected.log_loss[i]));
      EXPECT_NEAR(found.brier[i], expected.brier[i], 1e-15);
      EXPECT_NEAR(found.confidence[i], expected.confidence[i], 1e-15);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found.scores[3 * i + k], expected.scores[3 * i + k], 1e-15);
    }
  }
}

TEST(PredictedClasses, ScoresOfThreeLabelsAreAsByModels) {
  const std::vector<std::vector<double>> biases = {{0.25, 1.5, 1.5}, {-1, -50, 2}, {800, -800, 3}, {0, 0, 0}};
  std::vector<double> scores, targets, weights;
  PredictedClasses found, expected;
  for (const std::vector<double>& bias : biases)
    for (const double target : {0.0, 1.0, 2.0, 3.0}) {
      LinearModel::Parts parts;
      parts.weights = Weights::dense(3, 0, {});
      parts.bias = bias;
      parts.link = Link::softmax;
      parts.labels = {"a", "b", "c"};
      const LinearModel model(parts);
      if (scores.empty()) found = expected = PredictedClasses(model);
      Predictor predictor(model);
      expected.add(predictor, {}, target, 2.0 + target);
      scores.insert(scores.end(), bias.begin(), bias.end());
      targets.push_back(target);
      weights.push_back(2.0 + target);
    }
  found.make_room(targets.size());
  found.put_scores(0, In(scores).first(3), In(targets).first(1), In(weights).first(1));
  found.put_scores(1, In(scores).subspan(3), In(targets).subspan(1), In(weights).subspan(1));
  EXPECT_EQ(found.predicted, expected.predicted);
  EXPECT_EQ(found.actual, expected.actual);
  EXPECT_EQ(found.weight, expected.weight);
  const auto expect_near = [](const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] == b[i]) continue;  // infinities have no difference
      EXPECT_NEAR(a[i], b[i], 1e-15 * std::abs(b[i])) << i;
    }
  };
  expect_near(found.scores, expected.scores);
  expect_near(found.log_loss, expected.log_loss);
  expect_near(found.brier, expected.brier);
  expect_near(found.confidence, expected.confidence);
}

}  // namespace
}  // namespace plumb::predicted_classes_test
