// Powers and logarithms to bases 2 and 10 against MPFR; exact where the result is.
#include "plumb/math/power.h"

#include "plumb/base/testing.h"
#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb::math::power_test {
namespace {

using testing::Exact;
using testing::infinity;
using testing::largest;
using testing::nan;
using testing::Random;
using testing::same;
using testing::smallest;
using testing::ulps;

int count() { return testing::full_run() ? 20'000'000 : sweep_size(300'000); }

double positive(Random& random) {
  switch (random.below(4)) {
    case 0: return std::fabs(random.spread(-1074, 1024));
    case 1: return 1.0 + random.spread(-54, -1);
    case 2: return std::ldexp(random.near(0.7071067811865476, 20), static_cast<int>(random.below(2000)) - 1000);
    default: return random.uniform(0.0, 10.0);
  }
}

// An exponent that takes x anywhere from underflow to overflow, or a plain one.
double exponent(Random& random, double x) {
  switch (random.below(3)) {
    case 0: return random.uniform(-750.0, 715.0) / std::log(std::fabs(x));
    case 1: return std::trunc(random.uniform(-60.0, 60.0));
    default: return random.spread(-60, 12);
  }
}

TEST(Power, IsWithinOneUlpOfTheExactValue) {
  Random random(21);
  Exact exact(0.0, 120);
  double worst = 0.0, worst_normal = 0.0;
  for (int i = 0; i < count(); ++i) {
    double x = positive(random);
    const double y = exponent(random, x);
    if (!std::isfinite(y)) continue;
    if (std::trunc(y) == y && random.below(2) == 0) x = -x;
    mpfr_pow(exact.get(), Exact(x, 53).get(), Exact(y, 53).get(), MPFR_RNDN);
    const double error = ulps(power(x, y), exact);
    ASSERT_LE(error, 0.76) << std::hexfloat << x << "^" << y;
    worst = std::max(worst, error);
    if (std::fabs(exact.rounded()) >= 0x1p-1022) worst_normal = std::max(worst_normal, error);
  }
  std::cout << "worst error " << worst << " ulp, " << worst_normal << " where the result is not subnormal\n";
  EXPECT_LE(worst_normal, 0.51);
}

TEST(Power, LogarithmsToOtherBasesAreWithinOneUlp) {
  Random random(22);
  Exact exact(0.0, 120);
  double worst = 0.0;
  for (int i = 0; i < count(); ++i) {
    const double x = positive(random);
    if (x == 0.0) continue;
    mpfr_log2(exact.get(), Exact(x, 53).get(), MPFR_RNDN);
    worst = std::max(worst, ulps(math::log2(x), exact));
    mpfr_log10(exact.get(), Exact(x, 53).get(), MPFR_RNDN);
    worst = std::max(worst, ulps(math::log10(x), exact));
    ASSERT_LE(worst, 0.51) << std::hexfloat << x;
  }
  std::cout << "worst error " << worst << " ulp\n";
}

TEST(Power, ThePreciseLogarithmIsWithinItsBound) {
  Random random(23);
  for (int i = 0; i < sweep_size(50'000); ++i) {
    const double x = positive(random);
    if (x == 0.0 || x == 1.0) continue;
    Exact exact(x);
    mpfr_log(exact.get(), exact.get(), MPFR_RNDN);
    ASSERT_LE((abs(Exact(precise_log(x)) - exact) / abs(exact)).rounded(), 0x1p-70) << std::hexfloat << x;
  }
}

TEST(Power, WhatADoubleCanHoldIsExact) {
  for (int k = -1074; k < 1024; ++k) {
    EXPECT_EQ(math::log2(std::ldexp(1.0, k)), k);
    EXPECT_EQ(power(2.0, k), std::ldexp(1.0, k));
    EXPECT_EQ(power(-2.0, k), k % 2 == 0 ? std::ldexp(1.0, k) : -std::ldexp(1.0, k));
  }
  double ten = 1.0;
  for (int k = 0; k <= 22; ++k, ten *= 10.0) {
    EXPECT_EQ(power(10.0, k), ten);
    EXPECT_EQ(math::log10(ten), k);
  }
  for (double n = 1.0; n < 1000.0; ++n) {
    EXPECT_EQ(power(n * n, 0.5), n);
    EXPECT_EQ(power(n, 3.0), n * n * n);
    EXPECT_EQ(power(n * n * n * n, -0.25), 1.0 / n);
  }
}

TEST(Power, ValuesAtTheEnds) {
  EXPECT_TRUE(same(power(0.0, 0.0), 1.0) && same(power(-0.0, -0.0), 1.0) && same(power(-3.5, 0.0), 1.0));
  EXPECT_TRUE(same(power(0.0, 2.5), 0.0) && same(power(-0.0, 3.0), -0.0) && same(power(-0.0, 2.5), 0.0));
  EXPECT_TRUE(same(power(0.0, -1.0), infinity) && same(power(-0.0, -3.0), -infinity));
  EXPECT_TRUE(same(power(-8.0, 1.0 / 3.0), nan) && same(power(-2.0, 0.5), nan));
  EXPECT_TRUE(same(power(largest, 1.0), largest) && same(power(smallest, 1.0), smallest));
  EXPECT_TRUE(same(power(largest, 1.0000000000000002), infinity) && same(power(largest, -largest), 0.0));
  EXPECT_TRUE(same(power(-largest, 3.0), -infinity) && same(power(-largest, -3.0), -0.0));
  EXPECT_TRUE(same(power(1.0, largest), 1.0) && same(power(-1.0, largest), 1.0) && same(power(1.5, smallest), 1.0));
  EXPECT_TRUE(same(power(infinity, 0.0), nan) && same(power(1.0, nan), nan));
  EXPECT_TRUE(same(math::log2(0.0), -infinity) && same(math::log10(-0.0), -infinity));
  EXPECT_TRUE(same(math::log2(-1.0), nan) && same(math::log10(infinity), infinity) && same(math::log2(nan), nan));
}

}  // namespace
}  // namespace plumb::math::power_test
