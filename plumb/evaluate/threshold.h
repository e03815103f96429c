// --threshold: from which probability on a model of two classes says the second label.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plumb/base/options.h"
#include "plumb/model/model.h"

namespace plumb {

inline constexpr const char* kThresholdMeaning =
    "of two classes: the second label is said from this probability on, or from where it is cheaper on average if a "
    "false alarm costs A and a miss B";

// Say the second label where its expected cost is the smaller: (1 - p) A <= p B, so from p = A / (A + B) on.
struct ThresholdChoice {
  std::optional<double> probability = {};
  std::string text = {};  // as it was given

  bool given() const noexcept { return probability.has_value(); }
  // Throws Error(usage) unless the model has probabilities of two classes.
  LinearModel applied_to(const LinearModel& model) const;
};

template <>
struct OptionText<ThresholdChoice> {
  static ThresholdChoice read(std::string_view text);
  static std::string text(const ThresholdChoice& choice) { return choice.text; }
};

}  // namespace plumb
