// rows: E4 E6
#include "plumb/report/judging_figures.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace plumb::judging_figures_test {
namespace {

template <class M>
std::vector<M> marks_of(const Panel& panel) {
  std::vector<M> found;
  for (const Mark& mark : panel.marks)
    if (const M* const own = std::get_if<M>(&mark)) found.push_back(*own);
  return found;
}

TuneReport tuned(const std::vector<std::string>& values, const std::vector<double>& loss) {
  TuneReport report;
  report.model = "logistic";
  report.target = "kind";
  report.loss_name = "log_loss";
  for (std::size_t i = 0; i < values.size(); ++i)
    report.points.push_back({{{"l2", values[i]}}, {}, loss[i], 0.1, true});
  report.choice = {1, 2};
  report.chosen = 1;
  return report;
}

TEST(TuningFigure, HasTheLineOfTheOneStandardErrorRule) {
  const Figure figure = tuning_figure(tuned({"0.1", "1", "10"}, {0.9, 0.5, 0.55}));
  ASSERT_EQ(figure.panels.size(), 1u);
  const Panel& panel = figure.panels[0];
  EXPECT_TRUE(panel.x.logarithmic);
  const auto lines = marks_of<Line>(panel);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].x, (std::vector<double>{0.1, 1, 10}));
  EXPECT_EQ(lines[0].y, (std::vector<double>{0.9, 0.5, 0.55}));
  ASSERT_EQ(marks_of<Reference>(panel).size(), 1u);
  EXPECT_DOUBLE_EQ(marks_of<Reference>(panel)[0].offset, 0.6);
  ASSERT_EQ(marks_of<Points>(panel).size(), 2u) << "the least, and the simplest within a standard error";
  EXPECT_EQ(marks_of<Points>(panel)[1].x, std::vector<double>{10});
  EXPECT_EQ(marks_of<Band>(panel)[0].high[0], 1.0);
  EXPECT_FALSE(to_svg(figure).empty());
}

TEST(TuningFigure, ValuesThatAreNoNumbersStandSideBySide) {
  const Figure figure = tuning_figure(tuned({"1-1", "1-2", "1-3"}, {0.9, 0.5, 0.55}));
  EXPECT_EQ(figure.panels[0].x.categories, (std::vector<std::string>{"1-1", "1-2", "1-3"}));
  EXPECT_FALSE(figure.panels[0].x.logarithmic);
  EXPECT_EQ(marks_of<Line>(figure.panels[0])[0].x, (std::vector<double>{0, 1, 2}));
}

TEST(TuningFigure, OtherOptionsAreLinesOfTheirOwn) {
  TuneReport report = tuned({"0.1", "1", "0.1", "1"}, {0.9, 0.5, 0.55, 0.6});
  for (std::size_t i = 0; i < 4; ++i) report.points[i].options.emplace_back("ngrams", i < 2 ? "1-1" : "1-2");
  EXPECT_EQ(marks_of<Line>(tuning_figure(report).panels[0]).size(), 2u);
}

TEST(TuningFigure, LeavesOutWhatDidNotConverge) {
  TuneReport report = tuned({"0.1", "1", "10"}, {1e6, 0.5, 0.55});
  report.points[0].converged = false;
  const Figure figure = tuning_figure(report);
  EXPECT_EQ(marks_of<Line>(figure.panels[0])[0].x, (std::vector<double>{1, 10}));
  EXPECT_TRUE(figure.subtitle.ends_with("1 setting that did not converge not drawn")) << figure.subtitle;
}

TEST(ComparisonFigure, ShowsEveryModelWithItsInterval) {
  CompareReport report;
  report.labels = true;
  for (const char* name : {"a", "b"}) {
    ComparedModel model;
    model.name = name;
    model.metrics = {{"accuracy", 0.8, 0.7, 0.9}};
    report.models.push_back(model);
  }
  report.models[0].metrics.push_back({"log_loss", 0.5, 0.4, 0.6});
  const Figure figure = comparison_figure(report);
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_EQ(figure.panels[0].y.categories, (std::vector<std::string>{"b", "a"})) << "the first on top";
  EXPECT_EQ(marks_of<Line>(figure.panels[0]).size(), 2u);
  EXPECT_EQ(marks_of<Line>(figure.panels[1]).size(), 1u) << "b has no log loss";
  EXPECT_EQ(figure.panels[1].x.title, "log_loss (none of b)");
  EXPECT_EQ(marks_of<Line>(figure.panels[0])[0].x, (std::vector<double>{0.7, 0.9}));
  EXPECT_FALSE(to_svg(figure).empty());
}

TEST(ComparisonFigure, LongNamesLoseWhatAllBeginWith) {
  CompareReport report;
  for (const char* name : {"features=rooms,age,log(age),crime", "features=rooms,age,log(age),crop"}) {
    ComparedModel model;
    model.name = name;
    model.metrics = {{"rmse", 0.8, {}, {}}};
    report.models.push_back(model);
  }
  EXPECT_EQ(comparison_figure(report).panels.at(0).y.categories, (std::vector<std::string>{"...crop", "...crime"}));
}

}  // namespace
}  // namespace plumb::judging_figures_test
