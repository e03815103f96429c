// What a user may say about solvers, and see of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/option_types.h"

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

// The names of THE list of solvers, in its order.
std::vector<std::string> solver_names();

// One line of a trace, in the units of the features. Not a number: what the solver has none of.
struct SolverStep {
  std::uint64_t iteration = 0;
  double loss = 0.0;  // the objective
  double gradient_norm = 0.0;
  double step = 0.0;              // what multiplied the direction from here
  double passes = 0.0;            // over the data so far
  double gap = 0.0;               // certified; infinite while there is no proof
  std::vector<double> weights{};  // with the bias last; only while they are at most kTracedWeights
  double norm = std::numeric_limits<double>::quiet_NaN();  // |w| without biases, of passes of an online fit
  static constexpr std::size_t kTracedWeights = 3;
};

}  // namespace plumb
