// Closed forms, residuals of random problems, columns that must be set aside, and equal bits from every table.
#include "plumb/math/cholesky.h"

#include "plumb/base/error.h"
#include "plumb/math/dense.h"
#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace plumb::math::cholesky_test {
namespace {

using testing::Random;
using testing::tables;

using Matrix = std::vector<double>;  // row-major, square unless said otherwise

constexpr double tolerance = 1e-11;

Matrix symmetric(Matrix lower, std::size_t p) {
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t k = 0; k < j; ++k) lower[k * p + j] = lower[j * p + k];
  }
  return lower;
}

Matrix gram_of(const Matrix& x, std::size_t rows, std::size_t p) {
  Matrix gram(p * p);
  gram_add(x.data(), rows, p, p, nullptr, gram.data());
  return gram;
}

std::vector<double> times(const Matrix& a, const std::vector<double>& x) {
  const std::size_t p = x.size();
  std::vector<double> y(p);
  for (std::size_t i = 0; i < p; ++i) y[i] = dot(In(a.data() + i * p, p), x);
  return y;
}

std::vector<std::size_t> aliased_columns(const Cholesky& factor) {
  std::vector<std::size_t> found;
  for (std::size_t j = 0; j < factor.size(); ++j) {
    if (factor.aliased()[j]) found.push_back(j);
  }
  return found;
}

TEST(Cholesky, OfADiagonalDividesByIt) {
  const std::size_t p = 20;
  Matrix a(p * p);
  std::vector<double> b(p, 1.0), x(p), inverse(p);
  for (std::size_t j = 0; j < p; ++j) a[j * p + j] = std::ldexp(1.0, static_cast<int>(40 * j) - 400);
  const Cholesky factor(a, p, tolerance);
  EXPECT_EQ(factor.rank(), p);
  factor.solve(b, x);
  factor.inverse_diagonal(inverse);
  for (std::size_t j = 0; j < p; ++j) {
    EXPECT_EQ(x[j], 1.0 / a[j * p + j]);
    EXPECT_EQ(inverse[j], 1.0 / a[j * p + j]);
  }
  EXPECT_NEAR(factor.condition_estimate(), 1.0, 1e-14);  // scaled, it is the identity
}

// A = min(i, j) for i, j = 1 .. p has U of ones, the inverse tridiagonal with diagonal 2, ..., 2, 1.
TEST(Cholesky, OfTheMinimumMatrixIsExact) {
  const std::size_t p = 100;
  Matrix a(p * p);
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t j = 0; j <= i; ++j) a[i * p + j] = static_cast<double>(j + 1);
  }
  const Cholesky factor(a, p, tolerance);
  std::vector<double> inverse(p), x(p);
  factor.inverse_diagonal(inverse);
  for (std::size_t j = 0; j < p; ++j) EXPECT_NEAR(inverse[j], j + 1 < p ? 2.0 : 1.0, 1e-12);
  std::vector<double> wanted(p);
  for (std::size_t j = 0; j < p; ++j) wanted[j] = static_cast<double>(j % 7) - 3.0;
  factor.solve(times(symmetric(a, p), wanted), x);
  for (std::size_t j = 0; j < p; ++j) EXPECT_NEAR(x[j], wanted[j], 1e-11);
}

// U'U is the matrix again, on the columns that were kept; an aliased one leaves zeros.
TEST(Cholesky, GivesItsRootInTheUnitsOfTheMatrix) {
  const std::size_t p = 4, rows = 30;
  Random random(77);
  Matrix x = random.vector(rows * p);
  for (std::size_t i = 0; i < rows; ++i) {
    x[i * p + 1] *= 1e-6;
    x[i * p + 2] = 3.0 * x[i * p];  // aliased
    x[i * p + 3] *= 1e5;
  }
  const Matrix gram = symmetric(gram_of(x, rows, p), p);
  const Cholesky factor(gram, p, tolerance);
  ASSERT_EQ(aliased_columns(factor), (std::vector<std::size_t>{2}));
  const std::vector<double> packed = factor.packed_root();
  ASSERT_EQ(packed.size(), p * (p + 1) / 2);
  Matrix root(p * p);
  for (std::size_t i = 0, at = 0; i < p; ++i) {
    for (std::size_t j = i; j < p; ++j) root[i * p + j] = packed[at++];
  }
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t k = 0; k < p; ++k) {
      double product = 0.0;
      for (std::size_t i = 0; i < p; ++i) product += root[i * p + j] * root[i * p + k];
      const double wanted = j == 2 || k == 2 ? 0.0 : gram[j * p + k];
      EXPECT_NEAR(product, wanted, 1e-14 * std::sqrt(gram[j * p + j] * gram[k * p + k]));
    }
  }
}

// Hilbert's matrix H_ij = 1 / (i + j - 1); (H^-1)_jj = (2j-1) C(p+j-1, p-j)^2 C(2j-2, j-1)^2.
TEST(Cholesky, InvertsTheHilbertMatrixAsFarAsItsConditionAllows) {
  const std::size_t p = 6;
  Matrix a(p * p);
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t j = 0; j <= i; ++j) a[i * p + j] = 1.0 / static_cast<double>(i + j + 1);
  }
  const Cholesky factor(a, p, 1e-15);
  ASSERT_EQ(factor.rank(), p);
  std::vector<double> inverse(p);
  factor.inverse_diagonal(inverse);
  const auto choose = [](std::size_t n, std::size_t k) {
    double result = 1.0;
    for (std::size_t i = 1; i <= k; ++i) result = result * static_cast<double>(n - k + i) / static_cast<double>(i);
    return result;
  };
  for (std::size_t j = 1; j <= p; ++j) {
    const double outer = choose(p + j - 1, p - j), inner = choose(2 * j - 2, j - 1);
    const double exact = static_cast<double>(2 * j - 1) * outer * outer * inner * inner;
    EXPECT_NEAR(inverse[j - 1] / exact, 1.0, 1e-8);
  }
}

TEST(Cholesky, SolvesRandomProblemsBackwardStably) {
  Random random(1);
  for (const std::size_t p : {1u, 2u, 7u, 8u, 63u, 64u, 65u, 130u, 200u}) {
    const std::size_t rows = 2 * p + 3;
    const Matrix gram = gram_of(random.vector(rows * p), rows, p);
    const Cholesky factor(gram, p, tolerance);
    ASSERT_EQ(factor.rank(), p);
    const std::vector<double> b = random.vector(p);
    std::vector<double> x(p), in_place = b;
    factor.solve(b, x);
    factor.solve(in_place, in_place);
    EXPECT_EQ(in_place, x);
    const Matrix a = symmetric(gram, p);
    const std::vector<double> back = times(a, x);
    // ||b - A x|| <= c p u ||A|| ||x||, all in the maximum norm.
    double residual = 0.0, norm_a = 0.0, norm_x = 0.0;
    for (std::size_t i = 0; i < p; ++i) {
      double row = 0.0;
      for (std::size_t j = 0; j < p; ++j) row += std::fabs(a[i * p + j]);
      residual = std::max(residual, std::fabs(b[i] - back[i]));
      norm_a = std::max(norm_a, row);
      norm_x = std::max(norm_x, std::fabs(x[i]));
    }
    EXPECT_LE(residual, 4.0 * static_cast<double>(p) * 0x1p-53 * norm_a * norm_x) << p;

    std::vector<double> inverse(p), unit(p), column(p);
    factor.inverse_diagonal(inverse);
    double norm_inverse = 0.0;
    for (std::size_t j = 0; j < p; ++j) {
      std::fill(unit.begin(), unit.end(), 0.0);
      unit[j] = 1.0;
      factor.solve(unit, column);
      EXPECT_NEAR(inverse[j] / column[j], 1.0, 1e-10);
      double total = 0.0;
      for (const double each : column) total += std::fabs(each);
      norm_inverse = std::max(norm_inverse, total);
    }
    // The diagonal is nearly constant here, so scaling changes the condition little.
    const double condition = norm_a * norm_inverse;
    EXPECT_GE(factor.condition_estimate(), condition / 16.0) << p;
    EXPECT_LE(factor.condition_estimate(), condition * 16.0) << p;
  }
}

// The estimate against the true condition number, on a matrix whose scaled form is known: 1 and c, c and 1.
TEST(Cholesky, EstimatesTheConditionOfTwoColumns) {
  for (const double c : {0.0, 0.5, -0.9, 0.999999}) {
    const Cholesky factor({1.0, 0.0, c, 1.0}, 2, tolerance);
    EXPECT_NEAR(factor.condition_estimate() / ((1.0 + std::fabs(c)) / (1.0 - std::fabs(c))), 1.0, 1e-9);
  }
}

// Columns 3 (a copy of 1), 5 (the sum of 0 and 4), 6 (zeros) and 70 (twice column 8, in the next block).
TEST(Cholesky, SetsAsideColumnsThatEarlierOnesMake) {
  Random random(2);
  const std::size_t p = 90, rows = 300;
  Matrix x = random.vector(rows * p);
  for (std::size_t i = 0; i < rows; ++i) {
    double* const row = &x[i * p];
    row[3] = row[1];
    row[5] = row[0] + row[4];
    row[6] = 0.0;
    row[70] = 2.0 * row[8];
  }
  const Matrix gram = gram_of(x, rows, p);
  const Cholesky factor(gram, p, tolerance);
  EXPECT_EQ(aliased_columns(factor), (std::vector<std::size_t>{3, 5, 6, 70}));
  EXPECT_EQ(factor.rank(), p - 4);

  // The same problem without those columns has the same solution.
  std::vector<std::size_t> kept;
  for (std::size_t j = 0; j < p; ++j) {
    if (!factor.aliased()[j]) kept.push_back(j);
  }
  const std::size_t q = kept.size();
  Matrix small(q * q);
  std::vector<double> b = random.vector(p), small_b(q), solution(p), small_solution(q), inverse(p), small_inverse(q);
  for (std::size_t j = 0; j < q; ++j) {
    small_b[j] = b[kept[j]];
    for (std::size_t k = 0; k <= j; ++k) small[j * q + k] = gram[kept[j] * p + kept[k]];
  }
  for (const std::size_t j : {3u, 5u, 6u, 70u}) b[j] = std::numeric_limits<double>::quiet_NaN();  // not read
  const Cholesky small_factor(small, q, tolerance);
  factor.solve(b, solution);
  factor.inverse_diagonal(inverse);
  small_factor.solve(small_b, small_solution);
  small_factor.inverse_diagonal(small_inverse);
  for (std::size_t j = 0; j < q; ++j) {
    EXPECT_NEAR(solution[kept[j]], small_solution[j], 1e-13);
    EXPECT_NEAR(inverse[kept[j]] / small_inverse[j], 1.0, 1e-12);
  }
  for (const std::size_t j : {3u, 5u, 6u, 70u}) {
    EXPECT_EQ(solution[j], 0.0);
    EXPECT_EQ(inverse[j], 0.0);
  }
  EXPECT_NEAR(factor.condition_estimate() / small_factor.condition_estimate(), 1.0, 1e-9);
}

TEST(Cholesky, DecidesTheSameWhateverTheUnits) {
  Random random(3);
  const std::size_t p = 12, rows = 50;
  Matrix x = random.vector(rows * p);
  for (std::size_t i = 0; i < rows; ++i) {
    x[i * p + 7] = x[i * p + 2] + 3e-7 * x[i * p + 7];  // 1 - R^2 near 1e-13
    x[i * p + 9] = x[i * p + 2] + 1e-4 * x[i * p + 9];  // 1 - R^2 near 1e-8
  }
  for (const double unit : {1.0, 0x1p-300, 0x1p300, 3e7}) {
    Matrix scaled = x;
    for (std::size_t i = 0; i < rows; ++i) scaled[i * p + 7] *= unit;
    EXPECT_EQ(aliased_columns(Cholesky(gram_of(scaled, rows, p), p, tolerance)), std::vector<std::size_t>{7}) << unit;
  }
}

TEST(Cholesky, OfNothingAndOfZerosHasRankZero) {
  const Cholesky nothing({}, 0, tolerance);
  EXPECT_EQ(nothing.rank(), 0u);
  EXPECT_EQ(nothing.condition_estimate(), 1.0);
  const Cholesky zeros(Matrix(9), 3, tolerance);
  EXPECT_EQ(zeros.rank(), 0u);
  EXPECT_EQ(zeros.condition_estimate(), 1.0);
  std::vector<double> x(3, 5.0);
  zeros.solve(x, x);
  EXPECT_EQ(x, std::vector<double>(3));
  EXPECT_EQ(aliased_columns(Cholesky({-1.0}, 1, tolerance)), std::vector<std::size_t>{0});
}

TEST(Cholesky, RefusesWhatIsNotFiniteAndNamesThePlace) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    try {
      Cholesky({1.0, 0.0, bad, 1.0}, 2, tolerance);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data);
      EXPECT_NE(error.message().find("row 2, column 1"), std::string::npos) << error.message();
    }
  }
  EXPECT_THROW(Cholesky({1.0}, 2, tolerance), Error);
}

TEST(Cholesky, ReadsTheLowerTriangleAlone) {
  Matrix a = {2.0, std::numeric_limits<double>::quiet_NaN(), 1.0, 2.0};
  std::vector<double> x(2);
  Cholesky(a, 2, tolerance).solve(std::vector<double>{3.0, 3.0}, x);
  EXPECT_NEAR(x[0], 1.0, 1e-15);
  EXPECT_NEAR(x[1], 1.0, 1e-15);
}

TEST(Cholesky, GivesTheSameBitsFromEveryTable) {
  Random random(4);
  const std::size_t p = 150, rows = 400;
  const Matrix gram = gram_of(random.vector(rows * p), rows, p);
  const std::vector<double> b = random.vector(p);
  const Cholesky scalar(gram, p, tolerance, {}, *kernels_for(Simd::scalar));
  std::vector<double> expected(p), x(p), expected_inverse(p), inverse(p);
  scalar.solve(b, expected);
  scalar.inverse_diagonal(expected_inverse);
  for (const Kernels* const table : tables()) {
    const Cholesky factor(gram, p, tolerance, {}, *table);
    factor.solve(b, x);
    factor.inverse_diagonal(inverse);
    EXPECT_EQ(x, expected) << name(table->simd);
    EXPECT_EQ(inverse, expected_inverse) << name(table->simd);
    EXPECT_EQ(factor.condition_estimate(), scalar.condition_estimate()) << name(table->simd);
  }
}

// Hilbert's matrix 1 / (i + j - 1) has an inverse of whole numbers, with
//   (2j - 1) [binomial(n + j - 1, n - j) binomial(2j - 2, j - 1)]^2
// on its diagonal, and for n = 10 a condition of 1.6e13: double precision leaves three digits of it.
TEST(Cholesky, InDoubleDoubleInvertsHilbertsMatrix) {
  const std::size_t n = 10;
  const auto binomial = [](std::size_t a, std::size_t b) {
    double value = 1.0;
    for (std::size_t k = 1; k <= b; ++k) value = value * static_cast<double>(a - b + k) / static_cast<double>(k);
    return std::round(value);
  };
  Matrix high(n * n), low(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const DoubleDouble each = DoubleDouble(1.0) / DoubleDouble(static_cast<double>(i + j + 1));
      high[i * n + j] = each.high;
      low[i * n + j] = each.low;
    }
  }
  const Cholesky factor(high, low, n, 1e-28), plain(high, n, 1e-28);
  std::vector<double> diagonal(n), unit(n);
  factor.inverse_diagonal(diagonal);
  EXPECT_EQ(factor.rank(), n);
  for (std::size_t j = 1; j <= n; ++j) {
    const double root = binomial(n + j - 1, n - j) * binomial(2 * j - 2, j - 1);
    const double expected = static_cast<double>(2 * j - 1) * root * root;
    EXPECT_NEAR(diagonal[j - 1], expected, 1e-14 * expected) << j;
    std::fill(unit.begin(), unit.end(), 0.0);
    unit[j - 1] = 1.0;
    EXPECT_NEAR(factor.inverse_form(unit), expected, 1e-14 * expected) << j;
    EXPECT_NEAR(plain.inverse_form(unit), expected, 0.1 * expected) << j;
  }
}

TEST(Cholesky, InDoubleDoubleSetsAsideWhatIsACombination) {
  const std::size_t p = 3;  // x, y, x + y
  const Matrix high = {1, 0, 0, 0.25, 1, 0, 1.25, 1.25, 2.5}, low(p * p);
  const Cholesky factor(high, low, p, 1e-28);
  EXPECT_EQ(factor.rank(), 2u);
  EXPECT_EQ(aliased_columns(factor), (std::vector<std::size_t>{2}));
  std::vector<double> x(p);
  factor.solve(std::vector<double>{1, 0.25, 9}, x);
  EXPECT_DOUBLE_EQ(x[0], 1.0);
  EXPECT_NEAR(x[1], 0.0, 1e-16);
  EXPECT_EQ(x[2], 0.0);
}

}  // namespace
}  // namespace plumb::math::cholesky_test
