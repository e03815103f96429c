// Cross-validation of naive Bayes without refitting: the sums of a row, or of a fold, are subtracted from those of all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/train/naive_bayes.h"
#include "plumb/train/refitter.h"

namespace plumb {

// Every row by the fit to the rows of other folds, or, without folds, to all other rows; in parts without a row in
// common. Features that no other row has are unknown to such a fit, as if it had learnt its features too.
std::vector<Tried> predict_by_subtraction(const NaiveBayesTrainer& trainer, const Problem& problem,
                                          std::span<const std::uint32_t> fold, const Run& run);

}  // namespace plumb
