// Every row by a fit that has not seen it, the cheapest way that gives what literal refits would.
#pragma once

#include <cstdint>
#include <span>

#include "plumb/base/run.h"
#include "plumb/select/experiment.h"

namespace plumb {

// How fits without some rows are had.
enum class FoldWay {
  refits,     // they are made
  sums,       // naive Bayes: what the rows added is taken from the sums of all rows
  leverages,  // least squares without one row: y - r / (1 - h)
};

// `whole` is the fit to all rows that take part; `alone` where every row is a fold of its own. Sums and leverages only
// where they give the very fit: not if the features or the penalty would change without the rows.
FoldWay way_of(const Experiment& experiment, const Experiment::Fitted& whole, bool alone);

// In row order. Without folds each row is left out alone; `fold` has a number for each row of the data.
Outcome cross_validate(const Experiment& experiment, const Experiment::Fitted& whole,
                       std::span<const std::uint32_t> fold, FoldWay way, const Run& run);

}  // namespace plumb
