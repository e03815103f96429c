#include "plumb/base/random.h"

#include <array>
#include <numeric>
#include <span>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace plumb {
namespace {

constexpr std::uint64_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
constexpr std::uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;  // golden ratio and sqrt(3) - 1

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

struct Draw {
  std::uint64_t low, high;
};

Draw draw(const RandomKey& key, std::uint64_t index) noexcept {
  const auto words =
      philox({low(index), high(index), low(key.stream), high(key.stream)}, {low(key.seed), high(key.seed)});
  return {std::uint64_t{words[1]} << 32 | words[0], std::uint64_t{words[3]} << 32 | words[2]};
}

// floor(X bound / 2^128) of a draw X.
std::uint64_t scaled(const Draw& x, std::uint64_t bound) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide carry = (Wide{x.low} * bound) >> 64;
  return static_cast<std::uint64_t>((Wide{x.high} * bound + carry) >> 64);
}

// Draws first, first + 1, ... for an even number of draws. Two at a time if registers hold two: a word is the lower
// half of a lane, and the upper half of a product is ignored.
void draw_many(const RandomKey& key, std::uint64_t first, std::span<Draw> draws) noexcept {
#ifdef __SSE2__
  const auto same = [](std::uint32_t word) { return _mm_set1_epi64x(word); };
  __m128i keys_0[10], keys_1[10];
  for (std::uint32_t round = 0; round < 10; ++round) {
    keys_0[round] = same(low(key.seed) + round * weyl_0);
    keys_1[round] = same(high(key.seed) + round * weyl_1);
  }
  const __m128i by_0 = same(multiplier_0), by_1 = same(multiplier_1), lower = same(0xffff'ffff);
  for (std::size_t k = 0; k < draws.size(); k += 2) {
    const std::uint64_t a = first + k, b = a + 1;
    __m128i c0 = _mm_set_epi64x(low(b), low(a)), c1 = _mm_set_epi64x(high(b), high(a));
    __m128i c2 = same(low(key.stream)), c3 = same(high(key.stream));
    for (std::size_t round = 0; round < 10; ++round) {
      const __m128i product_0 = _mm_mul_epu32(by_0, c0), product_1 = _mm_mul_epu32(by_1, c2);
      c0 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(product_1, 32), c1), keys_0[round]);
      c2 = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(product_0, 32), c3), keys_1[round]);
      c1 = product_1;
      c3 = product_0;
    }
    const auto joined = [&](__m128i word, __m128i above) {
      return _mm_or_si128(_mm_and_si128(word, lower), _mm_slli_epi64(above, 32));
    };
    const __m128i lows = joined(c0, c1), highs = joined(c2, c3);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&draws[k]), _mm_unpacklo_epi64(lows, highs));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&draws[k + 1]), _mm_unpackhi_epi64(lows, highs));
  }
#else
  for (std::size_t k = 0; k < draws.size(); ++k) draws[k] = draw(key, first + k);
#endif
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = multiplier_0 * counter[0];
    const std::uint64_t product_1 = multiplier_1 * counter[2];
    counter = {high(product_1) ^ counter[1] ^ key[0], low(product_1),  //
               high(product_0) ^ counter[3] ^ key[1], low(product_0)};
    key[0] += weyl_0;
    key[1] += weyl_1;
  }
  return counter;
}

std::uint64_t RandomKey::bits(std::uint64_t index) const noexcept { return draw(*this, index).low; }

double RandomKey::uniform(std::uint64_t index) const noexcept {
  return static_cast<double>(bits(index) >> 11) * 0x1p-53;
}

std::uint64_t RandomKey::below(std::uint64_t index, std::uint64_t bound) const noexcept {
  return scaled(draw(*this, index), bound);
}

std::vector<std::uint64_t> RandomKey::shuffled(std::uint64_t n) const {
  constexpr std::uint64_t kMany = 256;
  std::vector<std::uint64_t> order(n);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::array<Draw, kMany> draws;
  std::uint64_t first = n;  // of the draws already computed
  for (std::uint64_t i = n; i > 1; --i) {
    if (i - 1 < first) {
      first = (i - 1) / kMany * kMany;
      draw_many(*this, first, draws);
    }
    std::swap(order[i - 1], order[scaled(draws[i - 1 - first], i)]);
  }
  return order;
}

}  // namespace plumb
