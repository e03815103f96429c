#include "plumb/report/json_parts.h"

namespace plumb::report_detail {

JsonWriter start(std::string_view command) {
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object().member("schema", 1).member("command", command);
  return json;
}

void texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& items) {
  json.key(key).begin_array();
  for (const std::string& item : items) json.value(item);
  json.end_array();
}

void optional(JsonWriter& json, std::string_view key, const std::optional<double>& number) {
  json.key(key);
  if (number) {
    json.value(*number);
  } else {
    json.null();
  }
}

void verdict(JsonWriter& json, const FitVerdict& found) {
  std::vector<std::string> commands;
  for (const Remedy& remedy : found.remedies) commands.push_back(remedy.command);
  if (found.text.empty()) return;
  json.member("verdict", found.text);
  texts(json, "remedies", commands);
}

void metrics(JsonWriter& json, std::string_view key, const std::vector<Metric>& items) {
  json.key(key).begin_object();
  for (const Metric& metric : items) {
    json.key(metric.name).begin_object().member("value", metric.value);
    optional(json, "low", metric.low);
    optional(json, "high", metric.high);
    if (metric.splits > 0) json.member("splits", metric.splits);
    json.end_object();
  }
  json.end_object();
}

}  // namespace plumb::report_detail
