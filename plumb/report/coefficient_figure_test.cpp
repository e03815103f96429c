#include "plumb/report/coefficient_figure.h"

#include <gtest/gtest.h>

#include "plumb/feature/feature_map.h"
#include "plumb/report/model_rows.h"

namespace plumb::coefficient_figure_test {

LinearModel model(std::vector<double> weights) {
  FeatureMap::Parts map;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    map.inputs.push_back({"x" + std::to_string(j), Kind::number, {}});
    map.terms.push_back(ProductTerm{{{static_cast<std::uint32_t>(j), 1}}});
  }
  LinearModel::Parts parts;
  parts.map = FeatureMap(std::move(map));
  parts.link = Link::identity;
  const auto features = static_cast<std::uint32_t>(weights.size());
  parts.weights = Weights::dense(1, features, std::move(weights));
  parts.bias = {0.5};
  return LinearModel(std::move(parts));
}

TEST(CoefficientFigure, PutsTheMostImportantFeatureOnTop) {
  const std::optional<Figure> figure = coefficient_figure(model({1.0, -3.0, 2.0}), Record{}, 2);
  ASSERT_TRUE(figure.has_value());
  EXPECT_EQ(figure->panels.at(0).y.categories, (std::vector<std::string>{"x2", "x1"}));
}

TEST(CoefficientFigure, ImportanceIsTheWeightTimesTheSpreadOfTheFeature) {
  Record record;
  record.statistics = {{"feature_sd", {3}, std::vector<double>{100.0, 1.0, 1.0}}};
  const std::optional<Figure> figure = coefficient_figure(model({1.0, -3.0, 2.0}), record, 1);
  EXPECT_EQ(figure->panels.at(0).y.categories, std::vector<std::string>{"x0"});
  const LinearModel three = model({1.0, -3.0, 2.0});
  ModelRows rows(three, 1, false, feature_spreads(record));
  EXPECT_TRUE(rows.next());
  EXPECT_EQ(rows.shown()[0], 0u);
}

}  // namespace plumb::coefficient_figure_test
