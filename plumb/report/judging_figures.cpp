#include "plumb/report/judging_figures.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {
namespace {

constexpr Paint kJudgingPaints[] = {Paint::blue, Paint::vermilion, Paint::green, Paint::purple, Paint::grey};

using Settings = std::vector<std::pair<std::string, std::string>>;

std::optional<double> number(const std::string& text) {
  const ParsedNumber parsed = parse_number(text);
  return parsed.fault == NumberFault::none ? std::optional(parsed.value) : std::nullopt;
}

// The option along which to draw: the one with most values.
std::size_t longest_axis(const TuneReport& report) {
  std::size_t longest = 0, most = 0;
  for (std::size_t axis = 0; axis < report.points.front().options.size(); ++axis) {
    std::set<std::string> values;
    for (const TunedPoint& point : report.points) values.insert(point.options[axis].second);
    if (values.size() > most) {
      most = values.size();
      longest = axis;
    }
  }
  return longest;
}

// A loss of a fit far from its optimum is meaningless for the setting, and may dwarf all others.
bool drawn(const TuneReport& report, const TunedPoint& point) {
  return std::isfinite(point.loss) &&
         (point.converged || std::none_of(report.points.begin(), report.points.end(),
                                          [](const TunedPoint& each) { return each.converged; }));
}

std::string without(Settings options, std::size_t axis) {
  options.erase(options.begin() + static_cast<std::ptrdiff_t>(axis));
  return options_text(options);
}

const Metric* find_figure(const ComparedModel& model, std::string_view name) {
  for (const Metric& metric : model.metrics)
    if (metric.name == name) return &metric;
  return nullptr;
}

// Names of models; if one is too long for a plot, without the words that all begin with.
std::vector<std::string> labels_of(const std::vector<ComparedModel>& models) {
  constexpr std::size_t kLong = 24;
  std::vector<std::string> labels;
  for (const ComparedModel& model : models) labels.push_back(model.name);
  std::size_t common = labels.empty() ? 0 : labels.front().size();
  bool any_long = false;
  for (const std::string& label : labels) {
    any_long = any_long || label.size() > kLong;
    const auto apart = std::mismatch(label.begin(), label.end(), labels.front().begin(), labels.front().end());
    common = std::min(common, static_cast<std::size_t>(apart.first - label.begin()));
  }
  const std::size_t cut = common == 0 ? std::string::npos : labels.front().find_last_of(",=", common - 1);
  if (!any_long || cut == std::string::npos) return labels;
  for (std::string& label : labels) label = "..." + label.substr(cut + 1);
  return labels;
}

}  // namespace

Figure tuning_figure(const TuneReport& report) {
  const std::size_t axis = longest_axis(report);
  Panel panel;
  panel.x.title = report.points.front().options[axis].first;
  panel.y.title = report.loss_name + " on validation rows";
  std::vector<std::string> values;  // in the order of the grid
  bool numbers = true, positive = true;
  for (const TunedPoint& point : report.points) {
    const std::string& value = point.options[axis].second;
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    numbers = numbers && number(value);
    positive = positive && number(value).value_or(0.0) > 0.0;
  }
  panel.x.logarithmic = numbers && positive;
  if (!numbers) panel.x.categories = values;
  const auto place = [&](const std::string& value) {
    if (numbers) return number(value).value_or(0.0);
    return static_cast<double>(std::find(values.begin(), values.end(), value) - values.begin());
  };
  std::vector<std::string> others;
  for (const TunedPoint& point : report.points)
    if (const std::string other = without(point.options, axis);
        std::find(others.begin(), others.end(), other) == others.end())
      others.push_back(other);
  for (std::size_t o = 0; o < others.size(); ++o) {
    const Paint paint = kJudgingPaints[o % std::size(kJudgingPaints)];
    Band band{{}, {}, {}, others.size() == 1 ? "one standard error" : "", paint};
    Line line{{}, {}, others[o].empty() ? "mean" : others[o], paint};
    for (const TunedPoint& point : report.points) {
      if (without(point.options, axis) != others[o] || !drawn(report, point)) continue;
      const double x = place(point.options[axis].second);
      line.x.push_back(x);
      line.y.push_back(point.loss);
      band.x.push_back(x);
      band.low.push_back(point.loss - point.standard_error);
      band.high.push_back(point.loss + point.standard_error);
    }
    if (others.size() <= std::size(kJudgingPaints)) panel.marks.push_back(std::move(band));
    panel.marks.push_back(std::move(line));
  }
  draw_bands_first(panel);
  const TunedPoint& best = report.points[report.choice.best];
  const TunedPoint& simple = report.points[report.choice.one_se];
  panel.marks.push_back(Reference{best.loss + best.standard_error, 0.0, "minimum + 1 standard error"});
  panel.marks.push_back(Points{{place(best.options[axis].second)}, {best.loss}, "minimum", Paint::vermilion, {}});
  if (report.choice.one_se != report.choice.best)
    panel.marks.push_back(
        Points{{place(simple.options[axis].second)}, {simple.loss}, "simplest within it", Paint::green, {}});
  Figure figure;
  figure.title = "Choosing " + panel.x.title + " of " + report.model;
  figure.subtitle = report.target + ": " + counted(report.rows, "row") + ", " + report.method + "; chosen " +
                    options_text(report.points[report.chosen].options);
  const auto left_out = static_cast<std::size_t>(std::count_if(
      report.points.begin(), report.points.end(), [&](const TunedPoint& each) { return !drawn(report, each); }));
  if (left_out > 0) figure.subtitle += "; " + counted(left_out, "setting") + " that did not converge not drawn";
  figure.panels = {std::move(panel)};
  return figure;
}

Figure comparison_figure(const CompareReport& report) {
  Figure figure;
  const std::vector<std::string> labels = labels_of(report.models);
  figure.title = "Models of " + report.target;
  figure.subtitle = counted(report.rows, "row") + ", " + report.method + "; lines are 95 % intervals";
  for (const std::string& name : names_of(report.labels, kDrawn)) {
    Panel panel;
    std::string without;  // models that do not have it
    panel.x.title = name;
    panel.y.low = -0.5;
    panel.y.high = static_cast<double>(report.models.size()) - 0.5;
    for (auto model = report.models.rbegin(); model != report.models.rend(); ++model) {
      const auto y = static_cast<double>(panel.y.categories.size());
      panel.y.categories.push_back(labels[static_cast<std::size_t>(report.models.rend() - model) - 1]);
      const Metric* const metric = find_figure(*model, name);
      if (metric == nullptr || !std::isfinite(metric->value)) {
        without += (without.empty() ? "" : ", ") + model->name;
        continue;
      }
      if (metric->low && metric->high)
        panel.marks.push_back(Line{{*metric->low, *metric->high}, {y, y}, "", Paint::blue});
      panel.marks.push_back(Points{{metric->value}, {y}, "", Paint::blue, {}});
    }
    if (!without.empty()) panel.x.title += " (none of " + without + ")";
    if (!panel.marks.empty()) figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace plumb
