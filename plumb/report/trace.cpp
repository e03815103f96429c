#include "plumb/report/trace.h"

#include <cmath>

#include "plumb/base/number.h"

namespace plumb {

namespace {

// Empty for numbers that a solver does not have, and for a gap without a proof.
std::string number_or_none(double number) { return std::isfinite(number) ? number_text(number) : ""; }

void member(JsonWriter& json, std::string_view name, double number) {
  json.key(name);
  if (std::isfinite(number)) {
    json.value(number);
  } else {
    json.null();
  }
}

}  // namespace

std::string trace_csv(std::span<const SolverStep> trace) {
  std::string text = "iteration,loss,gradient_norm,step,passes,gap";
  const std::size_t weights = trace.empty() ? 0 : trace[0].weights.size();
  const bool norms = !trace.empty() && !std::isnan(trace[0].norm);
  for (std::size_t k = 0; k < weights; ++k) text += ",weight" + std::to_string(k + 1);
  text += norms ? ",norm\n" : "\n";
  for (const SolverStep& step : trace) {
    text += std::to_string(step.iteration);
    for (const double each : {step.loss, step.gradient_norm, step.step, step.passes, step.gap})
      text += "," + number_or_none(each);
    for (const double weight : step.weights) text += "," + number_text(weight);
    if (norms) text += "," + number_or_none(step.norm);
    text += "\n";
  }
  return text;
}

void add_trace(JsonWriter& json, std::span<const SolverStep> trace) {
  json.key("trace").begin_array();
  for (const SolverStep& step : trace) {
    json.begin_object().member("iteration", step.iteration).member("loss", step.loss);
    member(json, "gradient_norm", step.gradient_norm);
    member(json, "step", step.step);
    json.member("passes", step.passes);
    member(json, "gap", step.gap);
    if (!step.weights.empty()) {
      json.key("weights").begin_array();
      for (const double weight : step.weights) json.value(weight);
      json.end_array();
    }
    if (!std::isnan(step.norm)) member(json, "norm", step.norm);
    json.end_object();
  }
  json.end_array();
}

}  // namespace plumb
