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
  static TermKey of_ngram(std::uint32_t prefix, std::uint32_t last) noexcept {
    return {std::uint64_t{prefix} << 32 | last, kNgram};
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

class TermIndex {
 public:
  // Half a cache line: all that is needed to find a term and to count it comes from memory at once.
  struct Slot {
    TermKey key;                 // high is 0 in an empty slot, as no term has no bytes
    std::uint32_t number;        // of the term
    std::uint32_t document = 0;  // the last one that held it, counted from 1
    std::uint32_t place = 0;     // of its entry there
    std::uint32_t reserved = 0;
  };

  TermIndex() : slots_(kFirstSlots), mask_(kFirstSlots - 1) {}

  std::size_t size() const noexcept { return size_; }

  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&slots_[hash & mask_], 1); }

  // The slot where the key would be if no other were in its way.
  Slot& home(std::uint64_t hash) noexcept { return slots_[hash & mask_]; }

  // The slot of the key; if it is new, with size() as its number: then size() has grown, and is_new is true.
  // same(number) says whether a long text is that of the number. The slot is valid until the next new key.
  template <class Same>
  Slot& find_or_add(const TermKey& key, std::uint64_t hash, Same same, bool& is_new) {
    std::size_t at = hash & mask_;
    for (;; at = (at + 1) & mask_) {
      Slot& slot = slots_[at];
      if (slot.key == key && (!key.is_hash() || same(slot.number))) [[likely]] {
        is_new = false;
        return slot;
      }
      if (slot.key.high == 0) break;
    }
    is_new = true;
    if (2 * (size_ + 1) > slots_.size()) {
      grow();
      at = free_slot(hash);
    }
    slots_[at] = {key, static_cast<std::uint32_t>(size_++)};
    return slots_[at];
  }

  // Keeps its room.
  void clear() {
    if (size_ > 0) std::ranges::fill(slots_, Slot{});
    size_ = 0;
  }

 private:
  static constexpr std::size_t kFirstSlots = std::size_t{1} << 12;

  std::size_t free_slot(std::uint64_t hash) const noexcept {
    std::size_t at = hash & mask_;
    while (slots_[at].key.high != 0) at = (at + 1) & mask_;
    return at;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.key.high != 0) slots_[free_slot(slot.key.hash())] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two, at most half full; a term lies in the first free slot from its own on
  std::size_t mask_;
  std::size_t size_ = 0;
};

}  // namespace plumb
