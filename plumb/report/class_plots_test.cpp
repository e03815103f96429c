// rows: C2
#include "plumb/report/class_plots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

namespace plumb {
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

// Of many boundaries some are kept, and of those some pass the picture by: both are said, and dashed lines have a name.
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

TEST(ClassPlots, WithoutAPlaneThereIsNoTalkOfABoundary) {
  ClassPlot plot = square();
  plot.plane = PlotPlane{{0, 0}, 1};
  const Panel panel = plane_panel(plot);
  EXPECT_EQ(panel.title, "Rows");
  EXPECT_EQ(panel.notes, std::vector<std::string>{"there is no boundary: the weights are 0"});
}

}  // namespace
}  // namespace plumb
