// What a user may say about solvers.
#pragma once

#include <string_view>

#include "plumb/base/options.h"

namespace plumb {

// fixed: every step is the rate times the gradient of the sum, in the units of the features. For newton, a step of 1.
enum class StepRule { line_search, fixed };
template <>
struct EnumNames<StepRule> {
  static constexpr std::string_view names[] = {"line-search", "fixed"};
};

// gap: the certified relative gap is at most the tolerance. change: no weight moved by more than the tolerance.
// gradient: no component of the gradient of the sum is larger than the tolerance.
enum class StopRule { gap, change, gradient };
template <>
struct EnumNames<StopRule> {
  static constexpr std::string_view names[] = {"gap", "change", "gradient"};
};

}  // namespace plumb
