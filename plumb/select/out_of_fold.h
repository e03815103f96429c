// Every row by the fit to all others, at the price of one fit.
#pragma once

#include "plumb/base/run.h"
#include "plumb/evaluate/predicted.h"
#include "plumb/train/trainer.h"

namespace plumb {

// Whether the fit knows its leverages.
bool has_exact_leave_one_out(const Trained& fit);

// Row i is predicted by the fit to all other rows: y_i - r_i / (1 - h_i) with the leverages h_i of `fit`, that to all
// rows. It is the very number that a fit without the row would give, with the same penalty; where h_i is 1 such a fit
// is made. Throws Error(usage) if the fit does not know its leverages.
Predicted predict_left_out(const Trainer& trainer, const Problem& problem, const Trained& fit, const Run& run);

}  // namespace plumb
