#include "plumb/evaluate/gate.h"

#include <cmath>

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
    const std::string example = entry.goal == MetricGoal::large ? "0.5" : "2.5";
    const ParsedNumber bound = parse_number(equals == std::string_view::npos ? "" : text.substr(equals + 1));
    if (bound.fault == NumberFault::none)
      return {name, bound.value, entry.goal == MetricGoal::large, entry.goal == MetricGoal::near_zero};
    throw Error(
        ErrorCode::usage,
        "--fail-under is " + in_quotes(text) + "; a metric and a number were expected, such as " + name + "=" + example,
        "--fail-under " + name + "=" + example);
  }
  const std::string bound = metrics.front().goal == MetricGoal::large ? "=0.5" : "=2.5";
  throw unknown_choice("metric", name, names, "--fail-under ", "--fail-under " + names.front() + bound);
}

GateResult judge(const Gate& gate, const std::vector<Metric>& metrics) {
  GateResult result{gate, {}, false};
  for (const Metric& metric : metrics)
    if (metric.name == gate.metric) {
      result.value = metric.value;
      const double value = gate.of_size ? std::abs(metric.value) : metric.value;
      result.met = gate.at_least ? value >= gate.bound : value <= gate.bound;
    }
  return result;
}

}  // namespace plumb
