#include "plumb/report/posterior_plots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "plumb/math/special.h"
#include "plumb/objective/loss.h"
#include "plumb/report/loss_surface.h"

namespace plumb::posterior_plots_test {
namespace {

Examples rows_of(std::vector<double> x, std::vector<double> y, std::uint32_t features = 1) {
  Piece piece;
  piece.features = features;
  piece.rows = y.size();
  for (const double each : x) piece.values.push(each);
  piece.targets = std::move(y);
  return Examples({piece}, features);
}

LinearModel model_of(Link link, std::vector<std::string> labels, std::vector<double> weights,
                     std::vector<double> bias) {
  FeatureMap::Parts map;
  map.inputs.push_back({"hours", Kind::number, {}});
  map.terms.push_back(ProductTerm{{{0, 1}}});
  LinearModel::Parts parts;
  parts.map = FeatureMap(std::move(map));
  parts.link = link;
  parts.labels = std::move(labels);
  parts.weights = Weights::dense(bias.size(), 1, std::move(weights));
  parts.bias = std::move(bias);
  return LinearModel(std::move(parts));
}

TEST(ObservedShares, OfFewRowsIsOneGroupWithTheirMeans) {
  const ObservedShares shares = observed_shares({3, 1, 2}, {1, 0, 1}, {1, 1, 2});
  ASSERT_EQ(shares.at.size(), 1u);
  EXPECT_DOUBLE_EQ(shares.at[0], (3 + 1 + 4) / 4.0);
  EXPECT_DOUBLE_EQ(shares.share[0], 3 / 4.0);
}

TEST(ObservedShares, GroupsAreInOrderAndTheirSharesAddUp) {
  std::vector<double> number, is, weight;
  double all = 0.0;
  for (int i = 0; i < 120; ++i) {
    number.push_back((i * 77) % 120);
    is.push_back(i % 3 == 0 ? 1 : 0);
    weight.push_back(1);
    all += is.back();
  }
  const ObservedShares shares = observed_shares(number, is, weight);
  ASSERT_EQ(shares.at.size(), 12u);
  double sum = 0.0;
  for (std::size_t g = 0; g < 12; ++g) {
    EXPECT_DOUBLE_EQ(shares.at[g], 10.0 * static_cast<double>(g) + 4.5);
    sum += 10 * shares.share[g];
  }
  EXPECT_NEAR(sum, all, 1e-9);
}

TEST(PosteriorFigure, OfOneFeatureHasACurveForEveryLabelAndTheirSumIsOne) {
  const LinearModel model = model_of(Link::softmax, {"a", "b", "c"}, {1, 0, -1}, {0.5, 0, 0});
  const std::optional<Figure> figure = posterior_figure(model, "letter", rows_of({-2, -1, 0, 1, 2}, {0, 1, 2, 0, 1}));
  ASSERT_TRUE(figure);
  ASSERT_EQ(figure->panels.size(), 1u);
  std::vector<const Line*> lines;
  for (const Mark& mark : figure->panels[0].marks)
    if (const Line* line = std::get_if<Line>(&mark)) lines.push_back(line);
  ASSERT_EQ(lines.size(), 3u);
  for (std::size_t i = 0; i < lines[0]->y.size(); ++i)
    EXPECT_NEAR(lines[0]->y[i] + lines[1]->y[i] + lines[2]->y[i], 1.0, 1e-12);
  EXPECT_NE(to_svg(*figure).find("<svg"), std::string::npos);
}

TEST(PosteriorFigure, OfTwoLabelsHasTheSigmoidOfTheScore) {
  const LinearModel model = model_of(Link::logistic, {"no", "yes"}, {2}, {-1});
  const std::optional<Figure> figure = posterior_figure(model, "passed", rows_of({0, 1, 2}, {0, 1, 1}));
  ASSERT_TRUE(figure);
  ASSERT_EQ(figure->panels.size(), 2u);
  const auto& sigmoid = std::get<Line>(figure->panels[1].marks[0]);
  EXPECT_EQ(std::get<Points>(figure->panels[1].marks[1]).paint, sigmoid.paint);  // of the same label
  for (std::size_t i = 0; i < sigmoid.x.size(); ++i) EXPECT_DOUBLE_EQ(sigmoid.y[i], math::sigmoid(sigmoid.x[i]));
}

TEST(PosteriorFigure, IsNotForModelsWithoutProbabilities) {
  EXPECT_FALSE(posterior_figure(model_of(Link::sign, {"no", "yes"}, {2}, {-1}), "passed", rows_of({0, 1}, {0, 1})));
}

// With the squared loss the lines of equal value are ellipses; here circles: x = (1, 0) and (0, 1), y = 1 and -1.
TEST(LossSurface, HasTheValueOfTheObjectiveAtItsPlaces) {
  const Examples rows = rows_of({1, 0, 0, 1}, {1, -1}, 2);
  std::vector<std::vector<SolverStep>> traces(1);
  for (const double at : {-1.0, 1.0}) {
    SolverStep step;
    step.weights = {at, at};
    traces[0].push_back(step);
  }
  const LossSurface surface = loss_surface(Loss::squared, 0.0, false, rows, traces);
  ASSERT_EQ(surface.value.size(), surface.x.size() * surface.y.size());
  for (std::size_t r = 0; r < surface.y.size(); r += 7)
    for (std::size_t c = 0; c < surface.x.size(); c += 7) {
      const double a = surface.x[c] - 1, b = surface.y[r] + 1;
      EXPECT_NEAR(surface.value[r * surface.x.size() + c], (a * a + b * b) / 2, 1e-12);
    }
  const Line circles = contours(surface, 0.0);
  ASSERT_FALSE(circles.x.empty());
  std::vector<double> radii;
  for (std::size_t i = 0; i < circles.x.size(); ++i)
    if (std::isfinite(circles.x[i])) radii.push_back(std::hypot(circles.x[i] - 1, circles.y[i] + 1));
  const double most = *std::max_element(surface.value.begin(), surface.value.end());
  for (const double radius :
       radii) {  // each on one of the levels most (k / 14)^3, except for the straight lines in a cell
    double nearest = HUGE_VAL;
    for (int k = 1; k <= 14; ++k)
      nearest = std::min(nearest, std::abs(radius - std::sqrt(2 * most * std::pow(k / 14.0, 3))));
    EXPECT_LE(nearest, 0.01);
  }
}

TEST(LossSurface, OfMoreThanTwoWeightsIsNone) {
  EXPECT_TRUE(loss_surface(Loss::logistic, 1.0, true, rows_of({1, 0, 0, 1}, {1, 0}, 2), {}).empty());
}

}  // namespace
}  // namespace plumb::posterior_plots_test
