#include "plumb/report/trace.h"

#include <cmath>

#include "plumb/base/number.h"

namespace plumb {

std::string trace_csv(std::span<const SolverStep> trace) {
  std::string text = "iteration,loss,gradient_norm,step,passes,gap";
  const std::size_t weights = trace.empty() ? 0 : trace[0].weights.size();
  for (std::size_t k = 0; k < weights; ++k) text += ",weight" + std::to_string(k + 1);
  text += "\n";
  for (const SolverStep& step : trace) {
    text += std::to_string(step.iteration) + "," + number_text(step.loss) + "," + number_text(step.gradient_norm) +
            "," + number_text(step.step) + "," + number_text(step.passes) + ",";
    if (std::isfinite(step.gap)) text += number_text(step.gap);
    for (const double weight : step.weights) text += "," + number_text(weight);
    text += "\n";
  }
  return text;
}

void add_trace(JsonWriter& json, std::span<const SolverStep> trace) {
  json.key("trace").begin_array();
  for (const SolverStep& step : trace) {
    json.begin_object()
        .member("iteration", step.iteration)
        .member("loss", step.loss)
        .member("gradient_norm", step.gradient_norm)
        .member("step", step.step)
        .member("passes", step.passes)
        .key("gap");
    if (std::isfinite(step.gap)) {
      json.value(step.gap);
    } else {
      json.null();
    }
    if (!step.weights.empty()) {
      json.key("weights").begin_array();
      for (const double weight : step.weights) json.value(weight);
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace plumb
