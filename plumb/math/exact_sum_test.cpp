#include "plumb/math/exact_sum.h"

#include <gtest/gtest.h>
#include <mpfr.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace plumb::math::exact_sum_test {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();

using Terms = std::vector<std::pair<double, std::uint64_t>>;

double mean_of(const Terms& terms, std::uint64_t divisor) {
  ExactSum sum;
  for (const auto& [value, count] : terms) sum.add(value, count);
  return sum.divided_by(divisor);
}

// Every bit of a sum of doubles, then one division that is rounded once, subnormal results included.
double reference(const Terms& terms, std::uint64_t divisor) {
  const mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
  mpfr_t sum, term;
  mpfr_init2(sum, 2400);
  mpfr_init2(term, 2400);
  mpfr_set_zero(sum, 1);
  for (const auto& [value, count] : terms) {
    mpfr_set_d(term, value, MPFR_RNDN);
    mpfr_mul_ui(term, term, count, MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
  }
  mpfr_t quotient;
  mpfr_init2(quotient, 53);
  mpfr_set_emin(-1073);
  mpfr_set_emax(1024);
  const int rounded = mpfr_div_ui(quotient, sum, divisor, MPFR_RNDN);
  mpfr_subnormalize(quotient, rounded, MPFR_RNDN);
  const double result = mpfr_get_d(quotient, MPFR_RNDN);
  mpfr_set_emin(low);
  mpfr_set_emax(high);
  mpfr_clears(sum, term, quotient, nullptr);
  return result;
}

TEST(ExactSum, OfNothingIsZero) { EXPECT_EQ(ExactSum().divided_by(1), 0.0); }

TEST(ExactSum, OfOneValueIsThatValue) {
  for (const double value : {1.0, -1.0, 0.1, kLargest, -kLargest, kLeast, -kLeast, 0x1p-1022, 0x1.8p-1023, 1e22})
    EXPECT_EQ(mean_of({{value, 1}}, 1), value) << value;
}

TEST(ExactSum, LosesNothingWhereLargeValuesCancel) {
  EXPECT_EQ(mean_of({{1e300, 1}, {1.0, 1}, {-1e300, 1}}, 1), 1.0);
  EXPECT_EQ(mean_of({{kLargest, 7}, {kLeast, 1}, {-kLargest, 7}}, 1), kLeast);
}

TEST(ExactSum, GivesAMeanWhereTheSumIsBeyondDoubles) {
  const std::uint64_t many = std::uint64_t{1} << 62;
  EXPECT_EQ(mean_of({{kLargest, many}}, many), kLargest);
  EXPECT_EQ(mean_of({{-kLargest, many}}, many), -kLargest);
}

TEST(ExactSum, RoundsTheQuotientToNearestAndTiesToEven) {
  EXPECT_EQ(mean_of({{kLeast, 1}}, 2), 0.0);         // half of the least: a tie
  EXPECT_EQ(mean_of({{kLeast, 3}}, 2), 2 * kLeast);  // a tie again, the other way
  EXPECT_EQ(mean_of({{kLeast, 5}}, 3), 2 * kLeast);  // 1.67
  EXPECT_EQ(mean_of({{kLeast, 4}}, 3), kLeast);      // 1.33
  EXPECT_EQ(mean_of({{1.0, 1}}, 3), 1.0 / 3.0);      // one rounding, like the processor's
  EXPECT_EQ(mean_of({{0.1, 10}}, 10), 0.1);
}

RC_GTEST_PROP(ExactSum, IsTheRoundedQuotientForAnyValuesInAnyOrder, (const std::vector<std::uint64_t>& drawn)) {
  Terms terms;
  for (std::uint64_t bits : drawn) {
    bits = bits * 0x9E37'79B9'7F4A'7C15;  // small draws spread over all exponents
    const auto value = std::bit_cast<double>(bits);
    if (std::isfinite(value)) terms.emplace_back(value, 1 + bits % 1000);
  }
  const std::uint64_t divisor = 1 + *rc::gen::inRange<std::uint64_t>(0, 1u << 20);
  const double mean = mean_of(terms, divisor * 1000 * (drawn.size() + 1));
  RC_ASSERT(mean == reference(terms, divisor * 1000 * (drawn.size() + 1)));
  std::reverse(terms.begin(), terms.end());
  RC_ASSERT(mean == mean_of(terms, divisor * 1000 * (drawn.size() + 1)));
}

}  // namespace
}  // namespace plumb::math::exact_sum_test
