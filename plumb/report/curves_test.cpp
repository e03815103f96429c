// rows: E3 E5
#include "plumb/report/curves.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace plumb::curves_test {
namespace {

CurvePoint point(std::uint64_t rows, const std::vector<double>& errors, double baseline = 0.5) {
  double mean = 0.0;
  for (const double each : errors) mean += each / static_cast<double>(errors.size());
  const std::vector<Metric> metrics = {{"error", mean, mean - 0.01, mean + 0.01}};
  return {rows, metrics, metrics, errors, std::vector<double>(errors.size(), baseline)};
}

CurveReport report_of(std::vector<Curve> curves, std::uint64_t repeats = 4) {
  CurveReport report;
  report.labels = true;
  report.rows = 100;
  report.test = 20;
  report.repeats = repeats;
  report.curves = std::move(curves);
  return report;
}

TEST(Curves, NameALeaderOnlyWhereTheSplitsTell) {
  const auto last = [](std::vector<Curve> curves) { return verdict(report_of(std::move(curves))).back().text; };
  const CurvePoint low = point(10, {0.10, 0.11, 0.10, 0.12}), high = point(10, {0.20, 0.21, 0.21, 0.22}),
                   near = point(10, {0.12, 0.09, 0.13, 0.10});
  EXPECT_EQ(last({{"a", {low, high}}, {"b", {high, low}}}).substr(0, 51),
            "the curves cross: a is ahead up to 10 rows, b from ");
  EXPECT_EQ(last({{"a", {low, low}}, {"b", {near, near}}}),
            "no clear leader: the differences of a and b may be chance at every size");
  EXPECT_EQ(last({{"a", {high, high}}, {"b", {low, low}}}), "b is ahead of a at every size");
  EXPECT_EQ(last({{"a", {low, low}}, {"b", {high, near}}}),
            "a is ahead of b at 10 rows; elsewhere there is no clear leader");
}

TEST(Curves, AreJudgedByTheBaselineAndTheNoiseOfDifferences) {
  const auto first = [](Curve curve, std::uint64_t repeats = 4) {
    return verdict(report_of({std::move(curve)}, repeats)).front().text;
  };
  const CurvePoint early = point(20, {0.50, 0.51, 0.50, 0.52}), late = point(80, {0.40, 0.41, 0.41, 0.42});
  EXPECT_TRUE(first({"a", {early, late}}).starts_with("a does not overfit")) << first({"a", {early, late}});
  const CurvePoint chance = point(80, {0.35, 0.55, 0.38, 0.45});
  EXPECT_TRUE(first({"a", {early, chance}}).starts_with("a may underfit"));
  EXPECT_NE(first({"a", {early, chance}}).find(", 0.5 for the baseline"), std::string::npos);
  EXPECT_TRUE(first({"a", {late}}).ends_with("of one size nothing can be said of more rows"));
  EXPECT_TRUE(
      first({"a", {point(20, {0.5}), point(80, {0.3})}}, 1).ends_with("of one split nothing can be said of more rows"));
  CurvePoint learnt = late;
  learnt.on_training.front().value = 0.0;
  EXPECT_EQ(first({"a", {learnt}}),
            "a overfits: error 0 on training rows, 0.41 on others; of one size nothing can be "
            "said of more rows");
}

// Two splits cannot tell one size from the next, but five sizes in a row that fall are a slope.
TEST(Curves, AreJudgedByTheirWholeEnd) {
  const auto of = [](std::vector<double> errors) {
    Curve curve{"a", {}};
    std::uint64_t rows = 10;
    for (const double each : errors) {
      const double noise = curve.points.size() % 2 == 0 ? 0.05 : -0.05;
      curve.points.push_back(point(rows *= 2, {each - noise, each + noise}));
      curve.points.back().on_training.front().value = each / 1.1;
    }
    return verdict(report_of({std::move(curve)}, 2)).front().text;
  };
  EXPECT_NE(of({0.45, 0.40, 0.36, 0.33, 0.30}).find("the error still falls"), std::string::npos);
  EXPECT_EQ(of({0.30, 0.33, 0.30, 0.33, 0.30}).find("the error still falls"), std::string::npos);
  EXPECT_EQ(of({0.33, 0.30}).find("the error still falls"), std::string::npos);
}

TEST(Curves, AreNotPraisedWhereThereIsNothingToLearn) {
  const CurvePoint none = point(80, {0.0, 0.0, 0.0, 0.0}, 0.0);
  EXPECT_EQ(verdict(report_of({{"a", {none}}})).front().text,
            "a is no better than always predicting the most common label: error 0 on training rows, 0 on others, 0 for "
            "the baseline");
  CurveReport report = report_of({{"a", {none}}});
  report.labels = false;
  report.constant = true;
  report.target = "y";
  EXPECT_EQ(verdict(report).front().text, "a: every row has the same y, so there is nothing to learn");
  EXPECT_TRUE(verdict(report_of({{"a", {point(80, {0.0, 0.0, 0.0, 0.0})}}})).front().text.starts_with("a fits well"));
  EXPECT_FALSE(verdict(report_of({{"a", {point(80, {4e-12, 5e-12, 4e-12, 5e-12}, 5e-12)}}}))
                   .front()
                   .text.starts_with("a fits well"))
      << "small units make no good model";
}

CurvePoint numbers(std::uint64_t rows, double rmse, double spread) {
  return {rows, {{"rmse", rmse, rmse - spread, rmse + spread}}, {{"rmse", rmse / 2, {}, {}}}, {rmse}, {}};
}

TEST(CurveFigure, DrawsLinesAboveAllBands) {
  CurveReport report = report_of({{"a", {numbers(10, 40, 5), numbers(100, 5, 1)}}, {"b", {numbers(10, 30, 5)}}});
  report.labels = false;
  const Figure figure = curve_figure(report);
  const std::vector<Mark>& marks = figure.panels[0].marks;
  ASSERT_EQ(marks.size(), 6u);
  for (std::size_t i = 0; i < marks.size(); ++i) EXPECT_EQ(std::holds_alternative<Band>(marks[i]), i < 2) << i;
}

TEST(CurveFigure, HasNoErrorsBelowNoneAndNoBandOfOneSplit) {
  CurveReport report = report_of({{"a", {numbers(10, 40, 45), numbers(100, 5, 1)}}});
  report.labels = false;
  const auto bands = [&] {
    std::vector<Band> found;
    const Figure figure = curve_figure(report);
    for (const Mark& mark : figure.panels[0].marks)
      if (const Band* const band = std::get_if<Band>(&mark)) found.push_back(*band);
    return found;
  };
  EXPECT_TRUE(curve_figure(report).panels[0].y.logarithmic) << "40 would dwarf what is near 5";
  ASSERT_EQ(bands().size(), 1u);
  EXPECT_GT(bands()[0].low[0], 0.0) << "not 40 - 45";
  EXPECT_GT(bands()[0].low[0], 0.5) << "nor so little that all else is flat";
  EXPECT_EQ(bands()[0].low[1], 4.0);
  EXPECT_FALSE(to_svg(curve_figure(report)).empty());
  report.repeats = 1;
  EXPECT_TRUE(bands().empty());
  EXPECT_EQ(curve_figure(report).subtitle, "mean of 1 split");
}

}  // namespace
}  // namespace plumb::curves_test
