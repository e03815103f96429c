// Functions made of others, against MPFR.
#include "plumb/math/functions.h"

#include "plumb/base/testing.h"
#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb::math::functions_test {
namespace {

using testing::Exact;
using testing::infinity;
using testing::nan;
using testing::Random;
using testing::same;
using testing::ulps;

struct Case {
  const char* name;
  double (*function)(double);
  int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  double from, to;
};

const Case kCases[] = {
    {"tan", tan, mpfr_tan, -100, 100},  {"asin", asin, mpfr_asin, -1, 1},     {"acos", acos, mpfr_acos, -1, 1},
    {"atan", atan, mpfr_atan, -20, 20}, {"sinh", sinh, mpfr_sinh, -710, 710}, {"cosh", cosh, mpfr_cosh, -710, 710},
    {"tanh", tanh, mpfr_tanh, -25, 25}, {"erf", erf, mpfr_erf, -7, 7},        {"cbrt", cbrt, mpfr_cbrt, -1e9, 1e9}};

TEST(Functions, AreWithinFourUlpOfTheExactValue) {
  const int count = testing::full_run() ? 1'000'000 : sweep_size(20'000);
  for (const Case& each : kCases) {
    Random random(7);
    Exact exact(0.0, 120);
    double worst = 0.0;
    for (int i = 0; i < count; ++i) {
      double x = random.below(2) == 0 ? random.uniform(each.from, each.to) : random.spread(-60, 10);
      if (std::fabs(x) > each.to) x = random.uniform(-1.0, 1.0);
      each.exact(exact.get(), Exact(x, 53).get(), MPFR_RNDN);
      if (!std::isfinite(exact.rounded())) continue;
      worst = std::max(worst, ulps(each.function(x), exact));
      ASSERT_LE(worst, 4.0) << each.name << " of " << std::hexfloat << x;
    }
    std::cout << each.name << ": worst error " << worst << " ulp\n";
  }
}

TEST(Functions, AreRightAtTheEndsOfTheirRange) {
  EXPECT_EQ(asin(1.0), 1.5707963267948966);
  EXPECT_EQ(asin(-1.0), -1.5707963267948966);
  EXPECT_EQ(acos(-1.0), 3.141592653589793);
  EXPECT_EQ(acos(1.0), 0.0);
  EXPECT_EQ(atan(infinity), 1.5707963267948966);
  EXPECT_EQ(tanh(1e300), 1.0);
  EXPECT_EQ(erf(-40.0), -1.0);
  EXPECT_EQ(sinh(-1000.0), -infinity);
  for (const double x : {1.5, -1.5, nan}) {
    EXPECT_TRUE(std::isnan(asin(x)));
    EXPECT_TRUE(std::isnan(acos(x)));
  }
  for (const Case& each : kCases) EXPECT_TRUE(std::isnan(each.function(nan))) << each.name;
  for (const Case& each : kCases) {
    if (each.function == acos || each.function == cosh) continue;
    EXPECT_TRUE(same(each.function(-0.0), -0.0)) << each.name;
  }
}

TEST(Functions, CubeRootsOfCubesAreExact) {
  for (double root = 1.0; root < 100000.0; root += 7.0) ASSERT_EQ(cbrt(root * root * root), root);
  EXPECT_EQ(cbrt(0x1p-1074), std::ldexp(1.0, -358));
  EXPECT_EQ(cbrt(-0x1p1023), -0x1p341);
}

}  // namespace
}  // namespace plumb::math::functions_test
