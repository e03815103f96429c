// rows: E2
#include "plumb/report/class_figure.h"

#include <gtest/gtest.h>

namespace plumb::class_figure_test {
namespace {

PredictedClasses two_classes() {
  PredictedClasses rows;
  rows.labels = {"no", "yes"};
  rows.known = 2;
  rows.scores = {3, 2, 2, 1, 0};
  rows.actual = {1, 1, 0, 0, 1};
  rows.predicted = {1, 1, 1, 0, 0};
  rows.weight = {1, 1, 1, 1, 1};
  return rows;
}

TEST(ThresholdCurves, StepDownTheScoresWithEqualOnesAtOnce) {
  const ThresholdCurves found = threshold_curves(two_classes());
  EXPECT_EQ(found.recall, (std::vector<double>{0, 1.0 / 3, 2.0 / 3, 2.0 / 3, 1}));
  EXPECT_EQ(found.false_alarms, (std::vector<double>{0, 0, 0.5, 1, 1}));
  EXPECT_EQ(found.precision, (std::vector<double>{1, 2.0 / 3, 0.5, 0.6}));
}

TEST(ThresholdCurves, TheirAreaIsTheMetric) {
  const PredictedClasses rows = two_classes();
  const ThresholdCurves found = threshold_curves(rows);
  double area = 0.0;
  for (std::size_t i = 1; i < found.recall.size(); ++i)
    area += (found.false_alarms[i] - found.false_alarms[i - 1]) * (found.recall[i] + found.recall[i - 1]) / 2;
  EXPECT_NEAR(area, roc_area(rows.scores, {true, true, false, false, true}, rows.weight)->area, 1e-15);
}

TEST(ThresholdCurves, NeedRowsOfBothLabels) {
  PredictedClasses rows = two_classes();
  rows.actual.assign(5, 1);
  EXPECT_TRUE(threshold_curves(rows).recall.empty());
}

TEST(ClassFigure, HasAPanelForEachThingThatIsKnown) {
  Executor executor;
  const PredictedClasses rows = two_classes();
  const Figure figure = class_figure(class_metrics(rows, plumb::Run{executor}, 0), rows, "How it did");
  EXPECT_EQ(figure.panels.size(), 3u) << "no probabilities, so no reliability";
  EXPECT_NE(to_svg(figure).find("ROC curve of yes"), std::string::npos);
}

PredictedClasses three_classes() {
  PredictedClasses rows;
  rows.labels = {"a", "b", "c"};
  rows.known = 3;
  rows.actual = {0, 1, 2, 2};
  rows.predicted = {0, 2, 2, 2};
  rows.scores = {.8, .1, .1, .2, .3, .5, .1, .2, .7, .1, .5, .4};
  rows.weight = {1, 1, 1, 1};
  return rows;
}

TEST(ThresholdCurves, OfManyLabelsEachStandsAgainstTheRest) {
  const ThresholdCurves found = threshold_curves(three_classes(), 1);
  EXPECT_EQ(found.recall, (std::vector<double>{0, 0, 1, 1, 1}));
  EXPECT_EQ(found.false_alarms, (std::vector<double>{0, 1.0 / 3, 1.0 / 3, 2.0 / 3, 1}));
}

TEST(ClassFigure, OfManyLabelsHasACurveForEachAndCountsInTheMatrix) {
  Executor executor;
  const PredictedClasses rows = three_classes();
  const Figure figure = class_figure(class_metrics(rows, plumb::Run{executor}, 0), rows, "How it did");
  ASSERT_EQ(figure.panels.size(), 3u);
  EXPECT_EQ(std::get<HeatMap>(figure.panels[0].marks[0]).texts,
            (std::vector<std::string>{"", "", "2", "", "", "1", "1", "", ""}));
  EXPECT_EQ(figure.panels[1].marks.size(), 4u) << "three labels, and chance";
  EXPECT_EQ(figure.panels[2].marks.size(), 3u);
  const std::string svg = to_svg(figure);
  EXPECT_NE(svg.find("share of actual label, 0 to 1"), std::string::npos) << "the scale of the colours";
  EXPECT_NE(svg.find("label middle"), std::string::npos) << "the counts";
}

}  // namespace
}  // namespace plumb::class_figure_test
