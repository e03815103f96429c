#include "plumb/report/fit_plots.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/base/number.h"
#include "plumb/math/distributions.h"
#include "plumb/math/special.h"
#include "plumb/report/plot_smooth.h"

namespace plumb {
namespace {

constexpr std::size_t kMostFitLabels = 3;
constexpr double kOutlying = 2.0;   // standard deviations; one row in twenty of a normal sample is farther out
constexpr double kLargeCook = 0.5;  // a row with an unusual influence on the weights
constexpr int kContourPlaces = 200;

// Residuals in units of their standard deviation: studentised if the diagnostics have that.
struct Scaled {
  std::vector<double> value;
  std::string name;
};
Scaled scaled_residuals(const RowDiagnostics& rows) {
  if (!rows.standardised.empty()) return {rows.standardised, "standardised residual"};
  double weights = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < rows.residual.size(); ++i) {
    weights += rows.weight[i];
    squares += rows.weight[i] * rows.residual[i] * rows.residual[i];
  }
  const double sd = rows.residual_sd > 0.0 ? rows.residual_sd : std::sqrt(squares / weights);
  Scaled scaled{{}, rows.residual_sd > 0.0 ? "residual / residual sd" : "residual / root mean square"};
  for (std::size_t i = 0; i < rows.residual.size(); ++i)
    scaled.value.push_back(rows.residual[i] * std::sqrt(rows.weight[i]) / sd);
  return scaled;
}

bool any_finite(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

// The rows with the largest values, beyond a limit, labelled by their number from 1.
std::vector<PointLabel> outlying(const RowDiagnostics& rows, const std::vector<double>& size, double limit) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < size.size(); ++i)
    if (std::abs(size[i]) > limit && std::isfinite(size[i])) order.push_back(i);
  const std::size_t count = std::min(order.size(), kMostFitLabels);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const double x = std::abs(size[a]), y = std::abs(size[b]);
                      return x > y || (x == y && a < b);
                    });
  std::vector<PointLabel> labels;
  for (std::size_t k = 0; k < count; ++k) labels.push_back({order[k], std::to_string(rows.number[order[k]] + 1)});
  return labels;
}

// Whether held-out rows would hide the others, or be hidden, in one panel.
bool crowded(const RegressionPlot& plot) {
  return !plot.heldout_actual.empty() && plot.rows.actual.size() + plot.heldout_actual.size() > kMostPoints;
}

void add_trend(Panel& panel, const std::vector<double>& x, const std::vector<double>& y) {
  SmoothCurve curve = smooth_curve(x, y);
  if (!curve.x.empty()) panel.marks.push_back(Line{std::move(curve.x), std::move(curve.y), "trend"});
}

// A curve that runs off between the rows, as at a pole, must not squeeze them: it is cut half their span beyond them.
void limit_to_rows(Axis& axis, const std::vector<double>& actual, const FitCurve& curve) {
  const auto [least, most] = std::minmax_element(actual.begin(), actual.end());
  const double room = *most / 2 - *least / 2;
  if (!(room > 0.0)) return;
  for (const std::vector<double>* values : {&curve.fitted, &curve.low, &curve.high})
    for (const double value : *values) {
      if (value < *least - room) axis.low = *least - room;
      if (value > *most + room) axis.high = *most + room;
    }
}

// Which of n sorted residuals a plot of their quantiles needs: all, or kMostPoints at most: both ends, and others
// evenly in the quantile, so that no isolated one is missing.
std::vector<std::size_t> ranks_to_show(std::size_t n) {
  std::vector<std::size_t> ranks;
  if (n <= kMostPoints) {
    for (std::size_t k = 0; k < n; ++k) ranks.push_back(k);
    return ranks;
  }
  constexpr std::size_t kEnd = 250, kBetween = kMostPoints - 2 * kEnd;
  const double widest = math::Normal{}.quantile(1.0 - 0.5 / static_cast<double>(n));
  for (std::size_t k = 0; k < kEnd; ++k) ranks.insert(ranks.end(), {k, n - 1 - k});
  for (std::size_t j = 0; j < kBetween; ++j) {
    const double z = widest * (2.0 * (static_cast<double>(j) + 0.5) / kBetween - 1.0);
    ranks.push_back(std::min(static_cast<std::size_t>(math::Normal{}.lower(z) * static_cast<double>(n)), n - 1));
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

Panel empty_prediction_panel(const RegressionPlot& plot, const std::string& which) {
  return {.title = "Predicted against actual" + which,
          .x = {.title = "predicted " + plot.target},
          .y = {.title = "actual " + plot.target}};
}

Points heldout_points(const RegressionPlot& plot) {
  return {.x = plot.heldout_fitted,
          .y = plot.heldout_actual,
          .name = crowded(plot) ? "" : "held out",
          .paint = Paint::vermilion};
}

// The residuals of a perfect fit are rounding errors, which would fill a plot of their own.
bool perfect(const RowDiagnostics& rows) {
  double size = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < rows.residual.size(); ++i) {
    size = std::max(size, std::abs(rows.fitted[i]));
    largest = std::max(largest, std::abs(rows.residual[i]));
  }
  return largest > 0.0 && largest <= 0x1p-54 * size;
}

}  // namespace

Panel fit_panel(const RegressionPlot& plot) {
  const FitCurve& curve = *plot.curve;
  Panel panel{.title = "Fit", .x = {.title = curve.title}, .y = {.title = plot.target}};
  if (!curve.low.empty()) panel.marks.push_back(Band{curve.grid, curve.low, curve.high, curve.band});
  panel.marks.push_back(Points{.x = curve.x,
                               .y = plot.rows.actual,
                               .name = "rows",
                               .labels = outlying(plot.rows, scaled_residuals(plot.rows).value, kOutlying)});
  panel.marks.push_back(Line{curve.grid, curve.fitted, "fitted"});
  limit_to_rows(panel.y, plot.rows.actual, curve);
  return panel;
}

Panel prediction_panel(const RegressionPlot& plot) {
  const RowDiagnostics& rows = plot.rows;
  Points points{.x = rows.fitted,
                .y = rows.actual,
                .name = plot.heldout_actual.empty() || crowded(plot) ? "" : "training",
                .labels = outlying(rows, scaled_residuals(rows).value, kOutlying)};
  Panel panel = empty_prediction_panel(plot, crowded(plot) ? ", training" : "");
  panel.marks.push_back(std::move(points));
  if (!plot.heldout_actual.empty() && !crowded(plot)) panel.marks.push_back(heldout_points(plot));
  panel.marks.push_back(Reference{0.0, 1.0, "predicted = actual"});  // last, so that crowds do not hide it
  return panel;
}

Panel heldout_panel(const RegressionPlot& plot) {
  Panel panel = empty_prediction_panel(plot, ", held out");
  panel.marks.push_back(heldout_points(plot));
  panel.marks.push_back(Reference{0.0, 1.0, "predicted = actual"});
  return panel;
}

Panel residual_panel(const RegressionPlot& plot) {
  const RowDiagnostics& rows = plot.rows;
  Panel panel{.title = "Residuals against fitted values",
              .x = {.title = "fitted " + plot.target},
              .y = {.title = "residual"},
              .marks = {Reference{}}};
  panel.marks.push_back(
      Points{.x = rows.fitted, .y = rows.residual, .labels = outlying(rows, scaled_residuals(rows).value, kOutlying)});
  add_trend(panel, rows.fitted, rows.residual);
  return panel;
}

// The k-th smallest of n residuals is plotted at the normal quantile of (k - 1/2) / n. For a normal sample it lies
// within 1.96 standard errors sqrt(p (1 - p) / n) / density of that quantile, 19 times in 20 (Fox, Applied Regression
// Analysis, chapter 3).
Panel normal_panel(const RegressionPlot& plot) {
  const auto [scaled, name] = scaled_residuals(plot.rows);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < scaled.size(); ++i)
    if (std::isfinite(scaled[i])) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return scaled[a] < scaled[b] || (scaled[a] == scaled[b] && a < b); });
  const auto n = static_cast<double>(order.size());
  const std::vector<PointLabel> outside = outlying(plot.rows, scaled, kOutlying);
  const std::vector<std::size_t> ranks = ranks_to_show(order.size());
  Points points;
  Band band{{}, {}, {}, "95 % of normal samples, point by point", Paint::grey};
  for (const std::size_t k : ranks) {
    const double p = (static_cast<double>(k) + 0.5) / n;
    const double quantile = math::Normal{}.quantile(p);
    for (const PointLabel& label : outside)
      if (label.point == order[k]) points.labels.push_back({points.x.size(), label.text});
    points.x.push_back(quantile);
    points.y.push_back(scaled[order[k]]);
    constexpr double kRootTwoPi = 2.5066282746310002;
    const double error = 1.96 * std::sqrt(p * (1.0 - p) / n) * kRootTwoPi * math::exp(quantile * quantile / 2.0);
    band.x.push_back(quantile);
    band.low.push_back(quantile - error);
    band.high.push_back(quantile + error);
  }
  Panel panel{.title = "Normal quantiles", .x = {.title = "normal quantile"}, .y = {.title = name}};
  if (ranks.size() < order.size())
    panel.notes.push_back(count_text(ranks.size()) + " of " + count_text(order.size()) +
                          " points, evenly along the axis, the ends complete");
  panel.marks = {std::move(band), Reference{0.0, 1.0}, std::move(points)};
  return panel;
}

Panel scale_panel(const RegressionPlot& plot) {
  const auto [scaled, name] = scaled_residuals(plot.rows);
  std::vector<double> root;
  for (const double value : scaled) root.push_back(std::sqrt(std::abs(value)));
  Panel panel{
      .title = "Scale-location", .x = {.title = "fitted " + plot.target}, .y = {.title = "root of |" + name + "|"}};
  panel.marks.push_back(Points{.x = plot.rows.fitted, .y = root, .labels = outlying(plot.rows, scaled, kOutlying)});
  add_trend(panel, plot.rows.fitted, root);
  return panel;
}

// Cook's distance is D = r^2 h / (p (1 - h)) for a standardised residual r and a leverage h; p, the number of weights,
// is the sum of the leverages. So the contour of D is r = +-sqrt(D p (1 - h) / h), if no row has a weight; otherwise
// there is no contour.
Panel leverage_panel(const RegressionPlot& plot) {
  const RowDiagnostics& rows = plot.rows;
  const auto [scaled, name] = scaled_residuals(rows);
  double weights = 0.0, widest = 0.0, highest = 0.0;
  for (std::size_t i = 0; i < rows.leverage.size(); ++i) {
    weights += rows.leverage[i];
    if (!std::isfinite(scaled[i])) continue;
    widest = std::max(widest, rows.leverage[i]);
    highest = std::max(highest, std::abs(scaled[i]));
  }
  widest = std::min(1.0, widest * 1.06);
  Panel panel{.title = "Residuals against leverage",
              .x = {.title = "leverage", .low = 0.0, .high = widest},
              .y = {.title = name},
              .marks = {Reference{}}};
  const double limit = 4.0 / static_cast<double>(rows.cook.size());
  panel.marks.push_back(Points{.x = rows.leverage, .y = scaled, .labels = outlying(rows, rows.cook, limit)});
  add_trend(panel, rows.leverage, scaled);
  const bool weighted = std::any_of(rows.weight.begin(), rows.weight.end(), [](double s) { return s != 1.0; });
  for (const double distance : {0.5, 1.0}) {
    if (weighted) break;
    const auto contour = [&](double h) { return std::sqrt(distance * weights * (1.0 - h) / h); };
    if (contour(widest) > highest) continue;  // it would not be visible
    Line upper{{}, {}, "Cook's distance " + number_text(distance, 2), distance < 1.0 ? Paint::green : Paint::purple};
    upper.dashed = true;
    upper.shapes_axes = false;
    for (int k = 1; k <= kContourPlaces; ++k) {
      upper.x.push_back(widest * k / kContourPlaces);
      upper.y.push_back(contour(upper.x.back()));
    }
    Line lower = upper;
    lower.name.clear();
    for (double& r : lower.y) r = -r;
    panel.marks.push_back(std::move(upper));
    panel.marks.push_back(std::move(lower));
  }
  const bool below =
      std::all_of(rows.cook.begin(), rows.cook.end(), [](double distance) { return distance < kLargeCook; });
  if (below) panel.notes.push_back("Cook's distance is below " + number_text(kLargeCook, 2) + " in every row");
  return panel;
}

Figure regression_figure(const RegressionPlot& plot) {
  if (perfect(plot.rows)) {
    RowDiagnostics rows = plot.rows;
    std::fill(rows.residual.begin(), rows.residual.end(), 0.0);
    rows.standardised.clear();
    rows.residual_sd = 0.0;
    return regression_figure({rows, plot.target, plot.curve, plot.heldout_actual, plot.heldout_fitted});
  }
  Figure figure;
  if (plot.curve) figure.panels.push_back(fit_panel(plot));
  figure.panels.push_back(prediction_panel(plot));
  if (crowded(plot)) figure.panels.push_back(heldout_panel(plot));
  figure.panels.push_back(residual_panel(plot));
  if (any_finite(scaled_residuals(plot.rows).value)) {
    figure.panels.push_back(normal_panel(plot));
    figure.panels.push_back(scale_panel(plot));
    if (!plot.rows.leverage.empty()) figure.panels.push_back(leverage_panel(plot));
  }
  return figure;
}

}  // namespace plumb
