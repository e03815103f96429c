// Finds the number of a term by its key, by open addressing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "plumb/base/digest.h"

namespace plumb {

// A text of up to 15 bytes is its own key, with its length in the last byte; of a longer one the key is a hash, and its
// text is compared too. An n-gram's key is its two parts. So equal keys are equal terms, not only likely ones.
struct TermKey {
  std::uint64_t low;
  std::uint64_t high;

  static constexpr std::size_t kLongestInside = 15;
  static constexpr std::uint64_t kLong = std::uint64_t{0xFF} << 56;
  static constexpr std::uint64_t kNgram = std::uint64_t{0xFE} << 56;

  // Without a branch: whether the first half is equal is not to be guessed.
  bool operator==(const TermKey& other) const noexcept { return ((low ^ other.low) | (high ^ other.high)) == 0; }
  bool is_hash() const noexcept { return high >= kLong; }

  // Reads 16 bytes, whatever the length: there must be so many.
  static TermKey of_text(const char* text, std::size_t length) noexcept {
    if (length > kLongestInside) [[unlikely]] {
      const auto [high, low] = digest128({text, length});
      return {low, high | kLong};
    }
    std::uint64_t low, high;
    std::memcpy(&low, text, 8);
    std::memcpy(&high, text + 8, 8);
    return {low & kMasks[length].low, (high & kMasks[length].high) | std::uint64_t{length} << 56};
  }
  static TermKey of_ngram(std::uint32_t prefix, std::uint32_t last, std::uint32_t n) noexcept {
    return {std::uint64_t{prefix} << 32 | last, kNgram | n};
  }

  std::uint64_t hash() const noexcept {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{low ^ 0xA0761D6478BD642F} * (high ^ 0xE7037ED1A0B428DB);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

 private:
  struct Mask {
    std::uint64_t low, high;
  };
  // The bytes of a text of each length.
  static constexpr std::array<Mask, kLongestInside + 1> kMasks = [] {
    std::array<Mask, kLongestInside + 1> masks{};
    for (std::size_t length = 0; length <= kLongestInside; ++length) {
      for (std::size_t i = 0; i < length; ++i) {
        (i < 8 ? masks[length].low : masks[length].high) |= std::uint64_t{0xFF} << 8 * (i % 8);
      }
    }
    return masks;
  }();
};

// A slot is small, so that many share a cache line, and names a record; records lie in the order of numbers, where
// common terms, which are met early, stand close together. Both come from memory late, so a caller with many keys asks
// for all slots (prefetch), then for all records (candidate), and then looks (record_of).
class TermIndex {
 public:
  // Half a cache line.
  struct Record {
    TermKey key;
    std::uint32_t term = 0;      // the caller's number
    std::uint32_t document = 0;  // the last one that held the term, counted from 1
    std::uint32_t place = 0;     // of its entry there
    std::uint32_t reserved = 0;
  };

  TermIndex() : slots_(kFirstSlots), mask_(kFirstSlots - 1), records_(1) {}

  std::size_t size() const noexcept { return records_.size() - 1; }
  Record& operator[](std::uint32_t which) noexcept { return records_[which]; }

  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&slots_[hash & mask_]); }

  // The record that the key has, unless it is new or another key took its slot.
  std::uint32_t candidate(std::uint64_t hash) const noexcept {
    const std::uint32_t record = slots_[hash & mask_] & record_mask();
    __builtin_prefetch(&records_[record]);
    return record;
  }
  bool is(std::uint32_t candidate, const TermKey& key) const noexcept { return records_[candidate].key == key; }

  // The record of the key, counted from 1; `term` is put into a new one. same(term) says whether a long text is that of
  // the term.
  template <class Same>
  std::uint32_t find_or_add(const TermKey& key, std::uint64_t hash, std::uint32_t term, Same same) {
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t at = hash & mask_; slots_[at] != 0; at = (at + 1) & mask_) {
      if ((slots_[at] & ~record_mask()) != tag) continue;
      const std::uint32_t record = slots_[at] & record_mask();
      if (records_[record].key == key && (!key.is_hash() || same(records_[record].term))) return record;
    }
    if (2 * (records_.size() + 1) > slots_.size()) grow();
    const auto record = static_cast<std::uint32_t>(records_.size());
    place(hash, record);
    records_.push_back({key, term});
    return record;
  }

  // Keeps its room.
  void clear() {
    if (size() > 0) std::ranges::fill(slots_, 0);
    records_.resize(1);
  }

 private:
  static constexpr std::size_t kFirstSlots = std::size_t{1} << 14;

  // A table of 2^k slots has fewer than 2^(k-1) records, so a slot's upper bits are free for bits of the hash.
  std::uint32_t record_mask() const noexcept { return static_cast<std::uint32_t>(mask_ >> 1); }
  std::uint32_t tag_of(std::uint64_t hash) const noexcept {
    return static_cast<std::uint32_t>(hash >> 32) & ~record_mask();
  }

  void place(std::uint64_t hash, std::uint32_t record) noexcept {
    std::size_t at = hash & mask_;
    while (slots_[at] != 0) at = (at + 1) & mask_;
    slots_[at] = tag_of(hash) | record;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), 0);
    mask_ = slots_.size() - 1;
    for (std::size_t i = 1; i < records_.size(); ++i) place(records_[i].key.hash(), static_cast<std::uint32_t>(i));
  }

  // The record, which is above 0 if the slot is taken, and a tag. A power of two, at most half full; a record lies in
  // the first free slot from its own on.
  std::vector<std::uint32_t> slots_;
  std::size_t mask_;
  std::vector<Record> records_;
};

}  // namespace plumb
