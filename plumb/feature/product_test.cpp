#include "plumb/feature/product.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "plumb/base/random.h"

namespace plumb::product_test {
namespace {

using Factors = std::vector<PowerOf>;

// With enough bits that nothing is rounded before the end.
double exact(const Factors& factors) {
  mpfr_t product;
  mpfr_init2(product, 53 * 700);
  mpfr_set_d(product, 1.0, MPFR_RNDN);
  for (const PowerOf& factor : factors)
    for (std::uint32_t k = 0; k < factor.power; ++k) mpfr_mul_d(product, product, factor.base, MPFR_RNDN);
  const double rounded = mpfr_get_d(product, MPFR_RNDN);
  mpfr_clear(product);
  return rounded;
}

TEST(Product, OnlyTheResultHasToBeInRange) {
  EXPECT_EQ(product_of(Factors{{1e200, 1}, {1e200, 1}, {1e-300, 1}}), exact({{1e200, 1}, {1e200, 1}, {1e-300, 1}}));
  EXPECT_EQ(product_of(Factors{{1e-200, 1}, {1e-200, 1}, {1e300, 1}}), exact({{1e-200, 1}, {1e-200, 1}, {1e300, 1}}));
  EXPECT_EQ(product_of(Factors{{0x1p1000, 100}, {0x1p-1000, 99}}), 0x1p1000);
  EXPECT_EQ(product_of(Factors{{-0x1p-1074, 1}, {0x1p1023, 1}}), -0x1p-51);
  EXPECT_EQ(product_of(Factors{{-1e308, 3}, {0.0, 1}}), 0.0);
  EXPECT_EQ(product_of(Factors{{0x1.fffffffffffffp1023, 1}, {1.0, 1}}), std::numeric_limits<double>::max());
  EXPECT_EQ(product_of(Factors{{-0x1p512, 1}, {0x1p512, 1}}), -std::numeric_limits<double>::infinity());
}

TEST(Product, SmallResultsAreRoundedOnceOnToTheSubnormalNumbers) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(product_of(Factors{{0x1p-537, 2}}), tiny);
  EXPECT_EQ(product_of(Factors{{0x1p-1074, 1}, {0.5, 1}}), 0.0) << "a tie goes to the even zero";
  EXPECT_EQ(product_of(Factors{{0x1p-1074, 1}, {1.5, 1}}), 2 * tiny) << "and here to two";
  EXPECT_EQ(product_of(Factors{{0x1p-1000, 2}}), 0.0);
  // (1 + 2^-52)^2 / 2 is above one half by less than a double near it could say.
  EXPECT_EQ(product_of(Factors{{1 + 0x1p-52, 2}, {0x1p-1074, 1}, {0.5, 1}}), tiny);
  EXPECT_EQ(product_of(Factors{{1 - 0x1p-53, 2}, {0x1p-1074, 1}, {1.5, 1}}), tiny);
  EXPECT_TRUE(std::signbit(product_of(Factors{{-0x1p-1000, 3}})));
}

// Signs, sizes and powers of every kind, and results in every part of the range, compared with MPFR.
TEST(Product, IsTheNearestDouble) {
  const RandomKey random{11, 0};
  int normal = 0, subnormal = 0, infinite = 0, zero = 0;
  for (std::uint64_t round = 0; round < 40000; ++round) {
    const RandomKey draw = random.with_stream(round);
    Factors factors(2 + draw.below(0, 3));
    double log2_of_result = 0;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const double m = (1 + static_cast<double>(draw.below(10 * i + 1, std::uint64_t{1} << 52)) * 0x1p-52) *
                       (draw.below(10 * i + 2, 2) == 0 ? 1 : -1);
      factors[i].power = static_cast<std::uint32_t>(1 + draw.below(10 * i + 3, 3));
      int exponent = static_cast<int>(draw.below(10 * i + 4, 2000)) - 1000;
      if (i + 1 == factors.size()) {  // moves the result to somewhere around the range
        const double wanted = static_cast<double>(draw.below(10 * i + 5, 2400)) - 1250;
        exponent = static_cast<int>((wanted - log2_of_result) / factors[i].power);
        exponent = std::min(std::max(exponent, -1070), 1020);
      }
      factors[i].base = std::ldexp(m, exponent);
      log2_of_result += factors[i].power * std::log2(std::abs(factors[i].base));
    }
    const double expected = exact(factors);
    ASSERT_EQ(product_of(factors), expected) << "round " << round;
    ++(expected == 0 ? zero : std::isinf(expected) ? infinite : std::abs(expected) < 0x1p-1022 ? subnormal : normal);
  }
  for (const int count : {normal, subnormal, infinite, zero}) EXPECT_GT(count, 500);
}

}  // namespace
}  // namespace plumb::product_test
