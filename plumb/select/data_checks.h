// What may flatter a score: rows that stand on both sides of a split, and classes of which some are rare.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/data/examples.h"

namespace plumb {

// How many of the rows held out have the features and the target of a training row. By digests of 64 bits: among 10^9
// rows a false one has a chance below 0.03.
std::uint64_t rows_seen_before(const Examples& training, const Examples& heldout);

// How many rows have the features and the target of a row of another fold; without folds, of any other row. `fold` has
// a number for each row of the data.
std::uint64_t rows_in_several_folds(const Examples& examples, std::span<const std::uint32_t> fold);

// A sentence about them, where there are any; else nothing. `of` is what they are among, such as "held-out row", and
// `like` what they are the same as, such as "a training row".
std::string copies_text(std::uint64_t copies, std::uint64_t rows, const std::string& of, const std::string& like);
// Whether they are enough to flatter a score: more than one in a hundred.
inline bool many_copies(std::uint64_t copies, std::uint64_t rows) noexcept { return copies * 100 > rows; }

// A sentence about classes of which the commonest has ten times the weight of the rarest, or nine tenths of all; else
// nothing. `weights` are one for each label.
std::string imbalance_text(const std::vector<std::string>& labels, const std::vector<double>& weights);

}  // namespace plumb
