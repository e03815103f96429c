#include "plumb/text/word_bounds.h"

#include <array>
#include <bit>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace plumb {
namespace {

using Blocks = std::span<const std::uint64_t>;

// The bits of a block that differ from those before them.
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

// In byte k: how many bits are set in bytes 0 to k.
[[gnu::always_inline]] inline std::uint64_t bits_up_to_bytes(std::uint64_t x) noexcept {
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  return ((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101;
}

// As many as 64 bytes usually have are always written, needed or not: the branch is then well predicted.
std::uint32_t* put_changes(Blocks blocks, std::uint64_t next, bool drop_single, std::uint32_t first,
                           WordBounds::Before& before, std::uint32_t* out) noexcept {
  constexpr std::size_t mostly = 24;
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  for (std::size_t k = 0; k < blocks.size(); ++k, first += 64) {
    std::uint64_t changes = changes_in(blocks, k, next, drop_single, before);
    const std::size_t count = bits_up_to_bytes(changes) >> 56;
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

#ifdef __SSE2__

// The positions of the set bits of a byte, a byte for each, the lowest first.
constexpr std::array<std::uint64_t, 256> kPlacesInByte = [] {
  std::array<std::uint64_t, 256> places{};
  for (unsigned byte = 0; byte < 256; ++byte)
    for (unsigned bit = 0, count = 0; bit < 8; ++bit)
      if ((byte >> bit & 1u) != 0) places[byte] |= std::uint64_t{bit} << 8 * count++;
  return places;
}();

// The places of each byte are looked up and all eight written, after those of the bytes before: their numbers are known
// for all at once, so that no byte waits for another.
[[gnu::target("avx2")]] std::uint32_t* put_changes_avx2(Blocks blocks, std::uint64_t next, bool drop_single,
                                                        std::uint32_t first, WordBounds::Before& before,
                                                        std::uint32_t* out) noexcept {
  __m256i base = _mm256_set1_epi32(static_cast<int>(first));
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const std::uint64_t changes = changes_in(blocks, k, next, drop_single, before);
    const std::uint64_t up_to = bits_up_to_bytes(changes);
    for (unsigned byte = 0; byte < 8; ++byte) {
      const std::uint64_t& places = kPlacesInByte[changes >> 8 * byte & 255];
      const __m256i wide = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&places)));
      std::uint32_t* const to = out + (byte == 0 ? 0 : up_to >> (8 * byte - 8) & 255);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_add_epi32(wide, base));
      base = _mm256_add_epi32(base, _mm256_set1_epi32(8));
    }
    out += up_to >> 56;
  }
  return out;
}

// Of 16 places the ones with set bits are compressed together, and all 16 written.
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
      out += __builtin_popcount(here);
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
