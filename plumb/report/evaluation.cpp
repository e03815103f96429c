#include "plumb/report/evaluation.h"

#include <algorithm>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/report/class_report.h"
#include "plumb/report/json_parts.h"
#include "plumb/report/style.h"

namespace plumb {
namespace {

// The method of the intervals, in words.
std::string evaluation_interval(const EvaluateReport& report) {
  const bool any = std::any_of(report.metrics.begin(), report.metrics.end(),
                               [](const Metric& metric) { return metric.low.has_value(); });
  if (!any && report.interval.empty())
    return report.resamples == 0 ? "none, without resamples" : "none: " + count_text(kFewestUnits) + " rows are needed";
  if (!report.interval.empty()) return report.interval;
  return std::string("95 %, ") +
         (report.classes
              ? "Wilson's of accuracy (of two classes also of precision, recall and f1), DeLong's of auc, others "
              : "") +
         "by the bootstrap over rows: BCa, " + counted(report.resamples, "resample") + ", seed " +
         std::to_string(report.seed);
}

// The log loss with base 2.
std::optional<double> in_bits(const std::vector<Metric>& metrics) {
  constexpr double kNatsPerBit = 0.69314718055994530942;
  const Metric* const nats = find_metric(metrics, kNats);
  return nats == nullptr ? std::nullopt : std::optional(nats->value / kNatsPerBit);
}

// Which metrics are means over fewer splits than there are: a class that is never predicted has no precision.
std::string not_everywhere(const EvaluateReport& report) {
  std::string text;
  for (const Metric& metric : report.metrics)
    if (report.splits > 1 && metric.splits < report.splits)
      text += (text.empty() ? "" : ", ") + metric.name + " of " + count_text(metric.splits);
  return text.empty()
             ? ""
             : "  mean      " + text + " of " + counted(report.splits, "split") + ": undefined in the others\n";
}

std::string baseline_of(const EvaluateReport& report, std::string_view name) {
  for (const Metric& metric : report.baseline)
    if (metric.name == name) return four_digits(metric.value);
  return "";
}

// "  threshold 0.1667, by cost: 0.21 per row (3 false positives, 2 false negatives)"
std::string threshold_text(const UsedThreshold& used) {
  std::string text = "  threshold " + four_digits(used.value) +
                     (used.chosen_by == "default" || used.chosen_by == "given" ? "" : ", chosen by " + used.chosen_by);
  if (used.cost) text += "; cost " + four_digits(*used.cost) + " per row";
  return text + "; " + four_digits(used.false_positives) + " false positives, " + four_digits(used.false_negatives) +
         " false negatives\n";
}

std::string positive_text(const EvaluateReport& report) {
  std::string text;
  for (const std::string_view name : {"precision", "recall", "f1"})
    for (const Metric& metric : report.metrics)
      if (metric.name == name) text += (text.empty() ? "" : ", ") + metric.name + " " + four_digits(metric.value);
  if (report.positive_label.empty() || text.empty()) return "";
  return "  positive  " + escaped_for_terminal(report.positive_label) + ": " + text + "\n";
}

std::string actual_of(const EvaluateReport& report, double value) {
  return report.labels.empty() ? "" : report.labels[static_cast<std::size_t>(value)];
}

std::string mistakes_text(const EvaluateReport& report, const Style& style) {
  if (!report.lists_mistakes) return "";
  const bool numbers = report.labels.empty();
  if (report.mistakes.empty()) return "\nno mistakes\n";
  TextTable table;
  table.add({"row", "actual", "predicted", numbers ? "error" : report.probable ? "probability" : ""});
  for (const Mistake& each : report.mistakes) {
    if (numbers)
      table.add({std::to_string(each.row), four_digits(each.actual), four_digits(each.predicted),
                 four_digits(each.predicted - each.actual)});
    else
      table.add({std::to_string(each.row), escaped_for_terminal(actual_of(report, each.actual)),
                 escaped_for_terminal(actual_of(report, each.predicted)),
                 report.probable ? four_digits(each.badness) : ""});
  }
  return "\n" + style.bold(numbers ? "largest errors" : "worst mistakes") + ": " + count_text(report.mistakes.size()) +
         " of " + count_text(report.all_mistakes) + "\n" + table.text(style);
}

void mistakes_json(JsonWriter& json, const EvaluateReport& report) {
  json.key("mistakes").begin_array();
  for (const Mistake& each : report.mistakes) {
    json.begin_object().member("row", each.row);
    if (report.labels.empty()) {
      json.member("actual", each.actual).member("predicted", each.predicted);
      json.member("error", each.predicted - each.actual);
    } else {
      json.member("actual", actual_of(report, each.actual)).member("predicted", actual_of(report, each.predicted));
      if (report.probable) json.member("probability", each.badness);
    }
    json.end_object();
  }
  json.end_array();
}

// A field of CSV, in quotes where it needs them.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string mistakes_csv(const EvaluateReport& report) {
  const bool numbers = report.labels.empty();
  std::string text = numbers ? "row,actual,predicted,error\n"
                             : std::string("row,actual,predicted") + (report.probable ? ",probability" : "") + "\n";
  for (const Mistake& each : report.mistakes) {
    text += std::to_string(each.row) + ",";
    if (numbers)
      text += number_text(each.actual) + "," + number_text(each.predicted) + "," +
              number_text(each.predicted - each.actual);
    else
      text += field(actual_of(report, each.actual)) + "," + field(actual_of(report, each.predicted)) +
              (report.probable ? "," + number_text(each.badness) : "");
    text += "\n";
  }
  return text;
}

bool EvaluateReport::met() const {
  return std::all_of(gates.begin(), gates.end(), [](const GateResult& each) { return each.met; });
}

std::string to_text(const EvaluateReport& report, const Style& style) {
  const std::string file = escaped_for_terminal(report.model_file), target = escaped_for_terminal(report.target);
  const bool crossval = !report.method.empty();
  if (report.dry_run && crossval)
    return "would cross-validate " + escaped_for_terminal(report.model) + " of " + target + " on " +
           counted(report.rows, "row") + ", " + report.method + "\n";
  if (report.dry_run) return "would evaluate " + file + " of " + target + " on " + counted(report.rows, "row") + "\n";
  std::string text = style.bold(escaped_for_terminal(report.model)) +
                     (crossval ? ", " + report.method : " (" + file + ")") + ": " + target + " on " +
                     counted(report.rows, "row") + "\n";
  TextTable table;
  table.add({"metric", "value", "low", "high", "baseline"});
  for (const Metric& metric : report.metrics) {
    table.add({metric.name, four_digits(metric.value), metric.low || !report.classes ? four_digits(metric.low) : "",
               metric.high || !report.classes ? four_digits(metric.high) : "", baseline_of(report, metric.name)});
  }
  text += table.text(style);
  text += not_everywhere(report);
  text += "  interval  " + evaluation_interval(report) + "\n";
  text += "  baseline  always predicting " +
          (report.classes ? escaped_for_terminal(report.baseline_label) : four_digits(report.baseline_value)) + ", " +
          report.baseline_name + "\n";
  if (const std::optional<double> bits = in_bits(report.metrics)) {
    const std::optional<double> knowing_nothing = in_bits(report.baseline);
    text += "  in bits   log loss " + four_digits(*bits) +
            (knowing_nothing ? " per row, baseline " + four_digits(*knowing_nothing) : std::string(" per row")) + "\n";
  }
  text += positive_text(report);
  if (report.threshold) text += threshold_text(*report.threshold);
  text += verdict_text(report.verdict, style);
  if (report.classes) text += class_text(*report.classes, style);
  if (report.uncalibrated) text += uncalibrated_text(*report.uncalibrated, style);
  text += mistakes_text(report, style);
  for (const GateResult& each : report.gates) {
    const std::string is = each.value ? "is " + four_digits(*each.value) : "is undefined here";
    text +=
        "  gate      " + each.gate.text() + (each.met ? ": met" : ": " + style.red("NOT met") + ", it " + is) + "\n";
  }
  return text;
}

std::string to_json(const EvaluateReport& report) {
  const bool crossval = !report.method.empty();
  JsonWriter json = report_detail::start(crossval ? "crossval" : "evaluate");
  if (report.dry_run) json.member("dry_run", true);
  if (crossval) {
    json.member("method", report.method);
  } else {
    json.member("file", report.model_file);
  }
  json.member("model", report.model).member("target", report.target);
  json.member("rows", report.rows);
  report_detail::metrics(json, "metrics", report.metrics);
  if (const std::optional<double> bits = in_bits(report.metrics)) json.member("log_loss_bits", *bits);
  report_detail::metrics(json, "baseline", report.baseline);
  if (report.classes) {
    json.member("baseline_value", report.baseline_label);
  } else {
    json.member("baseline_value", report.baseline_value);
  }
  json.member("baseline_name", report.baseline_name);
  if (!report.positive_label.empty()) json.member("positive", report.positive_label);
  if (report.threshold) {
    json.key("threshold").begin_object().member("value", report.threshold->value);
    report_detail::optional(json, "cost", report.threshold->cost);
    json.member("chosen_by", report.threshold->chosen_by).end_object();
  }
  report_detail::verdict(json, report.verdict);
  if (report.classes) report_detail::classes(json, *report.classes);
  if (report.uncalibrated) {
    json.key("uncalibrated").begin_object();
    if (const Metric* const loss = find_metric(report.uncalibrated->metrics, kNats))
      json.member("log_loss", loss->value);
    report_detail::reliability(json, *report.uncalibrated);
    json.end_object();
  }
  json.key("interval").begin_object().member("level", 0.95);
  json.member("method", report.interval.empty() ? "bootstrap BCa over rows" : report.interval);
  json.member("resamples", report.resamples).member("seed", report.seed).end_object();
  json.key("gates").begin_array();
  for (const GateResult& each : report.gates) {
    json.begin_object()
        .member("metric", each.gate.metric)
        .member(each.gate.at_least ? "at_least" : "at_most", each.gate.bound);
    report_detail::optional(json, "value", each.value);
    json.member("met", each.met).end_object();
  }
  json.end_array().member("unseen_values", report.unseen);
  if (report.lists_mistakes) mistakes_json(json, report);
  report_detail::texts(json, "warnings", report.warnings);
  json.member("seconds", report.seconds).end_object();
  return json.take();
}

}  // namespace plumb
