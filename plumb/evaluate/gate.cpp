#include "plumb/evaluate/gate.h"

#include "plumb/base/choices.h"
#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {

std::string Gate::text() const { return metric + (at_least ? " at least " : " at most ") + number_text(bound); }

Gate read_gate(std::string_view text, std::span<const MetricEntry> metrics) {
  const std::size_t equals = text.find('=');
  const std::string name(trimmed(text.substr(0, equals)));
  std::vector<std::string> names;
  for (const MetricEntry& entry : metrics) {
    names.emplace_back(entry.name);
    if (entry.name != name) continue;
    const ParsedNumber bound = parse_number(equals == std::string_view::npos ? "" : text.substr(equals + 1));
    if (bound.fault == NumberFault::none) return {name, bound.value, entry.large_is_good};
    throw Error(ErrorCode::usage,
                "--fail-under is " + in_quotes(text) + "; a metric and a number were expected, such as " + name + "=" +
                    (entry.large_is_good ? "0.5" : "2.5"),
                "--fail-under " + name + "=" + (entry.large_is_good ? "0.5" : "2.5"));
  }
  const std::string bound = metrics.front().large_is_good ? "=0.5" : "=2.5";
  throw unknown_choice("metric", name, names, "--fail-under ", "--fail-under " + names.front() + bound);
}

GateResult judge(const Gate& gate, const std::vector<Metric>& metrics) {
  GateResult result{gate, {}, false};
  for (const Metric& metric : metrics)
    if (metric.name == gate.metric) {
      result.value = metric.value;
      result.met = gate.at_least ? metric.value >= gate.bound : metric.value <= gate.bound;
    }
  return result;
}

}  // namespace plumb
