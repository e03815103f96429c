// Where the words of a scanned document begin and end, some at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "plumb/text/word_scan.h"

namespace plumb {

struct WordBounds {
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kMost = kBatch + 32;  // as 64 bytes hold up to 32 words

  std::array<std::uint32_t, kMost + 8> begin, end;

  // use(bounds, count) for all words of at least min_length characters, in order, at most kMost at a time.
  template <class Use>
  static void for_each_batch(const WordScan& scan, std::uint32_t min_length, Use use);

 private:
  static constexpr std::uint64_t kTop = std::uint64_t{1} << 63;

  // std::popcount is a call where the compiler may not take the instruction for granted.
  static std::size_t bits_in(std::uint64_t x) noexcept {
    x -= x >> 1 & 0x5555555555555555;
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    return ((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56;
  }

  // The places of `count` bits that are set, counted from `first` on. So many as 64 bytes mostly hold are always
  // written, whether there are so many or not: the branch is seldom guessed wrong. There is room for 40.
  [[gnu::always_inline]] static void put_bits(std::uint64_t bits, std::size_t count, std::size_t first,
                                              std::uint32_t* out) noexcept {
    constexpr std::size_t mostly = 12;
    const auto from = static_cast<std::uint32_t>(first);
    std::size_t i = 0;
    do {
      for (std::size_t j = 0; j < mostly; ++j) {
        out[i + j] = from + static_cast<std::uint32_t>(__builtin_ctzll(bits | kTop));
        bits &= bits - 1;
      }
      i += mostly;
    } while (i < count);
  }

  // All but the bytes that go on with a character, whose two upper bits are 10. Reads 8 bytes, whatever the length.
  static std::size_t characters_in(const char* text, std::size_t bytes) noexcept {
    if (bytes <= 8) {
      std::uint64_t all;
      std::memcpy(&all, text, 8);
      all <<= 8 * (8 - bytes) & 63;
      return bytes - bits_in(all & ~(all << 1) & 0x8080808080808080);
    }
    return static_cast<std::size_t>(std::count_if(text, text + bytes, [](char c) { return (c & 0xC0) != 0x80; }));
  }

  // Takes out what has too few characters.
  std::size_t keep_long(const WordScan& scan, std::uint32_t min_length, std::size_t count) noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t from = begin[i], length = end[i] - from;
      // A character has at most 4 bytes.
      const bool surely = scan.ascii() || length >= 4 * std::size_t{min_length};
      begin[kept] = from;
      end[kept] = from + length;
      kept += (surely ? length : characters_in(scan.text() + from, length)) >= min_length ? 1 : 0;
    }
    return kept;
  }
};

template <class Use>
void WordBounds::for_each_batch(const WordScan& scan, std::uint32_t min_length, Use use) {
  const std::span<const std::uint64_t> words = scan.words();
  // In ASCII, runs of one byte are taken out here, where 64 are looked at together: every sixth word of English.
  const bool drop_single = scan.ascii() && min_length > 1;
  const bool drop_short = !scan.ascii() || min_length > 2;
  WordBounds bounds;
  std::size_t begun = 0, ended = 0;
  std::uint64_t before = 0, kept_before = 0;
  const auto hand_on = [&] { use(bounds, drop_short ? bounds.keep_long(scan, min_length, ended) : ended); };
  for (std::size_t k = 0; k < words.size(); ++k) {
    std::uint64_t word = words[k];
    const std::uint64_t last = word >> 63;
    if (drop_single) {
      const std::uint64_t next = k + 1 < words.size() ? words[k + 1] : 0;
      word &= (word << 1 | before) | (word >> 1 | next << 63);
    }
    const std::uint64_t shifted = word << 1 | kept_before;
    const std::size_t begins = bits_in(word & ~shifted);
    const std::size_t ends = begins + kept_before - (word >> 63);
    put_bits(word & ~shifted, begins, 64 * k, bounds.begin.data() + begun);
    put_bits(shifted & ~word, ends, 64 * k, bounds.end.data() + ended);
    begun += begins;
    ended += ends;
    before = last;
    kept_before = word >> 63;
    if (ended >= kBatch - 4) {
      const std::uint32_t open = bounds.begin[begun - 1];  // of a word that has not ended
      hand_on();
      bounds.begin[0] = open;
      begun -= ended;
      ended = 0;
    }
  }
  if (kept_before != 0) bounds.end[ended++] = static_cast<std::uint32_t>(scan.size());
  hand_on();
}

}  // namespace plumb
