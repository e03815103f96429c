// Where the words of a scanned document begin and end, some at a time: a word begins and ends where the bits of the
// scan change, so the places of all changes, in order, are the bounds of the words.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "plumb/math/kernels.h"
#include "plumb/text/word_scan.h"

namespace plumb {

// Reuses its memory from document to document. One per thread.
class WordBounds {
 public:
  // With one instruction set, which the machine must have: all give the same result.
  explicit WordBounds(math::Simd simd = math::kernels().simd);

  static constexpr std::size_t kBlocks = 8;           // of 64 bytes, which are processed together
  static constexpr std::size_t kMost = 32 * kBlocks;  // words that end there

  std::uint32_t begin(std::size_t i) const noexcept { return at_[2 * i]; }
  std::uint32_t end(std::size_t i) const noexcept { return at_[2 * i + 1]; }

  // use(count) for all words of at least min_length characters, in order, at most kMost at a time.
  template <class Use>
  void for_each_batch(const WordScan& scan, std::uint32_t min_length, Use use);

  // The state of the bits before a block.
  struct Before {
    std::uint64_t bit = 0;       // the last of them
    std::uint64_t kept_bit = 0;  // the same without words that were dropped
  };

 private:
  // All bytes except continuation bytes, whose two upper bits are 10.
  static std::size_t characters_in(const char* text, std::size_t bytes) noexcept {
    return static_cast<std::size_t>(std::count_if(text, text + bytes, [](char c) { return (c & 0xC0) != 0x80; }));
  }

  // Removes words with too few characters.
  std::size_t keep_long(const WordScan& scan, std::uint32_t min_length, std::size_t count) noexcept {
    const char* const text = scan.text();
    // Two characters or more: longer than the first character, whose first byte gives its length.
    if (min_length == 2)
      return keep_if(count, [&](std::uint32_t from, std::uint32_t length) {
        return length > kBytesByLead[static_cast<unsigned char>(text[from]) >> 4];
      });
    return keep_if(count, [&](std::uint32_t from, std::uint32_t length) {
      // A character has at most 4 bytes.
      const bool surely = scan.ascii() || length >= 4 * std::size_t{min_length};
      return (surely ? length : characters_in(text + from, length)) >= min_length;
    });
  }
  template <class Keep>
  std::size_t keep_if(std::size_t count, Keep keep) noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t from = begin(i), to = end(i);
      at_[2 * kept] = from;
      at_[2 * kept + 1] = to;
      kept += keep(from, to - from) ? 1 : 0;
    }
    return kept;
  }
  static constexpr std::array<std::uint8_t, 16> kBytesByLead = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4};

  // Writes where the bits of some blocks change, counted from `first` on, and returns where the next place goes. Runs
  // of one bit are not words if they are dropped; `next` is the following block.
  using PutChanges = std::uint32_t* (*)(std::span<const std::uint64_t> blocks, std::uint64_t next, bool drop_single,
                                        std::uint32_t first, Before& before, std::uint32_t* out) noexcept;
  static PutChanges put_changes_by(math::Simd simd) noexcept;

  PutChanges put_changes_;
  // Begin and end in turn, preceded by the begin of an open word; with spare room, because many are written at once.
  std::array<std::uint32_t, 2 * kMost + 2 + 64> at_;
};

template <class Use>
void WordBounds::for_each_batch(const WordScan& scan, std::uint32_t min_length, Use use) {
  const std::span<const std::uint64_t> words = scan.words();
  // Runs of one byte are removed here, where 64 are processed together: every sixth word of English.
  const bool drop_single = min_length > 1;
  const bool drop_short = !scan.ascii() || min_length > 2;
  Before before;
  std::size_t open = 0;  // 1 if a word has begun and not ended
  for (std::size_t from = 0; from < words.size(); from += kBlocks) {
    const std::span<const std::uint64_t> blocks = words.subspan(from, std::min(kBlocks, words.size() - from));
    const bool last = from + kBlocks >= words.size();
    std::uint32_t* end = put_changes_(blocks, last ? 0 : words[from + kBlocks], drop_single,
                                      static_cast<std::uint32_t>(64 * from), before, at_.data() + open);
    if (last && before.kept_bit != 0) *end++ = static_cast<std::uint32_t>(scan.size());
    const auto changes = static_cast<std::size_t>(end - at_.data());
    open = changes % 2;
    const std::uint32_t begun = at_[changes - open];  // of the open word, if there is one
    use(drop_short ? keep_long(scan, min_length, changes / 2) : changes / 2);
    at_[0] = begun;
  }
}

}  // namespace plumb
