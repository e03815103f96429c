#include "plumb/report/coefficient_figure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/infer/weight_tests.h"
#include "plumb/report/model_rows.h"

namespace plumb {
namespace {

constexpr std::size_t kMostPanels = 6;
constexpr std::size_t kLongestName = 28;

std::string short_name(const std::string& name) {
  if (name.size() <= kLongestName) return name;
  std::size_t end = kLongestName - 3;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end) + "...";
}

Panel coefficient_panel(const LinearModel& model, const std::optional<WeightTests>& tests, In zero,
                        const ModelRows& rows) {
  constexpr double kBreak = std::numeric_limits<double>::quiet_NaN();
  Panel panel;
  panel.title = "Coefficients";
  panel.x.title = "weight";
  Points points{{}, {}, "", Paint::blue, {}};
  Line line{{}, {}, "", Paint::blue};
  const std::span<const std::uint32_t> shown = rows.shown();
  // The most important feature stands on top.
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const std::uint32_t j = shown[shown.size() - 1 - k];
    const double weight = rows.weights()[j] - zero[j], place = static_cast<double>(k);
    panel.y.categories.push_back(short_name(model.parts().map.name(j)));
    points.x.push_back(weight);
    points.y.push_back(place);
    double low = 0.0, high = weight;
    if (tests) {
      const std::size_t at = rows.number() * model.features() + j;
      // An aliased weight has no interval, and one by profile may lack an end.
      low = std::isnan(tests->low.weights[at]) ? weight : tests->low.weights[at];
      high = std::isnan(tests->high.weights[at]) ? weight : tests->high.weights[at];
    }
    line.x.insert(line.x.end(), {low, high, kBreak});
    line.y.insert(line.y.end(), {place, place, kBreak});
  }
  panel.marks.push_back(Line{{0.0, 0.0}, {-0.5, static_cast<double>(shown.size()) - 0.5}, "", Paint::grey, true});
  panel.marks.push_back(std::move(line));
  panel.marks.push_back(std::move(points));
  return panel;
}

}  // namespace

std::optional<Figure> coefficient_figure(const LinearModel& model, const Record& record, std::uint64_t top) {
  if (model.features() == 0) return {};
  const std::optional<WeightTests> tests = weight_tests(model, record);
  const std::vector<double> zero = tests ? reference_weights(model, record) : std::vector<double>(model.features() + 1);
  const std::optional<std::uint64_t> reference = reference_row(model, record);
  Figure figure;
  figure.title = record.target + " by " + record.model;
  const std::uint64_t shown = std::min<std::uint64_t>(top == 0 ? model.features() : top, model.features());
  figure.subtitle = shown == model.features() ? counted(shown, "feature")
                                              : "the " + count_text(shown) + " most important of " +
                                                    count_text(model.features()) + " features";
  for (ModelRows rows(model, shown, false, feature_spreads(record)); rows.next();) {
    if (model.parts().link == Link::vote && rows.number() + 1 != model.rows()) continue;  // the last stands for all
    if (tests && rows.number() == reference) continue;
    figure.panels.push_back(coefficient_panel(model, tests, zero, rows));
    if (const std::string* label = row_label(model, rows.number())) figure.panels.back().title += " of " + *label;
    if (tests && reference) figure.panels.back().title += " against " + model.parts().labels[*reference];
    if (tests) figure.panels.back().title += " with 95 % intervals";
    if (figure.panels.size() == kMostPanels) break;
  }
  return figure;
}

}  // namespace plumb
