// Every row by a fit that has not seen it, the cheapest way that gives what literal refits would.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/select/experiment.h"
#include "plumb/select/trials.h"
#include "plumb/train/refitter.h"

namespace plumb {

// `whole` is the fit to all rows that take part; `alone` where every row is a fold of its own. Sums and leverages only
// where they give the very fit: not if the features or the penalty would change without the rows.
FoldWay way_of(const Experiment& experiment, const Experiment::Fitted& whole, bool alone);

// In row order. Without folds each row is left out alone; `fold` has a number for each row of the data.
Outcome cross_validate(const Experiment& experiment, const Experiment::Fitted& whole,
                       std::span<const std::uint32_t> fold, FoldWay way, const Run& run);

// try_all for one experiment and runs of `sizes` trials whose training sets are each a part of the next: with the sums
// of the rows that are added, where the trainer has them and `refit` is false.
std::vector<Tried> try_nested(const Experiment& experiment, std::span<const Trial> trials, std::size_t sizes,
                              const TrialOptions& options, bool refit, const Run& run);

}  // namespace plumb
