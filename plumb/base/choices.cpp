#include "plumb/base/choices.h"

#include "plumb/base/text.h"

namespace plumb {

std::string one_of(std::span<const std::string> choices) {
  return (choices.size() == 1 ? "" : "one of ") + listed(choices);
}

Error unknown_choice(std::string_view noun, std::string_view name, std::span<const std::string> choices,
                     std::string_view before) {
  std::string hint = did_you_mean(name, choices);
  if (!before.empty() && !hint.empty()) hint = "did you mean " + std::string(before) + nearest(name, choices) + "?";
  return Error(ErrorCode::usage,
               "there is no " + std::string(noun) + " " + in_quotes(name) + "; " + one_of(choices) + " was expected",
               std::move(hint));
}

}  // namespace plumb
