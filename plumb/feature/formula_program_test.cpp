// The values of formulas: each operation compared with MPFR as docs/formulas.md promises, and faults.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "plumb/feature/formula.h"
#include "plumb/feature/formula_testing.h"
#include "plumb/feature/product.h"
#include "plumb/math/calendar.h"
#include "plumb/math/testing.h"

namespace plumb::formula_program_test {
namespace {

using formula::Operation;
using math::testing::Exact;
using math::testing::ulps;
using testing::RandomFormula;
using testing::Tree;

constexpr double largest = std::numeric_limits<double>::max();

std::optional<double> value(const std::string& typed, const std::function<double(const std::string&)>& column) {
  const Formula formula = Formula::parse(typed);
  std::vector<double> values;
  for (const std::string& name : formula.columns()) values.push_back(column(name));
  std::vector<const double*> pointers;
  for (const double& each : values) pointers.push_back(&each);
  double out = 0.0;
  Formula::Scratch scratch;
  if (formula.evaluate(pointers, Out(&out, 1), scratch)) return std::nullopt;
  return out;
}
std::optional<double> value(const std::string& typed, double x = 0.0) {
  return value(typed, [x](const std::string&) { return x; });
}

std::string fault(const std::string& typed, double x) {
  Formula::Scratch scratch;
  double out = 0.0;
  const std::vector<const double*> columns(8, &x);
  const auto found = Formula::parse(typed).evaluate(columns, Out(&out, 1), scratch);
  return found ? found->text() : "none";
}

// A value and a bound on the engine's error before it rounds.
struct Bounded {
  Exact value;
  Exact bound;
};

// Compares every part of a random formula with MPFR: arithmetic with exact arithmetic over the engine's own results of
// functions and comparisons, those with the exact function of the engine's own arguments.
class Judge {
 public:
  Judge(RandomFormula& random, std::vector<double> row) : random_(random), row_(std::move(row)) {}

  std::size_t judged = 0;

  void judge(const Tree& tree) {
    bool operands_have_values = true;
    for (const Tree& operand : tree.operands) {
      judge(operand);
      operands_have_values &= engine(operand).has_value();
    }
    if (!operands_have_values || tree.operands.empty()) return;
    const std::optional<double> found = engine(tree);
    if (arithmetic(tree)) {
      const std::optional<Bounded> exact = exactly(tree);
      if (!exact) return;
      ++judged;
      if (!found) {
        const bool too_large = (abs(exact->value) + exact->bound).rounded() >= largest;
        RC_ASSERT(too_large || !mpfr_number_p(exact->value.get()));
        return;
      }
      const Exact allowed = exact->bound + Exact(unit(*found)) * Exact(0.5 + 0x1p-40);
      RC_ASSERT((abs(Exact(*found) - exact->value) - allowed).rounded() <= 0.0);
    } else {
      Exact exact = function(tree);
      ++judged;
      if (!found) {
        RC_ASSERT(!mpfr_number_p(exact.get()) || std::isinf(exact.rounded()));
      } else {
        RC_ASSERT(ulps(*found, exact) <= (composed(tree.operation) ? 4.0 : 1.0));
      }
    }
  }

 private:
  // Made of other functions: docs/formulas.md, Rounding.
  static bool composed(Operation operation) {
    for (const Operation each :
         {Operation::tangent, Operation::arc_sine, Operation::arc_cosine, Operation::arc_tangent,
          Operation::hyperbolic_sine, Operation::hyperbolic_cosine, Operation::hyperbolic_tangent,
          Operation::error_function, Operation::cube_root, Operation::sigmoid})
      if (operation == each) return true;
    return false;
  }
  static double unit(double x) { return std::max(std::nextafter(std::fabs(x), largest) - std::fabs(x), 0x1p-1074); }

  static std::optional<int> whole_exponent(const Tree& tree) {
    int sign = 1;
    const Tree* number = &tree.operands[1];
    for (;; number = &number->operands[0]) {  // 2^1 is 2
      const bool first_power = number->operation == Operation::power &&
                               number->operands[1].operation == Operation::number && number->operands[1].number == 1.0;
      if (number->operation == Operation::negate) {
        sign = -sign;
      } else if (!first_power) {
        break;
      }
    }
    if (number->operation != Operation::number || std::trunc(number->number) != number->number ||
        number->number > kHighestPower)
      return std::nullopt;
    return sign * static_cast<int>(number->number);
  }

  static bool arithmetic(const Tree& tree) {
    const formula::Level level = formula::describe(tree.operation).level;
    if (tree.operation == Operation::power) return whole_exponent(tree).has_value();
    return level == formula::Level::sum || level == formula::Level::product || level == formula::Level::sign ||
           tree.operands.empty();
  }

  std::optional<double> engine(const Tree& tree) {
    return value(random_.typed(tree), [&](const std::string& name) {
      const auto& names = RandomFormula::column_names();
      return row_[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())];
    });
  }

  // u^2 is 2^-106: no operation is off by more than 2^-101 of its result, and the underflow of a low part.
  static Bounded rounded(Exact value, Exact bound) {
    Exact own = abs(value) * Exact(0x1p-101) + Exact(0x1p-1072);
    return {std::move(value), std::move(bound) + own};
  }
  static Bounded product(const Bounded& a, const Bounded& b) {
    return rounded(a.value * b.value, abs(a.value) * b.bound + abs(b.value) * a.bound + a.bound * b.bound);
  }
  static std::optional<Bounded> quotient(const Bounded& a, const Bounded& b) {
    if (mpfr_zero_p(b.value.get()) && mpfr_zero_p(b.bound.get())) return Bounded{a.value / b.value, Exact()};
    if (((abs(b.value) - b.bound - b.bound).rounded()) <= 0.0) return std::nullopt;  // may also be 0
    const Exact least = abs(b.value) - b.bound;
    return rounded(a.value / b.value, (a.bound + abs(a.value) * b.bound / abs(b.value) + Exact(0x1p-1072)) / least);
  }

  // Empty if the rounding of a part that is nearly 0 decides.
  std::optional<Bounded> exactly(const Tree& tree) {
    if (tree.operation == Operation::number) return Bounded{Exact(tree.number), Exact()};
    if (tree.operation == Operation::column) return Bounded{Exact(row_[tree.column]), Exact()};
    if (!arithmetic(tree)) {
      const std::optional<double> found = engine(tree);
      return found ? std::optional(Bounded{Exact(*found), Exact()}) : std::nullopt;
    }
    const std::optional<Bounded> a = exactly(tree.operands[0]);
    if (!a) return std::nullopt;
    if (tree.operation == Operation::negate) return Bounded{Exact(0.0) - a->value, a->bound};
    if (tree.operation == Operation::power) {
      const int count = *whole_exponent(tree);
      if (count == 0) return Bounded{Exact(1.0), Exact()};
      const std::optional<Bounded> base = count > 0 ? a : quotient({Exact(1.0), Exact()}, *a);
      if (!base) return std::nullopt;
      Bounded power = *base;
      for (int i = 1; i < std::abs(count); ++i) power = product(power, *base);
      return power;
    }
    const std::optional<Bounded> b = exactly(tree.operands[1]);
    if (!b) return std::nullopt;
    switch (tree.operation) {
      case Operation::add: return rounded(a->value + b->value, a->bound + b->bound);
      case Operation::subtract: return rounded(a->value - b->value, a->bound + b->bound);
      case Operation::multiply: return product(*a, *b);
      default: return quotient(*a, *b);
    }
  }

  static Exact exponential_of(const Exact& x) {
    Exact y(0.0, 200);
    mpfr_exp(y.get(), x.get(), MPFR_RNDN);
    return y;
  }

  // The exact function of the engine's arguments.
  Exact function(const Tree& tree) {
    const double a = *engine(tree.operands[0]);
    const double b = tree.operands.size() > 1 ? *engine(tree.operands[1]) : 0.0;
    Exact y(0.0, 200);
    const Exact x(a);
    switch (tree.operation) {
      case Operation::less: return Exact(a < b);
      case Operation::less_or_equal: return Exact(a <= b);
      case Operation::greater: return Exact(a > b);
      case Operation::greater_or_equal: return Exact(a >= b);
      case Operation::equal: return Exact(a == b);
      case Operation::not_equal: return Exact(a != b);
      case Operation::absolute: return Exact(std::fabs(a));
      case Operation::floor: return Exact(std::floor(a));
      case Operation::maximum: return Exact(std::max(a, b));
      case Operation::minimum: return Exact(std::min(a, b));
      case Operation::power: mpfr_pow(y.get(), x.get(), Exact(b).get(), MPFR_RNDN); return y;
      case Operation::cosine: mpfr_cos(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::sine: mpfr_sin(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::exponential: mpfr_exp(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::logarithm: mpfr_log(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::logarithm_10: mpfr_log10(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::logarithm_2: mpfr_log2(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::ceiling: return Exact(std::ceil(a));
      case Operation::round: return Exact(std::nearbyint(a));
      case Operation::sign: return Exact((a > 0) - (a < 0));
      case Operation::tangent: mpfr_tan(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::arc_sine: mpfr_asin(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::arc_cosine: mpfr_acos(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::arc_tangent: mpfr_atan(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::hyperbolic_sine: mpfr_sinh(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::hyperbolic_cosine: mpfr_cosh(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::hyperbolic_tangent: mpfr_tanh(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::error_function: mpfr_erf(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::cube_root: mpfr_cbrt(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::exponential_less_1: mpfr_expm1(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::logarithm_1p: mpfr_log1p(y.get(), x.get(), MPFR_RNDN); return y;
      case Operation::sigmoid: return Exact(1.0) / (Exact(1.0) + exponential_of(Exact(0.0) - x));
      case Operation::year: return Exact(math::year(a));
      case Operation::month: return Exact(math::month(a));
      case Operation::day: return Exact(math::day(a));
      case Operation::weekday: return Exact(math::weekday(a));
      case Operation::hour: return Exact(math::hour(a));
      default: mpfr_sqrt(y.get(), x.get(), MPFR_RNDN); return y;
    }
  }

  RandomFormula& random_;
  std::vector<double> row_;
};

std::vector<double> random_row(RandomFormula& random) {
  std::vector<double> row;
  for (std::size_t i = 0; i < RandomFormula::column_names().size(); ++i)
    row.push_back((random.below(3) == 0 ? -1.0 : 1.0) * random.number());
  return row;
}

RC_GTEST_PROP(FormulaProgram, EveryPartIsAsExactAsPromised, (std::uint64_t seed)) {
  RandomFormula random(seed);
  for (int i = 0; i < 30; ++i) {
    Judge judge(random, random_row(random));
    const Tree tree = random.tree(4);
    judge.judge(tree);
    RC_ASSERT(tree.operands.empty() || judge.judged > 0 || tree.operation != Operation::add);
  }
}

// The rounding error is available: with it a value is off by 2^-98, without it a double by 2^-53.
TEST(FormulaProgram, PolynomialTermsAreThereInDoubleDouble) {
  for (const auto& [text, power] : {std::pair{"x^10", 10u}, std::pair{"x*x*x", 3u}, std::pair{"x", 1u}}) {
    const Formula formula = Formula::parse(text);
    RandomFormula random(power);
    Formula::Scratch scratch;
    for (int i = 0; i < 1000; ++i) {
      const double x = random.number() + 0.1;
      const double* column = &x;
      double high, low;
      ASSERT_FALSE(formula.evaluate({&column, 1}, Out(&high, 1), Out(&low, 1), scratch));
      Exact exact(x);
      for (unsigned k = 1; k < power; ++k) exact = exact * Exact(x);
      Exact error = Exact(high) + Exact(low) - exact, bound = exact;
      mpfr_abs(error.get(), error.get(), MPFR_RNDN);
      mpfr_div_2ui(bound.get(), bound.get(), 98, MPFR_RNDN);
      ASSERT_TRUE(mpfr_lessequal_p(error.get(), bound.get()) != 0) << text << " at " << x;
      const PowerOf factor{x, power};
      const math::DoubleDouble product = exact_product_of({&factor, 1});
      ASSERT_EQ(product.high, high);
      if (std::fabs(high) < 0x1p900 && std::fabs(high) > 0x1p-900) {
        ASSERT_EQ(product.low, low);
      }
    }
  }
}

// The bits of a row do not depend on the rows around it, nor on where the rows are cut.
RC_GTEST_PROP(FormulaProgram, CuttingTheRowsChangesNoBit, (std::uint64_t seed)) {
  RandomFormula random(seed);
  const Formula formula = Formula::parse(random.typed(random.tree(4)));
  const std::size_t rows = 1 + random.below(1000);
  std::vector<std::vector<double>> columns(formula.columns().size(), std::vector<double>(rows));
  for (std::size_t row = 0; row < rows; ++row)
    for (auto& column : columns) column[row] = 0.5 + random.number();
  const auto from = [&](std::size_t start) {
    std::vector<const double*> pointers;
    for (const auto& column : columns) pointers.push_back(column.data() + start);
    return pointers;
  };
  std::vector<double> whole(rows), cut(rows);
  Formula::Scratch scratch;
  const auto first_fault = formula.evaluate(from(0), whole, scratch);
  const std::size_t good = first_fault ? first_fault->row : rows;
  for (std::size_t begin = 0; begin < rows;) {
    const std::size_t count = std::min(rows - begin, 1 + random.below(random.below(2) == 0 ? 5 : 700));
    const auto found = formula.evaluate(from(begin), Out(cut).subspan(begin, count), scratch);
    if (found) {
      RC_ASSERT(begin + found->row == good);
      RC_ASSERT(found->text() == first_fault->text());
      break;
    }
    begin += count;
    RC_ASSERT(begin <= good);
  }
  for (std::size_t row = 0; row < good; ++row) {
    RC_ASSERT(std::isfinite(whole[row]));
    RC_ASSERT(std::bit_cast<std::uint64_t>(whole[row]) == std::bit_cast<std::uint64_t>(cut[row]));
  }
}

// The plain method for products of powers: factor after factor in double-double, rounded once.
RC_GTEST_PROP(FormulaProgram, ProductsOfPowersKeepTheirBits, (std::uint64_t seed)) {
  RandomFormula random(seed);
  std::vector<double> x{random.number() + 0.1, random.number() + 0.1, random.number() + 0.1};
  Expression expression;
  math::DoubleDouble expected(1.0);
  for (std::size_t i = 0, n = 1 + random.below(5); i < n; ++i) {
    const std::size_t column = random.below(3);
    expression.factors.push_back(
        {std::string(1, static_cast<char>('a' + column)), static_cast<std::uint32_t>(1 + random.below(6))});
    for (std::uint32_t k = 0; k < expression.factors.back().power; ++k) expected = expected * x[column];
  }
  const auto found =
      value(expression.text(), [&](const std::string& name) { return x[static_cast<std::size_t>(name[0] - 'a')]; });
  if (std::isfinite(expected.high)) RC_ASSERT(found == expected.high);
}

TEST(FormulaProgram, ArithmeticIsRoundedOnce) {
  // (1 + u)^2 - 1 - 2u = u^2 exactly, which rounding after every operation loses completely.
  const double u = 0x1p-40;
  EXPECT_EQ(value("(1+x)^2 - 1 - 2*x", u), u * u);
  EXPECT_EQ(value("x*x - x^2", 0.1), 0.0);
  EXPECT_EQ(value("x/3*3", 0.1), 0.1);
  EXPECT_EQ(value("0.1 + 0.2 - 0.3 > 0"), 1.0);
  EXPECT_EQ(value("10*x == 3", 0.3), 1.0) << "a comparison takes rounded numbers";
  EXPECT_EQ(value("floor(10*x)", 0.3), 3.0) << "and so does a function";
}

TEST(FormulaProgram, PowersAreThoseOfMathematics) {
  EXPECT_EQ(value("x^0", 0.0), 1.0);
  EXPECT_EQ(value("x^x", 0.0), 1.0);
  EXPECT_EQ(value("x^3", -2.0), -8.0);
  EXPECT_EQ(value("x^-3", -2.0), -0.125);
  EXPECT_EQ(value("x^x", -3.0), -1.0 / 27.0);
  EXPECT_EQ(value("x^0.5", 2.25), 1.5);
  EXPECT_EQ(value("x^1000", 1.0), 1.0);
  EXPECT_EQ(value("x^101", 2.0), 0x1p101);
  EXPECT_EQ(value("x^-2", 1e155), 1e-310) << "although x^2 would be too large";
  EXPECT_EQ(value("x/3", largest), largest / 3) << "although the remainder is too large";
}

TEST(FormulaProgram, WhatHasNoFiniteValueIsReportedWithItsInnermostPart) {
  EXPECT_EQ(fault("2 + log(x)", -3.0), "log(x) has no finite value at x = -3");
  EXPECT_EQ(fault("log(x)", 0.0), "log(x) has no finite value at x = 0");
  EXPECT_EQ(fault("1/(x - 2)*y", 2.0), "1/(x-2) has no finite value at x = 2");
  EXPECT_EQ(fault("sqrt(x)", -0.25), "sqrt(x) has no finite value at x = -0.25");
  EXPECT_EQ(fault("min(1, x^0.5)", -4.0), "x^0.5 has no finite value at x = -4");
  EXPECT_EQ(fault("0*exp(x)", 1000.0), "exp(x) has no finite value at x = 1000");
  EXPECT_EQ(fault("y*x^3 < 1", 1e200), "y*x^3 has no finite value at y = 1e+200, x = 1e+200");
  EXPECT_EQ(fault("y + x^3", 1e200), "x^3 has no finite value at x = 1e+200");
  EXPECT_EQ(fault("x^3*y", 1e100), "x^3*y has no finite value at x = 1e+100, y = 1e+100");
  EXPECT_EQ(fault("x^-1", 0.0), "x^-1 has no finite value at x = 0");
  EXPECT_EQ(fault("\"my col\"^y", -0.5), "\"my col\"^y has no finite value at \"my col\" = -0.5, y = -0.5");
  EXPECT_EQ(fault("x > 1", std::nan("")), "x has no finite value at x = nan");
  EXPECT_EQ(fault("log10(0)", 1.0), "log10(0) has no finite value");
  EXPECT_EQ(fault("log(a*b*c*d*e*f*g - 1)", 1.0),
            "log(a*b*c*d*e*f*g-1) has no finite value at a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, ...");
  EXPECT_EQ(fault("2 + log(x)", 3.0), "none");
}

TEST(FormulaProgram, TheFirstRowWithAFaultIsReportedAndRowsBeforeItAreRight) {
  const Formula formula = Formula::parse("log(x) + 1/y");
  std::vector<double> x(1000, 1.0), y(1000, 0.5), out(1000);
  const std::vector<const double*> columns{x.data(), y.data()};
  Formula::Scratch scratch;
  x[700] = -1.0;
  y[699] = 0.0;  // an operation that comes later, in a row that comes earlier
  const auto found = formula.evaluate(columns, out, scratch);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->row, 699u);
  EXPECT_EQ(found->part, "1/y");
  for (std::size_t row = 0; row < 699; ++row) ASSERT_EQ(out[row], 2.0);
  x[699] = 0.0;
  EXPECT_EQ(formula.evaluate(columns, out, scratch)->part, "log(x)");
}

TEST(FormulaProgram, LongAndDeepFormulasAreEvaluated) {
  std::string sum = "x";
  for (std::size_t i = 0; i < Formula::kMostOperations; ++i) sum += "+x";
  EXPECT_EQ(value(sum, 1.0), 1025.0);
  std::string deep = "x";
  for (std::size_t i = 1; i < Formula::kDeepest; ++i) deep = "1<2+2*(" + deep + ")";
  EXPECT_EQ(value(deep, 1.0), 1.0);
  std::string least = "min(1";
  for (int i = 2; i < 900; ++i) least += "," + std::to_string(i);
  EXPECT_EQ(value(least + ",x*x)", 0.5), 0.25);
}

TEST(FormulaProgram, NoRowsAreNoWork) {
  Formula::Scratch scratch;
  EXPECT_EQ(Formula::parse("log(x)").evaluate(std::vector<const double*>{nullptr}, Out(), scratch), std::nullopt);
}

}  // namespace
}  // namespace plumb::formula_program_test
