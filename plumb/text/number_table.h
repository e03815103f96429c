// Numbers 0, 1, 2, ... found by a hash of the objects that they number, which are stored elsewhere: a slot takes four
// bytes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "plumb/base/error.h"

namespace plumb {

class NumberTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::size_t kMost = (std::size_t{1} << 31) - 2;

  // With room for that many; it grows if there are more.
  explicit NumberTable(std::size_t expected = 0) : slots_(slots_for(expected)), mask_(slots_.size() - 1) {}
  static std::size_t memory_for(std::size_t expected) noexcept { return slots_for(expected) * sizeof(std::uint32_t); }

  [[noreturn]] static void refuse_more() {
    throw Error(ErrorCode::resources, "more than 2147483646 different terms; fewer were expected", "--hash-bits 22");
  }

  std::size_t size() const noexcept { return size_; }
  std::size_t memory() const noexcept { return slots_.capacity() * sizeof slots_[0]; }

  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&slots_[hash & mask_]); }
  // The number in the first slot for the hash, if its tag matches; otherwise kNone. So the caller can prefetch the
  // object.
  std::uint32_t candidate(std::uint64_t hash) const noexcept {
    const std::uint32_t slot = slots_[hash & mask_];
    return (slot & ~number_mask()) == tag_of(hash) ? (slot & number_mask()) - 1 : kNone;
  }

  // The number for which same(number) holds, or kNone.
  template <class Same>
  std::uint32_t find(std::uint64_t hash, Same same) const {
    for (std::size_t at = hash & mask_; slots_[at] != 0; at = (at + 1) & mask_) {
      if ((slots_[at] & ~number_mask()) != tag_of(hash)) continue;
      const std::uint32_t number = (slots_[at] & number_mask()) - 1;
      if (same(number)) return number;
    }
    return kNone;
  }

  // Otherwise inserts and returns the previous size(). hash_of(number) must return the hash of a number again.
  template <class Same, class HashOf>
  std::uint32_t find_or_add(std::uint64_t hash, Same same, HashOf hash_of) {
    if (const std::uint32_t known = find(hash, same); known != kNone) return known;
    if (size_ >= kMost) refuse_more();
    if (2 * (size_ + 2) > slots_.size()) grow(hash_of);
    place(hash, static_cast<std::uint32_t>(size_));
    return static_cast<std::uint32_t>(size_++);
  }

 private:
  static constexpr std::size_t kFirstSlots = 16;
  static std::size_t slots_for(std::size_t expected) noexcept { return std::bit_ceil(2 * expected + kFirstSlots); }

  // A table of 2^k slots has fewer than 2^(k-1) numbers, so a slot's upper bits are free for bits of the hash.
  std::uint32_t number_mask() const noexcept { return static_cast<std::uint32_t>(mask_ >> 1); }
  std::uint32_t tag_of(std::uint64_t hash) const noexcept {
    return static_cast<std::uint32_t>(hash >> 32) & ~number_mask();
  }

  void place(std::uint64_t hash, std::uint32_t number) noexcept {
    std::size_t at = hash & mask_;
    while (slots_[at] != 0) at = (at + 1) & mask_;
    slots_[at] = tag_of(hash) | (number + 1);
  }

  template <class HashOf>
  void grow(HashOf hash_of) {
    slots_.assign(2 * slots_.size(), 0);
    mask_ = slots_.size() - 1;
    for (std::size_t i = 0; i < size_; ++i) {
      const auto number = static_cast<std::uint32_t>(i);
      place(hash_of(number), number);
    }
  }

  std::vector<std::uint32_t> slots_;  // the number + 1 and a tag; 0 is empty; a power of two, at most half full
  std::size_t mask_;
  std::size_t size_ = 0;
};

}  // namespace plumb
