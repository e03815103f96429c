// Sums of bit planes against sums of numbers, in every table.
#include "plumb/math/planes.h"

#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace plumb::math::planes_test {
namespace {

using testing::Random;
using testing::tables;

TEST(Planes, ThreeAndSevenBitsAreAddedIntoTheirBinaryDigits) {
  Random random(1);
  for (const Kernels* const table : tables())
    for (const std::size_t words : {8u, 16u, 64u}) {
      const std::size_t stride = words + 3;
      std::vector<std::uint64_t> planes(9 * stride), slots(4 * kPlaneWords, 99);
      for (std::uint64_t& each : planes) each = random.engine();
      // 0 to 6 into slots 0, 1 and 2; then the sum with 7 and 8 into itself and slot 3.
      const std::vector<PlaneStep> steps = {{7, {0, 1, 2, 3, 4, 5, 6}, {0, 1, 2}}, {3, {~0, 7, 8}, {0, 3}}};
      table->add_planes(steps.data(), steps.size(), planes.data(), stride, slots.data(), words);
      for (std::size_t row = 0; row < 64 * words; ++row) {
        const auto bit = [&](const std::uint64_t* from) { return from[row / 64] >> row % 64 & 1; };
        std::uint64_t sum = 0;
        for (std::size_t p = 0; p < 9; ++p) sum += bit(&planes[p * stride]);
        const std::uint64_t* const slot = slots.data();
        ASSERT_EQ(
            bit(slot) + 2 * (bit(slot + kPlaneWords) + bit(slot + 3 * kPlaneWords)) + 4 * bit(slot + 2 * kPlaneWords),
            sum)
            << name(table->simd) << ' ' << row;
      }
      for (std::size_t w = words; w < kPlaneWords; ++w) ASSERT_EQ(slots[w], 99u) << "beyond the rows";
    }
}

TEST(Planes, NumbersAreMadeOfTheirDigits) {
  Random random(2);
  for (const Kernels* const table : tables())
    for (const std::size_t digits : {0u, 1u, 7u, 30u}) {
      constexpr std::size_t kRows = 192;
      std::vector<std::uint64_t> bits((digits + 1) * (kRows / 64) + 1);
      for (std::uint64_t& each : bits) each = random.engine();
      std::vector<const std::uint64_t*> planes;
      for (std::size_t p = 0; p <= digits; ++p) planes.push_back(&bits[p * (kRows / 64)]);
      std::vector<std::int32_t> start(kRows), found(kRows);
      for (std::int32_t& each : start) each = static_cast<std::int32_t>(random.below(2001)) - 1000;
      table->planes_to_numbers(planes.data(), digits, planes[digits], start.data(), kRows, found.data());
      for (std::size_t row = 0; row < kRows; ++row) {
        const auto bit = [&](std::size_t p) { return static_cast<std::int32_t>(planes[p][row / 64] >> row % 64 & 1); };
        std::int32_t sum = 0;
        for (std::size_t p = 0; p < digits; ++p) sum += bit(p) << p;
        ASSERT_EQ(found[row], start[row] + (bit(digits) != 0 ? -sum : sum)) << name(table->simd);
      }
    }
}

}  // namespace
}  // namespace plumb::math::planes_test
