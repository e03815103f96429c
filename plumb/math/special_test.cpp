// Accuracy against MPFR, special values, and equal bits, for every table this machine can run.
#include "plumb/math/special.h"

#include "plumb/base/testing.h"
#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace plumb::math::special_test {
namespace {

using testing::Exact;
using testing::infinity;
using testing::largest;
using testing::nan;
using testing::Random;
using testing::same;
using testing::smallest;
using testing::tables;
using testing::ulps;

// One function under test: its place in a table, its exact value, and difficult arguments.
struct Subject {
  std::string name;
  Kernels::Function Kernels::*function;
  std::function<void(mpfr_ptr, mpfr_srcptr)> exact;
  std::function<double(Random&)> argument;
  double bound;  // in ulp

  friend std::ostream& operator<<(std::ostream& out, const Subject& subject) { return out << subject.name; }
};

const double ln2 = 0.6931471805599453;

double exp_argument(Random& random) {
  switch (random.below(6)) {
    case 0: return random.any_bits();
    case 1: return random.uniform(-750.0, 715.0);
    case 2: return random.uniform(-2.0, 2.0);
    case 3: return random.spread(-70, 4);
    case 4: return random.near((std::floor(random.uniform(-1076.0, 1025.0)) + 0.5) * ln2, 4);  // where k changes
    default: {
      // First subnormal result, first result that is zero, first that is infinite, the bounds used for expm1.
      constexpr double ends[] = {-708.3964185322641, -745.1332191019411, 709.782712893384, -40.0, 60.0, 0x1p-54};
      return random.near(ends[random.below(6)], 1000);
    }
  }
}

double log_argument(Random& random) {
  switch (random.below(5)) {
    case 0: return std::fabs(random.any_bits());
    case 1: return 1.0 + random.spread(-54, -1);
    case 2: return std::ldexp(random.near(0.7071067811865476, 20), static_cast<int>(random.below(2000)) - 1000);
    case 3: return random.near(std::ldexp(1.0, static_cast<int>(random.below(2098)) - 1074), 3);  // and subnormals
    default: return random.uniform(0.0, 10.0);
  }
}

double log1p_argument(Random& random) {
  switch (random.below(6)) {
    case 0: return random.any_bits();
    case 1: return random.spread(-70, 0);
    case 2: return std::fabs(random.spread(-53, 0)) - 1.0;
    case 3: return random.near(std::ldexp(1.4142135623730951, static_cast<int>(random.below(120)) - 53) - 1.0, 20);
    case 4: return std::fabs(random.spread(-5, 80));
    default: return random.uniform(-1.0, 4.0);
  }
}

void exact_sigmoid(mpfr_ptr y, mpfr_srcptr t) {
  mpfr_neg(y, t, MPFR_RNDN);
  mpfr_exp(y, y, MPFR_RNDN);
  mpfr_add_ui(y, y, 1, MPFR_RNDN);
  mpfr_ui_div(y, 1, y, MPFR_RNDN);
}
void exact_log1p_exp(mpfr_ptr y, mpfr_srcptr t) {
  if (mpfr_sgn(t) > 0 && !mpfr_inf_p(t)) {  // t + log1p(e^-t)
    mpfr_neg(y, t, MPFR_RNDN);
    mpfr_exp(y, y, MPFR_RNDN);
    mpfr_log1p(y, y, MPFR_RNDN);
    mpfr_add(y, y, t, MPFR_RNDN);
  } else {
    mpfr_exp(y, t, MPFR_RNDN);
    mpfr_log1p(y, y, MPFR_RNDN);
  }
}

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {
      {"exp", &Kernels::exp, [](mpfr_ptr y, mpfr_srcptr x) { mpfr_exp(y, x, MPFR_RNDN); }, exp_argument, 1.0},
      {"expm1", &Kernels::expm1, [](mpfr_ptr y, mpfr_srcptr x) { mpfr_expm1(y, x, MPFR_RNDN); }, exp_argument, 1.0},
      {"log", &Kernels::log, [](mpfr_ptr y, mpfr_srcptr x) { mpfr_log(y, x, MPFR_RNDN); }, log_argument, 1.0},
      {"log1p", &Kernels::log1p, [](mpfr_ptr y, mpfr_srcptr x) { mpfr_log1p(y, x, MPFR_RNDN); }, log1p_argument, 1.0},
      {"sigmoid", &Kernels::sigmoid, exact_sigmoid, exp_argument, 3.0},
      {"log1p_exp", &Kernels::log1p_exp, exact_log1p_exp, exp_argument, 3.0},
      {"log_sigmoid", &Kernels::log_sigmoid,
       [](mpfr_ptr y, mpfr_srcptr t) {
         Exact minus(0.0, 120);
         mpfr_neg(minus.get(), t, MPFR_RNDN);
         exact_log1p_exp(y, minus.get());
         mpfr_neg(y, y, MPFR_RNDN);
       },
       exp_argument, 3.0},
  };
  return all;
}

class EveryFunction : public ::testing::TestWithParam<Subject> {};
INSTANTIATE_TEST_SUITE_P(Special, EveryFunction, ::testing::ValuesIn(subjects()),
                         [](const auto& info) { return info.param.name; });

TEST_P(EveryFunction, IsWithinItsBoundOfTheExactValue) {
  const Subject& subject = GetParam();
  const Kernels::Function function = kernels().*subject.function;
  const int count = testing::full_run() ? 15'000'000 : sweep_size(150'000);
  Random random(1);
  Exact x(0.0, 53);
  Exact exact(0.0, 120);
  double worst = 0.0;
  double worst_at = 0.0;
  for (int i = 0; i < count; ++i) {
    const double at = subject.argument(random);
    mpfr_set_d(x.get(), at, MPFR_RNDN);
    subject.exact(exact.get(), x.get());
    const double error = ulps(function.one(at), exact);
    if (error > worst) {
      worst = error;
      worst_at = at;
    }
  }
  std::cout << subject.name << ": worst error " << worst << " ulp, at " << std::hexfloat << worst_at
            << std::defaultfloat << ", of " << count << " arguments\n";
  EXPECT_LE(worst, subject.bound) << "at " << std::hexfloat << worst_at;
}

TEST_P(EveryFunction, GivesTheSameBitsFromEveryTableLengthAndPosition) {
  const Subject& subject = GetParam();
  Random random(2);
  std::vector<double> x(20'000);
  for (double& each : x) each = subject.argument(random);
  for (const double special :
       {0.0, -0.0, infinity, -infinity, nan, -nan, smallest, -smallest, largest, -largest, 1.0, -1.0}) {
    x[random.below(x.size())] = special;
  }
  std::vector<double> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = (kernels_for(Simd::scalar)->*subject.function).one(x[i]);
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };  // NaNs are compared too
  for (const Kernels* const table : tables()) {
    const Kernels::Function function = table->*subject.function;
    std::vector<double> y(x.size());
    function.many(x.data(), y.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(bits(y[i]), bits(expected[i])) << name(table->simd) << " at " << std::hexfloat << x[i];
      ASSERT_EQ(bits(function.one(x[i])), bits(expected[i])) << name(table->simd) << " at " << std::hexfloat << x[i];
    }
    for (std::size_t length = 0; length <= 40; ++length) {
      for (std::size_t start = 0; start < 9; ++start) {
        std::vector<double> in_place(x.begin() + static_cast<std::ptrdiff_t>(start),
                                     x.begin() + static_cast<std::ptrdiff_t>(start + length + 1));
        const double after = in_place[length];
        function.many(in_place.data(), in_place.data(), length);
        for (std::size_t i = 0; i < length; ++i) ASSERT_EQ(bits(in_place[i]), bits(expected[start + i]));
        ASSERT_EQ(bits(in_place[length]), bits(after)) << "wrote past the end";
      }
    }
  }
}

TEST_P(EveryFunction, OfNanIsTheOneNan) {
  for (const Kernels* const table : tables()) {
    for (const std::uint64_t payload :
         {0x7ff8000000000000u, 0xfff8000000000000u, 0x7ff0000000000001u, 0xffffffffffffffffu}) {
      const double y = (table->*GetParam().function).one(std::bit_cast<double>(payload));
      EXPECT_EQ(std::bit_cast<std::uint64_t>(y), 0x7ff8000000000000u);
    }
  }
}

TEST(Special, ValuesAtTheEndsAreExact) {
  EXPECT_TRUE(same(exp(0.0), 1.0) && same(exp(-0.0), 1.0));
  EXPECT_TRUE(same(exp(-infinity), 0.0) && same(exp(infinity), infinity));
  EXPECT_TRUE(same(exp(709.782712893384), 0x1.fffffffffff2ap1023) && same(exp(709.7827128933841), infinity));
  EXPECT_TRUE(same(exp(-745.1332191019411), smallest) && same(exp(-745.1332191019412), 0.0));
  EXPECT_TRUE(same(expm1(0.0), 0.0) && same(expm1(-0.0), -0.0));
  EXPECT_TRUE(same(expm1(-infinity), -1.0) && same(expm1(infinity), infinity) && same(expm1(-1000.0), -1.0));
  EXPECT_TRUE(same(expm1(smallest), smallest) && same(expm1(-smallest), -smallest));
  EXPECT_TRUE(same(log(1.0), 0.0) && same(log(0.0), -infinity) && same(log(-0.0), -infinity));
  EXPECT_TRUE(same(log(infinity), infinity) && same(log(-smallest), nan) && same(log(-infinity), nan));
  EXPECT_TRUE(same(log1p(0.0), 0.0) && same(log1p(-0.0), -0.0) && same(log1p(-1.0), -infinity));
  EXPECT_TRUE(same(log1p(infinity), infinity) && same(log1p(-1.0000000000000002), nan) && same(log1p(-infinity), nan));
  EXPECT_TRUE(same(log1p(smallest), smallest) && same(log1p(-smallest), -smallest));
  EXPECT_TRUE(same(sigmoid(0.0), 0.5) && same(sigmoid(infinity), 1.0) && same(sigmoid(-infinity), 0.0));
  EXPECT_TRUE(same(log1p_exp(infinity), infinity) && same(log1p_exp(-infinity), 0.0));
  EXPECT_TRUE(same(log_sigmoid(-infinity), -infinity) && log_sigmoid(infinity) == 0.0);
}

TEST(Special, LossesOfOddsAreTheBitsOfEachFunction) {
  Random random(9);
  for (const Kernels* const table : tables())
    for (const std::size_t n : {0u, 1u, 7u, 8u, 9u, 300u}) {
      std::vector<double> t(n), target(n), loss(n), brier(n), confidence(n);
      for (double& each : t) each = random.uniform(-800, 800) * random.uniform(0, 1);
      for (std::size_t i = 0; i < n; ++i) target[i] = static_cast<double>(i / 2 % 3);
      if (n > 7) t[0] = infinity, t[1] = -infinity, t[2] = nan, t[3] = 0.0, t[4] = -0.0;
      table->odds_losses(t.data(), target.data(), loss.data(), brier.data(), confidence.data(), n);
      for (std::size_t i = 0; i < n; ++i) {
        const double first = sigmoid(-t[i]), second = sigmoid(t[i]);
        const double off = first - (target[i] == 0.0), beside = second - (target[i] == 1.0);
        EXPECT_EQ(loss[i] == loss[i], t[i] == t[i]);
        if (t[i] == t[i]) {
          EXPECT_EQ(loss[i], -log_sigmoid(target[i] == 1.0 ? t[i] : -t[i])) << t[i];
        }
        EXPECT_TRUE(same(brier[i], (off * off + beside * beside) / 2)) << t[i];
        EXPECT_TRUE(same(confidence[i], t[i] >= 0 ? second : first)) << t[i];
      }
    }
}

TEST(Special, SigmoidOfMinusTIsOneMinusSigmoid) {
  Random random(3);
  for (int i = 0; i < sweep_size(10'000); ++i) {
    const double t = random.uniform(-40.0, 40.0);
    EXPECT_NEAR(sigmoid(t) + sigmoid(-t), 1.0, 0x1p-52);
    EXPECT_TRUE(same(log_sigmoid(t), -log1p_exp(-t)));
  }
}

TEST(Special, FunctionsRiseWhereTheyShould) {
  // Steps of one representable number across the points where the reduction changes.
  for (const double start : {-ln2 / 2, ln2 / 2, 1.5 * ln2, 0.7071067811865475, 1.4142135623730949, 1.0, 0x1p-54}) {
    double x = start;
    for (int i = 0; i < 20; ++i) x = std::nextafter(x, -infinity);
    for (int i = 0; i < 40; ++i) {
      const double next = std::nextafter(x, infinity);
      EXPECT_LE(exp(x), exp(next)) << x;
      EXPECT_LE(expm1(x), expm1(next)) << x;
      EXPECT_LE(log1p(x), log1p(next)) << x;
      if (x > 0.0) {
        EXPECT_LE(log(x), log(next)) << x;
      }
      x = next;
    }
  }
}

}  // namespace
}  // namespace plumb::math::special_test
