// Reports as text for people.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/report/report.h"

namespace plumb {
namespace {

constexpr int kDigits = 6;
constexpr std::size_t kShortEquation = 3;  // features that still fit on a line

std::string shown(double number) { return number_text(number, kDigits); }
std::string signed_text(double number) { return (number < 0 ? "- " : "+ ") + shown(std::abs(number)); }

const double* find(const Record& record, std::string_view name) {
  for (const auto& [key, value] : record.fit)
    if (key == name) return &value;
  return nullptr;
}

std::string metric_line(const std::vector<Metric>& metrics) {
  std::string line;
  for (const Metric& metric : metrics) {
    line += (line.empty() ? "" : "   ") + metric.name + " " + shown(metric.value);
    if (metric.low && metric.high) line += " (" + shown(*metric.low) + " to " + shown(*metric.high) + ")";
  }
  return line;
}

std::string fit_line(const Record& record) {
  std::string line = "squared error " + shown(2 * record.objective);
  if (const double* sd = find(record, "residual_sd")) line += "   residual sd " + shown(*sd);
  if (const double* r2 = find(record, "r_squared")) line += "   R^2 " + shown(*r2);
  return line + "   on " + counted(record.train_rows, "row");
}

// "weight = -39.1 + 61.3 height", for models that fit on a line.
std::string equation(const LinearModel& model, const Record& record) {
  if (model.parts().link != Link::identity || model.features() > kShortEquation) return "";
  std::vector<double> w(model.features());
  model.parts().weights.row(0, w);
  const double bias = model.parts().bias[0];
  std::string sum = bias != 0 ? shown(bias) : "";
  for (std::uint32_t j = 0; j < model.features(); ++j) {
    if (std::find(record.aliased.begin(), record.aliased.end(), j) != record.aliased.end()) continue;
    sum +=
        (sum.empty() ? shown(w[j]) : " " + signed_text(w[j])) + " " + escaped_for_terminal(model.parts().map.name(j));
  }
  return escaped_for_terminal(record.target) + " = " + (sum.empty() ? "0" : sum);
}

// "pass" has an irregular plural.
std::string passes(std::uint64_t count) { return count_text(count) + (count == 1 ? " pass" : " passes"); }

std::string optimum_line(const Record& record) {
  return record.solver + ": " + (record.converged ? "optimum certified" : "NOT at the optimum") + ", relative gap " +
         number_text(record.certificate.value, 2) + " after " + passes(record.iterations);
}

}  // namespace

std::string to_text(const TrainReport& report, const Style& style) {
  const Record& record = report.record;
  const LinearModel& model = report.model;
  std::string text = style.bold(record.model) + ", no penalty: " + escaped_for_terminal(record.target) + " from " +
                     counted(model.features(), "feature") + "\n";
  text += "  solver    " + optimum_line(record) + ", " + number_text(report.seconds, 3) + " s\n";
  text += "  training  " + fit_line(record) + "\n";
  if (const std::string line = equation(model, record); !line.empty()) text += "            " + line + "\n";
  if (!report.heldout.empty()) {
    text +=
        "  held out  " + style.bold(metric_line(report.heldout)) + "   on " + counted(record.test_rows, "row") + "\n";
    text += "  baseline  " + metric_line(report.baseline) + "   " + style.faint(report.baseline_name) + "\n";
  }
  if (!report.file.empty()) {
    text += "  saved     " + escaped_for_terminal(report.file) + " (" + bytes_text(report.bytes) + ")   ";
    text += style.faint("next: plumb inspect " + escaped_for_terminal(report.file)) + "\n";
  }
  return text;
}

std::string to_text(const InspectReport& report, const Style& style) {
  const LinearModel& model = report.saved.model;
  const Record& record = report.saved.record;
  std::string text = style.bold(record.model) + ": " + escaped_for_terminal(record.target) + " from " +
                     counted(model.features(), "feature") + ", link " + std::string(name_of(model.parts().link)) + "\n";
  text += "  training  " + fit_line(record) +
          (record.test_rows > 0 ? ", " + count_text(record.test_rows) + " held out" : "") + "\n";
  text += "  solver    " + optimum_line(record);
  if (const double* condition = find(record, "condition_number")) text += ", condition " + number_text(*condition, 2);
  text += "\n  made with seed " + std::to_string(record.seed);
  if (!record.data_digest.empty()) text += ", data " + escaped_for_terminal(record.data_digest);
  for (const auto& [name, value] : record.options)
    text += ", --" + escaped_for_terminal(name) + (value == "true" ? "" : " " + escaped_for_terminal(value));
  text += "\n\n";

  const std::unordered_set<std::uint32_t> aliased(record.aliased.begin(), record.aliased.end());
  std::vector<double> w(model.features());
  bool any_none = false;
  for (std::uint64_t r = 0; r < model.rows(); ++r) {
    model.parts().weights.row(r, w);
    std::vector<std::uint32_t> order(model.features());
    std::iota(order.begin(), order.end(), 0u);
    if (report.top != 0) {
      std::stable_sort(order.begin(), order.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return std::abs(w[a]) > std::abs(w[b]); });
      order.resize(std::min<std::size_t>(order.size(), report.top));
    }
    const ModelNumbers& errors = record.standard_errors;
    TextTable table;
    table.add(errors.empty() ? std::vector<std::string>{"feature", "weight"}
                             : std::vector<std::string>{"feature", "weight", "std error"});
    const auto add = [&](const std::string& name, const std::string& weight, const std::string& error) {
      table.add(errors.empty() ? std::vector<std::string>{name, weight}
                               : std::vector<std::string>{name, weight, error});
    };
    add("(bias)", shown(model.parts().bias[r]), errors.bias.empty() ? "" : shown(errors.bias[r]));
    for (const std::uint32_t j : order) {
      const bool none = aliased.contains(j);
      any_none = any_none || none;
      add(escaped_for_terminal(model.parts().map.name(j)), none ? "none" : shown(w[j]),
          none || errors.weights.empty() ? "" : shown(errors.weights[r * model.features() + j]));
    }
    if (!model.parts().labels.empty())
      text +=
          (r == 0 ? "" : "\n") +
          style.bold(escaped_for_terminal(model.rows() == 1 ? model.parts().labels.back() : model.parts().labels[r])) +
          "\n";
    text += table.text(style);
    if (order.size() < model.features())
      text += style.faint("... " + count_text(model.features() - order.size()) + " more") + "\n";
  }
  if (any_none) text += style.faint("none: within rounding a sum of multiples of the features before it") + "\n";
  return text;
}

std::string to_text(const ExplainReport& report, const Style& style) {
  std::string text;
  for (const ExplainedRow& row : report.rows) {
    const Explanation& why = row.explanation;
    text += (text.empty() ? "" : "\n") + std::string("row ") + count_text(row.row) + ": " +
            style.bold(escaped_for_terminal(report.record.target) + " = " + shown(why.score)) + "\n";
    TextTable table;
    table.add({"feature", "value", "weight", "contribution"});
    table.add({"(bias)", "", "", shown(why.bias)});
    std::uint64_t count = 0;
    double rest = 0.0;
    for (const Contribution& each : why.contributions) {
      if (report.top != 0 && count++ >= report.top) {
        rest += each.contribution;
        continue;
      }
      table.add({escaped_for_terminal(report.model.parts().map.name(each.feature)), shown(each.value),
                 shown(each.weight), shown(each.contribution)});
    }
    if (report.top != 0 && why.contributions.size() > report.top)
      table.add({"(" + count_text(why.contributions.size() - report.top) + " more)", "", "", shown(rest)});
    text += table.text(style);
  }
  if (report.more_rows) text += style.faint("... more rows: --rows 0 explains all") + "\n";
  return text;
}

}  // namespace plumb
