// rows: R4
#include "plumb/report/fit_plots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plumb/infer/inference.h"
#include "plumb/math/distributions.h"
#include "plumb/report/fit_rows.h"
#include "plumb/report/plot_testing.h"
#include "plumb/train/testing.h"

namespace plumb::fit_plots_test {
namespace {

template <class Kind>
Kind mark(const Panel& panel, std::size_t which = 0) {
  for (const Mark& each : panel.marks)
    if (const auto* found = std::get_if<Kind>(&each))
      if (which-- == 0) return *found;
  throw std::runtime_error("no such mark in " + panel.title);
}

// A line with noise; the last row is far off.
Data noisy_line(std::size_t rows) {
  Data data;
  const RandomKey random{5, 6};
  for (std::size_t i = 0; i < rows; ++i) {
    data.x.push_back({10 * random.uniform(2 * i)});
    data.y.push_back(1 + 2 * data.x.back()[0] + random.uniform(2 * i + 1) + (i + 1 == rows ? 30.0 : 0.0));
  }
  return data;
}

struct Fitted {
  Data data;
  Examples examples;
  Trained fit;
  RowDiagnostics rows;
  std::vector<double> column;
};

Fitted fitted(Data data, unsigned threads = 1) {
  Executor executor(threads);
  const plumb::Run run{executor};
  const Examples examples = examples_of(data);
  Trained made = fit(examples);
  made.record.target = "y";
  add_inference(made, examples, {}, run);
  RowDiagnostics rows = row_diagnostics(made, examples, run);
  std::vector<double> column;
  for (const std::vector<double>& x : data.x) column.push_back(x[0]);
  return {std::move(data), examples, std::move(made), std::move(rows), std::move(column)};
}

Figure figure_of(const Fitted& f, unsigned threads = 1) {
  Executor executor(threads);
  return fit_figure(f.fit, f.examples, f.examples.with(RowSet(f.examples.rows())), f.column, plumb::Run{executor});
}

std::vector<std::string> titles(const Figure& figure) {
  std::vector<std::string> all;
  for (const Panel& panel : figure.panels) all.push_back(panel.title);
  return all;
}

TEST(FitPlots, HaveAPanelForEachQuestion) {
  const Figure figure = figure_of(fitted(noisy_line(50)));
  EXPECT_EQ(titles(figure),
            (std::vector<std::string>{"Fit", "Predicted against actual", "Residuals against fitted values",
                                      "Normal quantiles", "Scale-location", "Residuals against leverage"}));
  EXPECT_EQ(picture_fault(to_svg(figure)), "");
}

TEST(FitPlots, TheCurveIsWhatTheModelSaysAndTheBandIsAroundIt) {
  const Fitted f = fitted(noisy_line(50));
  const Panel panel = figure_of(f).panels[0];
  const auto line = mark<Line>(panel);
  const auto band = mark<Band>(panel);
  const double slope = weights(f.fit)[0], bias = f.fit.model.parts().bias[0];
  EXPECT_EQ(line.x.front(), *std::min_element(f.column.begin(), f.column.end()));
  EXPECT_EQ(line.x.back(), *std::max_element(f.column.begin(), f.column.end()));
  double narrowest = INFINITY;
  for (std::size_t k = 0; k < line.x.size(); ++k) {
    EXPECT_NEAR(line.y[k], bias + slope * line.x[k], 1e-9);
    EXPECT_LT(band.low[k], line.y[k]);
    EXPECT_GT(band.high[k], line.y[k]);
    narrowest = std::min(narrowest, band.high[k] - band.low[k]);
  }
  // The mean at x is most precise at the mean of x: sd t / sqrt(n) to both sides.
  EXPECT_NEAR(narrowest, 2 * math::StudentT{48}.quantile(0.975) * f.rows.residual_sd / std::sqrt(50.0), 1e-3);
}

TEST(FitPlots, ACurveThatRunsOffDoesNotPressTheRowsFlat) {
  const Fitted f = fitted(noisy_line(20));
  FitCurve curve{.title = "x", .x = f.column, .grid = {0, 5, 10}, .fitted = {1, 1e9, NAN}, .low = {}, .high = {}};
  const RegressionPlot plot{.rows = f.rows, .target = "y", .curve = curve};
  const auto [least, most] = std::minmax_element(f.rows.actual.begin(), f.rows.actual.end());
  const Panel panel = fit_panel(plot);
  EXPECT_EQ(panel.y.high, *most + (*most - *least) / 2);
  EXPECT_FALSE(panel.y.low.has_value());
}

TEST(FitPlots, CallOutlyingRowsByTheirNumber) {
  const Fitted f = fitted(noisy_line(50));
  const RegressionPlot plot{.rows = f.rows, .target = "y"};
  for (const Panel& panel : {prediction_panel(plot), residual_panel(plot), scale_panel(plot), leverage_panel(plot)}) {
    const auto points = mark<Points>(panel);
    ASSERT_EQ(points.labels.size(), 1u) << panel.title;
    EXPECT_EQ(points.labels[0].point, 49u);
    EXPECT_EQ(points.labels[0].text, "50");
  }
  const auto ordered = mark<Points>(normal_panel(plot));
  ASSERT_EQ(ordered.labels.size(), 1u);
  EXPECT_EQ(ordered.labels[0].text, "50");
  EXPECT_EQ(ordered.labels[0].point, 49u);  // the largest of 50
}

TEST(FitPlots, ANormalSampleLiesOnTheDiagonalOfItsQuantiles) {
  RowDiagnostics rows;
  for (int i = 0; i < 99; ++i) {
    const double z = math::Normal{}.quantile((i + 0.5) / 99);
    rows.number.push_back(static_cast<std::uint64_t>(i));
    rows.actual.push_back(z);
    rows.fitted.push_back(0.0);
    rows.residual.push_back(z);
    rows.weight.push_back(1.0);
    rows.standardised.push_back(z);
  }
  const Panel panel = normal_panel({.rows = rows, .target = "y"});
  const auto points = mark<Points>(panel);
  EXPECT_EQ(points.x, points.y);
  const auto band = mark<Band>(panel);
  for (std::size_t k = 0; k < band.x.size(); ++k) {
    EXPECT_LT(band.low[k], band.x[k]);
    EXPECT_GT(band.high[k], band.x[k]);
  }
  // In the middle: 1.96 sqrt(1 / (4 n)) / density(0).
  EXPECT_NEAR(band.high[49] - band.x[49], 1.96 * 0.5 / std::sqrt(99.0) * std::sqrt(2 * 3.14159265358979), 1e-9);
}

TEST(FitPlots, QuantilesOfManyRowsAreThinnedWithoutGaps) {
  const Fitted f = fitted(noisy_line(20000));
  const Panel panel = normal_panel({.rows = f.rows, .target = "y"});
  const auto points = mark<Points>(panel);
  EXPECT_LE(points.x.size(), kMostPoints);
  EXPECT_EQ(panel.notes.size(), 1u);
  EXPECT_EQ(points.y.front(), *std::min_element(f.rows.standardised.begin(), f.rows.standardised.end()));
  EXPECT_EQ(points.y.back(), *std::max_element(f.rows.standardised.begin(), f.rows.standardised.end()));
  for (std::size_t k = 101; k + 100 < points.x.size(); ++k) EXPECT_LT(points.x[k] - points.x[k - 1], 0.02);
  EXPECT_EQ(points.labels[0].text, "20000");
}

TEST(FitPlots, ContoursAreWhereCooksDistanceIsWhatTheySay) {
  const Fitted f = fitted({{{0}, {1}, {2}, {3}, {4}, {20}}, {0, 1.1, 1.9, 3.2, 3.9, 3}, {}});
  const Panel panel = leverage_panel({.rows = f.rows, .target = "y"});
  const auto half = mark<Line>(panel);  // six rows have no trend
  EXPECT_EQ(half.name, "Cook's distance 0.5");
  for (std::size_t k = 0; k < half.x.size(); ++k)
    EXPECT_NEAR(half.y[k] * half.y[k] * half.x[k], 0.5 * 2 * (1 - half.x[k]), 1e-9);
  for (std::size_t i = 0; i < f.rows.cook.size(); ++i)  // the formula of the contours is that of the diagnostics
    EXPECT_NEAR(f.rows.cook[i],
                std::pow(f.rows.standardised[i], 2) * f.rows.leverage[i] / (2 * (1 - f.rows.leverage[i])), 1e-9);
}

TEST(FitPlots, SayWhenNoRowMovesTheWeightsMuch) {
  Data data = noisy_line(200);
  data.y.back() -= 30.0;
  const Fitted f = fitted(data);
  const Panel panel = leverage_panel({.rows = f.rows, .target = "y"});
  ASSERT_EQ(panel.notes.size(), 1u);
  EXPECT_EQ(panel.notes[0], "Cook's distance is below 0.5 in every row");
}

// The residuals of two rows and two weights are rounding errors, far below the last digit of a number.
TEST(FitPlots, RoundingIsNoResidual) {
  Fitted f = fitted({{{1}, {2}}, {1, 5}, {}});
  f.rows.residual = {2e-48, -1e-48};
  const Figure figure = regression_figure({f.rows, "y"});
  for (const Panel& panel : figure.panels) {
    if (panel.y.title != "residual") continue;
    EXPECT_EQ(mark<Points>(panel).y, (std::vector<double>{0, 0}));
  }
  EXPECT_EQ(figure.panels.size(), 2u);  // none of standardised residuals
}

TEST(FitPlots, OfAPerfectFitShowOnlyWhatThereIs) {
  const Fitted f = fitted({{{0}, {1}}, {1, 2}, {}});
  const Figure figure = figure_of(f);
  EXPECT_EQ(titles(figure),
            (std::vector<std::string>{"Fit", "Predicted against actual", "Residuals against fitted values"}));
  EXPECT_EQ(picture_fault(to_svg(figure)), "");
}

TEST(FitPlots, OfRowsThatAModelWasNotFittedToNeedNoLeverage) {
  const Fitted f = fitted(noisy_line(50));
  Executor executor(1);
  const RowDiagnostics rows = predicted_rows(f.fit.model, f.examples, plumb::Run{executor});
  EXPECT_EQ(rows.number, f.rows.number);
  for (std::size_t i = 0; i < rows.fitted.size(); ++i) {
    EXPECT_NEAR(rows.fitted[i], f.rows.fitted[i], 1e-12);
    EXPECT_EQ(rows.residual[i], f.data.y[i] - rows.fitted[i]);
  }
  const Figure figure = regression_figure({.rows = rows, .target = "y"});
  EXPECT_EQ(titles(figure), (std::vector<std::string>{"Predicted against actual", "Residuals against fitted values",
                                                      "Normal quantiles", "Scale-location"}));
  double squares = 0.0;
  for (const double each : mark<Points>(figure.panels[2]).y) squares += each * each;
  EXPECT_NEAR(squares / 50, 1.0, 1e-12);
}

TEST(FitPlots, RowsHeldOutStandBesideTheOthersWhileBothCanBeSeen) {
  const Fitted few = fitted(noisy_line(50)), many = fitted(noisy_line(2000));
  RegressionPlot plot{.rows = few.rows, .target = "y", .heldout_actual = {1, 2}, .heldout_fitted = {1.5, 1.5}};
  EXPECT_EQ(mark<Points>(prediction_panel(plot), 1).name, "held out");
  const RegressionPlot crowd{.rows = many.rows, .target = "y", .heldout_actual = {1}, .heldout_fitted = {1}};
  const Figure figure = regression_figure(crowd);
  EXPECT_EQ(figure.panels[0].title, "Predicted against actual, training");
  EXPECT_EQ(figure.panels[1].title, "Predicted against actual, held out");
}

TEST(FitPlots, RowsOfWeightZeroAreNotShown) {
  Data data = noisy_line(50);
  data.s.assign(50, 1.0);
  data.s[10] = 0.0;
  const Fitted f = fitted(data);
  EXPECT_EQ(mark<Points>(figure_of(f).panels[0]).x.size(), 49u);
  EXPECT_EQ(mark<Points>(figure_of(f).panels[0]).x[10], f.column[11]);
}

TEST(FitPlots, AreTheSameBytesForAnyNumberOfThreads) {
  const Fitted f = fitted(noisy_line(10000));
  const std::string one = to_svg(figure_of(f, 1));
  EXPECT_EQ(one, to_svg(figure_of(f, 2)));
  EXPECT_EQ(one, to_svg(figure_of(f, 7)));
  EXPECT_LT(one.size(), 200000u);
}

TEST(FitPlots, AreRefusedInWordsWhereMemoryIsShort) {
  const Fitted f = fitted(noisy_line(1000));
  Executor executor(1);
  const plumb::Run run{executor, {}, {}, MemoryBudget(100000)};
  EXPECT_THROW(fit_figure(f.fit, f.examples, f.examples.with(RowSet(1000)), f.column, run), Error);
}

}  // namespace
}  // namespace plumb::fit_plots_test
