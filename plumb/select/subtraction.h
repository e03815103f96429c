// Cross-validation of naive Bayes without training anew: the sums of a row, or of a fold, are taken from those of all.
#pragma once

#include <cstdint>
#include <span>

#include "plumb/evaluate/predicted_classes.h"
#include "plumb/train/trainer.h"

namespace plumb {

// Whether the trainer knows the fit without some rows from its sums, under features like these: not if terms were
// selected or weighed by what all rows hold, nor if levels were declared, as the plan says.
bool subtracts(const Trainer& trainer, const FeaturePlan& plan, const FeatureMap& map);

// Every row by the fit to the rows of other folds, or, without folds, to all other rows; in the order of the folds,
// then of the rows. What no other row has is not known to such a fit, as if it had learnt its features too.
PredictedClasses predict_by_subtraction(const Trainer& trainer, const Problem& problem,
                                        std::span<const std::uint32_t> fold, const Run& run);

}  // namespace plumb
