#include "plumb/math/tally.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "plumb/math/simd.h"
#include "plumb/math/testing.h"

namespace plumb::math::tally_test {
namespace {

template <class Name>
void append(std::vector<std::uint8_t>& bytes, Name name) {
  bytes.resize(bytes.size() + sizeof name);
  std::memcpy(bytes.data() + bytes.size() - sizeof name, &name, sizeof name);
}

TEST(Tally, ScoresAndStepsAreThoseOfColumnsAndCounts) {
  testing::Random random(4);
  for (const std::uint32_t columns : {3u, 256u, 300u, 65790u, 65791u, 65792u, 80'000u})
    for (const Kernels* const table : testing::tables())
      for (int trial = 0; trial < 20; ++trial) {
        std::vector<std::int64_t> w(columns), counts(columns);
        std::vector<std::int16_t> whole(tally_places(columns));
        for (std::uint32_t j = 0; j < columns; ++j)
          whole[tally_place(j)] =
              static_cast<std::int16_t>(w[j] = static_cast<std::int64_t>(random.below(2000)) - 1000);
        for (std::size_t t = random.below(80); t > 0; --t)
          counts[random.below(1 + random.below(columns))] += static_cast<std::int64_t>(1 + random.below(3));
        std::vector<std::uint8_t> bytes(kTallied);
        std::vector<std::uint16_t> near;
        std::vector<std::uint32_t> far;
        std::int64_t score = 0;
        for (std::uint32_t j = 0; j < columns; ++j) {
          score += counts[j] * w[j];
          if (j < kTallied) bytes[j] = static_cast<std::uint8_t>(counts[j]);
          for (std::int64_t c = 0; c < counts[j] && j >= kTallied; ++c)
            if (j < kTallied + kNear)
              near.push_back(static_cast<std::uint16_t>(j - kTallied));
            else
              far.push_back(static_cast<std::uint32_t>(tally_place(j) - kFarPlaces));
        }
        TallyRow row{nullptr, static_cast<std::uint32_t>(near.size()), static_cast<std::uint32_t>(far.size())};
        near.resize(filled_up(near.size(), kNearStep), kNear);
        far.resize(filled_up(far.size(), kFarStep), static_cast<std::uint32_t>(whole.size() - 1 - kFarPlaces));
        for (const std::uint16_t name : near) append(bytes, name);
        for (const std::uint32_t name : far) append(bytes, name);
        row.begin = bytes.data();
        ASSERT_EQ(table->tally_score(row, whole.data()), score);
        for (const int sign : {1, -1, -1}) {
          table->tally_move(row, sign, whole.data());
          for (std::uint32_t j = 0; j < columns; ++j) ASSERT_EQ(whole[tally_place(j)], w[j] += sign * counts[j]);
          ASSERT_EQ(whole[kFarPlaces - 1], 0);
          ASSERT_EQ(whole.back(), 0);
        }
      }
}

}  // namespace
}  // namespace plumb::math::tally_test
