// rows: C2
#include "plumb/report/class_plots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

namespace plumb::class_plots_test {
namespace {

ClassPlot square() {
  return {"a", "b", {"no", "yes"}, {0, 1, 0, 1}, {0, 0, 1, 1}, {0, 0, 1, 1}, {0, 1, 2, 3}, PlotPlane{{0, 2}, -1}};
}

template <class T>
const T* named(const Panel& panel, const std::string& name) {
  for (const Mark& mark : panel.marks)
    if (const T* const found = std::get_if<T>(&mark); found != nullptr && found->name == name) return found;
  return nullptr;
}

TEST(ClassPlots, TheBoundaryIsWhereTheScoreIsZero) {
  const Panel panel = plane_panel(square());
  const Line* const boundary = named<Line>(panel, "boundary");
  ASSERT_NE(boundary, nullptr);
  for (const double y : boundary->y) EXPECT_NEAR(y, 0.5, 1e-12);
}

TEST(ClassPlots, TheBandReachesTheClosestRowsAndTheseAreNamed) {
  const Panel panel = plane_panel(square());
  const Band* const band = named<Band>(panel, "no row");
  ASSERT_NE(band, nullptr);
  for (std::size_t i = 0; i < band->x.size(); ++i) {
    EXPECT_NEAR(band->low[i], 0.0, 1e-12);
    EXPECT_NEAR(band->high[i], 1.0, 1e-12);
  }
  const Points* const closest = named<Points>(panel, "closest");
  ASSERT_NE(closest, nullptr);
  EXPECT_EQ(closest->x.size(), 4u);
  EXPECT_EQ(closest->labels[0].text, "1");
}

TEST(ClassPlots, TheNormalVectorPointsToTheSecondLabel) {
  const Panel panel = plane_panel(square());
  const Line* const normal = named<Line>(panel, "normal vector, in the units of the axes");
  ASSERT_NE(normal, nullptr);
  EXPECT_NEAR(normal->x[0], normal->x[1], 1e-12);
  EXPECT_GT(normal->y[1], normal->y[0]);
}

TEST(ClassPlots, ThereIsNoBandWhereARowIsOnTheWrongSide) {
  ClassPlot plot = square();
  plot.label[0] = 1;
  const Panel panel = plane_panel(plot);
  EXPECT_EQ(named<Band>(panel, "no row"), nullptr);
  EXPECT_EQ(panel.notes, std::vector<std::string>{"1 row of 4 on the wrong side"});
}

TEST(ClassPlots, AVerticalBoundaryIsDrawnToo) {
  ClassPlot plot = square();
  plot.label = {0, 1, 0, 1};
  plot.plane = PlotPlane{{2, 0}, -1};
  const Panel panel = plane_panel(plot);
  const Line* const boundary = named<Line>(panel, "boundary");
  ASSERT_NE(boundary, nullptr);
  for (const double x : boundary->x) EXPECT_NEAR(x, 0.5, 1e-12);
  EXPECT_FALSE(to_svg({.panels = {panel}}).empty());
}

TEST(ClassPlots, ThePathShowsItsFirstAndItsLastBoundary) {
  ClassPlot plot = square();
  for (int k = 0; k < 50; ++k) plot.path.push_back({{0.01 * k, 2}, -1});
  const Panel panel = path_panel(plot);
  EXPECT_NE(named<Line>(panel, "first"), nullptr);
  EXPECT_NE(named<Line>(panel, "last"), nullptr);
  EXPECT_EQ(std::count_if(panel.marks.begin(), panel.marks.end(), [](const Mark& m) { return m.index() == 1; }), 12);
}

// Of many boundaries some are kept, and some of those miss the picture: both numbers are shown, and dashed lines have a
// name.
TEST(ClassPlots, ThePathSaysHowManyBoundariesThereWereAndWhichAreSeen) {
  ClassPlot plot = square();
  for (int k = 0; k < 40; ++k) plot.path.push_back({{0.01 * k, 2}, k % 2 == 0 ? -100.0 : -1.0});
  plot.boundaries = 81;
  Panel panel = path_panel(plot);
  EXPECT_EQ(std::count_if(panel.marks.begin(), panel.marks.end(), [](const Mark& m) { return m.index() == 1; }), 12);
  EXPECT_EQ(panel.notes, (std::vector<std::string>{"12 of 81 boundaries, evenly of those that cross the picture"}));
  EXPECT_EQ(named<Line>(panel, "first"), nullptr);
  EXPECT_NE(named<Line>(panel, "earlier"), nullptr);
  EXPECT_NE(named<Line>(panel, "last"), nullptr);
  plot.path.push_back({{0, 2}, -100});
  EXPECT_EQ(path_panel(plot).notes.back(), "the last does not cross the picture");
  plot.path = {{{0, 2}, -100}};
  EXPECT_EQ(path_panel(plot).notes, std::vector<std::string>{"none of 81 boundaries crosses the picture"});
}

TEST(ClassPlots, ClosestRowsKeepTheColourOfTheirLabel) {
  const Panel panel = plane_panel(square());
  const Points* const closest = named<Points>(panel, "closest");
  ASSERT_NE(closest, nullptr);
  EXPECT_TRUE(closest->rings);
  EXPECT_NE(to_svg({.panels = {panel}}).find("<circle"), std::string::npos);
}

TEST(ClassPlots, LinesOfEqualProbabilityAreThoseOfTheLogOdds) {
  ClassPlot plot = square();
  EXPECT_EQ(named<Line>(plane_panel(plot), "probability 0.1, 0.25, 0.75, 0.9 of yes"), nullptr);
  plot.probabilities = true;
  std::vector<double> heights;
  for (const Mark& mark : plane_panel(plot).marks)
    if (const Line* const line = std::get_if<Line>(&mark); line != nullptr && line->dashed)
      heights.push_back(line->y.front());
  ASSERT_EQ(heights.size(), 2u);  // those of 0.1 and 0.9 are outside of the picture
  EXPECT_NEAR(heights[0], (1 - std::log(3.0)) / 2, 1e-12);
  EXPECT_NEAR(heights[1], (1 + std::log(3.0)) / 2, 1e-12);
}

Examples grid_rows(double labels) {
  Piece piece;
  piece.features = 4;
  for (int i = -2; i <= 2; ++i)
    for (int j = -2; j <= 2; ++j) {
      for (const int value : {i, i * i, j, j * j}) piece.values.push(value);
      piece.targets.push_back(labels == 2 ? (i * i + j * j < 2 ? 1 : 0) : (i + 2) / 2);
      ++piece.rows;
    }
  return Examples({piece}, 4);
}

LinearModel with_squares(Link link, std::vector<std::string> labels, std::vector<double> weights,
                         std::vector<double> bias) {
  FeatureMap::Parts map;
  for (const std::uint32_t input : {0u, 1u}) {
    const std::string name = input == 0 ? "a" : "b";
    map.inputs.push_back({name, Kind::number, {}});
    map.terms.push_back(ProductTerm{{{input, 1}}});
    map.terms.push_back(ProductTerm{{{input, 2}}});
  }
  LinearModel::Parts parts;
  parts.map = FeatureMap(std::move(map));
  parts.link = link;
  parts.labels = std::move(labels);
  parts.weights = Weights::dense(bias.size(), 4, std::move(weights));
  parts.bias = std::move(bias);
  return LinearModel(std::move(parts));
}

// Log-odds 2 - a^2 - b^2: circles.
TEST(ClassPlots, WithSquaresTheBoundaryIsACurve) {
  const LinearModel model = with_squares(Link::logistic, {"no", "yes"}, {0, -1, 0, -1}, {2});
  const std::optional<Figure> figure = class_figure(model, "inside", grid_rows(2));
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->title, "inside from a and b");
  const Line* const boundary = named<Line>(figure->panels[0], "boundary");
  const Line* const tenth = named<Line>(figure->panels[0], "probability 0.1, 0.25, 0.75, 0.9 of yes");
  ASSERT_NE(boundary, nullptr);
  ASSERT_NE(tenth, nullptr);
  const auto expect_circle = [](const Line& line, double radius) {
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      if (!std::isfinite(line.x[i])) continue;
      EXPECT_NEAR(std::hypot(line.x[i], line.y[i]), radius, 1e-3);
    }
  };
  expect_circle(*boundary, std::sqrt(2.0));
  expect_circle(*tenth, std::sqrt(2 + std::log(9.0)));
}

// The highest of -3a, 0 and 3a - 2: boundaries at 0 and 2/3.
TEST(ClassPlots, OfThreeLabelsBoundariesAreWhereTheModelSaysAnother) {
  const LinearModel model =
      with_squares(Link::softmax, {"x", "y", "z"}, {-3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0}, {0, 0, -2});
  const std::optional<Figure> figure = class_figure(model, "letter", grid_rows(3));
  ASSERT_TRUE(figure);
  const Line* const boundary = named<Line>(figure->panels[0], "boundary");
  ASSERT_NE(boundary, nullptr);
  for (const double x : boundary->x) {
    if (!std::isfinite(x)) continue;
    EXPECT_LT(std::min(std::abs(x), std::abs(x - 2.0 / 3)), 1e-12);
  }
}

TEST(ClassPlots, WithoutAPlaneThereIsNoTalkOfABoundary) {
  ClassPlot plot = square();
  plot.plane = PlotPlane{{0, 0}, 1};
  const Panel panel = plane_panel(plot);
  EXPECT_EQ(panel.title, "Rows");
  EXPECT_EQ(panel.notes, std::vector<std::string>{"no boundary: every weight is 0"});
}

}  // namespace
}  // namespace plumb::class_plots_test
