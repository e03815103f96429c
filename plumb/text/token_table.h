// Tokens found by their keys, by open addressing.
//
// A token's slot, half a cache line, contains all that counting needs. It comes from memory late, so a caller with many
// keys prefetches all slots, and then reads them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plumb/base/huge_pages.h"
#include "plumb/text/term_key.h"

namespace plumb {

class TokenTable {
 public:
  struct Slot {
    TermKey key = {0, 0};  // no token's key, because a key contains its length
    // The caller's:
    std::uint64_t value = 0;
    std::uint32_t term = 0;
    std::uint32_t place = 0;  // of its last entry

    bool free() const noexcept { return key.high == 0; }
  };

  TokenTable() : slots_(kFirstSlots), shift_(shift_of(kFirstSlots)) {}

  std::size_t size() const noexcept { return size_; }

  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&slots_[hash >> shift_], 1); }

  // The table until slots move, in registers for many keys.
  class Places {
   public:
    explicit Places(TokenTable& table) noexcept : slots_(table.slots_.data()), shift_(table.shift_) {}
    // Prefetches the slot of the key, unless it is new or others took that slot: then that of another, or a free one.
    Slot* expect(std::uint64_t hash) const noexcept {
      Slot* const slot = slots_ + (hash >> shift_);
      __builtin_prefetch(slot, 1);
      return slot;
    }

   private:
    Slot* slots_;
    unsigned shift_;
  };

  // The other slot of the cache line, which is checked next.
  static Slot* beside(Slot* slot) noexcept {
    return reinterpret_cast<Slot*>(reinterpret_cast<std::uintptr_t>(slot) ^ sizeof(Slot));
  }

  struct Found {
    Slot& slot;
    bool is_new;
  };
  // The slot of a token, which the caller fills if it is new. For a key that is a hash, same(slot) says whether the
  // slot is that of the text.
  template <class Same>
  Found find_or_add(const TermKey& key, Same same) {
    reserve(1);
    std::size_t at = key.hash() >> shift_;
    for (std::size_t step = 0; !slots_[at].free(); at = next(at, step++))
      if (slots_[at].key == key && (!key.is_hash() || same(std::as_const(slots_[at])))) return {slots_[at], false};
    slots_[at] = Slot{key};
    ++size_;
    return {slots_[at], true};
  }
  // Slots stay in place while that many are added.
  void reserve(std::size_t more) {
    if (8 * (size_ + more) > 5 * slots_.size()) grow(size_ + more);
  }

  template <class Change>
  void for_each(Change change) {
    for (Slot& slot : slots_)
      if (!slot.free()) change(slot);
  }

  void clear() { *this = TokenTable(); }

 private:
  static constexpr std::size_t kFirstSlots = std::size_t{1} << 11;
  static unsigned shift_of(std::size_t slots) noexcept { return 65 - static_cast<unsigned>(std::bit_width(slots)); }
  static_assert(sizeof(Slot) == 32);  // half a line; HugePages begins at the border of a line

  // Where to look after that many steps: first at the other slot of the cache line, which is already loaded, then at
  // the next line.
  std::size_t next(std::size_t at, std::size_t step) const noexcept {
    return step % 2 == 0 ? at ^ 1 : ((at ^ 1) + 2) & (slots_.size() - 1);
  }

  // Tokens in their first slot keep it: they were met early, as common tokens are.
  void grow(std::size_t size) {
    std::size_t slots = slots_.size();
    while (8 * size > 5 * slots) slots *= 2;
    std::vector<Slot, HugePages<Slot>> old(slots);
    old.swap(slots_);
    const unsigned old_shift = std::exchange(shift_, shift_of(slots));
    for (const bool at_home : {true, false}) {
      for (std::size_t i = 0; i < old.size(); ++i) {
        if (old[i].free()) continue;
        const std::uint64_t hash = old[i].key.hash();
        if (((hash >> old_shift) == i) != at_home) continue;
        std::size_t at = hash >> shift_;
        for (std::size_t step = 0; !slots_[at].free(); ++step) at = next(at, step);
        slots_[at] = old[i];
      }
    }
  }

  std::vector<Slot, HugePages<Slot>> slots_;  // a power of two, at most 5/8 full; a token is in the first free one
  unsigned shift_;                            // of a hash, so that the remaining bits number the places
  std::size_t size_ = 0;
};

}  // namespace plumb
