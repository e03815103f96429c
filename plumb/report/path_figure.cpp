// The path of L1 penalties as a picture.
#include <algorithm>
#include <cmath>
#include <map>

#include "plumb/base/text.h"
#include "plumb/model/explain.h"
#include "plumb/report/kept_path.h"
#include "plumb/report/model_rows.h"

namespace plumb {
namespace report_detail {
std::string loss_title(const LinearModel& model);  // kept_path.cpp
}
namespace {

constexpr std::size_t kMostPathNames = 8;   // of lines
constexpr std::size_t kMostPathLines = 60;  // others are the smallest
constexpr std::size_t kMostPathPanels = 5;
constexpr std::size_t kLongestLabel = 20;

std::string label_of(const std::string& name) {
  if (name.size() <= kLongestLabel) return name;
  std::size_t end = kLongestLabel - 3;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end) + "...";
}

// Both rules as upright lines between these values.
void mark_rules(Panel& panel, const KeptPath& path, double low, double high, bool named) {
  for (const bool min : {true, false}) {
    const double l1 = path.points[min ? path.best : path.one_se].l1;
    Line line{{l1, l1}, {low, high}, "", min ? Paint::vermilion : Paint::green, true};
    if (named) line.name = min ? "min" : "1se";
    if (!min && path.best == path.one_se) continue;
    panel.marks.push_back(std::move(line));
  }
}

Panel weights_panel(const LinearModel& model, const Record& record, const KeptPath& path, std::uint32_t row,
                    std::size_t names) {
  const In spread = feature_spreads(record);
  const bool scaled = spread.size() == model.features();
  std::map<std::uint32_t, std::vector<double>> lines;
  for (const KeptPath::Weight& each : path.weights) {
    if (each.row != row) continue;
    std::vector<double>& line = lines[each.feature];
    line.resize(path.points.size());
    line[each.point] = each.weight * (scaled ? spread[each.feature] : 1.0);
  }
  std::vector<std::pair<double, std::uint32_t>> order;
  double low = 0.0, high = 0.0;
  for (const auto& [j, line] : lines) {
    double most = 0.0;
    for (const double each : line) {
      most = std::max(most, std::abs(each));
      low = std::min(low, each);
      high = std::max(high, each);
    }
    order.emplace_back(-most, j);
  }
  std::sort(order.begin(), order.end());
  if (order.size() > kMostPathLines) order.resize(kMostPathLines);
  Panel panel;
  panel.title = "Weights along the path";
  panel.x = {.title = "l1", .logarithmic = true};
  panel.y.title = scaled ? "weight x standard deviation" : "weight";
  mark_rules(panel, path, low, high, false);
  Points ends{{}, {}, "", Paint::blue, {}};
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::vector<double>& line = lines[order[i].second];
    const bool named = i < names;
    Line drawn{{}, {}, "", named ? Paint::blue : Paint::grey};
    for (std::size_t k = 0; k < line.size(); ++k) {
      drawn.x.push_back(path.points[k].l1);
      drawn.y.push_back(line[k]);
    }
    panel.marks.push_back(std::move(drawn));
  }
  for (std::size_t i = 0; i < std::min(order.size(), names); ++i) {
    ends.labels.push_back({ends.x.size(), label_of(model.parts().map.name(order[i].second))});
    ends.x.push_back(path.points.back().l1);
    ends.y.push_back(lines[order[i].second].back());
  }
  panel.marks.push_back(std::move(ends));
  return panel;
}

Panel loss_panel(const LinearModel& model, const KeptPath& path) {
  Panel panel;
  panel.title = "Cross-validation";
  panel.x = {.title = "l1", .logarithmic = true};
  panel.y.title = "held-out " + report_detail::loss_title(model);
  Band band{{}, {}, {}, "one standard error", Paint::blue};
  Line line{{}, {}, "", Paint::blue};
  double low = path.points[0].held_out, high = low;
  for (const KeptPath::Point& point : path.points) {
    band.x.push_back(point.l1);
    band.low.push_back(point.held_out - point.error);
    band.high.push_back(point.held_out + point.error);
    line.x.push_back(point.l1);
    line.y.push_back(point.held_out);
    low = std::min(low, point.held_out - point.error);
    high = std::max(high, point.held_out + point.error);
  }
  panel.marks.push_back(std::move(band));
  mark_rules(panel, path, low, high, true);
  panel.marks.push_back(std::move(line));
  Points rules{{}, {}, "", Paint::vermilion, {}};
  for (const std::size_t k : {path.best, path.one_se}) {
    rules.x.push_back(path.points[k].l1);
    rules.y.push_back(path.points[k].held_out);
    rules.labels.push_back({rules.labels.size(), counted(path.points[k].non_zeros, "weight")});
  }
  if (path.best == path.one_se) {
    rules.x.pop_back();
    rules.y.pop_back();
    rules.labels.pop_back();
  }
  panel.marks.push_back(std::move(rules));
  return panel;
}

}  // namespace

std::optional<Figure> path_figure(const LinearModel& model, const Record& record, std::uint64_t top) {
  const std::optional<KeptPath> path = kept_path(model, record);
  if (!path) return {};
  Figure figure;
  figure.title = record.target + " by " + record.model;
  figure.subtitle = count_text(path->points.size()) + " penalties, " + counted(path->folds, "fold") + ", l1-ratio " +
                    three_digits(path->ratio);
  const std::size_t names = top == 0 ? kMostPathLines : std::min<std::size_t>(top, kMostPathNames);
  for (std::uint32_t r = 0; r < model.rows() && !path->weights.empty() && figure.panels.size() < kMostPathPanels; ++r) {
    figure.panels.push_back(weights_panel(model, record, *path, r, names));
    if (model.rows() > 1) figure.panels.back().title += " of " + *row_label(model, r);
  }
  figure.panels.push_back(loss_panel(model, *path));
  return figure;
}

}  // namespace plumb
