// The key of a token.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "plumb/base/digest.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace plumb {

// A text of up to 15 bytes is its own key, with its length + 1 in the last byte, so that no key is 0; the key of a
// longer one is a hash, and its text is compared too. So equal hashes never make different texts equal.
struct alignas(16) TermKey {
  std::uint64_t low;
  std::uint64_t high;

  static constexpr std::size_t kLongestInside = 15;
  static constexpr std::uint64_t kLong = std::uint64_t{0xFF} << 56;

  // Without a branch: whether the first half is equal is unpredictable.
  bool operator==(const TermKey& other) const noexcept {
#ifdef __SSE2__
    return _mm_movemask_epi8(_mm_cmpeq_epi8(in_register(this), in_register(&other))) == 0xFFFF;
#else
    return ((low ^ other.low) | (high ^ other.high)) == 0;
#endif
  }
  bool is_hash() const noexcept { return high >= kLong; }

  // Reads 16 bytes, whatever the length: that many must be readable.
  static TermKey of_text(const char* text, std::size_t length) noexcept {
    if (length > kLongestInside) [[unlikely]] {
      const auto [high, low] = digest128({text, length});
      return {low, high | kLong};
    }
    const Mask& mask = kMasks[length];
    TermKey key;
#ifdef __SSE2__
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
    const __m128i inside = _mm_and_si128(bytes, in_register(mask.bytes));
    _mm_store_si128(reinterpret_cast<__m128i*>(&key), _mm_or_si128(inside, in_register(mask.length)));
#else
    std::memcpy(&key, text, 16);
    key = {key.low & mask.bytes[0], (key.high & mask.bytes[1]) | mask.length[1]};
#endif
    return key;
  }

  // The upper bits are better distributed.
  std::uint64_t hash() const noexcept { return (low ^ 0xA0761D6478BD642F) * (high ^ 0xE7037ED1A0B428DB); }

 private:
  // By length: the mask of the first 16 bytes of a text, and what is added to them.
  struct Mask {
    alignas(16) std::uint64_t bytes[2], length[2];
  };
#ifdef __SSE2__
  static __m128i in_register(const void* aligned) noexcept {
    return _mm_load_si128(static_cast<const __m128i*>(aligned));
  }
#endif
  static constexpr std::array<Mask, kLongestInside + 1> kMasks = [] {
    std::array<Mask, kLongestInside + 1> masks{};
    for (std::size_t length = 0; length <= kLongestInside; ++length) {
      for (std::size_t i = 0; i < length; ++i) masks[length].bytes[i / 8] |= std::uint64_t{0xFF} << 8 * (i % 8);
      masks[length].length[1] = std::uint64_t{length + 1} << 56;
    }
    return masks;
  }();
};

}  // namespace plumb
