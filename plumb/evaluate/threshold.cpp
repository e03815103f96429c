#include "plumb/evaluate/threshold.h"

#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"

namespace plumb {
namespace {

constexpr const char* kExpected = "a probability such as 0.3, or cost:FP=1,FN=5";

double cost(std::string_view& rest, std::string_view name) {
  if (!rest.starts_with(name)) throw OptionFault{kExpected};
  rest.remove_prefix(name.size());
  const std::size_t end = std::min(rest.find(','), rest.size());
  const ParsedNumber number = parse_number(rest.substr(0, end));
  if (number.fault != NumberFault::none || !(number.value >= 0)) throw OptionFault{kExpected};
  rest.remove_prefix(std::min(rest.size(), end + 1));
  return number.value;
}

}  // namespace

LinearModel ThresholdChoice::applied_to(const LinearModel& model) const {
  if (model.parts().link != Link::logistic)
    throw Error(ErrorCode::usage,
                "--threshold needs a model with probabilities of two classes; this one has " +
                    (model.parts().labels.size() > 2 ? std::to_string(model.parts().labels.size()) + " classes"
                                                     : std::string("none")));
  LinearModel::Parts parts = model.parts();
  parts.threshold = *probability;
  return LinearModel(std::move(parts));
}

ThresholdChoice OptionText<ThresholdChoice>::read(std::string_view text) {
  ThresholdChoice choice{{}, std::string(text)};
  if (text.starts_with("cost:")) {
    std::string_view rest = text.substr(5);
    const double alarm = cost(rest, "FP="), miss = cost(rest, "FN=");
    if (!rest.empty() || !(alarm + miss > 0)) throw OptionFault{kExpected};
    choice.probability = alarm / (alarm + miss);
    return choice;
  }
  const ParsedNumber number = parse_number(text);
  if (number.fault != NumberFault::none || !(number.value >= 0 && number.value <= 1)) throw OptionFault{kExpected};
  choice.probability = number.value;
  return choice;
}

}  // namespace plumb
