// Cross-validation of naive Bayes without training anew: the sums of a row, or of a fold, are taken from those of all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/train/naive_bayes.h"
#include "plumb/train/refitter.h"

namespace plumb {

// Every row by the fit to the rows of other folds, or, without folds, to all other rows; in parts without a row in
// common. What no other row has is not known to such a fit, as if it had learnt its features too. Folds whose counts
// take no more than `near` bytes, all together, are counted and tried in one pass over the rows; others one by one.
// That changes no result.
inline constexpr std::uint64_t kNearCounts = std::uint64_t{1} << 24;  // what the last cache holds beside the rows
std::vector<Tried> predict_by_subtraction(const NaiveBayesTrainer& trainer, const Problem& problem,
                                          std::span<const std::uint32_t> fold, const Run& run,
                                          std::uint64_t near = kNearCounts);

}  // namespace plumb
