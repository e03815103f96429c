#include "plumb/report/tuning.h"

#include <cmath>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/report/json_parts.h"

namespace plumb {
namespace {

// A row that the model held impossible makes a loss infinite, and then its standard error is unknown.
std::string shown(double number, int digits = 4) {
  return std::isfinite(number) ? short_number(number, digits) : std::isinf(number) ? "infinite" : "none";
}

void options(JsonWriter& json, const std::vector<std::pair<std::string, std::string>>& items) {
  json.key("options").begin_object();
  for (const auto& [name, value] : items) json.member(name, value);
  json.end_object();
}

}  // namespace

std::string options_text(const std::vector<std::pair<std::string, std::string>>& options) {
  std::string text;
  for (const auto& [name, value] : options) {
    const bool flag = value.empty() || value == "true" || value == "false";
    text += std::string(text.empty() ? "" : " ") + (value == "false" ? "without --" : "--") + name +
            (flag ? "" : " " + as_typed(value));
  }
  return text;
}

std::string to_text(const TuneReport& report, const Style& style) {
  std::string text = style.bold(escaped_for_terminal(report.model)) + " of " + escaped_for_terminal(report.target) +
                     ": " + counted(report.points.size(), "setting") + " on " + counted(report.rows, "row") + " (" +
                     report.method + "); " +
                     (report.test_file.empty() ? count_text(report.test) + " rows"
                                               : "those of " + escaped_for_terminal(report.test_file)) +
                     " held out for the final score\n";
  TextTable table;
  std::vector<std::string> heading;
  for (const auto& [name, value] : report.points.front().options) heading.push_back(name);
  heading.insert(heading.end(), {report.loss_name, "std error"});
  const std::vector<Metric>& metrics = report.points.front().metrics;
  heading.insert(heading.end(), {metrics.empty() ? "" : metrics.front().name, ""});
  table.add(heading);
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const TunedPoint& point = report.points[i];
    std::vector<std::string> line;
    for (const auto& [name, value] : point.options) line.push_back(escaped_for_terminal(value));
    line.insert(line.end(), {shown(point.loss), shown(point.standard_error, 3)});
    line.push_back(point.metrics.empty() ? "" : shown(point.metrics.front().value));
    std::string mark;
    if (i == report.choice.best) mark = "minimum";
    if (i == report.choice.one_se)
      mark += mark.empty() ? "simplest within 1 standard error" : ", and within 1 std error";
    if (!point.converged) mark += mark.empty() ? "did not converge" : "; did not converge";
    line.push_back(mark);
    table.add(line);
  }
  text += table.text(style);
  return text + "  chosen    " + style.bold(escaped_for_terminal(options_text(report.points[report.chosen].options))) +
         "   " + style.faint("by --rule " + report.rule) + "\n";
}

std::string to_json(const TuneReport& report, const std::string& trained) {
  JsonWriter json = report_detail::start("tune");
  json.member("model", report.model).member("target", report.target).member("rows", report.rows);
  if (report.test_file.empty()) json.member("test_rows", report.test);
  if (!report.test_file.empty()) json.member("test_file", report.test_file);
  json.member("method", report.method).member("loss", report.loss_name);
  json.key("grid").begin_array();
  for (const TunedPoint& point : report.points) {
    json.begin_object();
    options(json, point.options);
    report_detail::metrics(json, "metrics", point.metrics);
    json.member("loss", point.loss).member("standard_error", point.standard_error);
    json.member("converged", point.converged).end_object();
  }
  json.end_array();
  const auto one = [&](std::string_view key, std::size_t i) {
    json.key(key).begin_object();
    options(json, report.points[i].options);
    report_detail::metrics(json, "metrics", report.points[i].metrics);
    json.end_object();
  };
  one("best", report.choice.best);
  one("one_se", report.choice.one_se);
  one("chosen", report.chosen);
  json.member("rule", report.rule);
  report_detail::texts(json, "warnings", report.warnings);
  json.member("seconds", report.seconds);
  if (!trained.empty()) json.key("train").document(trained);
  json.end_object();
  return json.take();
}

}  // namespace plumb
