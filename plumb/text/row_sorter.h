// Puts the (id, count) pairs of a row in ascending order of ids, and adds up those of equal ids.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace plumb {

// Keeps its room from row to row. Ids are below `columns`. Up to kMostDense columns a row is a set of bits beside a
// count for each column: nothing is compared or moved. With more, which would take too much memory, pairs are sorted.
class RowSorter {
 public:
  static constexpr std::uint32_t kMostDense = std::uint32_t{1} << 18;

  explicit RowSorter(std::uint32_t columns)
      : dense_(columns <= kMostDense), bits_of_id_(static_cast<unsigned>(std::bit_width(columns))) {
    if (!dense_) return;
    counts_.resize(columns);
    bits_.resize(columns / 64 + 1);
    words_.resize(bits_.size() / 64 + 1);
  }

  [[gnu::always_inline]] void add(std::uint32_t id, std::uint32_t count) {
    if (!dense_) {
      pairs_.push_back(std::uint64_t{id} << 32 | count);
      return;
    }
    const std::uint32_t sum = counts_[id] + count;
    counts_[id] = static_cast<std::uint16_t>(sum);
    if (sum > 0xFFFF) [[unlikely]]
      keep_large(id, sum & ~std::uint32_t{0xFFFF});
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
    if (!large_.empty()) [[unlikely]] {
      take_large(use);
      return;
    }
    take_dense(use);
  }

 private:
  [[gnu::noinline]] void keep_large(std::uint32_t id, std::uint32_t beyond) { large_.emplace_back(id, beyond); }

  template <class Use>
  void take_dense(Use use) {
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

  // The same with counts that 16 bits do not hold.
  template <class Use>
  void take_large(Use use) {
    std::ranges::sort(large_);
    auto next = large_.begin();
    take_dense([&](std::uint32_t id, std::uint32_t count) {
      for (; next != large_.end() && next->first == id; ++next) count += next->second;
      use(id, count);
    });
    large_.clear();
  }

  static constexpr unsigned kDigit = 8;
  static constexpr std::size_t kFew = 64;

  // By digits from the lowest on, each pass keeping the order of the last one; short rows by comparing.
  void sort() {
    if (pairs_.size() < kFew) {
      std::ranges::sort(pairs_);
      return;
    }
    other_.resize(pairs_.size());
    for (unsigned shift = 32; shift < 32 + bits_of_id_; shift += kDigit) {
      std::array<std::uint32_t, 1 << kDigit> at{};
      const auto digit = [&](std::uint64_t pair) { return pair >> shift & ((1 << kDigit) - 1); };
      for (const std::uint64_t pair : pairs_) ++at[digit(pair)];
      std::uint32_t before = 0;
      for (std::uint32_t& each : at) before += std::exchange(each, before);
      for (const std::uint64_t pair : pairs_) other_[at[digit(pair)]++] = pair;
      pairs_.swap(other_);
    }
  }

  template <class Use>
  void take_sorted(Use use) {
    sort();
    for (std::size_t i = 0; i < pairs_.size();) {
      const auto id = static_cast<std::uint32_t>(pairs_[i] >> 32);
      std::uint32_t count = 0;
      for (; i < pairs_.size() && pairs_[i] >> 32 == id; ++i) count += static_cast<std::uint32_t>(pairs_[i]);
      use(id, count);
    }
    pairs_.clear();
  }

  bool dense_;
  unsigned bits_of_id_;
  std::vector<std::uint16_t> counts_;  // of each column, its lower half; 0 but while a row is put together
  std::vector<std::pair<std::uint32_t, std::uint32_t>> large_;  // column, and what is beyond that
  std::vector<std::uint64_t> bits_;                             // of each column, whether it is there
  std::vector<std::uint64_t> words_;                            // of each word of bits_, whether it is not 0
  std::vector<std::uint64_t> pairs_, other_;                    // id and count, where columns are many
};

}  // namespace plumb
