// Puts the (id, count) pairs of a row in ascending order of ids, and adds up those of equal ids.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumb {

// Keeps its room from row to row. Ids are below `columns`. Up to kMostDense columns a row is a set of bits beside a
// count for each column: nothing is compared or moved. With more, which would take too much memory, pairs are sorted.
class RowSorter {
 public:
  explicit RowSorter(std::uint32_t columns) : dense_(columns <= kMostDense) {
    if (!dense_) return;
    counts_.resize(columns);
    bits_.resize(columns / 64 + 1);
    words_.resize(bits_.size() / 64 + 1);
  }

  void add(std::uint32_t id, std::uint32_t count) {
    if (!dense_) {
      pairs_.push_back(std::uint64_t{id} << 32 | count);
      return;
    }
    counts_[id] += count;
    bits_[id / 64] |= std::uint64_t{1} << id % 64;
    words_[id / 4096] |= std::uint64_t{1} << id / 64 % 64;
  }

  // Calls use(id, count) for what was added, in that order, and forgets it.
  template <class Use>
  void take(Use use) {
    if (!dense_) {
      take_sorted(use);
      return;
    }
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (; words_[w] != 0; words_[w] &= words_[w] - 1) {
        const std::size_t word = 64 * w + static_cast<std::size_t>(std::countr_zero(words_[w]));
        std::uint64_t bits = bits_[word];
        bits_[word] = 0;
        for (; bits != 0; bits &= bits - 1) {
          const std::size_t id = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
          use(static_cast<std::uint32_t>(id), counts_[id]);
          counts_[id] = 0;
        }
      }
    }
  }

 private:
  static constexpr std::uint32_t kMostDense = std::uint32_t{1} << 22;

  template <class Use>
  void take_sorted(Use use) {
    std::ranges::sort(pairs_);
    for (std::size_t i = 0; i < pairs_.size();) {
      const auto id = static_cast<std::uint32_t>(pairs_[i] >> 32);
      std::uint32_t count = 0;
      for (; i < pairs_.size() && pairs_[i] >> 32 == id; ++i) count += static_cast<std::uint32_t>(pairs_[i]);
      use(id, count);
    }
    pairs_.clear();
  }

  bool dense_;
  std::vector<std::uint32_t> counts_;  // of each column, 0 but while a row is put together
  std::vector<std::uint64_t> bits_;    // of each column, whether it is there
  std::vector<std::uint64_t> words_;   // of each word of bits_, whether it is not 0
  std::vector<std::uint64_t> pairs_;   // id and count, where columns are many
};

}  // namespace plumb
