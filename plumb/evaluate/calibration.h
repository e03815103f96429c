// From scores to probabilities: a sigmoid of the log-odds for two classes, a temperature for more. Fitted to scores of
// rows that the model did not see, so that they say how often such a score is right.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/base/span.h"
#include "plumb/evaluate/predicted_classes.h"
#include "plumb/model/model.h"

namespace plumb {

// sigmoid: for more than two classes a temperature. temperature: without an offset, so that the predicted label stays.
// automatic: a sigmoid, or a temperature if a sigmoid makes more errors, where it lowers the log loss by more than its
// standard error.
enum class Calibrate { none, sigmoid, isotonic, temperature, automatic };
template <>
struct EnumNames<Calibrate> {
  static constexpr std::string_view names[] = {"none", "sigmoid", "isotonic", "temperature", "auto"};
};

// The sigmoid of slope * score + offset with the least log loss (Platt 1999), towards targets a little away from 0 and
// 1 as he proposes, so that separated rows have one as well. `positive` and `weights` have one for each score.
Calibration fit_sigmoid(In scores, const std::vector<bool>& positive, In weights);

// Probabilities are the softmax of scale * scores: the scale with the least log loss (Guo et al. 2017). `scores` has
// `classes` for each row; -inf means that the model does not know the class.
double fit_temperature(In scores, std::size_t classes, const std::vector<std::uint32_t>& actual, In weights);

// The probabilities, ascending with the score, with the least squared error (the pool adjacent violators algorithm),
// each block of equal ones moved to (positives + 1/2) / (rows + 1) and so away from 0 and 1; blocks that this puts in
// the wrong order are one. The knots are the first and last score of each block.
Calibration fit_isotonic(In scores, const std::vector<bool>& positive, In weights);

// What rows that the model did not see say of its scores. Losses are means.
struct FoundCalibration {
  Calibration calibration;
  std::optional<double> before;  // the log loss; none if the model has no probabilities
  double after = 0.0;            // of each half of the rows, calibrated by the other half
  double standard_error = 0.0;   // of before - after
  double more_errors = 0.0;      // the share of wrong labels with it, less that without
  Calibrate by = Calibrate::sigmoid;

  bool helps() const noexcept { return !before || *before - after > standard_error; }
};
// Scores are bent (Calibration::bend) where that lowers the loss by more than two standard errors. None if there are no
// scores, or if the positive class has the smaller ones.
std::optional<FoundCalibration> find_calibration(const PredictedClasses& rows, Calibrate by = Calibrate::sigmoid);

// Record::fit: these losses.
inline constexpr std::string_view kLogLossBefore = "log_loss_uncalibrated";
inline constexpr std::string_view kLogLossAfter = "log_loss_calibrated";
// How a calibrated model gets its probabilities: "sigmoid", "isotonic" or "temperature".
std::string_view calibration_name(const LinearModel& model) noexcept;

// The log loss of each row once its scores are calibrated so. Empty if there are no scores.
std::vector<double> calibrated_log_losses(const PredictedClasses& rows);

}  // namespace plumb
