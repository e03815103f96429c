#include "plumb/train/presence_bits.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "plumb/math/kernels.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace plumb {
namespace {

#ifdef __SSE2__

// Bits of each byte, by its halves.
[[gnu::target("avx2")]] inline __m256i bits_of_bytes(__m256i bytes) noexcept {
  const __m256i of_half = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                           0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i half = _mm256_set1_epi8(15);
  return _mm256_add_epi8(_mm256_shuffle_epi8(of_half, _mm256_and_si256(bytes, half)),
                         _mm256_shuffle_epi8(of_half, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half)));
}

// One slot is held against four at once: bytes of bits, which are at most 8 in each group, are added up for all groups,
// and then those of each slot.
template <std::size_t kGroups>
[[gnu::target("avx2")]] void count_pairs(const std::uint64_t* bits, std::size_t slots, std::size_t width,
                                         std::uint32_t* pairs) noexcept {
  const __m256i low_halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  for (std::size_t a = 0; a < slots; ++a, pairs += width) {
    __m256i own[kGroups];
    for (std::size_t g = 0; g < kGroups; ++g) own[g] = _mm256_set1_epi64x(static_cast<long long>(bits[g * width + a]));
    for (std::size_t b = 0; b <= a; b += 4) {
      __m256i bytes = _mm256_setzero_si256();
      for (std::size_t g = 0; g < kGroups; ++g) {
        const __m256i four = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bits + g * width + b));
        bytes = _mm256_add_epi8(bytes, bits_of_bytes(_mm256_and_si256(own[g], four)));
      }
      const __m256i sums = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
      auto* const at = reinterpret_cast<__m128i*>(pairs + b);
      const __m128i more = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(sums, low_halves));
      _mm_storeu_si128(at, _mm_add_epi32(_mm_loadu_si128(at), more));
    }
  }
}

#endif

}  // namespace

bool PresenceBits::can() noexcept {
#ifdef __SSE2__
  const math::Simd simd = math::kernels().simd;
  return simd == math::Simd::avx2 || simd == math::Simd::avx512;
#else
  return false;
#endif
}

PresenceBits::PresenceBits(std::size_t slots, std::size_t classes)
    : slots_(slots),
      width_((slots + 3) / 4 * 4),
      bits_(classes * kGroups * width_),
      rows_(classes),
      pairs_(classes * slots * width_) {
  assert(can());
}

void PresenceBits::add(std::span<const std::uint32_t> held, std::size_t label) {
  const std::uint32_t row = rows_[label];
  std::uint64_t* const bits = bits_.data() + (label * kGroups + row / 64) * width_;
  for (const std::uint32_t slot : held) bits[slot] |= std::uint64_t{1} << row % 64;
  if (++rows_[label] == 64 * kGroups) count(label);
}

void PresenceBits::count(std::size_t label) {
  std::uint64_t* const bits = bits_.data() + label * kGroups * width_;
#ifdef __SSE2__
  count_pairs<kGroups>(bits, slots_, width_, pairs_.data() + label * slots_ * width_);
#endif
  std::fill_n(bits, kGroups * width_, 0);
  rows_[label] = 0;
}

void PresenceBits::move_to(std::span<std::uint64_t> pairs) {
  for (std::size_t label = 0; label < rows_.size(); ++label) {
    if (rows_[label] > 0) count(label);
    for (std::size_t a = 0; a < slots_; ++a)
      for (std::size_t b = 0; b <= a; ++b)
        pairs[(label * slots_ + a) * slots_ + b] += std::exchange(pairs_[(label * slots_ + a) * width_ + b], 0);
  }
}

}  // namespace plumb
