// Against series in 1500 bits (MPFR), closed forms, and the identities between the distributions.
#include "plumb/math/distributions.h"

#include "plumb/math/testing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <optional>

namespace plumb::math::distributions_test {
namespace {

using testing::Exact;
using testing::infinity;
using testing::nan;
using testing::Random;

// Enough for 1 - v to keep 400 bits of what is as small as 1e-300.
constexpr mpfr_prec_t kBits = 1500;
constexpr int kMostTerms = 4000;
constexpr double kNothing = 1e-300;
constexpr double kBound = 1e-14;  // of the relative error; the worst found is 4e-15

Exact wide(double value) { return Exact(value, kBits); }
Exact log_gamma(const Exact& x) {
  Exact result = wide(0.0);
  mpfr_lngamma(result.get(), x.get(), MPFR_RNDN);
  return result;
}
Exact log_of(const Exact& x) {
  Exact result = wide(0.0);
  mpfr_log(result.get(), x.get(), MPFR_RNDN);
  return result;
}
Exact exp_of(const Exact& x) {
  Exact result = wide(0.0);
  mpfr_exp(result.get(), x.get(), MPFR_RNDN);
  return result;
}
bool less(const Exact& a, const Exact& b) { return mpfr_less_p(a.get(), b.get()) != 0; }

// The sum of positive terms 1, q_1, q_1 q_2, ... until they no longer matter; empty if that takes too long.
template <class Quotient>
std::optional<Exact> sum_of(Quotient&& quotient) {
  Exact term = wide(1.0), sum = wide(1.0), tiny = wide(1.0);
  mpfr_mul_2si(tiny.get(), tiny.get(), -1450, MPFR_RNDN);
  for (int k = 0; k < kMostTerms; ++k) {
    term = term * quotient(static_cast<double>(k));
    sum = sum + term;
    if (less(term, sum * tiny)) return sum;
  }
  return std::nullopt;
}

struct ExactTails {
  double lower, upper;
};
ExactTails tails_of(const Exact& lower) { return {lower.rounded(), (wide(1.0) - lower).rounded()}; }

// DLMF 8.7.1.
std::optional<ExactTails> exact_gamma(double a, const Exact& x) {
  const Exact wide_a = wide(a);
  const auto sum = sum_of([&](double k) { return x / (wide_a + wide(k + 1.0)); });
  if (!sum) return std::nullopt;
  return tails_of(exp_of(wide_a * log_of(x) - x - log_gamma(wide_a + wide(1.0))) * *sum);
}

// DLMF 8.17.8; y is 1 - x.
std::optional<Exact> exact_beta(const Exact& a, const Exact& b, const Exact& x, const Exact& y) {
  const auto sum = sum_of([&](double k) { return (a + b + wide(k)) / (a + wide(k + 1.0)) * x; });
  if (!sum) return std::nullopt;
  return exp_of(a * log_of(x) + b * log_of(y) + log_gamma(a + b) - log_gamma(a) - log_gamma(b)) * *sum / a;
}

std::optional<ExactTails> exact_f(double d1, double d2, const Exact& f) {
  const Exact a = wide(d1) / wide(2.0), b = wide(d2) / wide(2.0), whole = a * f + b;
  const Exact x = a * f / whole, y = b / whole;
  if (const auto lower = exact_beta(a, b, x, y)) return tails_of(*lower);
  if (const auto upper = exact_beta(b, a, y, x)) return tails_of(wide(1.0) - *upper);
  return std::nullopt;
}

void expect_near(double found, double exact, double bound = kBound) {
  if (std::fabs(exact) < kNothing) {
    EXPECT_LT(found, 2 * kNothing);
  } else {
    EXPECT_LE(std::fabs(found - exact), bound * std::fabs(exact)) << found << " against " << exact;
  }
}

double some_freedom(Random& random) {
  constexpr double known[] = {1, 2, 3, 4, 5, 10, 30, 1e3, 1e6, 1e9};
  switch (random.below(3)) {
    case 0: return known[random.below(std::size(known))];
    case 1: return random.uniform(1.0, 60.0);
    default: return std::fabs(random.spread(0, 29));
  }
}

TEST(Distributions, NormalTailsAreThoseOfMpfr) {
  Random random(51);
  double worst = 0.0;
  for (int i = 0; i < 2'000; ++i) {
    const double x = random.below(4) == 0 ? random.spread(-30, 2) : random.uniform(-37.0, 37.0);
    Exact exact(x, 120);
    mpfr_div(exact.get(), exact.get(), sqrt(Exact(2.0, 120)).get(), MPFR_RNDN);
    mpfr_erfc(exact.get(), exact.get(), MPFR_RNDN);
    const double upper = exact.rounded() / 2.0;
    expect_near(Normal{}.upper(x), upper);
    worst = std::max(worst, std::fabs(Normal{}.upper(x) / upper - 1.0));
  }
  std::cout << "worst relative error " << worst << "\n";
}

TEST(Distributions, ChiSquareTailsAreThoseOfASeriesInManyBits) {
  Random random(52);
  double worst = 0.0;
  int compared = 0;
  for (int i = 0; i < 120; ++i) {
    const double freedom = some_freedom(random);
    const double x = freedom * (random.below(2) == 0 ? std::fabs(random.spread(-8, 8)) : random.uniform(0.5, 2.0));
    const auto exact = exact_gamma(freedom / 2.0, wide(x / 2.0));
    if (!exact) continue;
    ++compared;
    const Tails found = ChiSquare{freedom}.tails(x);
    expect_near(found.lower, exact->lower);
    expect_near(found.upper, exact->upper);
    if (exact->lower > kNothing) worst = std::max(worst, std::fabs(found.lower / exact->lower - 1.0));
    if (exact->upper > kNothing) worst = std::max(worst, std::fabs(found.upper / exact->upper - 1.0));
  }
  std::cout << "worst relative error " << worst << " of " << compared << "\n";
  EXPECT_GT(compared, 80);
}

TEST(Distributions, FTailsAreThoseOfASeriesInManyBits) {
  Random random(53);
  double worst = 0.0;
  int compared = 0;
  for (int i = 0; i < 120; ++i) {
    const double d1 = some_freedom(random), d2 = some_freedom(random);
    const double f = random.below(2) == 0 ? std::fabs(random.spread(-20, 60)) : random.uniform(0.3, 4.0);
    const auto exact = exact_f(d1, d2, wide(f));
    if (!exact) continue;
    ++compared;
    const Tails found = FRatio{d1, d2}.tails(f);
    SCOPED_TRACE(::testing::Message() << d1 << " " << d2 << " " << f);
    expect_near(found.lower, exact->lower);
    expect_near(found.upper, exact->upper);
    if (exact->lower > kNothing) worst = std::max(worst, std::fabs(found.lower / exact->lower - 1.0));
    if (exact->upper > kNothing) worst = std::max(worst, std::fabs(found.upper / exact->upper - 1.0));
  }
  std::cout << "worst relative error " << worst << " of " << compared << "\n";
  EXPECT_GT(compared, 80);
}

TEST(Distributions, StudentTailsAreThoseOfASeriesInManyBits) {
  Random random(54);
  double worst = 0.0;
  int compared = 0;
  for (int i = 0; i < 120; ++i) {
    const double freedom = some_freedom(random);
    const double t = random.below(2) == 0 ? std::fabs(random.spread(-20, 40)) : random.uniform(0.0, 38.0);
    const auto exact = exact_f(1.0, freedom, wide(t) * wide(t));
    if (!exact) continue;
    ++compared;
    SCOPED_TRACE(::testing::Message() << freedom << " " << t);
    expect_near(StudentT{freedom}.two_sided(t), exact->upper);
    expect_near(StudentT{freedom}.upper(t), exact->upper / 2.0);
    if (exact->upper > kNothing)
      worst = std::max(worst, std::fabs(StudentT{freedom}.two_sided(t) / exact->upper - 1.0));
  }
  std::cout << "worst relative error " << worst << " of " << compared << "\n";
  EXPECT_GT(compared, 80);
}

// With 1 degree of freedom 1/2 - atan(t) / pi = atan(1 / t) / pi; with 2 and 4 algebraic.
TEST(Distributions, APoissonCountAtItsMeanHasTheLogOfItsProbability) {
  EXPECT_EQ(log_poisson_at_mean(0.0), 0.0);
  expect_near(log_poisson_at_mean(1.0), -1.0, 1e-15);
  expect_near(log_poisson_at_mean(2.0), std::log(2.0) - 2.0, 1e-15);
  expect_near(log_poisson_at_mean(5.0), std::log(625.0 / 24.0) - 5.0, 1e-14);
  // A fraction: y log y - y - log Gamma(y + 1), with Gamma(3/2) = sqrt(pi) / 2.
  expect_near(log_poisson_at_mean(0.5), 0.5 * std::log(0.5) - 0.5 - std::log(std::sqrt(M_PI) / 2.0), 1e-14);
  // P = 1 / sqrt(2 pi y) for a large count, but for 1 / (12 y).
  expect_near(log_poisson_at_mean(1e12), -std::log(2.0 * M_PI * 1e12) / 2.0, 1e-13);
}

TEST(Distributions, StudentHasItsClosedForms) {
  for (const double t : {1e-6, 0.1, 0.5, 1.0, 1.5, 2.0, 5.0, 100.0, 1e10, 1e100, 1e200, 1e299}) {
    expect_near(StudentT{1}.upper(t), std::atan(1.0 / t) / M_PI, 1e-15);
    const double root = std::hypot(t, std::sqrt(2.0));
    expect_near(StudentT{2}.upper(t), 1.0 / (root * (root + t)), 1e-15);  // 1/2 (1 - t / sqrt(2 + t^2))
  }
  // Beyond t^2, too.
  expect_near(StudentT{1}.upper(1e299), 1.0 / (M_PI * 1e299), 1e-14);
  // 1/2 (1 - s (3 - s^2) / 2) with s = t / sqrt(4 + t^2), at s = 1/2.
  expect_near(StudentT{4}.upper(2.0 / std::sqrt(3.0)), 0.5 * (1.0 - 0.5 * 2.75 / 2.0), 1e-15);
}

// With d = 2 m degrees of freedom the upper tail is that of m events of a Poisson process before time x / 2.
TEST(Distributions, ChiSquareHasItsClosedForms) {
  for (const double x : {0.01, 0.5, 1.0, 3.0, 10.0, 50.0, 700.0, 1300.0}) {
    double term = std::exp(-x / 2.0), sum = 0.0;
    for (int m = 1; m <= 12; ++m) {
      sum += term;
      term *= x / 2.0 / m;
      expect_near(ChiSquare{2.0 * m}.upper(x), sum, 1e-13);
    }
    expect_near(ChiSquare{1}.upper(x), 2.0 * Normal{}.upper(std::sqrt(x)), 1e-12);  // sqrt rounds
  }
}

// With 2 degrees of freedom above: (1 + 2 f / d)^(-d/2). With 2 below: the same of 1 / f.
TEST(Distributions, FHasItsClosedForms) {
  Random random(55);
  for (int i = 0; i < 500; ++i) {
    const double d = some_freedom(random), f = std::fabs(random.spread(-20, 20));
    const Exact half = wide(d) / wide(2.0);
    const double upper = exp_of(wide(0.0) - half * log_of(wide(1.0) + wide(f) / half)).rounded();
    expect_near(FRatio{2, d}.upper(f), upper);
    const double lower = exp_of(wide(0.0) - half * log_of(wide(1.0) + wide(1.0) / (half * wide(f)))).rounded();
    expect_near(FRatio{d, 2}.lower(f), lower);
  }
  EXPECT_DOUBLE_EQ(FRatio(7, 7).upper(1.0), 0.5);
  expect_near(FRatio{1, 1}.upper(1e300), 2.0 / M_PI * 1e-150, 1e-14);
  expect_near(FRatio{1, 1}.lower(1e-300), 2.0 / M_PI * 1e-150, 1e-14);
}

// Numbers of 1e9 degrees of freedom near the middle, which the series above cannot reach.
TEST(Distributions, LargeFreedomsApproachTheNormal) {
  for (const double z : {-3.0, -1.0, 0.0, 0.5, 2.0, 6.0}) {
    expect_near(StudentT{1e9}.upper(z), Normal{}.upper(z), 1e-6);
    // Wilson and Hilferty's cube root, off by less than 1 / freedom here.
    const double d = 1e9, cube = 1.0 - 2.0 / (9.0 * d) + z * std::sqrt(2.0 / (9.0 * d));
    expect_near(ChiSquare{d}.upper(d * cube * cube * cube), Normal{}.upper(z), 1e-5);
  }
  expect_near(FRatio{1e9, 1e9}.upper(1.0), 0.5, 1e-13);
  // F on d1 and infinitely many is chi-square over d1.
  expect_near(FRatio{5, 1e9}.upper(2.2), ChiSquare{5}.upper(11.0), 1e-7);
}

TEST(Distributions, AtTheEndsAndForWhatIsNoNumber) {
  EXPECT_EQ(Normal{}.upper(infinity), 0.0);
  EXPECT_EQ(Normal{}.upper(-infinity), 1.0);
  EXPECT_EQ(Normal{}.upper(0.0), 0.5);
  EXPECT_EQ(StudentT{3}.upper(infinity), 0.0);
  EXPECT_EQ(StudentT{3}.two_sided(-infinity), 0.0);
  EXPECT_EQ(StudentT{3}.two_sided(0.0), 1.0);
  EXPECT_EQ(ChiSquare{3}.lower(-1.0), 0.0);
  EXPECT_EQ(ChiSquare{3}.upper(0.0), 1.0);
  EXPECT_EQ((FRatio{3, 4}.upper(infinity)), 0.0);
  EXPECT_EQ(Normal{}.upper_quantile(0.0), infinity);
  EXPECT_EQ(Normal{}.upper_quantile(1.0), -infinity);
  EXPECT_EQ(Normal{}.upper_quantile(0.5), 0.0);
  EXPECT_EQ(ChiSquare{3}.quantile(0.0), 0.0);
  EXPECT_EQ(ChiSquare{3}.quantile(1.0), infinity);
  for (const double bad : {nan, -0.1, 1.1}) {
    EXPECT_TRUE(std::isnan(Normal{}.upper_quantile(bad)));
    EXPECT_TRUE(std::isnan(StudentT{3}.upper_quantile(bad)));
    EXPECT_TRUE(std::isnan(ChiSquare{3}.quantile(bad)));
    EXPECT_TRUE(std::isnan((FRatio{3, 4}.upper_quantile(bad))));
  }
  for (const double bad : {nan, 0.0, -1.0, infinity, 1e-300}) {
    EXPECT_TRUE(std::isnan(StudentT{bad}.upper(1.0)));
    EXPECT_TRUE(std::isnan(ChiSquare{bad}.upper(1.0)));
    EXPECT_TRUE(std::isnan((FRatio{2, bad}.upper(1.0))));
    EXPECT_TRUE(std::isnan(StudentT{bad}.upper_quantile(0.1)));
  }
}

// From an untrusted file: no number of degrees takes long, or gives an invalid probability.
TEST(Distributions, AnyFreedomComesToAnEnd) {
  for (const double freedom : {1e-3, 0.3, 1e10, 1e15, 1e16, 1e40, 1e200, 1e308})
    for (const double x : {1e-300, 1e-3, 1.0, 30.0, 1e300}) {
      const double p = StudentT{freedom}.two_sided(x);
      EXPECT_TRUE(p >= 0.0 && p <= 1.0) << freedom << " " << x;
      if (freedom >= 1e15) expect_near(p, 2.0 * Normal{}.upper(x), 1e-9);
      EXPECT_GT(StudentT{freedom}.upper_quantile(0.025), 1.9) << freedom;
      for (const double other : {freedom, 3.0}) {
        const double f = FRatio{other, freedom}.upper(x);
        EXPECT_TRUE(std::isnan(f) || (f >= 0.0 && f <= 1.0)) << other << " " << freedom << " " << x;
      }
      const double chi = ChiSquare{freedom}.upper(x);
      EXPECT_TRUE(std::isnan(chi) || (chi >= 0.0 && chi <= 1.0)) << freedom << " " << x;
    }
}

// mpmath with 40 digits: findroot of betainc and gammainc, regularized.
TEST(Distributions, QuantilesAreThoseOfTables) {
  EXPECT_DOUBLE_EQ(Normal{}.quantile(0.975), 1.959963984540054);
  expect_near(StudentT{1}.quantile(0.975), 12.706204736174705, 1e-14);
  expect_near(StudentT{10}.quantile(0.975), 2.2281388519862747, 1e-14);
  expect_near(ChiSquare{1}.quantile(0.95), 3.841458820694126, 1e-14);
  expect_near(FRatio{1, 10}.quantile(0.95), 4.964602743730714, 1e-14);
}

struct Point {
  double freedom, other, x;
};
Point any_point() {
  const auto exponent = [](int low, int high) {
    return std::exp2(low + (high - low) * (*rc::gen::inRange(0, 1'000'000)) * 1e-6);
  };
  return {exponent(0, 30), exponent(0, 12), exponent(-6, 6)};
}

RC_GTEST_PROP(Distributions, QuantilesUndoTails, ()) {
  const auto [d, other, x] = any_point();
  const auto check = [](double p, double slope, double wanted, double found) {
    if (p < kNothing || p > 1.0 - 1e-6) return;
    // A tail of relative error e moves its quantile by e p / slope.
    const double bound = 1e-12 * (1.0 + p / slope);
    RC_ASSERT(std::fabs(found - wanted) <= bound * wanted);
  };
  const Tails chi = ChiSquare{d}.tails(d * x);
  check(chi.upper, chi.slope, d * x, ChiSquare{d}.upper_quantile(chi.upper));
  check(chi.lower, chi.slope, d * x, ChiSquare{d}.quantile(chi.lower));
  const Tails f = FRatio{other, d}.tails(x);
  check(f.upper, f.slope, x, FRatio{other, d}.upper_quantile(f.upper));
  check(f.lower, f.slope, x, FRatio{other, d}.quantile(f.lower));
  const double t = StudentT{d}.upper(x);
  if (t < 0.49) check(t, 0.1 * t, x, StudentT{d}.upper_quantile(t));
  if (t > kNothing && t < 0.49) RC_ASSERT(StudentT{d}.quantile(t) == -StudentT{d}.upper_quantile(t));
}

RC_GTEST_PROP(Distributions, TailsAreMonotoneAndAddUpToOne, ()) {
  const auto [d, other, x] = any_point();
  const double more = x * (1.0 + 1e-3);
  for (const auto& [near, far] : {std::pair(ChiSquare{d}.tails(d * x), ChiSquare{d}.tails(d * more)),
                                  std::pair(FRatio{other, d}.tails(x), FRatio{other, d}.tails(more)),
                                  std::pair(FRatio{d, other}.tails(x), FRatio{d, other}.tails(more))}) {
    RC_ASSERT(near.lower <= far.lower);
    RC_ASSERT(near.upper >= far.upper);
    RC_ASSERT(std::fabs(near.lower + near.upper - 1.0) <= 0x1p-52);
    RC_ASSERT(near.upper <= 1.0);
  }
  RC_ASSERT(StudentT{d}.upper(x) >= StudentT{d}.upper(more));
  RC_ASSERT(std::fabs(StudentT{d}.upper(x) + StudentT{d}.lower(x) - 1.0) <= 0x1p-52);
  RC_ASSERT(Normal{}.upper(x) >= Normal{}.upper(more));
  // F is the same seen from below.
  const Tails f = FRatio{d, other}.tails(x), turned = FRatio{other, d}.tails(1.0 / x);
  const double bound = 1e-13 + 4e-16 * f.slope / std::max(f.upper, kNothing);
  if (f.upper > kNothing) RC_ASSERT(std::fabs(f.upper - turned.lower) <= bound * f.upper);
}

}  // namespace
}  // namespace plumb::math::distributions_test
