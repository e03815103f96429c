// --threshold: the probability from which on a model of two classes predicts the second label.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plumb/base/option_types.h"
#include "plumb/evaluate/predicted_classes.h"
#include "plumb/model/model.h"
#include "plumb/model/model_file.h"

namespace plumb {

inline constexpr const char* kThresholdMeaning =
    "two classes: predict the positive label from this probability on; max-f1: where F1 was largest on the "
    "out-of-fold rows of training; cost: where the expected cost of false positives (FP) and false negatives (FN) is "
    "smallest";
inline constexpr const char* kThresholdForm = "P|max-f1|cost:FP=A,FN=B";

// Predict the second label if its expected cost is smaller: (1 - p) A <= p B, so from p = A / (A + B) on.
struct ThresholdChoice {
  std::optional<double> probability = {};
  bool max_f1 = false;
  std::string text = {};  // as given
  struct Costs {
    double false_positive = 0.0, false_negative = 0.0;
  };
  std::optional<Costs> costs = {};  // of cost:FP=A,FN=B

  bool given() const noexcept { return probability.has_value() || max_f1; }
  // Throws Error(usage) unless the model has probabilities of two classes, and for max_f1 a threshold in its record.
  LinearModel applied_to(const SavedModel& saved) const;
};

// Record::fit: the result of largest_f1_threshold on held-out rows.
inline constexpr std::string_view kLargestF1 = "max_f1_threshold";
// The probability from which on predicting the second label has the largest F1 on these rows (the highest if several
// are equal); empty unless they are predicted with probabilities of two labels and some have the second.
std::optional<double> largest_f1_threshold(const PredictedClasses& rows, const LinearModel& model);

// A threshold chosen on rows that the model did not see: by costs that with the least
// cost, otherwise that with the largest F1; the highest of equals. None if no row has the second label.
struct ChosenThreshold {
  double probability = 0.5;
  std::optional<double> cost = {};  // of a row, where costs were given
};
std::optional<ChosenThreshold> choose_threshold(const ThresholdChoice& choice, const PredictedClasses& rows,
                                                const Calibration& calibration);
// Record::fit: that cost.
inline constexpr std::string_view kThresholdCost = "threshold_cost";

template <>
struct OptionText<ThresholdChoice> {
  static ThresholdChoice read(std::string_view text);
  static std::string text(const ThresholdChoice& choice) { return choice.text; }
};

}  // namespace plumb
