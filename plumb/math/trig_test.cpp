// sin and cos against MPFR: everywhere, at the largest arguments, and where a quarter turn makes the result small.
#include "plumb/math/trig.h"

#include "plumb/base/testing.h"
#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb::math::trig_test {
namespace {

using testing::Exact;
using testing::infinity;
using testing::largest;
using testing::nan;
using testing::Random;
using testing::same;
using testing::smallest;
using testing::ulps;

double any_finite(Random& random) {
  for (;;) {
    const double x = random.any_bits();
    if (std::isfinite(x)) return x;
  }
}

// A double next to a multiple of pi/2 of any size.
double near_quarter_turns(Random& random) {
  static const Exact half_pi = [] {
    Exact value(0.0, 1200);
    mpfr_const_pi(value.get(), MPFR_RNDN);
    mpfr_div_2ui(value.get(), value.get(), 1, MPFR_RNDN);
    return value;
  }();
  Exact multiple(half_pi);
  mpfr_mul_ui(multiple.get(), multiple.get(), random.engine() >> 12 >> random.below(52), MPFR_RNDN);
  if (random.below(4) == 0) mpfr_mul_2ui(multiple.get(), multiple.get(), random.below(960), MPFR_RNDN);
  return random.near(random.below(2) == 0 ? multiple.rounded() : -multiple.rounded(), 3);
}

double argument(Random& random) {
  switch (random.below(6)) {
    case 0: return any_finite(random);
    case 1: return random.uniform(-1.0, 1.0);
    case 2: return random.uniform(-100.0, 100.0);
    case 3: return random.spread(-40, 60);
    case 4: return random.near(random.below(2) == 0 ? 0.7853981633974483 : 0x1p-27, 1000);
    default: return near_quarter_turns(random);
  }
}

void expect_within_one_ulp(double (*function)(double), int (*exactly)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)) {
  const int count = testing::full_run() ? 10'000'000 : sweep_size(1'000'000);
  Random random(11);
  Exact x(0.0, 53);
  Exact exact(0.0, 120);
  double worst = 0.0;
  double worst_at = 0.0;
  for (int i = 0; i < count; ++i) {
    const double at = argument(random);
    mpfr_set_d(x.get(), at, MPFR_RNDN);
    exactly(exact.get(), x.get(), MPFR_RNDN);
    const double error = ulps(function(at), exact);
    if (error > worst) {
      worst = error;
      worst_at = at;
    }
  }
  std::cout << "worst error " << worst << " ulp, at " << std::hexfloat << worst_at << std::defaultfloat << ", of "
            << count << " arguments\n";
  EXPECT_LE(worst, 0.8) << "at " << std::hexfloat << worst_at;
}

TEST(Trig, SinIsWithinOneUlpEverywhere) { expect_within_one_ulp(math::sin, mpfr_sin); }
TEST(Trig, CosIsWithinOneUlpEverywhere) { expect_within_one_ulp(math::cos, mpfr_cos); }

// 6381956970095103 2^797 is the double that comes nearest to a multiple of pi/2 (Muller et al., "Handbook of
// floating-point arithmetic", 2nd ed., 2018, section 10.2): its cosine is -4.69e-19.
TEST(Trig, TheHardestArgumentOfAllIsReducedRightly) {
  const double hardest = std::ldexp(6381956970095103.0, 797);
  Exact exact(0.0, 120);
  mpfr_cos(exact.get(), Exact(hardest).get(), MPFR_RNDN);
  EXPECT_LT(std::fabs(math::cos(hardest)), 5e-19);
  EXPECT_LE(ulps(math::cos(hardest), exact), 0.75);
}

TEST(Trig, TheRestOfAQuarterTurnIsSmallAndWithinItsBound) {
  Random random(12);
  Exact half_pi(0.0, 1400);
  mpfr_const_pi(half_pi.get(), MPFR_RNDN);
  mpfr_div_2ui(half_pi.get(), half_pi.get(), 1, MPFR_RNDN);
  for (int i = 0; i < sweep_size(20'000); ++i) {
    const double x = argument(random);
    const QuarterTurns turns = quarter_turns(x);
    Exact turn(x, 1400);
    mpfr_div(turn.get(), turn.get(), half_pi.get(), MPFR_RNDN);
    mpfr_rint(turn.get(), turn.get(), MPFR_RNDN);
    Exact rest(x, 1400);
    mpfr_fms(rest.get(), turn.get(), half_pi.get(), rest.get(), MPFR_RNDN);
    mpfr_neg(rest.get(), rest.get(), MPFR_RNDN);
    EXPECT_LE(std::fabs(turns.r.high), 0.7853981633974484);
    EXPECT_LE(abs(Exact(turns.r) - rest).rounded(), 0x1p-66 * std::fabs(rest.rounded())) << std::hexfloat << x;
    EXPECT_LT(turns.q, 4u);
    mpfr_fmod_ui(turn.get(), turn.get(), 4, MPFR_RNDN);
    EXPECT_EQ((static_cast<int>(turn.rounded()) + 4) % 4, static_cast<int>(turns.q)) << std::hexfloat << x;
  }
}

TEST(Trig, SinIsOddAndCosIsEvenToTheLastBit) {
  Random random(13);
  for (int i = 0; i < sweep_size(100'000); ++i) {
    const double x = argument(random);
    ASSERT_TRUE(same(math::sin(-x), -math::sin(x))) << std::hexfloat << x;
    ASSERT_TRUE(same(math::cos(-x), math::cos(x))) << std::hexfloat << x;
  }
}

TEST(Trig, ValuesAtTheEnds) {
  EXPECT_TRUE(same(math::sin(0.0), 0.0) && same(math::sin(-0.0), -0.0));
  EXPECT_TRUE(same(math::cos(0.0), 1.0) && same(math::cos(-0.0), 1.0));
  EXPECT_TRUE(same(math::sin(smallest), smallest) && same(math::cos(smallest), 1.0));
  EXPECT_TRUE(same(math::sin(1e22), -0.8522008497671888));
  EXPECT_TRUE(same(math::sin(largest), 0.004961954789184062) && same(math::cos(largest), -0.9999876894265599));
  for (const double end : {infinity, -infinity, nan})
    EXPECT_TRUE(std::isnan(math::sin(end)) && std::isnan(math::cos(end)));
}

}  // namespace
}  // namespace plumb::math::trig_test
