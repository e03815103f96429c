// What a token is found by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "plumb/base/digest.h"

namespace plumb {

// A text of up to 15 bytes is its own key, with its length + 1 in the last byte, so that no key is 0; of a longer one
// the key is a hash, and its text is compared too. So nothing is taken for equal because its hash is.
struct TermKey {
  std::uint64_t low;
  std::uint64_t high;

  static constexpr std::size_t kLongestInside = 15;
  static constexpr std::uint64_t kLong = std::uint64_t{0xFF} << 56;

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
    return {low & kMasks[length].low, (high & kMasks[length].high) | std::uint64_t{length + 1} << 56};
  }

  std::uint64_t hash() const noexcept {
    __extension__ using Wide = unsigned __int128;
    const std::uint64_t a = low ^ 0xA0761D6478BD642F, b = high ^ 0xE7037ED1A0B428DB;
    return (a * b) ^ static_cast<std::uint64_t>(Wide{a} * b >> 64);  // halves apart: a compiler keeps them in registers
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

}  // namespace plumb
