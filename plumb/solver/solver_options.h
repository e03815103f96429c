// Options of solvers, and what a user sees of their progress.
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

// The names in THE list of solvers, in its order.
std::vector<std::string> solver_names();

// One line of a trace, in the units of the features. NaN: the solver has no such number.
struct SolverStep {
  std::uint64_t iteration = 0;
  double loss = 0.0;  // the objective
  double gradient_norm = 0.0;
  double step = 0.0;                                       // factor of the direction from here
  double passes = 0.0;                                     // over the data so far
  double gap = 0.0;                                        // certified; infinite without a proof
  std::vector<double> weights{};                           // with the bias last; only for up to kTracedWeights
  double norm = std::numeric_limits<double>::quiet_NaN();  // |w| without biases, for passes of an online fit
  static constexpr std::size_t kTracedWeights = 3;
};

}  // namespace plumb
