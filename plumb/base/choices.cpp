#include "plumb/base/choices.h"

#include <utility>

#include "plumb/base/text.h"

namespace plumb {

std::string one_of(std::span<const std::string> choices) {
  return (choices.size() == 1 ? "" : "one of ") + listed(choices);
}

Error unknown_choice(std::string_view noun, std::string_view name, std::span<const std::string> choices,
                     std::string_view before, std::string_view otherwise) {
  const auto typed = [&](const std::string& choice) {
    return before.empty() ? in_quotes(choice) : std::string(before) + choice;
  };
  const std::string meant = nearest(name, choices);
  std::string hint(otherwise);
  if (!meant.empty()) {
    hint = "did you mean " + typed(meant) + "?";
  } else if (hint.empty() && !choices.empty()) {
    hint = typed(choices.front());
  }
  return Error(ErrorCode::usage,
               "there is no " + std::string(noun) + " " + in_quotes(name) + "; " + one_of(choices) + " was expected",
               std::move(hint));
}

}  // namespace plumb
