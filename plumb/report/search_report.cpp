#include "plumb/report/search_report.h"

#include <set>

#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/report/tuning.h"

namespace plumb {
namespace {

constexpr std::size_t kMostSettings = 8, kIndent = 4;

const Metric* find_by_name(const std::vector<Metric>& metrics, const std::string& name) {
  for (const Metric& metric : metrics)
    if (metric.name == name) return &metric;
  return nullptr;
}

}  // namespace

std::string words_of(const TriedSetting& setting) {
  const std::string options = options_text(setting.options);
  return setting.model + (options.empty() ? "" : " " + options);
}

std::vector<std::string> lines_of(const SearchReport& report) {
  std::vector<std::string> lines;
  if (report.empty()) return lines;
  lines.push_back(report.metric + ", " + report.method);
  for (const TriedSetting& tried : report.tried) {
    const Metric* const metric = find_by_name(tried.metrics, report.metric);
    lines.push_back(words_of(tried) + ": " + (metric ? number_text(metric->value) : "none") +
                    (tried.stopped.empty() ? "" : ", " + tried.stopped));
  }
  lines.push_back("-m " + words_of(report.tried.front()) + report.calibrated);
  return lines;
}

// Of each model with its features the best value; with details all.
std::string to_text(const SearchReport& report, const Style& style, bool details) {
  if (report.empty()) return report.note.empty() ? "" : "  chosen    by default: " + report.note + "\n";
  std::string text = "  chosen    of " + counted(report.tried.size(), "setting") + " by " + report.metric + ", " +
                     report.method + "\n";
  if (!report.note.empty()) text += "            " + report.note + "\n";
  TextTable table;
  table.set_left(2);
  table.add({"setting", report.metric, ""});
  std::set<std::size_t> shown;
  std::size_t lines = 0;
  for (const TriedSetting& tried : report.tried) {
    if (!details && (lines == kMostSettings || !shown.insert(tried.from).second)) continue;
    const Metric* const metric = find_by_name(tried.metrics, report.metric);
    table.add({escaped_for_terminal(words_of(tried)), metric ? four_digits(metric->value) : "",
               lines == 0 ? "chosen" : escaped_for_terminal(tried.stopped)});
    ++lines;
  }
  Style inner = style;
  inner.width = style.width > kIndent ? style.width - kIndent : style.width;
  std::string lines_of_table = table.text(inner);
  for (std::size_t begin = 0, end = 0; begin < lines_of_table.size(); begin = end) {
    end = lines_of_table.find('\n', begin) + 1;
    text += std::string(kIndent, ' ') + lines_of_table.substr(begin, end - begin);
  }
  if (lines < report.tried.size())
    text += style.faint("    " + count_text(report.tried.size() - lines) + " more with -v") + "\n";
  return text + "  again     " + style.faint(escaped_for_terminal(report.command)) + "\n";
}

void write(JsonWriter& json, const SearchReport& report) {
  json.key("auto").begin_object().key("tried").begin_array();
  for (const TriedSetting& tried : report.tried) {
    json.begin_object().member("model", tried.model).key("options").begin_object();
    for (const auto& [name, value] : tried.options) value.empty() ? json.member(name, true) : json.member(name, value);
    json.end_object();
    report_detail::metrics(json, "metrics", tried.metrics);
    tried.stopped.empty() ? json.key("stopped").null() : json.member("stopped", tried.stopped);
    json.end_object();
  }
  json.end_array().member("metric", report.metric).member("method", report.method);
  json.member("ahead", report.ahead).member("standard_error", report.standard_error);
  json.member("command", report.command).end_object();
}

}  // namespace plumb
