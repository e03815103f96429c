// Options of the online loop (online.h).
#pragma once

#include <string_view>

#include "plumb/base/option_types.h"

namespace plumb {

// perceptron: a fixed step wherever the margin is too small. pa1, pa2: as far as the margin 1 requires, limited by the
// aggressiveness. arow: pa2 with a variance per weight, which shrinks every time its feature occurs. loss: along the
// negative gradient of a loss.
enum class Update { perceptron, pa1, pa2, arow, loss };
template <>
struct EnumNames<Update> {
  static constexpr std::string_view names[] = {"perceptron", "pa1", "pa2",
                                               "arow"};  // --update; a loss has its own name
};

// The loss of an online learner; the perceptron's rule has its own.
enum class OnlineLoss { perceptron, hinge, logistic, squared };
template <>
struct EnumNames<OnlineLoss> {
  static constexpr std::string_view names[] = {"perceptron", "hinge", "logistic", "squared"};
};

enum class StartWeights { zero, random };
template <>
struct EnumNames<StartWeights> {
  static constexpr std::string_view names[] = {"zero", "random"};
};

enum class RowOrder { given, shuffled };
template <>
struct EnumNames<RowOrder> {
  static constexpr std::string_view names[] = {"given", "shuffled"};
};

}  // namespace plumb
