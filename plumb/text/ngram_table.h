// N-grams found by their two parts, by open addressing. An n-gram's slot contains all that counting needs; four slots
// share a cache line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plumb/base/huge_pages.h"

namespace plumb {

class NgramTable {
 public:
  // A slot is free if its place is before the first one of the piece. So a new piece frees all slots at once, and
  // nothing is cleared.
  struct Slot {
    std::uint64_t parts = 0;  // the n-gram without its last token in the upper half, that token in the lower
    std::uint32_t term = 0;   // its number in the piece
    std::uint32_t place = 0;  // of its last entry
  };

  NgramTable() : slots_(kFirstSlots), mask_(kFirstSlots - 1) {}

  static std::uint64_t hash_of(std::uint64_t parts) noexcept {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{parts ^ 0xA0761D6478BD642F} * 0xE7037ED1A0B428DB;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  // The table until it grows, in registers for many n-grams.
  class Places {
   public:
    explicit Places(NgramTable& table) noexcept : slots_(table.slots_.data()), mask_(table.mask_) {}

    void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(slots_ + (hash & mask_), 1); }
    // The slot of the parts, or a free one for them. Which of the two is unpredictable, so the first slot is checked
    // without a branch.
    Slot& slot_of(std::uint64_t parts, std::uint64_t hash, std::uint32_t first_place) const noexcept {
      std::size_t at = hash & mask_;
      while (!((slots_[at].parts == parts) | (slots_[at].place < first_place))) at = (at + 1) & mask_;
      return slots_[at];
    }

   private:
    Slot* slots_;
    std::size_t mask_;
  };

  // Makes room for that many more beside the `size` existing ones.
  void reserve(std::size_t size, std::size_t more, std::uint32_t first_place) {
    if (2 * (size + more) > slots_.size()) grow(size + more, first_place);
  }

  template <class Change>
  void for_each(Change change) {
    for (Slot& slot : slots_) change(slot);
  }

 private:
  static constexpr std::size_t kFirstSlots = std::size_t{1} << 12;

  void grow(std::size_t size, std::uint32_t first_place) {
    std::size_t slots = slots_.size();
    while (2 * size > slots) slots *= 2;
    std::vector<Slot, HugePages<Slot>> old(slots);
    old.swap(slots_);
    mask_ = slots - 1;
    const Places places(*this);
    for (const Slot& slot : old)
      if (slot.place >= first_place) places.slot_of(slot.parts, hash_of(slot.parts), first_place) = slot;
  }

  std::vector<Slot, HugePages<Slot>> slots_;  // a power of two, at most half full
  std::size_t mask_;
};

}  // namespace plumb
