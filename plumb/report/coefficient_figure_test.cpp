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

// Of a softmax with errors the reference has no panel, and the others show differences from it.
TEST(CoefficientFigure, OfASoftmaxShowsDifferencesFromItsReference) {
  LinearModel::Parts parts = model({1.0}).parts();
  parts.link = Link::softmax;
  parts.labels = {"a", "b", "c"};
  parts.weights = Weights::dense(3, 1, {-0.5, 1.0, -0.5});
  parts.bias = {0.0, 0.0, 0.0};
  Record record;
  record.fit = {{"reference", 0.0}, {"residual_deviance", 3.0}};
  record.standard_errors = {{0.0, 0.1, 0.1}, {0.0, 0.25, 0.25}};
  const std::optional<Figure> figure = coefficient_figure(LinearModel(parts), record, 0);
  ASSERT_TRUE(figure.has_value());
  ASSERT_EQ(figure->panels.size(), 2u);
  EXPECT_EQ(figure->panels[0].title, "Coefficients of b against a with 95 % intervals");
  const auto& points = std::get<Points>(figure->panels[0].marks.back());
  EXPECT_EQ(points.x, std::vector<double>{1.5});
}

}  // namespace plumb::coefficient_figure_test
