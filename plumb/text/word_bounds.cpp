#include "plumb/text/word_bounds.h"

#include <bit>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace plumb {
namespace {

using Blocks = std::span<const std::uint64_t>;

// The bits of a block that differ from those in front of them.
[[gnu::always_inline]] inline std::uint64_t changes_in(Blocks blocks, std::size_t k, std::uint64_t next,
                                                       bool drop_single, WordBounds::Before& before) noexcept {
  std::uint64_t word = blocks[k];
  const std::uint64_t last = word >> 63;
  if (drop_single) {
    const std::uint64_t behind = k + 1 < blocks.size() ? blocks[k + 1] : next;
    word &= (word << 1 | before.bit) | (word >> 1 | behind << 63);
  }
  const std::uint64_t changes = word ^ (word << 1 | before.kept_bit);
  before = {last, word >> 63};
  return changes;
}

// Without the instruction std::popcount is a call.
template <bool has_popcount>
[[gnu::always_inline]] inline std::size_t bits_in(std::uint64_t x) noexcept {
  if constexpr (has_popcount) return static_cast<std::size_t>(__builtin_popcountll(x));
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  return ((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56;
}

// So many as 64 bytes mostly hold are always written, whether there are so many or not: the branch is seldom guessed
// wrong.
template <bool has_popcount>
[[gnu::always_inline]] inline std::uint32_t* put_each(Blocks blocks, std::uint64_t next, bool drop_single,
                                                      std::uint32_t first, WordBounds::Before& before,
                                                      std::uint32_t* out) noexcept {
  constexpr std::size_t mostly = 24;
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  for (std::size_t k = 0; k < blocks.size(); ++k, first += 64) {
    std::uint64_t changes = changes_in(blocks, k, next, drop_single, before);
    const std::size_t count = bits_in<has_popcount>(changes);
    for (std::size_t i = 0; i < count; i += mostly) {
      for (std::size_t j = 0; j < mostly; ++j) {
        out[i + j] = first + static_cast<std::uint32_t>(__builtin_ctzll(changes | top));
        changes &= changes - 1;
      }
    }
    out += count;
  }
  return out;
}

std::uint32_t* put_changes(Blocks blocks, std::uint64_t next, bool drop_single, std::uint32_t first,
                           WordBounds::Before& before, std::uint32_t* out) noexcept {
  return put_each<false>(blocks, next, drop_single, first, before, out);
}

#ifdef __SSE2__

[[gnu::target("avx2,bmi,popcnt")]] std::uint32_t* put_changes_avx2(Blocks blocks, std::uint64_t next, bool drop_single,
                                                                   std::uint32_t first, WordBounds::Before& before,
                                                                   std::uint32_t* out) noexcept {
  return put_each<true>(blocks, next, drop_single, first, before, out);
}

// Of 16 places those whose bits are set are moved together, and all 16 written.
[[gnu::target("avx512f,bmi,popcnt")]] std::uint32_t* put_changes_avx512(Blocks blocks, std::uint64_t next,
                                                                        bool drop_single, std::uint32_t first,
                                                                        WordBounds::Before& before,
                                                                        std::uint32_t* out) noexcept {
  __m512i places = _mm512_add_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                                    _mm512_set1_epi32(static_cast<int>(first)));
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    std::uint64_t changes = changes_in(blocks, k, next, drop_single, before);
    for (unsigned part = 0; part < 4; ++part, changes >>= 16) {
      const auto here = static_cast<std::uint16_t>(changes);
      _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(here, places));
      out += bits_in<true>(here);
      places = _mm512_add_epi32(places, _mm512_set1_epi32(16));
    }
  }
  return out;
}

#endif

}  // namespace

WordBounds::WordBounds(math::Simd simd) : put_changes_(put_changes_by(simd)) {}

WordBounds::PutChanges WordBounds::put_changes_by(math::Simd simd) noexcept {
#ifdef __SSE2__
  if (simd == math::Simd::avx512) return put_changes_avx512;
  if (simd == math::Simd::avx2) return put_changes_avx2;
#endif
  (void)simd;
  return put_changes;
}

}  // namespace plumb
