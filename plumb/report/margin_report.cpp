#include "plumb/report/margin_report.h"

#include <algorithm>
#include <cmath>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/math/norm.h"
#include "plumb/report/json_parts.h"
#include "plumb/report/style.h"

namespace plumb {
namespace {

constexpr std::size_t kShortPlane = 5;    // features that still fit on a line
constexpr std::size_t kShownRows = 8;     // of those that are closest
constexpr std::size_t kShownShares = 20;  // of a combination

std::string margin_range(const MarginBounds& bounds) {
  return std::isfinite(bounds.high) ? four_digits(bounds.low) + " to " + four_digits(bounds.high)
                                    : "at least " + four_digits(bounds.low);
}

std::string plane_text(const MarginReport& report) {
  const DataMargin& data = report.data;
  std::vector<std::uint32_t> order;
  for (std::uint32_t j = 0; j < data.weights.size(); ++j) order.push_back(j);
  const bool all = order.size() <= kShortPlane;
  if (!all)
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::abs(data.weights[a]) > std::abs(data.weights[b]);
    });
  const double norm = math::norm(data.weights);
  std::string text = report.bias ? four_digits(data.bias / norm) : "";
  for (std::size_t k = 0; k < std::min(order.size(), kShortPlane); ++k) {
    const double w = data.weights[order[k]] / norm;
    text += text.empty() ? four_digits(w) : (w < 0 ? " - " : " + ") + four_digits(std::abs(w));
    text += " " + escaped_for_terminal(report.map.name(order[k]));
  }
  return text + (all ? "" : " + ... " + counted(order.size() - kShortPlane, "feature") + " more");
}

std::string rows_text(const std::vector<std::uint64_t>& rows) {
  std::string text;
  for (std::size_t k = 0; k < std::min(rows.size(), kShownRows); ++k)
    text += (k == 0 ? "" : ", ") + count_text(rows[k] + 1);
  return text + (rows.size() > kShownRows ? ", ..." : "");
}

std::string data_text(const MarginReport& report, const Style& style) {
  const DataMargin& data = report.data;
  const std::string of = escaped_for_terminal(report.target) + " of " + counted(report.rows, "row") + " by " +
                         counted(report.map.features(), "feature");
  const std::string labels = escaped_for_terminal(report.labels[0]) + " from " + escaped_for_terminal(report.labels[1]);
  if (data.separable == Separable::no) {
    std::string text = style.bold(of + ": not separable") + ", no hyperplane " + (report.bias ? "" : "through 0 ") +
                       "separates " + labels + "\n";
    text += "  proof     a combination of these rows with these shares is ";
    text += report.bias ? "the same point for both labels" : "zero when the signs of one label are flipped";
    if (data.exact) text += ", exactly";
    if (data.residual != 0.0)
      text += (data.exact ? "; rounded as here, to " : ", to ") + number_text(data.residual, 2) + " of its size";
    text += "\n";
    TextTable table;
    table.add({"row", "label", "share"});
    for (std::size_t k = 0; k < std::min(data.combination.size(), kShownShares); ++k) {
      const DataMargin::Share& share = data.combination[k];
      // With a bias a convex combination for each label: the two halves of the shares, each scaled to sum 1.
      table.add({count_text(share.row + 1), escaped_for_terminal(report.labels[share.sign > 0 ? 1 : 0]),
                 four_digits((report.bias ? 2 : 1) * share.share)});
    }
    text += table.text(style);
    if (data.combination.size() > kShownShares)
      text += "... " + count_text(data.combination.size() - kShownShares) + " more: --json has all\n";
    return text;
  }
  if (data.separable == Separable::undecided)
    return style.bold(of + ": not decided") + ", no hyperplane " + (report.bias ? "" : "through 0 ") +
           "that separates " + labels + " was found\n" + "  margin    below " + four_digits(data.free.high) +
           " if there is one, after " + count_text(data.passes) + " passes; --passes goes on\n";
  std::string text = style.bold(of + ": separable") + ", a hyperplane separates " + labels + "\n";
  text += "  margin    " + margin_range(data.free) + "   distance of the widest hyperplane from the closest rows\n";
  if (report.bias)
    text += "  augmented " + margin_range(data.augmented) + "   the same for (x, 1) and hyperplanes through 0\n";
  text += "  radius    " + four_digits(data.radius);
  if (const std::optional<double> bound = report.mistake_bound())
    text += "   so a perceptron makes at most " + four_digits(std::floor(*bound)) + " mistakes";
  text += "\n  plane     " + plane_text(report) + "\n";
  if (!data.closest.empty())
    text += "  closest   " + std::string(data.closest.size() == 1 ? "row " : "rows ") + rows_text(data.closest) + "\n";
  return text;
}

std::string model_text(const MarginReport& report, const Style& style) {
  const ModelMargin& model = *report.model;
  std::string text = style.bold("margin of " + escaped_for_terminal(report.model_file)) + " on " +
                     counted(model.rows, "row") + ": " + four_digits(model.margin) + ", at row " +
                     count_text(model.row + 1) + " (" + escaped_for_terminal(report.row_label) + ")\n";
  return text + (model.wrong == 0 ? "  every row is on the correct side\n"
                                  : "  " + counted(model.wrong, "row") + " on the wrong side\n");
}

void bounds_json(JsonWriter& json, std::string_view key, const MarginBounds& bounds) {
  json.key(key).begin_object().member("low", bounds.low);
  if (std::isfinite(bounds.high)) {
    json.member("high", bounds.high);
  } else {
    json.key("high").null();
  }
  json.end_object();
}

void certificate_json(JsonWriter& json, const MarginReport& report) {
  const DataMargin& data = report.data;
  json.key("certificate").begin_object();
  if (data.separable == Separable::yes) {
    json.member("kind", "hyperplane").member("label", report.labels[1]);
    json.member("bias", data.bias);
    json.key("weights").begin_object();
    for (std::uint32_t j = 0; j < data.weights.size(); ++j) json.member(report.map.name(j), data.weights[j]);
    json.end_object().key("closest").begin_array();
    for (const std::uint64_t row : data.closest) json.value(row + 1);
    json.end_array();
  } else if (data.separable == Separable::no) {
    json.member("kind", "combination")
        .member("exact", data.exact)
        .member("residual", data.residual)
        .key("rows")
        .begin_array();
    for (const DataMargin::Share& share : data.combination)
      json.begin_object()
          .member("row", share.row + 1)
          .member("label", report.labels[share.sign > 0 ? 1 : 0])
          .member("share", share.share)
          .end_object();
    json.end_array();
  } else {
    json.member("kind", "bound");
  }
  json.end_object();
}

}  // namespace

std::optional<double> MarginReport::mistake_bound() const {
  if (data.separable != Separable::yes || !(data.augmented.low > 0.0)) return {};
  const double ratio = data.radius / data.augmented.low;
  if (!std::isfinite(ratio * ratio)) return {};
  return ratio * ratio;
}

std::string to_text(const MarginReport& report, const Style& style) {
  if (report.dry_run)
    return "would find the margin of " + counted(report.rows, "row") + " and " +
           counted(report.map.features(), "feature") + "\n";
  return report.model ? model_text(report, style) : data_text(report, style);
}

std::string to_json(const MarginReport& report) {
  JsonWriter json = report_detail::start("margin");
  if (report.dry_run) json.member("dry_run", true);
  json.member("target", report.target).member("rows", report.rows).member("features", report.map.features());
  report_detail::texts(json, "labels", report.labels);
  if (report.model && !report.dry_run) {
    json.member("model", report.model_file).member("margin", report.model->margin);
    json.member("row", report.model->row + 1).member("wrong", report.model->wrong);
  } else if (!report.dry_run) {
    const DataMargin& data = report.data;
    json.key("separable");
    if (data.separable == Separable::undecided) {
      json.null();
    } else {
      json.value(data.separable == Separable::yes);
    }
    bounds_json(json, "margin", data.free);
    bounds_json(json, "augmented_margin", data.augmented);
    json.member("radius", data.radius);
    report_detail::optional(json, "mistake_bound", report.mistake_bound());
    certificate_json(json, report);
    json.member("passes", data.passes);
  }
  report_detail::texts(json, "warnings", report.warnings);
  json.member("seconds", report.seconds);
  return json.end_object().take();
}

}  // namespace plumb
