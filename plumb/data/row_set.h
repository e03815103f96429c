// A subset of rows by global row index, one bit each: training rows, test rows, a fold. Subsets keep the bounds of
// blocks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace plumb {

class RowSet {
 public:
  explicit RowSet(std::uint64_t rows, bool all = false)
      : rows_(rows), words_((rows + 63) / 64, all ? ~std::uint64_t{0} : 0) {
    if (all && rows % 64 != 0) words_.back() = (std::uint64_t{1} << (rows % 64)) - 1;
  }

  std::uint64_t rows() const noexcept { return rows_; }  // of the whole data, not of the subset
  bool has(std::uint64_t row) const noexcept { return (words_[row / 64] >> (row % 64) & 1) != 0; }
  // The first row from this one on that is in the set, or `end` if that comes first.
  std::uint64_t next(std::uint64_t row, std::uint64_t end) const noexcept {
    while (row < end) {
      const std::uint64_t word = words_[row / 64] >> (row % 64);
      if (word != 0) return std::min(row + static_cast<std::uint64_t>(std::countr_zero(word)), end);
      row += 64 - row % 64;
    }
    return end;
  }
  void add(std::uint64_t row) noexcept { words_[row / 64] |= std::uint64_t{1} << (row % 64); }
  std::uint64_t count() const noexcept {
    std::uint64_t count = 0;
    for (const std::uint64_t word : words_) count += static_cast<std::uint64_t>(std::popcount(word));
    return count;
  }
  RowSet complement() const {
    RowSet other(rows_, true);
    for (std::size_t i = 0; i < words_.size(); ++i) other.words_[i] &= ~words_[i];
    return other;
  }
  // The rows that are in both; the other set is over the same data.
  RowSet intersection(const RowSet& other) const {
    RowSet both = *this;
    for (std::size_t i = 0; i < words_.size(); ++i) both.words_[i] &= other.words_[i];
    return both;
  }

 private:
  std::uint64_t rows_;
  std::vector<std::uint64_t> words_;
};

}  // namespace plumb
