#include "plumb/solver/online_options.h"

#include <cmath>

#include "plumb/base/number.h"
#include "plumb/base/text.h"

namespace plumb {

StartPoint OptionText<StartPoint>::read(std::string_view text) {
  if (text == "zero") return StartWeights::zero;
  if (text == "random") return StartWeights::random;
  std::vector<double> weights;
  for (const std::string& each : split_list(text)) {
    const ParsedNumber number = parse_number(each);
    if (number.fault != NumberFault::none || !std::isfinite(number.value))
      throw OptionFault{"zero, random, or numbers such as 0.5,-1"};
    weights.push_back(number.value);
  }
  return weights;
}

std::string OptionText<StartPoint>::text(const StartPoint& start) {
  if (start.weights.empty()) return start.rule == StartWeights::zero ? "zero" : "random";
  std::string text;
  for (const double each : start.weights) text += (text.empty() ? "" : ",") + number_text(each);
  return text;
}

}  // namespace plumb
