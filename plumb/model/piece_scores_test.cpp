// rows: C1
#include "plumb/model/piece_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "plumb/base/random.h"

namespace plumb {
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
    }
}

}  // namespace
}  // namespace plumb
