#include "plumb/report/plot.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "plumb/base/error.h"
#include "plumb/base/random.h"
#include "plumb/report/plot_testing.h"
#include "plumb/report/plot_theme.h"

namespace plumb::plot_test {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Figure figure_of(std::vector<Mark> marks) {
  return {.title = "a figure",
          .panels = {{.title = "a panel", .x = {.title = "x"}, .y = {.title = "y"}, .marks = std::move(marks)}}};
}

std::string drawn(std::vector<Mark> marks) { return to_svg(figure_of(std::move(marks))); }

std::vector<Mark> one_of_each() {
  return {Band{{0, 1, 2}, {0, 1, 1}, {1, 2, 3}, "band"},
          Points{.x = {0, 1, 2}, .y = {1, 2, 2}, .name = "points", .labels = {{1, "row 7"}}},
          Line{{0, 1, 2}, {0.5, 1.5, 2}, "line", Paint::green, true},
          Bars{{0, 1, 2}, {1, -2}, "bars", Paint::purple},
          HeatMap{{0, 1, 2}, {0, 1}, {3, 4}, "heat", Paint::grey},
          Reference{0.0, 1.0, "reference"}};
}

TEST(Plot, NamesEveryCategoryWhereLongNamesStandOnTwoLinesByTurns) {
  Panel panel;
  panel.x.categories = {"Aspen tree",     "Cottonwood", "Douglas-fir", "Krummholz",
                        "Lodgepole pine", "Ponderosa",  "Spruce"};
  panel.marks.push_back(Points{{0, 1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6, 7}});
  const std::string svg = to_svg(Figure{.panels = {panel, panel, panel}});
  for (const std::string& name : panel.x.categories)
    EXPECT_NE(svg.find(">" + name.substr(0, 5)), std::string::npos) << name;
}

TEST(Plot, OfEveryMarkIsAWellFormedPictureWithItsNameInTheLegend) {
  const std::string svg = drawn(one_of_each());
  EXPECT_EQ(picture_fault(svg), "");
  for (const char* name : {">band<", ">points<", ">line<", ">bars<", ">heat, 3 to 4<", ">reference<", ">row 7<"})
    EXPECT_EQ(occurrences(svg, name), 1u) << name;
}

TEST(Plot, IsTheSameBytesAgain) { EXPECT_EQ(drawn(one_of_each()), drawn(one_of_each())); }

TEST(Plot, PutsAPointWhereItBelongs) {
  // Corners of an axis from 0 to 1 are the corners of the plot area, which clips: its height is 400.
  Figure figure = figure_of({Points{.x = {0, 1}, .y = {0, 1}}});
  figure.panels[0].x.low = figure.panels[0].y.low = 0.0;
  figure.panels[0].x.high = figure.panels[0].y.high = 1.0;
  const std::string svg = to_svg(figure);
  EXPECT_NE(svg.find("d=\"M0 400h0\""), std::string::npos);
  EXPECT_NE(svg.find(" 0h0\""), std::string::npos);
}

TEST(Plot, SurvivesExtremeData) {
  using Values = std::vector<double>;
  for (const Values& y : {Values{}, Values{5}, Values{3, 3, 3}, Values{-kLargest, 0, kLargest}, Values{0, 4.9e-324},
                          Values{1, std::nextafter(1.0, 2.0)}, Values{kNan, kNan}, Values{INFINITY, -INFINITY, 1},
                          Values{1e300, 1e-300}}) {
    Values x(y.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
    for (const bool logarithmic : {false, true})
      for (const bool turned : {false, true}) {
        const Values& across = turned ? y : x;
        const Values& up = turned ? x : y;
        Figure figure =
            figure_of({Points{.x = across, .y = up}, Line{across, up}, Band{across, up, up}, Reference{0.0, 1.0}});
        figure.panels[0].x.logarithmic = figure.panels[0].y.logarithmic = logarithmic;
        EXPECT_EQ(picture_fault(to_svg(figure)), "");
      }
  }
}

RC_GTEST_PROP(Plot, OfAnyNumbersAndTextsIsWellFormed,
              (const std::vector<double>& values, const std::string& title, bool logarithmic)) {
  Figure figure = figure_of({Points{.x = values, .y = values, .name = title, .labels = {}}, Line{values, values}});
  figure.title = figure.subtitle = title;
  figure.panels[0].title = figure.panels[0].x.title = figure.panels[0].y.title = title;
  figure.panels[0].notes = {title};
  figure.panels[0].x.logarithmic = logarithmic;
  const std::string svg = to_svg(figure);
  if (!xml_fault(svg).empty()) RC_FAIL(xml_fault(svg));
}

TEST(Plot, SaysHowManyPointsItDoesNotShow) {
  const std::string svg = drawn({Points{.x = {1, 2, kNan, 4}, .y = {1, INFINITY, 3, 4}}});
  EXPECT_NE(svg.find("2 points not shown"), std::string::npos);
  EXPECT_EQ(occurrences(svg, "h0\"/>"), 2u);
  EXPECT_EQ(drawn({Points{.x = {1}, .y = {1}}}).find("not shown"), std::string::npos);
}

TEST(Plot, OfALogarithmicAxisLeavesOutWhatIsNotAboveZero) {
  Figure figure = figure_of({Points{.x = {-1, 0, 1, 10}, .y = {1, 1, 1, 1}}});
  figure.panels[0].x.logarithmic = true;
  EXPECT_NE(to_svg(figure).find("2 points not shown"), std::string::npos);
}

TEST(Plot, BreaksALineWhereItHasNoValue) {
  const std::string svg = drawn({Line{{0, 1, 2, 3, 4}, {1, 2, kNan, 2, 1}}});
  const std::size_t begin = svg.find("class=\"line vermilion\"");
  ASSERT_NE(begin, std::string::npos);
  EXPECT_EQ(occurrences(svg.substr(begin, svg.find("/>", begin) - begin), "M"), 2u);
}

Points crowd(std::size_t count) {
  Points points{.x = {}, .y = {}};
  const RandomKey random{1, 2};
  for (std::size_t i = 0; i < count; ++i) {
    points.x.push_back(random.uniform(4 * i) + random.uniform(4 * i + 1));
    points.y.push_back(random.uniform(4 * i + 2) + random.uniform(4 * i + 3));
  }
  return points;
}

TEST(Plot, OfAMillionPointsIsSmallAndSaysSo) {
  const std::string cells = drawn({crowd(1000000)});
  EXPECT_EQ(picture_fault(cells), "");
  EXPECT_LT(cells.size(), 100000u);
  EXPECT_NE(cells.find("1,000,000 points counted in cells"), std::string::npos);
}

TEST(Plot, DrawsEachPointAsLongAsTheyAreFew) {
  EXPECT_EQ(occurrences(drawn({crowd(kMostPoints)}), "h0\"/>"), kMostPoints);
  EXPECT_LT(occurrences(drawn({crowd(kMostPoints + 1)}), "h0\"/>"), kMostPoints);
}

TEST(Plot, ShowsALabelledPointOfACrowd) {
  Points points = crowd(100000);
  points.labels = {{17, "row 18"}};
  EXPECT_NE(drawn({points}).find(">row 18<"), std::string::npos);
}

TEST(Plot, NeverPutsOneLabelOverAnother) {
  Points points{.x = {1, 1, 1, 1, 1, 1, 2}, .y = {1, 1, 1, 1, 1, 1, 2}};
  for (std::size_t i = 0; i < 6; ++i) points.labels.push_back({i, "label"});
  EXPECT_LE(occurrences(drawn({points}), ">label<"), 4u);  // one for each side of the position they share
}

TEST(Plot, NamesCategoriesOnAnAxis) {
  Figure figure = figure_of({Bars{{-0.5, 0.5, 1.5}, {3, 4}}});
  figure.panels[0].x.categories = {"red", "green"};
  const std::string svg = to_svg(figure);
  EXPECT_NE(svg.find(">red<"), std::string::npos);
  EXPECT_NE(svg.find(">green<"), std::string::npos);
}

TEST(Plot, NamesEveryCategoryThatFitsOnBothAxes) {
  Figure figure = figure_of(one_of_each());
  for (Axis* const axis : {&figure.panels[0].x, &figure.panels[0].y})
    for (int digit = 0; digit < 10; ++digit) {
      axis->categories.push_back("<" + std::to_string(digit) + ">");
      axis->low = -0.5;
      axis->high = 9.5;
    }
  const std::string svg = to_svg(figure);
  for (int digit = 0; digit < 10; ++digit) {
    const std::string name = "&lt;" + std::to_string(digit) + "&gt;";
    const std::size_t first = svg.find(name);
    ASSERT_NE(first, std::string::npos) << digit;
    EXPECT_NE(svg.find(name, first + 1), std::string::npos) << digit;
  }
}

TEST(Plot, LeavesOutALabelThatWouldReachIntoTheNextPanel) {
  Figure figure = figure_of({Points{.x = {1700000000, 1700000002}, .y = {1, 2}}});
  figure.panels[0].x.low = 1700000000.0;
  figure.panels[0].x.high = 1700000002.0;
  const std::string svg = to_svg(figure);
  EXPECT_NE(svg.find(">1700000000"), std::string::npos);
  EXPECT_EQ(svg.find(">1700000002"), std::string::npos);
}

TEST(Plot, StandsInAGrid) {
  Figure figure = figure_of({Points{.x = {1, 2}, .y = {1, 2}}});
  figure.panels.resize(5, figure.panels[0]);
  const std::string svg = to_svg(figure);
  EXPECT_EQ(picture_fault(svg), "");
  EXPECT_EQ(occurrences(svg, ">a panel<"), 5u);
  EXPECT_EQ(picture_fault(to_svg(Figure{})), "");  // and no content gives an empty one
}

TEST(Plot, IsLightAndDarkByChoiceOrByItself) {
  Figure figure = figure_of(one_of_each());
  EXPECT_NE(to_svg(figure).find("prefers-color-scheme:dark"), std::string::npos);
  figure.theme = Theme::light;
  const std::string light = to_svg(figure);
  figure.theme = Theme::dark;
  const std::string dark = to_svg(figure);
  EXPECT_EQ((light + dark).find("prefers-color-scheme"), std::string::npos);
  EXPECT_NE(light, dark);
  // They differ only in the style.
  EXPECT_EQ(light.substr(light.find("</style>")), dark.substr(dark.find("</style>")));
}

TEST(Plot, RefusesMarksWhosePartsDisagree) {
  EXPECT_THROW(drawn({Points{.x = {1}, .y = {}}}), Error);
  EXPECT_THROW(drawn({Line{{1}, {}}}), Error);
  EXPECT_THROW(drawn({Band{{1}, {1}, {}}}), Error);
  EXPECT_THROW(drawn({Bars{{1}, {1}}}), Error);
  EXPECT_THROW(drawn({HeatMap{{}, {}, {}}}), Error);
  EXPECT_THROW(drawn({HeatMap{{1, 2}, {1, 2}, {}}}), Error);
}

RC_GTEST_PROP(PlotText, AShortenedTextFitsAndIsABeginning, (const std::string& text)) {
  const std::string cut = shortened(text, 60.0);
  RC_ASSERT(text_width(cut) <= 60.0);
  if (cut != text) RC_ASSERT(text.substr(0, cut.size() - 3) == cut.substr(0, cut.size() - 3));
}

TEST(PlotText, IsCutBetweenCharacters) {
  const std::string umlauts = "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC";
  EXPECT_TRUE(valid_utf8(shortened(umlauts, 60.0)));
}

}  // namespace
}  // namespace plumb::plot_test
