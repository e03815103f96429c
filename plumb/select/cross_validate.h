// Predicts every row by a fit that was not trained on it, in the cheapest way that equals literal refits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/select/experiment.h"
#include "plumb/select/trials.h"
#include "plumb/train/refitter.h"

namespace plumb {

// `whole` is the fit to all rows; `alone` if every row is a fold of its own. Sums and leverages only if they give
// exactly the same fit: not if the features or the penalty would change without the rows.
FoldWay way_of(const Experiment& experiment, const Experiment::Fitted& whole, bool alone);

// In row order. Without folds each row is left out alone; `fold` has a number for each row of the data.
Outcome cross_validate(const Experiment& experiment, const Experiment::Fitted& whole,
                       std::span<const std::uint32_t> fold, FoldWay way, const Run& run);

// try_all for one experiment and runs of `sizes` trials with nested training sets: by adding the sums of the new rows,
// if the trainer supports it and `refit` is false.
std::vector<Tried> try_nested(const Experiment& experiment, std::span<const Trial> trials, std::size_t sizes,
                              const TrialOptions& options, bool refit, const Run& run);

}  // namespace plumb
