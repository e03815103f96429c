// Puts the (id, count) pairs of a row in ascending order of ids.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace plumb {

// Keeps its room from row to row. Ids are below `columns`.
class RowSorter {
 public:
  explicit RowSorter(std::uint32_t columns) : bits_(static_cast<unsigned>(std::bit_width(columns))) {}

  void clear() noexcept { pairs_.clear(); }
  void add(std::uint32_t id, std::uint32_t count) { pairs_.push_back(std::uint64_t{id} << 32 | count); }

  // Sorts what was added, and calls use(id, count) in that order; counts of equal ids are added up.
  template <class Use>
  void sorted(Use use) {
    sort();
    for (std::size_t i = 0; i < pairs_.size();) {
      const auto id = static_cast<std::uint32_t>(pairs_[i] >> 32);
      std::uint32_t count = 0;
      for (; i < pairs_.size() && pairs_[i] >> 32 == id; ++i) count += static_cast<std::uint32_t>(pairs_[i]);
      use(id, count);
    }
  }

 private:
  static constexpr unsigned kDigit = 6;  // rows are short, so few buckets and some more passes
  static constexpr std::size_t kFew = 48;

  void sort() {
    if (pairs_.size() < kFew) {
      std::ranges::sort(pairs_);
      return;
    }
    other_.resize(pairs_.size());
    for (unsigned shift = 32; shift < 32 + bits_; shift += kDigit) {
      std::array<std::uint32_t, 1 << kDigit> at{};
      const auto digit = [&](std::uint64_t pair) { return pair >> shift & ((1 << kDigit) - 1); };
      for (const std::uint64_t pair : pairs_) ++at[digit(pair)];
      std::uint32_t before = 0;
      for (std::uint32_t& each : at) before += std::exchange(each, before);
      for (const std::uint64_t pair : pairs_) other_[at[digit(pair)]++] = pair;
      pairs_.swap(other_);
    }
  }

  unsigned bits_;
  std::vector<std::uint64_t> pairs_, other_;
};

}  // namespace plumb
