// Cross-validation of naive Bayes without training anew: the sums of a row, or of a fold, are taken from those of all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumb/select/trials.h"
#include "plumb/train/trainer.h"

namespace plumb {

// Whether the trainer knows the fit without some rows from its sums, under features like these: not if terms were
// selected or weighed, or numbers scaled or filled in, by what all rows hold, nor if levels were declared, as the plan
// says; nor if rows name features that they do not add to, such as zeros that are written out.
bool subtracts(const Experiment& experiment, const FeatureMap& map);

// Every row by the fit to the rows of other folds, or, without folds, to all other rows; in parts without a row in
// common. What no other row has is not known to such a fit, as if it had learnt its features too. Folds whose counts
// take no more than `near` bytes, all together, are counted and tried in one pass over the rows; others one by one.
// That changes no result.
inline constexpr std::uint64_t kNearCounts = std::uint64_t{1} << 24;  // what the last cache holds beside the rows
std::vector<Tried> predict_by_subtraction(const Trainer& trainer, const Problem& problem,
                                          std::span<const std::uint32_t> fold, const Run& run,
                                          std::uint64_t near = kNearCounts);

// The same of trials whose training rows are each a part of those of the next: each row is counted once for all of
// them.
std::vector<Tried> predict_by_addition(const Trainer& trainer, const Problem& problem, std::span<const Trial> nested,
                                       bool seen_too, const Run& run);

}  // namespace plumb
