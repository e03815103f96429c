// Predictions of every row by fits that have not seen it: what models are compared by.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "plumb/base/run.h"
#include "plumb/evaluate/predicted.h"
#include "plumb/train/trainer.h"

namespace plumb {

// Row i is predicted by the fit to the rows of all other folds; `fold` has one number for each row of the examples.
// The features stay as they were learnt: that never looks at targets. A level that no row of the other folds has counts
// for nothing, as one that was not seen.
Predicted predict_out_of_fold(const Trainer& trainer, const Problem& problem, std::span<const std::uint32_t> fold,
                              const Run& run);

// All rows under features that were learnt from some of them.
struct LearntExamples {
  Examples examples;
  FeatureMap map;
};
// The same where the features of a fit are learnt from the rows that it is made from, by `learn`: what a vocabulary
// knows of the other rows, or of their targets, would flatter the model.
Predicted predict_out_of_fold(const Trainer& trainer, const std::function<LearntExamples(const RowSet&)>& learn,
                              std::span<const std::uint32_t> fold, const Run& run);

// Whether the fit knows its leverages.
bool has_exact_leave_one_out(const Fit& fit);

// Row i is predicted by the fit to all other rows: y_i - r_i / (1 - h_i) with the leverages h_i of `fit`, that to all
// rows. It is the very number that a fit without the row would give, with the same penalty; where h_i is 1 such a fit
// is made. Throws Error(usage) if the fit does not know its leverages.
Predicted predict_left_out(const Trainer& trainer, const Problem& problem, const Fit& fit, const Run& run);

}  // namespace plumb
