#include "plumb/report/kept_path.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "plumb/base/text.h"
#include "plumb/model/explain.h"
#include "plumb/train/sparse_path.h"

namespace plumb {
namespace {

constexpr std::size_t kMostPathRows = 12;  // of the table of points
constexpr std::size_t kMostEntries = 20;   // features by order of entry

const std::vector<double>* numbers_of(const Record& record, const char* name, std::uint64_t columns) {
  const Statistic* const found = find_statistic(record, name);
  const auto* const values = found == nullptr ? nullptr : std::get_if<std::vector<double>>(&found->values);
  if (values == nullptr || found->shape.size() != 2 || found->shape[1] != columns) return nullptr;
  return std::all_of(values->begin(), values->end(), [](double each) { return std::isfinite(each); }) ? values
                                                                                                      : nullptr;
}

// A whole number below `end`.
std::optional<std::size_t> place(double number, std::size_t end) {
  if (!(number >= 0.0) || !(number < static_cast<double>(end))) return {};
  return static_cast<std::size_t>(number);
}

std::size_t place_of(const Record& record, const char* name, std::size_t end) {
  const double* const number = find_number(record, name);
  return number == nullptr ? 0 : place(*number, end).value_or(0);
}

}  // namespace

std::optional<KeptPath> kept_path(const LinearModel& model, const Record& record) {
  const std::vector<double>* const table = numbers_of(record, kPathStatistic, kPathColumns);
  if (table == nullptr || table->empty() || model.features() == 0) return {};
  KeptPath path;
  for (std::size_t i = 0; i < table->size(); i += kPathColumns) {
    const double* const t = table->data() + i;
    path.points.push_back(
        {t[0], t[1], static_cast<std::uint64_t>(std::clamp(t[2], 0.0, 1e15)), t[3], t[4], t[5], t[6], t[7]});
  }
  const std::size_t n = path.points.size();
  if (const auto* const entries = numbers_of(record, kPathEntries, 2))
    for (std::size_t i = 0; i < entries->size(); i += 2) {
      const auto j = place((*entries)[i], model.features()), k = place((*entries)[i + 1], n);
      if (!j || !k) return {};
      path.entries.push_back({static_cast<std::uint32_t>(*j), *k});
    }
  if (const auto* const weights = numbers_of(record, kPathWeights, 3))
    for (std::size_t i = 0; i < weights->size(); i += 3) {
      const auto k = place((*weights)[i], n), at = place((*weights)[i + 1], model.rows() * model.features());
      if (!k || !at) return {};
      path.weights.push_back({*k, static_cast<std::uint32_t>(*at / model.features()),
                              static_cast<std::uint32_t>(*at % model.features()), (*weights)[i + 2]});
    }
  if (const auto* const ratios = numbers_of(record, kPathRatios, 2))
    for (std::size_t i = 0; i < ratios->size(); i += 2) path.ratios.emplace_back((*ratios)[i], (*ratios)[i + 1]);
  path.best = place_of(record, "path_min", n);
  path.one_se = place_of(record, "path_1se", n);
  path.chosen = place_of(record, "path_chosen", n);
  if (const double* const ratio = find_number(record, "l1_ratio")) path.ratio = *ratio;
  path.folds = place_of(record, "path_folds", 1'000'000);
  return path;
}

namespace report_detail {

std::string loss_title(const LinearModel& model) {
  switch (model.parts().link) {
    case Link::logistic:
    case Link::softmax: return "log loss";
    case Link::log: return "half deviance";
    default: return model.predicts_numbers() ? "squared error" : "loss";
  }
}

}  // namespace report_detail

std::string sparse_lines(const LinearModel& model, const Record& record, const Style& style) {
  const double* const l1 = find_number(record, "l1");
  const double* const refit = find_number(record, "selected_by_l1");
  if ((l1 == nullptr || !(*l1 > 0.0)) && refit == nullptr) return "";
  std::vector<bool> any(model.features());
  std::vector<double> w(model.features());
  for (std::uint64_t r = 0; r < model.rows(); ++r) {
    model.parts().weights.row(r, w);
    for (std::size_t j = 0; j < w.size(); ++j)
      if (w[j] != 0.0 && model.parts().map.offset() != j) any[j] = true;
  }
  const auto some = static_cast<std::uint64_t>(std::count(any.begin(), any.end(), true));
  std::string text = "  features  " + style.bold(count_text(some)) + " of " +
                     count_text(model.features() - (model.parts().map.offset() ? 1 : 0)) + " have a weight";
  if (refit != nullptr) text += ", selected by l1 " + three_digits(*refit) + " and fitted again without a penalty";
  text += "\n";
  const std::optional<KeptPath> path = kept_path(model, record);
  if (!path) return text;
  const KeptPath::Point &best = path->points[path->best], &one_se = path->points[path->one_se];
  text += "  path      " + count_text(path->points.size()) + " penalties from l1 " +
          three_digits(path->points.front().l1) + " (all weights 0) to " + three_digits(path->points.back().l1) + ", " +
          count_text(path->folds) + " folds";
  if (path->ratios.size() > 1)
    text += ", l1-ratio " + three_digits(path->ratio) + " of " + count_text(path->ratios.size()) + " tried";
  text += "\n            min: l1 " + three_digits(best.l1) + ", " + report_detail::loss_title(model) + " " +
          four_digits(best.held_out) + ", " + counted(best.non_zeros, "weight");
  text += "; 1se: l1 " + three_digits(one_se.l1) + ", " + four_digits(one_se.held_out) + ", " +
          counted(one_se.non_zeros, "weight");
  return text + "\n";
}

std::string path_text(const LinearModel& model, const Record& record, bool all, const Style& style) {
  const std::optional<KeptPath> path = kept_path(model, record);
  if (!path) return "";
  const std::size_t n = path->points.size();
  std::set<std::size_t> shown = {0, n - 1, path->best, path->one_se, path->chosen};
  for (std::size_t k = 0; k < kMostPathRows; ++k)
    if (shown.size() < kMostPathRows) shown.insert(k * (n - 1) / (kMostPathRows - 1));
  for (std::size_t k = 0; all && k < n; ++k) shown.insert(k);
  const bool two = path->points.back().l2 > 0.0;
  TextTable table;
  std::vector<std::string> heading = {"l1"};
  if (two) heading.emplace_back("l2");
  heading.insert(heading.end(),
                 {"weights", "explained", "held-out " + report_detail::loss_title(model), "std error", ""});
  table.set_left(heading.size() - 1);
  table.add(std::move(heading));
  for (const std::size_t k : shown) {
    const KeptPath::Point& point = path->points[k];
    std::vector<std::string> cells = {three_digits(point.l1)};
    if (two) cells.push_back(three_digits(point.l2));
    std::string mark = k == path->best ? "min" : "";
    if (k == path->one_se) mark += mark.empty() ? "1se" : ", 1se";
    if (k == path->chosen) mark += ", this model";
    cells.insert(cells.end(), {count_text(point.non_zeros), short_number(100 * point.explained, 4) + " %",
                               four_digits(point.held_out), four_digits(point.error), mark});
    table.add(std::move(cells));
  }
  std::string text = style.bold("Path of " + count_text(n) + " penalties") + "\n" + table.text(style);
  if (shown.size() < n)
    text += style.faint("... " + count_text(n - shown.size()) + " more; --top all shows every one") + "\n";
  if (path->entries.empty()) return text;
  const std::size_t most = all ? path->entries.size() : std::min(path->entries.size(), kMostEntries);
  text += "\n" + style.bold("Features in the order in which they enter, with the l1") + "\n";
  for (std::size_t i = 0; i < most; ++i) {
    const KeptPath::Entry& each = path->entries[i];
    text += (i == 0 ? "" : ", ") + escaped_for_terminal(model.parts().map.name(each.feature)) + " " +
            three_digits(path->points[each.point].l1);
  }
  text += "\n";
  if (most < path->entries.size())
    text += style.faint("... " + count_text(path->entries.size() - most) + " more; --top all shows every one") + "\n";
  return text;
}

void path_json(JsonWriter& json, const LinearModel& model, const Record& record) {
  const std::optional<KeptPath> path = kept_path(model, record);
  if (!path) return;
  const FeatureMap& map = model.parts().map;
  json.key("path").begin_object();
  json.member("l1_ratio", path->ratio).member("folds", path->folds).member("loss", report_detail::loss_title(model));
  json.member("min", path->best).member("one_se", path->one_se).member("chosen", path->chosen);
  json.key("points").begin_array();
  std::size_t at = 0;
  for (std::size_t k = 0; k < path->points.size(); ++k) {
    const KeptPath::Point& point = path->points[k];
    json.begin_object()
        .member("l1", point.l1)
        .member("l2", point.l2)
        .member("non_zeros", point.non_zeros)
        .member("explained", point.explained)
        .member("training_loss", point.training_loss)
        .member("gap", point.gap)
        .member("heldout_loss", point.held_out)
        .member("standard_error", point.error);
    if (!path->weights.empty()) {
      json.key("weights").begin_array();
      for (; at < path->weights.size() && path->weights[at].point <= k; ++at) {
        const KeptPath::Weight& each = path->weights[at];
        json.begin_object().member("feature", map.name(each.feature));
        if (model.rows() > 1) json.member("row", std::uint64_t{each.row});
        json.member("weight", each.weight).end_object();
      }
      json.end_array();
    }
    json.end_object();
  }
  json.end_array().key("entries").begin_array();
  for (const KeptPath::Entry& each : path->entries)
    json.begin_object()
        .member("feature", map.name(each.feature))
        .member("point", each.point)
        .member("l1", path->points[each.point].l1)
        .end_object();
  json.end_array();
  if (!path->ratios.empty()) {
    json.key("ratios").begin_array();
    for (const auto& [ratio, loss] : path->ratios)
      json.begin_object().member("l1_ratio", ratio).member("heldout_loss", loss).end_object();
    json.end_array();
  }
  json.end_object();
}

}  // namespace plumb
