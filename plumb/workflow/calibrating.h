// --calibrate: the model to be fitted is fitted without each of some folds of the training rows, and the scores of the
// rows left out say which probabilities such scores stand for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plumb/base/run.h"
#include "plumb/evaluate/calibration.h"
#include "plumb/select/experiment.h"

namespace plumb {

// From an experiment on rows among which these are for training. Same folds for the same key, and enough of them for
// the numbers that are fitted: of many rows one fold will do. None where the scores say nothing of the labels.
std::optional<FoundCalibration> calibrate_out_of_fold(const Experiment& experiment, const RowSet& training,
                                                      Calibrate by, RandomKey key, const Run& run);

}  // namespace plumb
