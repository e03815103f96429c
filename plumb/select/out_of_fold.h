// Predictions of every row by fits that have not seen it: what models are compared by.
#pragma once

#include <cstdint>
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

// Whether predict_left_out costs about one fit.
bool has_exact_leave_one_out(const Fit& fit);

// Row i is predicted by the fit to all other rows: y_i - r_i / (1 - h_i) where the fit knows the leverages h_i, the
// very number that a fit without the row would give; by such a fit where it does not, or where h_i is 1. `fit` is that
// to all rows.
Predicted predict_left_out(const Trainer& trainer, const Problem& problem, const Fit& fit, const Run& run);

}  // namespace plumb
