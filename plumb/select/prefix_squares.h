// Least squares and ridge on training sets that are each a part of the next: their Gram matrices add up, so each row is
// multiplied out once for all of them.
#pragma once

#include <span>
#include <vector>

#include "plumb/select/trials.h"

namespace plumb {

// Whether the trainer is least squares with one penalty for all features, or none, that is not chosen by the rows, and
// the features do not depend on which rows are learnt from: numbers as they are, and levels.
bool adds_up(const Experiment& experiment, const FeatureMap& map);

// Each trial by the fit to its training rows. `prepared` is of all rows, `l2` the penalty of all features. Where the
// sums of a trial do not tell the weights to some 10 digits (columns that nearly follow from others, or a level that no
// row has) it is fitted anew. What is predicted agrees with refits to 1e-10.
std::vector<Tried> predict_by_prefix(const Experiment& experiment, const Experiment::Prepared& prepared, double l2,
                                     std::span<const Trial> nested, bool seen_too, const Run& run);

}  // namespace plumb
