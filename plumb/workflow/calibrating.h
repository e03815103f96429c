// --calibrate and --threshold: the model to be fitted is fitted without each of some folds of the training rows, and
// the scores of the rows left out say how often such scores are right.
#pragma once

#include "plumb/base/run.h"
#include "plumb/evaluate/predicted_classes.h"
#include "plumb/select/experiment.h"

namespace plumb {

// The training rows of an experiment, or many of them, each predicted by a fit without its fold. Same folds for the
// same key, and enough of them for the few numbers that are fitted: of many rows one fold will do.
PredictedClasses out_of_fold(const Experiment& experiment, const RowSet& training, RandomKey key, const Run& run);

}  // namespace plumb
