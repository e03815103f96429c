// rows: C1
#include "plumb/model/piece_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "plumb/base/random.h"

namespace plumb::piece_scores_test {
namespace {

TEST(PieceScores, AreThoseOfThePredictorInEveryForm) {
  constexpr std::uint32_t p = 40;
  const RandomKey key{7, 1};
  std::uint64_t next = 0;
  LinearModel::Parts parts;
  FeatureMap::Parts map;
  std::vector<double> weights;
  for (std::uint32_t j = 0; j < p; ++j) {
    map.inputs.push_back({"x" + std::to_string(j), Kind::number, {}});
    map.terms.push_back(ProductTerm{{{j, 1}}});
    weights.push_back(key.uniform(next++) - 0.5);
  }
  parts.map = FeatureMap(std::move(map));
  parts.weights = Weights::dense(1, p, std::move(weights));
  parts.bias = {0.1};
  parts.link = Link::logistic;
  parts.labels = {"a", "b"};
  const LinearModel model(std::move(parts));
  ASSERT_TRUE(has_one_dense_row(model));
  // For other models with two and three rows each, every row of the piece with the next.
  std::vector<LinearModel> models;
  for (const std::size_t width : {2u, 3u})
    for (int i = 0; i < 4; ++i) {
      LinearModel::Parts more = model.parts();
      std::vector<double> values;
      for (std::size_t j = 0; j < width * p; ++j) values.push_back(key.uniform(next++) - 0.5);
      more.weights = Weights::dense(width, p, std::move(values));
      more.bias.assign(width, 0.25 * i);
      more.bias[1] = -1.0;
      more.link = Link::softmax;
      more.labels.assign({"a", "b", "c"});
      more.labels.resize(width);
      models.emplace_back(std::move(more));
    }
  for (const Values::Form form : {Values::Form::ones, Values::Form::floats, Values::Form::doubles})
    for (const bool sparse : {true, false}) {
      Piece piece;
      piece.rows = 50;
      piece.features = p;
      if (sparse) piece.offsets = {0};
      for (std::uint64_t r = 0; r < piece.rows; ++r) {
        for (std::uint32_t j = 0; j < p; ++j) {
          if (sparse && key.below(next++, 3) != 0 && r % 9 != 0) continue;
          if (sparse && r % 10 == 3) continue;  // rows without entries
          if (sparse) piece.index.push_back(j);
          piece.values.push(form == Values::Form::ones     ? 1.0
                            : form == Values::Form::floats ? 0.5 * static_cast<double>(key.below(next++, 9))
                                                           : key.uniform(next++));
        }
        if (sparse) piece.offsets.push_back(piece.index.size());
      }
      piece.values.widen(form);
      std::vector<double> scores(piece.rows - 3);
      score_rows(model, piece, 3, scores);
      std::vector<std::uint32_t> labels(scores.size());
      predict_labels(model, piece, 3, labels);
      Predictor predictor(model);
      PieceRows rows(piece);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        EXPECT_EQ(labels[i], predictor.predict(rows.row(i + 3)).label);
        EXPECT_EQ(scores[i], predictor.scores()[0]) << static_cast<int>(form) << ' ' << sparse << ' ' << i;
      }
      for (const std::size_t width : {2u, 3u}) {
        const LinearModel& several = models[4 * (width - 2)];
        std::vector<double> all(scores.size() * width), expected(width);
        score_rows_of_all(several, piece, 3, all);
        for (std::size_t i = 0; i < scores.size(); ++i) {
          several.scores(rows.row(i + 3), expected);
          for (std::size_t k = 0; k < width; ++k)
            EXPECT_EQ(all[i * width + k], expected[k]) << static_cast<int>(form) << ' ' << sparse << ' ' << i;
        }
      }
      std::vector<double> one(scores.size());
      score_rows_of_all(model, piece, 3, one);
      EXPECT_EQ(one, scores);
    }
}

}  // namespace
}  // namespace plumb::piece_scores_test
