// From scores to probabilities: a sigmoid of the log-odds for two classes, a temperature for more. Fitted to scores of
// rows that the model did not see, so that they say how often such a score is right.
#pragma once

#include <vector>

#include "plumb/base/span.h"
#include "plumb/evaluate/predicted_classes.h"

namespace plumb {

// The probability of the positive class is 1 / (1 + exp(-(slope * score + offset))).
struct Sigmoid {
  double slope = 1.0;
  double offset = 0.0;
};

// The sigmoid with the least log loss (Platt 1999), towards targets a little away from 0 and 1 as he proposes, so that
// separated rows have one as well. `positive` and `weights` have one for each score.
Sigmoid fit_sigmoid(In scores, const std::vector<bool>& positive, In weights);

// Probabilities are the softmax of scale * scores: the scale with the least log loss (Guo et al. 2017). `scores` has
// `classes` for each row; -inf means that the model does not know the class.
double fit_temperature(In scores, std::size_t classes, const std::vector<std::uint32_t>& actual, In weights);

// The log loss of each row once its scores are calibrated so. Empty if there are no scores.
std::vector<double> calibrated_log_losses(const PredictedClasses& rows);

}  // namespace plumb
