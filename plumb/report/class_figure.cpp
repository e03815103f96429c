#include "plumb/report/class_figure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {
namespace {

constexpr std::size_t kMostLabels = 40;  // of a matrix that can still be read

// Each row of the matrix as shares of its label; the first label on top.
Panel confusion_panel(const ClassReport& report) {
  const std::size_t k = report.labels.size();
  HeatMap map;
  for (std::size_t i = 0; i <= k; ++i) {
    map.x_edge.push_back(static_cast<double>(i) - 0.5);
    map.y_edge.push_back(static_cast<double>(i) - 0.5);
  }
  for (std::size_t from_below = 0; from_below < k; ++from_below) {
    const std::size_t i = k - 1 - from_below;
    double total = 0.0;
    for (std::size_t j = 0; j < k; ++j) total += report.confusion[i * k + j];
    for (std::size_t j = 0; j < k; ++j)
      map.value.push_back(total > 0 ? report.confusion[i * k + j] / total : std::numeric_limits<double>::quiet_NaN());
  }
  Panel panel;
  panel.title = "Of each label, what it was taken for";
  panel.x.title = "predicted";
  panel.y.title = "actual";
  panel.x.categories = report.labels;
  panel.y.categories.assign(report.labels.rbegin(), report.labels.rend());
  panel.marks.push_back(std::move(map));
  return panel;
}

Axis share_axis(std::string title) { return {std::move(title), false, 0.0, 1.0, {}}; }

}  // namespace

ThresholdCurves threshold_curves(const PredictedClasses& rows) {
  ThresholdCurves curves;
  if (rows.known != 2 || rows.scores.size() != rows.rows()) return curves;
  std::vector<std::size_t> order(rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rows.scores[a] > rows.scores[b]; });
  double positive = 0.0, others = 0.0;
  for (std::uint64_t i = 0; i < rows.rows(); ++i) (rows.actual[i] == 1 ? positive : others) += rows.weight[i];
  if (!(positive > 0) || !(others > 0)) return curves;
  double right = 0.0, wrong = 0.0;
  curves.false_alarms.push_back(0.0);
  curves.recall.push_back(0.0);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && rows.scores[order[end]] == rows.scores[order[begin]]) {
      (rows.actual[order[end]] == 1 ? right : wrong) += rows.weight[order[end]];
      ++end;
    }
    curves.false_alarms.push_back(wrong / others);
    curves.recall.push_back(right / positive);
    curves.precision.push_back(right / (right + wrong));
  }
  return curves;
}

Figure class_figure(const ClassReport& report, const PredictedClasses& rows, const std::string& title) {
  Figure figure;
  figure.title = title;
  double total = 0.0;
  for (const ClassScore& each : report.classes) total += each.rows;
  figure.subtitle = number_text(total, 9) + " rows";
  for (const Metric& metric : report.metrics)
    if (metric.name == "accuracy") figure.subtitle += ", accuracy " + number_text(metric.value, 4);
  if (report.labels.size() <= kMostLabels) figure.panels.push_back(confusion_panel(report));
  const ThresholdCurves curves = threshold_curves(rows);
  if (!curves.recall.empty()) {
    Panel roc;
    roc.title = "ROC curve of " + rows.labels[1];
    for (const Metric& metric : report.metrics)
      if (metric.name == "auc") roc.notes.push_back("area " + number_text(metric.value, 4));
    roc.x = share_axis("of " + rows.labels[0] + ", share of false alarms");
    roc.y = share_axis("of " + rows.labels[1] + ", share found");
    roc.marks.push_back(Reference{0.0, 1.0, "by chance"});
    roc.marks.push_back(Line{curves.false_alarms, curves.recall, "", Paint::blue});
    figure.panels.push_back(std::move(roc));
    Panel precision;
    precision.title = "Precision and recall of " + rows.labels[1];
    precision.x = share_axis("recall: share found");
    precision.y = share_axis("precision: share right");
    precision.marks.push_back(
        Line{{curves.recall.begin() + 1, curves.recall.end()}, curves.precision, "", Paint::blue});
    figure.panels.push_back(std::move(precision));
  }
  if (!report.bins.empty()) {
    Panel reliability;
    reliability.title = "Can its probabilities be trusted?";
    reliability.notes.push_back("calibration error " + number_text(report.calibration_error, 3));
    reliability.x = share_axis("mean confidence");
    reliability.y = share_axis("share right");
    reliability.marks.push_back(Reference{0.0, 1.0, "calibrated"});
    Line line{{}, {}, "", Paint::vermilion};
    Points points{{}, {}, "", Paint::vermilion, {}};
    for (const ReliabilityBin& bin : report.bins) {
      line.x.push_back(bin.confidence);
      line.y.push_back(bin.right);
    }
    points.x = line.x;
    points.y = line.y;
    reliability.marks.push_back(std::move(line));
    reliability.marks.push_back(std::move(points));
    figure.panels.push_back(std::move(reliability));
  }
  return figure;
}

}  // namespace plumb
