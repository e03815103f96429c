// One wording for errors about a name that is not one of the choices.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "plumb/base/error.h"

namespace plumb {

// Error(usage): there is no `noun` "name"; one of a, b, c was expected; hint: did you mean `before` b? (`before` is
// what is typed in front of the name, such as "plumb "; without it the name is in quotes.) If no name is near, the hint
// is `otherwise` or, without it, the first choice.
Error unknown_choice(std::string_view noun, std::string_view name, std::span<const std::string> choices,
                     std::string_view before = {}, std::string_view otherwise = {});

// "one of a, b, c", or just "a" for a single choice.
std::string one_of(std::span<const std::string> choices);

}  // namespace plumb
