// Options of the online loop (online.h).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// The rule, or a number for each feature and then the bias.
struct StartPoint {
  StartWeights rule = StartWeights::zero;
  std::vector<double> weights = {};

  StartPoint() = default;
  StartPoint(StartWeights chosen) : rule(chosen) {}
  StartPoint(std::vector<double> given) : weights(std::move(given)) {}
  bool zero() const noexcept { return rule == StartWeights::zero && weights.empty(); }
};
template <>
struct OptionText<StartPoint> {
  static StartPoint read(std::string_view text);
  static std::string text(const StartPoint& start);
};

enum class RowOrder { given, shuffled };
template <>
struct EnumNames<RowOrder> {
  static constexpr std::string_view names[] = {"given", "shuffled"};
};

}  // namespace plumb
