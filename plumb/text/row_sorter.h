// Sorts the (id, count) pairs of a row by id, and adds up the counts of equal ids.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "plumb/math/sort.h"

namespace plumb {

// Reuses its memory from row to row. Ids are below `columns`.
//
// A pair is one number, the id above eight bits of count, and pairs are sorted by six bits at a time from the lowest
// on: without comparisons there are no mispredicted branches, and all tables stay in the first-level cache. Ids are
// ordered by decreasing frequency, so most of a row are below 2^12. Their upper digits are all 0, and counting those
// would be a chain of additions to one number, each waiting for the last; so they are set aside once they are sorted,
// and the remaining digits are those of the rest. Pairs that do not fit, with counts above 255 or ids above 2^24, are
// compared. If the machine has registers for many keys, rows of ordinary length are sorted in those (sort_keys),
// several times as fast.
class RowSorter {
 public:
  explicit RowSorter(std::uint32_t columns)
      : bits_(columns == 0 ? 0 : static_cast<unsigned>(std::bit_width(columns - 1))), narrow_(bits_ <= 24) {}

  // Makes room for that many pairs in this row: to be called before they are added.
  void begin(std::size_t most) {
    size_ = 0;
    if (keys_.size() >= most) return;
    keys_.resize(2 * most);
    other_.resize(2 * most);
    rest_.resize(2 * most);
  }
  void add(std::uint32_t id, std::uint32_t count) {
    if (narrow_ && count < 256) [[likely]]
      keys_[size_++] = id << 8 | count;
    else
      wide_.push_back(std::uint64_t{id} << 32 | count);
  }
  // The same for many: whether pairs may be written as numbers, where the next one goes, and where they ended.
  bool narrow() const noexcept { return narrow_; }
  std::uint32_t* next() noexcept { return keys_.data() + size_; }
  void end(const std::uint32_t* next) noexcept { size_ = static_cast<std::size_t>(next - keys_.data()); }

  // The added pairs in that order, if all of them were numbers: the id above eight bits of count. Ids may be equal.
  bool all_narrow() const noexcept { return wide_.empty(); }
  std::span<const std::uint32_t> sorted() {
    const std::uint32_t* keys = keys_.data();
    if (size_ <= kFew)
      insert();
    else if (at_once_ && size_ <= kMostAtOnce)
      keys = math::sort_keys(keys_.data(), size_, other_.data());
    else
      sort();
    return {keys, size_};
  }
  // Calls use(id, count) for the added pairs, in that order, and adds up the counts of equal ids.
  template <class Use>
  [[gnu::always_inline]] void take(Use use) {
    if (!wide_.empty()) [[unlikely]] {
      take_wide(use);
      return;
    }
    add_equal(sorted(), use);
  }
  // The same for the result of sorted().
  template <class Use>
  [[gnu::always_inline]] static void add_equal(std::span<const std::uint32_t> keys, Use use) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::uint32_t id = keys[i] >> 8;
      std::uint32_t count = keys[i] & 0xFF;
      while (i + 1 < keys.size() && keys[i + 1] >> 8 == id) [[unlikely]] count += keys[++i] & 0xFF;
      use(id, count);
    }
  }

 private:
  static constexpr unsigned kDigit = 6;
  static constexpr unsigned kLow = 8 + 2 * kDigit;  // where the digits of the rest begin
  static constexpr std::size_t kFew = 8;
  static constexpr std::size_t kMostAtOnce = 2048;
  using Counts = std::array<std::uint32_t, std::size_t{1} << kDigit>;

  static std::size_t digit(std::uint32_t key, unsigned shift) noexcept {
    return key >> shift & ((std::uint32_t{1} << kDigit) - 1);
  }
  static void add_up(Counts& at) noexcept {
    std::uint32_t before = 0;
    for (std::uint32_t& each : at) before += std::exchange(each, before);
  }
  static void deal(const std::vector<std::uint32_t>& from, std::size_t size, unsigned shift, Counts& at,
                   std::vector<std::uint32_t>& to) noexcept {
    for (std::size_t i = 0; i < size; ++i) to[at[digit(from[i], shift)]++] = from[i];
  }

  void sort() {
    Counts low{}, high{};
    for (std::size_t i = 0; i < size_; ++i) {
      ++low[digit(keys_[i], 8)];
      ++high[digit(keys_[i], 8 + kDigit)];
    }
    add_up(low);
    add_up(high);
    deal(keys_, size_, 8, low, other_);
    deal(other_, size_, 8 + kDigit, high, keys_);
    if (bits_ <= 2 * kDigit) return;
    // Those below 2^12 are in place; the rest follow them, in the order of their lower digits.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const std::uint32_t key = keys_[i];
      keys_[kept] = key;
      rest_[i - kept] = key;
      kept += ((key >> kLow) - 1) >> 31;  // 1 for 0: written without a branch
    }
    const std::size_t left = size_ - kept;
    for (unsigned shift = kLow; shift < 8 + bits_; shift += kDigit) {
      Counts at{};
      for (std::size_t i = 0; i < left; ++i) ++at[digit(rest_[i], shift)];
      add_up(at);
      deal(rest_, left, shift, at, other_);
      rest_.swap(other_);
    }
    std::copy_n(rest_.begin(), left, keys_.begin() + static_cast<std::ptrdiff_t>(kept));
  }

  void insert() {
    for (std::size_t i = 1; i < size_; ++i) {
      const std::uint32_t key = keys_[i];
      std::size_t at = i;
      for (; at > 0 && keys_[at - 1] > key; --at) keys_[at] = keys_[at - 1];
      keys_[at] = key;
    }
  }

  template <class Use>
  [[gnu::noinline]] void take_wide(Use use) {
    for (std::size_t i = 0; i < size_; ++i) wide_.push_back(std::uint64_t{keys_[i] >> 8} << 32 | (keys_[i] & 0xFF));
    std::ranges::sort(wide_);
    for (std::size_t i = 0; i < wide_.size();) {
      const auto id = static_cast<std::uint32_t>(wide_[i] >> 32);
      std::uint32_t count = 0;
      for (; i < wide_.size() && wide_[i] >> 32 == id; ++i) count += static_cast<std::uint32_t>(wide_[i]);
      use(id, count);
    }
    wide_.clear();
  }

  unsigned bits_;  // of an id
  bool narrow_;
  bool at_once_ = math::sorts_at_once();
  std::size_t size_ = 0;
  std::vector<std::uint32_t> keys_, other_, rest_;
  std::vector<std::uint64_t> wide_;
};

}  // namespace plumb
