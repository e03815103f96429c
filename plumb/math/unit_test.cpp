#include "plumb/math/unit.h"

#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb::math::unit_test {
namespace {

using testing::largest;
using testing::nan;
using testing::smallest;

TEST(Unit, BringsTheLargestBetweenAHalfAndOne) {
  testing::Random random(11);
  for (int i = 0; i < 10'000; ++i) {
    const double x = std::abs(random.spread(-1022, 1024));
    const Unit unit = unit_of(x);
    EXPECT_GE(x * unit.scale, 0.5) << x;
    EXPECT_LT(x * unit.scale, 1.0) << x;
    EXPECT_EQ(std::ldexp(x * unit.scale, unit.exponent), x) << "no digit is lost";
  }
  EXPECT_LT(largest * unit_of(largest).scale, 1.0);
}

TEST(Unit, OfNumbersBelowTheNormalOnesIsTheLastPowerOfTwo) {
  EXPECT_EQ(unit_of(smallest).exponent, -1022);
  EXPECT_EQ(unit_of(smallest).scale, 0x1p1022);
  EXPECT_EQ(smallest * unit_of(smallest).scale, 0x1p-52);
}

TEST(Unit, OfNothingIsOne) {
  for (const double none : {0.0, -0.0, -1.0, nan}) {
    EXPECT_EQ(unit_of(none).exponent, 0);
    EXPECT_EQ(unit_of(none).scale, 1.0);
  }
}

}  // namespace
}  // namespace plumb::math::unit_test
