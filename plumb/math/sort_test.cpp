// Keys in every table against std::sort.
#include "plumb/math/sort.h"

#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace plumb::math::sort_test {
namespace {

using testing::Random;
using testing::tables;

TEST(SortKeys, AreThoseOfStdSortForEverySizeInEveryTable) {
  Random random(3);
  for (const Kernels* const table : tables())
    for (std::size_t n = 0; n < 1300; n += n < 600 ? 1 : 7)
      for (const std::uint32_t most : {3u, 1000u, 0xFFFFFFFFu}) {
        std::vector<std::uint32_t> keys(n + 1), room(n + 1, 77);
        for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random.engine() % (std::uint64_t{most} + 1));
        if (n > 2 && most == 0xFFFFFFFFu) keys[n / 2] = most;  // equal to the padding of a network
        std::vector<std::uint32_t> expected(keys.begin(), keys.end() - 1);
        std::sort(expected.begin(), expected.end());
        keys.back() = 5;
        const std::uint32_t* const found = table->sort_keys(keys.data(), n, room.data());
        ASSERT_TRUE(found == keys.data() || found == room.data());
        ASSERT_EQ(std::vector<std::uint32_t>(found, found + n), expected) << n << " keys up to " << most;
        ASSERT_EQ(keys.back(), 5u);
        ASSERT_EQ(room.back(), 77u);
      }
}

}  // namespace
}  // namespace plumb::math::sort_test
