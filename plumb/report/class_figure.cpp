#include "plumb/report/class_figure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/report/style.h"

namespace plumb {
namespace {

constexpr std::size_t kMostLabels = 40;  // of a matrix that can still be read

// Each row of the matrix as shares of its label; the first label on top.
Panel confusion_panel(const ClassReport& report) {
  const std::size_t k = report.labels.size();
  HeatMap map;
  map.name = "share of actual label";
  for (std::size_t i = 0; i <= k; ++i) {
    map.x_edge.push_back(static_cast<double>(i) - 0.5);
    map.y_edge.push_back(static_cast<double>(i) - 0.5);
  }
  for (std::size_t from_below = 0; from_below < k; ++from_below) {
    const std::size_t i = k - 1 - from_below;
    double total = 0.0;
    for (std::size_t j = 0; j < k; ++j) total += report.confused(i, j);
    for (std::size_t j = 0; j < k; ++j) {
      const double count = report.confused(i, j);
      map.texts.push_back(count > 0 ? four_digits(count) : "");
      map.value.push_back(total > 0 ? report.confused(i, j) / total : std::numeric_limits<double>::quiet_NaN());
    }
  }
  Panel panel;
  panel.title = "Confusion matrix";
  panel.x.title = "predicted";
  panel.y.title = "actual";
  panel.x.categories = report.labels;
  panel.y.categories.assign(report.labels.rbegin(), report.labels.rend());
  panel.marks.push_back(std::move(map));
  return panel;
}

// A little beyond 0 and 1, so that marks there are fully visible.
Axis share_axis(std::string title) { return {std::move(title), false, -0.03, 1.03, {}}; }

constexpr Paint kPaints[] = {Paint::blue, Paint::vermilion, Paint::green, Paint::purple, Paint::grey};

// A curve for a label against all others, and the area under it.
struct LabelCurves {
  std::size_t label = 0;
  double area = 0.0;
  ThresholdCurves curves;
};

// With two labels the second; with more up to five, those that are hardest to tell from the others.
std::vector<LabelCurves> curves_of(const PredictedClasses& rows) {
  std::vector<LabelCurves> all;
  const std::size_t width = rows.scores_per_row();
  for (std::size_t k = 0; k < width; ++k) {
    LabelCurves found{width == 1 ? 1 : k, 0.0, threshold_curves(rows, width == 1 ? 1 : k)};
    const ThresholdCurves& c = found.curves;
    for (std::size_t i = 1; i < c.recall.size(); ++i)
      found.area += (c.false_alarms[i] - c.false_alarms[i - 1]) * (c.recall[i] + c.recall[i - 1]) / 2;
    if (!c.recall.empty()) all.push_back(std::move(found));
  }
  if (all.size() <= std::size(kPaints)) return all;
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.area < b.area; });
  all.resize(std::size(kPaints));
  return all;
}

void add_curves(Figure& figure, const ClassReport& report, const PredictedClasses& rows) {
  std::vector<LabelCurves> found = curves_of(rows);
  if (found.empty()) return;
  const bool two = rows.known == 2;
  const std::string& own = rows.labels[found.front().label];
  Panel roc, precision;
  roc.title = two ? "ROC curve of " + own : "ROC curves, one label against the rest";
  if (const Metric* const area = find_metric(report.metrics, kRocArea))
    roc.notes.push_back((two ? "area " : "mean area of all labels ") + number_text(area->value, 4));
  if (!two && rows.known > found.size())
    roc.notes.push_back("shown: the " + count_text(found.size()) + " of " + count_text(rows.known) +
                        " labels with the smallest area");
  roc.x = share_axis("false positive rate");
  roc.y = share_axis("true positive rate (recall)");
  roc.marks.push_back(Line{{0.0, 1.0}, {0.0, 1.0}, "by chance", Paint::grey, true});
  precision.title = two ? "Precision and recall of " + own : "Precision and recall of each label";
  precision.x = share_axis("recall");
  precision.y = share_axis("precision");
  for (std::size_t i = 0; i < found.size(); ++i) {
    ThresholdCurves& c = found[i].curves;
    const std::string name = two ? "" : rows.labels[found[i].label];
    const std::string area = two ? "" : name + " " + number_text(found[i].area, 3);
    roc.marks.push_back(Line{c.false_alarms, c.recall, area, kPaints[i]});
    precision.marks.push_back(Line{{c.recall.begin() + 1, c.recall.end()}, std::move(c.precision), name, kPaints[i]});
  }
  figure.panels.push_back(std::move(roc));
  figure.panels.push_back(std::move(precision));
}

}  // namespace

ThresholdCurves threshold_curves(const PredictedClasses& rows, std::size_t label) {
  ThresholdCurves curves;
  const std::size_t width = rows.scores_per_row();
  if (rows.known < 2 || label >= rows.known || rows.scores.size() != rows.rows() * width) return curves;
  const auto score = [&](std::size_t i) {
    return width == 1 ? (label == 1 ? rows.scores[i] : -rows.scores[i]) : rows.scores[i * width + label];
  };
  std::vector<std::size_t> order(rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return score(a) > score(b); });
  double positive = 0.0, others = 0.0;
  for (std::uint64_t i = 0; i < rows.rows(); ++i) (rows.actual[i] == label ? positive : others) += rows.weight[i];
  if (!(positive > 0) || !(others > 0)) return curves;
  double right = 0.0, wrong = 0.0;
  curves.false_alarms.push_back(0.0);
  curves.recall.push_back(0.0);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && score(order[end]) == score(order[begin])) {
      (rows.actual[order[end]] == label ? right : wrong) += rows.weight[order[end]];
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
  if (const Metric* const headline = find_metric(report.metrics, kHeadline))
    figure.subtitle += ", " + headline->name + " " + number_text(headline->value, 4);
  if (report.labels.size() <= kMostLabels) figure.panels.push_back(confusion_panel(report));
  add_curves(figure, report, rows);
  if (!report.bins.empty()) {
    Panel reliability;
    reliability.title = "Calibration";
    reliability.notes.push_back("calibration error " + number_text(report.calibration_error, 3));
    reliability.x = share_axis("mean confidence");
    reliability.y = share_axis("accuracy");
    reliability.marks.push_back(Line{{0.0, 1.0}, {0.0, 1.0}, "calibrated", Paint::grey, true});
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
