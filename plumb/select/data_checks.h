// What can inflate a score: rows with copies on both sides of a split, and unbalanced classes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/data/examples.h"

namespace plumb {

// How many of the held-out rows equal a training row in features and target. By digests of 64 bits: among 10^9 rows a
// false one has a probability below 0.03.
std::uint64_t rows_seen_before(const Examples& training, const Examples& heldout);

// How many rows equal a row of another fold in features and target; without folds, any other row. `fold` has a number
// for each row of the data.
std::uint64_t rows_in_several_folds(const Examples& examples, std::span<const std::uint32_t> fold);

// A sentence about them, or empty. `of` describes the rows, such as "held-out row", and `like` what they equal, such as
// "a training row".
std::string copies_text(std::uint64_t copies, std::uint64_t rows, const std::string& of, const std::string& like);
// Whether they are enough to inflate a score: more than one in a hundred.
inline bool many_copies(std::uint64_t copies, std::uint64_t rows) noexcept { return copies * 100 > rows; }

// A sentence about unbalanced classes, if the most common has ten times the weight of the rarest, or nine tenths of
// all; otherwise empty. `weights` has one for each label.
std::string imbalance_text(const std::vector<std::string>& labels, const std::vector<double>& weights);

}  // namespace plumb
