#include "plumb/math/big_integer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/math/testing.h"

namespace plumb::math::big_integer_test {
namespace {

using testing::Random;

BigInteger random_integer(Random& random, std::size_t words) {
  BigInteger sum;
  for (std::size_t i = 0; i < words; ++i) {
    // Runs of ones and zeros reach the rare branches of division.
    const std::uint64_t part = random.below(4) == 0   ? 0xFFFFFFFFu
                               : random.below(4) == 0 ? 0
                                                      : random.below(0x100000000u);
    sum = sum * BigInteger(std::int64_t{1} << 32) + BigInteger(static_cast<std::int64_t>(part));
  }
  return random.below(2) == 0 ? sum : -sum;
}

TEST(BigInteger, SmallOnesAreAsTheMachineHasThem) {
  Random random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto a = static_cast<std::int64_t>(random.below(1u << 30)) - (1 << 29);
    const auto b = static_cast<std::int64_t>(random.below(1u << 30)) - (1 << 29);
    EXPECT_EQ(BigInteger(a) + BigInteger(b), BigInteger(a + b));
    EXPECT_EQ(BigInteger(a) - BigInteger(b), BigInteger(a - b));
    EXPECT_EQ(BigInteger(a) * BigInteger(b), BigInteger(a * b));
    EXPECT_EQ(BigInteger(a) < BigInteger(b), a < b);
    EXPECT_EQ(BigInteger(a).sign(), (a > 0) - (a < 0));
    EXPECT_EQ(quotient(BigInteger(a), BigInteger(1)), static_cast<double>(a));
  }
  EXPECT_EQ(BigInteger(INT64_MIN) - BigInteger(-1), BigInteger(INT64_MIN + 1));
}

TEST(BigInteger, SumsAndProductsObeyTheLawsOfArithmetic) {
  Random random(2);
  for (int trial = 0; trial < 500; ++trial) {
    const BigInteger a = random_integer(random, 1 + random.below(9)), b = random_integer(random, 1 + random.below(9)),
                     c = random_integer(random, 1 + random.below(9));
    EXPECT_EQ((a + b) * c, a * c + b * c);
    EXPECT_EQ((a - b) * (a + b), a * a - b * b);
    EXPECT_EQ(a - a, BigInteger());
    EXPECT_EQ(a + (-a), BigInteger(0));
  }
}

TEST(BigInteger, QuotientOfAProductIsItsOtherFactor) {
  Random random(3);
  for (int trial = 0; trial < 3000; ++trial) {
    const BigInteger a = random_integer(random, 1 + random.below(12));
    BigInteger b = random_integer(random, 1 + random.below(12));
    if (b.sign() == 0) b = BigInteger(7);
    ASSERT_EQ(exact_quotient(a * b, b), a);
    if (a.sign() != 0) {
      EXPECT_NEAR(quotient(a * b, a) / quotient(b, BigInteger(1)), 1.0, 1e-15);
    }
  }
}

TEST(BigInteger, DoublesAreTakenToTheLastBit) {
  EXPECT_EQ(BigInteger::of(0.75, 2), BigInteger(3));
  EXPECT_EQ(BigInteger::of(-6.0, 0), BigInteger(-6));
  EXPECT_EQ(BigInteger::of(0.0, 1000), BigInteger(0));
  EXPECT_EQ(BigInteger::of(0x1p-1074, 1074), BigInteger(1));
  EXPECT_EQ(exact_quotient(BigInteger::of(0x1.8p1000, 0), BigInteger::of(0x1p999, 0)), BigInteger(3));
  EXPECT_EQ(quotient(BigInteger::of(0x1p1023, 1074), BigInteger::of(0x1p-1074, 1074)), HUGE_VAL);
}

}  // namespace
}  // namespace plumb::math::big_integer_test
