// Tokens found by their keys, by open addressing.
//
// A slot is small, so that many share a cache line, and names a record; records lie in the order they were added, where
// common tokens, which are met early, stand close together. Both come from memory late, so a caller with many keys asks
// for all slots (prefetch), then for all records (candidate), and then looks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "plumb/base/huge_pages.h"
#include "plumb/base/text_list.h"
#include "plumb/text/term_key.h"

namespace plumb {

class TokenTable {
 public:
  // Half a cache line.
  struct Record {
    TermKey key = {};
    std::uint32_t text = 0;  // of a long token, among others of them
    std::uint32_t reserved = 0;
    // The caller's:
    std::uint32_t term = kNew;  // its number
    std::uint32_t place = 0;    // of its last entry
  };
  static constexpr std::uint32_t kNew = 0xFFFFFFFF;

  TokenTable() : slots_(kFirstSlots), mask_(kFirstSlots - 1), records_(1) {}

  std::size_t size() const noexcept { return size_; }
  // Records are numbered from 1 on, in the order they were added.
  Record& operator[](std::uint32_t number) noexcept { return records_[number]; }
  std::uint32_t number_of(const Record& record) const noexcept {
    return static_cast<std::uint32_t>(&record - records_.data());
  }

  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&slots_[hash & mask_]); }
  // The record that the key has, unless it is new or another key took its slot: then that of another, or of none.
  Record& candidate(std::uint64_t hash) noexcept {
    Record& record = records_[slots_[hash & mask_] & record_mask()];
    __builtin_prefetch(&record, 1);
    return record;
  }

  // The record of a token; its term is kNew if it was not there.
  Record& find_or_add(const TermKey& key, std::uint64_t hash, std::string_view text) {
    reserve(1);
    const std::uint32_t tag = tag_of(hash);
    std::size_t at = hash & mask_;
    for (; slots_[at] != 0; at = (at + 1) & mask_) {
      if ((slots_[at] & ~record_mask()) != tag) continue;
      Record& record = records_[slots_[at] & record_mask()];
      if (record.key == key && (!key.is_hash() || texts_[record.text] == text)) return record;
    }
    slots_[at] = tag | static_cast<std::uint32_t>(++size_);
    Record& record = records_[size_];
    record = Record{key, static_cast<std::uint32_t>(texts_.size())};
    if (key.is_hash()) texts_.add(text);
    return record;
  }
  // Records stay where they are while so many are added.
  void reserve(std::size_t more) {
    if (records_.size() <= size_ + more) records_.resize(2 * (size_ + more));
    if (2 * (size_ + more + 1) > slots_.size()) grow(size_ + more);
  }

  template <class Change>
  void for_each(Change change) {
    std::for_each(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(size_ + 1), change);
  }

  // Keeps its room.
  void clear() {
    if (size_ > 0) std::ranges::fill(slots_, 0);
    size_ = 0;
    texts_.clear();
  }

 private:
  static constexpr std::size_t kFirstSlots = std::size_t{1} << 14;

  // A table of 2^k slots has fewer than 2^(k-1) records, so a slot's upper bits are free for bits of the hash. They
  // keep probes from touching the records of other tokens.
  std::uint32_t record_mask() const noexcept { return static_cast<std::uint32_t>(mask_ >> 1); }
  std::uint32_t tag_of(std::uint64_t hash) const noexcept {
    return static_cast<std::uint32_t>(hash >> 32) & ~record_mask();
  }

  void grow(std::size_t size) {
    std::size_t slots = slots_.size();
    while (2 * (size + 1) > slots) slots *= 2;
    slots_.assign(slots, 0);
    mask_ = slots - 1;
    for (std::size_t i = 1; i <= size_; ++i) {
      const std::uint64_t hash = records_[i].key.hash();
      std::size_t at = hash & mask_;
      while (slots_[at] != 0) at = (at + 1) & mask_;
      slots_[at] = tag_of(hash) | static_cast<std::uint32_t>(i);
    }
  }

  // The record, which is above 0 if the slot is taken, and a tag. A power of two, at most half full; a record lies in
  // the first free slot from its own on.
  std::vector<std::uint32_t, HugePages<std::uint32_t>> slots_;
  std::size_t mask_;
  std::vector<Record, HugePages<Record>> records_;  // from 1 on, and room for more
  std::size_t size_ = 0;
  TextList texts_;  // of long tokens, whose keys are hashes
};

}  // namespace plumb
