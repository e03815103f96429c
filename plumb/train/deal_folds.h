// The folds in which a trainer chooses its own penalty.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/row_set.h"
#include "plumb/train/trainer.h"

namespace plumb {

// The rows with a weight, dealt in random order into so many folds, or fewer if a class has fewer rows, with about as
// many rows of each class; in turn, so that small classes are in many folds. option: "--l2", for errors. Throws
// Error(data) for a class with a single row.
std::vector<RowSet> deal_folds(const Problem& problem, std::size_t folds, const std::string& option, const Run& run);

}  // namespace plumb
