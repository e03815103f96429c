#include "plumb/math/triple_double.h"

#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace plumb::math::triple_double_test {
namespace {

using testing::Exact;
using testing::Random;

Exact exact(const TripleDouble& a) { return Exact(a.high) + Exact(a.middle) + Exact(a.low); }

double any_number(Random& random) {
  return std::ldexp(random.uniform(-1, 1), static_cast<int>(random.below(120)) - 60);
}

TEST(TripleDouble, SumsAreOffBy157BitsOfTheLargestTerm) {
  Random random(31);
  for (int round = 0; round < 2000; ++round) {
    TripleDouble sum;
    Exact expected;
    double largest = 0.0;
    for (int i = 0; i < 30; ++i) {
      const double a = any_number(random), b = any_number(random);
      switch (i % 3) {
        case 0:
          sum += a;
          expected = expected + Exact(a);
          break;
        case 1:
          accumulate(sum, a, b);
          expected = expected + Exact(a) * Exact(b);
          break;
        default: {
          TripleDouble other = a;
          accumulate(other, b, b);
          sum += -other;
          expected = expected - exact(other);
        }
      }
      largest = std::max({largest, std::abs(a), std::abs(a * b), b * b, std::abs(sum.high)});
      ASSERT_LE(std::abs(sum.middle), std::ldexp(std::abs(sum.high), -53)) << round << ' ' << i;
      ASSERT_LE(std::abs(sum.low), std::ldexp(std::abs(sum.middle), -52)) << round << ' ' << i;
    }
    EXPECT_LE(abs(exact(sum) - expected).rounded(), 30 * 0x1p-156 * largest) << round;
  }
}

TEST(TripleDouble, TermsThatAreTakenAwayAgainLeaveNothing) {
  Random random(32);
  for (int round = 0; round < 500; ++round) {
    TripleDouble sum;
    std::vector<double> terms;
    for (int i = 0; i < 20; ++i) terms.push_back(1e9 + std::floor(random.uniform(-100, 100)));
    for (const double x : terms) accumulate(sum, x, x);
    for (const double x : terms) accumulate(sum, -x, x);
    EXPECT_EQ(sum, TripleDouble());
  }
}

TEST(TripleDouble, SquaresAboutTheMeanHaveAllDigitsHoweverFarTheMeanIs) {
  Random random(33);
  for (const double far : {0.0, 1.0, 1e3, 1e6, 1e9, 1e12, 1e14})
    for (int round = 0; round < 100; ++round) {
      TripleDouble first, second;
      DoubleDouble weight;
      Exact f, w;
      std::vector<std::pair<double, double>> rows;
      for (int i = 0; i < 25; ++i)
        rows.emplace_back(far + random.uniform(-1, 1), i % 4 == 0 ? 1.0 : random.uniform(0, 3));
      for (const auto& [x, each] : rows) {
        first += two_product(each, x);
        accumulate(second, two_product(x, x), each);
        weight += each;
        f = f + Exact(each) * Exact(x);
        w = w + Exact(each);
      }
      Exact expected;
      for (const auto& [x, each] : rows) {
        const Exact off = Exact(x) - f / w;
        expected = expected + Exact(each) * off * off;
      }
      const double spread = expected.rounded();
      EXPECT_NEAR(spread_of(first, second, weight), spread, 4e-15 * spread) << far << ' ' << round;
    }
}

TEST(TripleDouble, SquaresAboutTheMeanOfLargeNumbersDoNotOverflow) {
  TripleDouble first, second;
  for (const double x : {1e153, 3e153, 5e153}) {
    first += x;
    accumulate(second, x, x);
  }
  EXPECT_NEAR(spread_of(first, second, 3.0), 8e306, 1e292);
}

}  // namespace
}  // namespace plumb::math::triple_double_test
