// The bounds stated in double_double.h, measured with MPFR on random numbers of every size and on near-cancellations.
#include "plumb/math/double_double.h"

#include "plumb/base/testing.h"
#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace plumb::math::double_double_test {
namespace {

using testing::Exact;
using testing::Random;

const double u2 = 0x1p-106;

DoubleDouble any(Random& random) {
  const double high = random.spread(-300, 300);
  return two_sum(high, high * random.spread(-70, -54));
}

// A partner of a number: unrelated, or so close that a sum or difference cancels.
DoubleDouble partner(Random& random, DoubleDouble a) {
  if (random.below(2) == 0) {
    const double high = a.high * random.spread(-60, 60);
    return two_sum(high, high * random.spread(-70, -54));
  }
  const double high = random.near(random.below(2) == 0 ? a.high : -a.high, 3);
  return two_sum(high, a.low * random.uniform(-2.0, 2.0));
}

bool normal(DoubleDouble a) { return a.high + a.low == a.high; }

// The worst |result - exact| / |exact| over random pairs, in units of u^2.
double worst(const std::function<DoubleDouble(DoubleDouble, DoubleDouble)>& result,
             const std::function<Exact(Exact, Exact)>& exact) {
  Random random(1);
  double worst = 0.0;
  for (int i = 0; i < sweep_size(100'000); ++i) {
    const DoubleDouble a = any(random);
    const DoubleDouble b = partner(random, a);
    const DoubleDouble r = result(a, b);
    EXPECT_TRUE(normal(r));
    const Exact truth = exact(Exact(a), Exact(b));
    if (mpfr_zero_p(truth.get())) {
      EXPECT_EQ(r, DoubleDouble(0.0));
      continue;
    }
    worst = std::max(worst, (abs(Exact(r) - truth) / abs(truth)).rounded() / u2);
  }
  return worst;
}

TEST(DoubleDouble, SumsProductsQuotientsAndRootsKeepTheirBounds) {
  const auto plus = [](Exact a, Exact b) { return a + b; };
  const auto times = [](Exact a, Exact b) { return a * b; };
  const auto over = [](Exact a, Exact b) { return a / b; };
  EXPECT_LE(worst([](DoubleDouble a, DoubleDouble b) { return a + b; }, plus), 3.01);
  EXPECT_LE(worst([](DoubleDouble a, DoubleDouble b) { return a - b; }, [](Exact a, Exact b) { return a - b; }), 3.01);
  EXPECT_LE(worst([](DoubleDouble a, DoubleDouble b) { return a * b; }, times), 5.0);
  EXPECT_LE(worst([](DoubleDouble a, DoubleDouble b) { return a / b; }, over), 15.01);
  EXPECT_LE(
      worst([](DoubleDouble a, DoubleDouble) { return sqrt(abs(a)); }, [](Exact a, Exact) { return sqrt(abs(a)); }),
      3.125);
}

TEST(DoubleDouble, MixesWithDoublesWithinTighterBounds) {
  const auto high = [](const Exact& b) { return Exact(b.rounded()); };
  EXPECT_LE(
      worst([](DoubleDouble a, DoubleDouble b) { return a + b.high; }, [&](Exact a, Exact b) { return a + high(b); }),
      2.0);
  EXPECT_LE(
      worst([](DoubleDouble a, DoubleDouble b) { return b.high - a; }, [&](Exact a, Exact b) { return high(b) - a; }),
      2.0);
  EXPECT_LE(
      worst([](DoubleDouble a, DoubleDouble b) { return a * b.high; }, [&](Exact a, Exact b) { return a * high(b); }),
      2.0);
  EXPECT_LE(
      worst([](DoubleDouble a, DoubleDouble b) { return a / b.high; }, [&](Exact a, Exact b) { return a / high(b); }),
      15.01);
}

TEST(DoubleDouble, TwoSumAndTwoProductAreExact) {
  Random random(2);
  for (int i = 0; i < sweep_size(100'000); ++i) {
    const double a = random.spread(-300, 300);
    const double b = partner(random, a).high;
    EXPECT_EQ(mpfr_cmp((Exact(a) + Exact(b)).get(), Exact(two_sum(a, b)).get()), 0);
    EXPECT_EQ(mpfr_cmp((Exact(a) * Exact(b)).get(), Exact(two_product(a, b)).get()), 0);
    if (std::fabs(a) >= std::fabs(b)) {
      EXPECT_EQ(two_sum(a, b), fast_two_sum(a, b));
    }
  }
}

TEST(DoubleDouble, AccumulateKeepsItsBoundAtEveryStep) {
  Random random(3);
  DoubleDouble sum;
  for (int i = 0; i < sweep_size(100'000); ++i) {
    const double a = random.spread(-40, 40);
    // Now and then a product that cancels the sum.
    const double b = random.below(4) == 0 && sum.high != 0.0 ? -sum.high / a : random.spread(-40, 40);
    const Exact exact = Exact(sum) + Exact(a) * Exact(b);
    accumulate(sum, a, b);
    EXPECT_TRUE(normal(sum));
    const double allowed = 4.0 * u2 * (std::fabs(sum.high) + std::fabs(a * b));
    EXPECT_LE(abs(Exact(sum) - exact).rounded(), allowed);
  }
}

TEST(DoubleDouble, TelescopesTheHarmonicSumExactlyEnough) {
  // sum 1/(k (k+1)) = 1 - 1/(n+1).
  DoubleDouble sum;
  const int n = 10'000;
  for (int k = 1; k <= n; ++k) sum += DoubleDouble(1.0) / two_product(k, k + 1);
  const DoubleDouble exact = DoubleDouble(1.0) - DoubleDouble(1.0) / (n + 1.0);
  EXPECT_LE(std::fabs(static_cast<double>(sum - exact)), n * 4.0 * u2);
}

TEST(DoubleDouble, SquareOfTheRootOfTwoIsTwo) {
  const DoubleDouble root = sqrt(DoubleDouble(2.0));
  EXPECT_LE(std::fabs(static_cast<double>(root * root - 2.0)), 32.0 * u2);
  EXPECT_EQ(sqrt(DoubleDouble(0.0)), DoubleDouble(0.0));
  EXPECT_TRUE(std::isnan(sqrt(DoubleDouble(-1.0)).high));
}

TEST(DoubleDouble, IsOrderedByValue) {
  const DoubleDouble one = 1.0;
  const DoubleDouble above = one + 0x1p-80;
  EXPECT_LT(one, above);
  EXPECT_GT(one, one - 0x1p-80);
  EXPECT_EQ(above - 0x1p-80, one);
  EXPECT_EQ(static_cast<double>(above), 1.0);
  EXPECT_LT(-above, -one);
}

static_assert((DoubleDouble(1.0) + 0x1p-80).low == 0x1p-80);  // sums work at compile time

}  // namespace
}  // namespace plumb::math::double_double_test
