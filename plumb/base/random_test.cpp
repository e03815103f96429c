#include "plumb/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace plumb::random_test {
namespace {

using Counter = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

// The known answers published with Random123 for philox4x32 with 10 rounds.
TEST(Random, PhiloxGivesThePublishedAnswers) {
  EXPECT_EQ(philox(Counter{0, 0, 0, 0}, Key{0, 0}), (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(Counter{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, Key{0xffffffff, 0xffffffff}),
            (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox(Counter{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, Key{0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The layout of seed, stream and index is part of every published result: key = seed, counter = (index, stream).
TEST(Random, BitsAreTheFirstTwoWordsOfPhilox) {
  const RandomKey key{.seed = 0x299f31d0'a4093822, .stream = 0x03707344'13198a2e};
  EXPECT_EQ(key.bits(0x85a308d3'243f6a88), 0x94fdcceb'd16cfe09u);
}

TEST(Random, DrawsDifferBySeedStreamAndIndex) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (std::uint64_t stream = 0; stream < 10; ++stream) {
      for (std::uint64_t index = 0; index < 10; ++index) seen.insert(RandomKey{seed, stream}.bits(index));
    }
  }
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(Random, NamedStreamsWithDifferentNumbersAreDifferentStreams) {
  const RandomKey key{.seed = 7};
  EXPECT_NE(key.with_stream(Stream::split).stream, key.stream);
  EXPECT_NE(key.with_stream(Stream::split, 1).stream, key.with_stream(Stream::split, 2).stream);
  EXPECT_EQ(key.with_stream(Stream::split, 1).seed, key.seed);
  EXPECT_EQ(key.with_stream(5).stream, 5u);
}

TEST(Random, UniformIsTheTop53BitsAsAFractionBelowOne) {
  const RandomKey key{.seed = 1, .stream = 2};
  for (std::uint64_t index = 0; index < 1000; ++index) {
    const double u = key.uniform(index);
    EXPECT_EQ(std::ldexp(u, 53), static_cast<double>(key.bits(index) >> 11));
    EXPECT_GE(u, 0.0);
    EXPECT_LT(u, 1.0);
  }
}

// Mean 1/2 and variance 1/12 with standard errors sqrt(1/12n) and sqrt(1/180n); six of them either way.
TEST(Random, UniformHasTheMomentsOfTheUniformDistribution) {
  constexpr int n = 1'000'000;
  const RandomKey key{.seed = 3};
  double sum = 0, squares = 0;
  for (std::uint64_t index = 0; index < n; ++index) {
    const double u = key.uniform(index) - 0.5;
    sum += u;
    squares += u * u;
  }
  EXPECT_LT(std::abs(sum / n), 6 * std::sqrt(1.0 / 12 / n));
  EXPECT_LT(std::abs(squares / n - 1.0 / 12), 6 * std::sqrt(1.0 / 180 / n));
}

TEST(Random, BelowStaysBelowItsBound) {
  const RandomKey key{.seed = 4};
  for (const std::uint64_t bound : {1ull, 2ull, 3ull, 10ull, 1ull << 33, (1ull << 63) + 1, ~0ull}) {
    for (std::uint64_t index = 0; index < 200; ++index) EXPECT_LT(key.below(index, bound), bound);
  }
}

TEST(Random, BelowAPowerOfTwoIsTheTopBitsOfTheDraw) {
  const RandomKey key{.seed = 5};
  const Counter words = philox(Counter{9, 0, 0, 0}, Key{5, 0});  // most significant last
  EXPECT_EQ(key.below(9, 1u << 16), words[3] >> 16);
  EXPECT_EQ(key.below(9, 1ull << 32), words[3]);
}

// Compares with the product over 64-bit limbs computed in another way: floor(X b / 2^128) in long division by limbs of
// 32 bits.
TEST(Random, BelowIsTheExactProductWithTheWholeDraw) {
  const RandomKey key{.seed = 6};
  for (std::uint64_t index = 0; index < 1000; ++index) {
    const std::uint64_t bound = key.with_stream(1).bits(index) | 1;
    const Counter x = philox(Counter{static_cast<std::uint32_t>(index), 0, 0, 0}, Key{6, 0});
    std::array<std::uint64_t, 6> sum{};
    for (std::size_t i = 0; i < 4; ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < 2; ++j) {
        const std::uint64_t limb = (bound >> (32 * j)) & 0xffffffff;
        const std::uint64_t t = sum[i + j] + x[i] * limb + carry;
        sum[i + j] = t & 0xffffffff;
        carry = t >> 32;
      }
      sum[i + 2] += carry;
    }
    EXPECT_EQ(key.below(index, bound), sum[5] << 32 | sum[4]);
  }
}

TEST(Random, BelowIsEvenlySpread) {
  constexpr std::uint64_t draws = 700'000, bound = 7;
  const RandomKey key{.seed = 8};
  std::array<std::uint64_t, bound> counts{};
  for (std::uint64_t index = 0; index < draws; ++index) ++counts[key.below(index, bound)];
  double chi_squared = 0;
  for (const auto count : counts) chi_squared += std::pow(static_cast<double>(count) - 1e5, 2) / 1e5;
  EXPECT_LT(chi_squared, 40);  // P(chi2 with 6 degrees > 40) = 5e-7
}

TEST(Random, ShuffledIsAPermutation) {
  for (const std::uint64_t n : {0u, 1u, 2u, 3u, 10u, 1000u}) {
    auto order = RandomKey{.seed = 9}.shuffled(n);
    std::sort(order.begin(), order.end());
    std::vector<std::uint64_t> expected(n);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(order, expected);
  }
}

TEST(Random, ShuffledGivesEveryPermutationEquallyOften) {
  constexpr std::uint64_t trials = 60'000;
  std::array<std::uint64_t, 6> counts{};
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    const auto order = RandomKey{.seed = 10, .stream = trial}.shuffled(3);
    ++counts[order[0] * 2 + (order[1] > order[2])];
  }
  double chi_squared = 0;
  for (const auto count : counts) chi_squared += std::pow(static_cast<double>(count) - 1e4, 2) / 1e4;
  EXPECT_LT(chi_squared, 38);  // P(chi2 with 5 degrees > 38) = 4e-7
}

TEST(Random, ShuffledDependsOnTheKeyAlone) {
  const RandomKey key{.seed = 11, .stream = 12};
  EXPECT_EQ(key.shuffled(100), key.shuffled(100));
  EXPECT_NE(key.shuffled(100), key.with_stream(13).shuffled(100));
  EXPECT_NE(key.shuffled(100), (RandomKey{.seed = 12, .stream = 12}.shuffled(100)));
}

}  // namespace
}  // namespace plumb::random_test
