// Finds the number of a term by its key: an open-addressing table over records that lie in the order of numbers. Common
// terms are met early, so their records share a few cache lines, and a slot takes eight bytes.
#pragma once

#include <algorithm>
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

  bool operator==(const TermKey&) const = default;
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
    // Shifts by 64 are undefined, so whole bytes go in two steps or not at all.
    const std::uint64_t low_mask = length >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * length) - 1;
    const std::uint64_t high_mask = length <= 8 ? 0 : (std::uint64_t{1} << 8 * (length - 8)) - 1;
    return {low & low_mask, (high & high_mask) | std::uint64_t{length} << 56};
  }
  static TermKey of_ngram(std::uint32_t prefix, std::uint32_t last) noexcept {
    return {std::uint64_t{prefix} << 32 | last, kNgram};
  }

  std::uint64_t hash() const noexcept {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{low ^ 0xA0761D6478BD642F} * (high ^ 0xE7037ED1A0B428DB);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
};

class TermIndex {
 public:
  struct Record {
    TermKey key;
    std::uint64_t document = 0;  // the last one that held the term, counted from 1
    std::uint32_t place = 0;     // of its entry there
    std::uint32_t value = 0;     // the caller's
  };

  TermIndex() { clear(); }

  std::size_t size() const noexcept { return records_.size(); }
  Record& operator[](std::uint32_t number) noexcept { return records_[number]; }

  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&slots_[hash & mask_]); }

  // The number of the key, which is new if it is size(): then the caller adds it at once. same(number) says whether a
  // long text is that of the number.
  template <class Same>
  std::uint32_t find(const TermKey& key, std::uint64_t hash, Same same) const noexcept {
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const Slot slot = slots_[at];
      if (slot.number == kEmpty) return static_cast<std::uint32_t>(records_.size());
      if (slot.tag == tag && records_[slot.number].key == key && (!key.is_hash() || same(slot.number))) {
        return slot.number;
      }
    }
  }

  void add(const TermKey& key, std::uint64_t hash) {
    if (2 * (records_.size() + 1) > slots_.size()) grow();
    place(hash, static_cast<std::uint32_t>(records_.size()));
    records_.push_back({key});
  }

  void clear() {
    records_.clear();
    slots_.assign(kFirstSlots, {});
    mask_ = kFirstSlots - 1;
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
  static constexpr std::size_t kFirstSlots = std::size_t{1} << 12;
  struct Slot {
    std::uint32_t tag = 0;  // the upper half of the hash
    std::uint32_t number = kEmpty;
  };

  void place(std::uint64_t hash, std::uint32_t number) noexcept {
    std::size_t at = hash & mask_;
    while (slots_[at].number != kEmpty) at = (at + 1) & mask_;
    slots_[at] = {static_cast<std::uint32_t>(hash >> 32), number};
  }

  void grow() {
    slots_.assign(4 * slots_.size(), {});
    mask_ = slots_.size() - 1;
    for (std::size_t i = 0; i < records_.size(); ++i) place(records_[i].key.hash(), static_cast<std::uint32_t>(i));
  }

  std::vector<Slot> slots_;  // a power of two, at most half full; a number lies in the first free slot from its own on
  std::size_t mask_ = 0;
  std::vector<Record> records_;
};

}  // namespace plumb
