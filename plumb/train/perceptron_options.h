// Options of the perceptron.
#pragma once

#include <cstdint>
#include <string_view>

#include "plumb/base/option_types.h"
#include "plumb/solver/online_options.h"

namespace plumb {

enum class Variant { plain, averaged, voted };
template <>
struct EnumNames<Variant> {
  static constexpr std::string_view names[] = {"plain", "averaged", "voted"};
};

struct PerceptronOptions {
  Variant variant = Variant::averaged;
  Update update = Update::perceptron;
  OnlineLoss loss = OnlineLoss::perceptron;
  double margin = 0.0;
  bool relative = false;
  double rate = 1.0;
  double aggressiveness = 1.0;
  std::uint64_t passes = 10;
  RowOrder order = RowOrder::shuffled;
  StartWeights start = StartWeights::zero;
  std::uint64_t shards = 1;
  bool bias = true;

  static OptionTable table();
};

}  // namespace plumb
