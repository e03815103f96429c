// What may flatter a score: rows that stand on both sides of a split, and classes of which some are rare.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/data/examples.h"

namespace plumb {

// How many of the rows held out have the features and the target of a training row. By digests of 64 bits: among 10^9
// rows a false one has a chance below 0.03.
std::uint64_t rows_seen_before(const Examples& training, const Examples& heldout);

// A sentence about them, where they are more than one in a hundred; else nothing.
std::string duplicates_text(std::uint64_t seen_before, std::uint64_t heldout);

// A sentence about classes of which the commonest has ten times the weight of the rarest, or nine tenths of all; else
// nothing. `weights` are one for each label.
std::string imbalance_text(const std::vector<std::string>& labels, const std::vector<double>& weights);

}  // namespace plumb
