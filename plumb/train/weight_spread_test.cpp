// Standard errors of ridge against their definition in 400 bits, for dependent columns and penalties so small that a
// Gram matrix in double loses them.
#include "plumb/train/weight_spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "plumb/math/testing.h"
#include "plumb/train/testing.h"

namespace plumb::weight_spread_test {
namespace {

using math::testing::Exact;
using math::testing::Random;
using Matrix = std::vector<std::vector<Exact>>;

Matrix times(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), std::vector<Exact>(b[0].size(), Exact(0.0)));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < b[0].size(); ++j) c[i][j] = c[i][j] + a[i][k] * b[k][j];
  return c;
}

Matrix inverse_of(Matrix a) {
  const std::size_t q = a.size();
  for (std::size_t i = 0; i < q; ++i)
    for (std::size_t j = 0; j < q; ++j) a[i].push_back(Exact(i == j ? 1.0 : 0.0));
  for (std::size_t j = 0; j < q; ++j) {
    for (std::size_t i = 0; i < q; ++i) {
      if (i == j) continue;
      const Exact by = a[i][j] / a[j][j];
      for (std::size_t k = j; k < 2 * q; ++k) a[i][k] = a[i][k] - by * a[j][k];
    }
  }
  Matrix inverse(q);
  for (std::size_t i = 0; i < q; ++i)
    for (std::size_t j = 0; j < q; ++j) inverse[i].push_back(a[i][q + j] / a[i][i]);
  return inverse;
}

struct Expected {
  std::vector<double> errors;  // of the bias, then of the weights
  double freedom, sd;
};

Expected by_definition(const Data& data, double l2) {
  const std::size_t n = data.y.size(), q = data.x[0].size() + 1;
  const auto z = [&](std::size_t i, std::size_t j) { return Exact(j == 0 ? 1.0 : data.x[i][j - 1]); };
  const auto s = [&](std::size_t i) { return Exact(data.s.empty() ? 1.0 : data.s[i]); };
  Matrix gram(q, std::vector<Exact>(q, Exact(0.0))), right(q, std::vector<Exact>(1, Exact(0.0)));
  Exact copies(0.0);
  for (std::size_t i = 0; i < n; ++i) {
    copies = copies + s(i);
    for (std::size_t j = 0; j < q; ++j) {
      for (std::size_t k = 0; k < q; ++k) gram[j][k] = gram[j][k] + s(i) * z(i, j) * z(i, k);
      right[j][0] = right[j][0] + s(i) * z(i, j) * Exact(data.y[i]);
    }
  }
  Matrix held = gram;
  for (std::size_t j = 1; j < q; ++j) held[j][j] = held[j][j] + Exact(l2);
  const Matrix inverse = inverse_of(held), w = times(inverse, right), hat = times(inverse, gram);
  const Matrix spread = times(hat, inverse);
  Exact rss(0.0), freedom = copies;
  for (std::size_t i = 0; i < n; ++i) {
    Exact r(data.y[i]);
    for (std::size_t j = 0; j < q; ++j) r = r - z(i, j) * w[j][0];
    rss = rss + s(i) * r * r;
  }
  for (std::size_t j = 0; j < q; ++j) freedom = freedom - hat[j][j];
  Expected expected{{}, freedom.rounded(), sqrt(rss / freedom).rounded()};
  for (std::size_t j = 0; j < q; ++j) expected.errors.push_back(sqrt(rss / freedom * spread[j][j]).rounded());
  return expected;
}

void expect_errors(const Data& data, double l2, double tolerance) {
  const Trained found = fit_with(data, {.l2 = {l2, false}});
  const Expected expected = by_definition(data, l2);
  expect_close(number_of(found, "degrees_of_freedom"), expected.freedom, tolerance);
  expect_close(number_of(found, "residual_sd"), expected.sd, tolerance);
  ASSERT_EQ(found.record.standard_errors.weights.size(), data.x[0].size()) << l2;
  expect_close(found.record.standard_errors.bias[0], expected.errors[0], tolerance);
  for (std::size_t j = 0; j < data.x[0].size(); ++j)
    expect_close(found.record.standard_errors.weights[j], expected.errors[1 + j], tolerance);
}

// The third column is 3 a + 0.1 c, rounded.
Data dependent() {
  Data data{{{1.3, 8.5},
             {5.0, 4.5},
             {6.5, 7.9},
             {8.4, 4.3},
             {7.6, 0.0},
             {2.3, 9.5},
             {9.0, 0.3},
             {9.4, 3.8},
             {2.2, 4.2},
             {4.4, 5.0},
             {2.3, 2.3},
             {2.9, 0.2}},
            {2.7, 9.2, 13.2, 16.9, 13.7, 5.1, 19.2, 19.0, 5.1, 8.9, 4.8, 6.9},
            {}};
  for (std::vector<double>& x : data.x) x.push_back(std::round(300 * x[0] + 10 * x[1]) / 100);
  return data;
}

TEST(WeightSpread, OfDependentColumnsHoldsForEveryPenalty) {
  Data data = dependent();
  for (const double l2 : {1e4, 1.0, 1e-4, 1e-8, 1e-10, 1e-12}) expect_errors(data, l2, 1e-12);
  for (const double l2 : {1e-14, 1e-15}) expect_errors(data, l2, 1e-9);
  data.s = {1, 2, 3, 1, 0.5, 2, 1, 1, 4, 1, 1, 2};
  for (const double l2 : {1.0, 1e-8, 1e-12}) expect_errors(data, l2, 1e-12);
}

// Then residuals and degrees of freedom vanish with the penalty, and one is divided by the other.
TEST(WeightSpread, OfFewerRowsThanColumnsHoldsForEveryPenalty) {
  Random random(5);
  Data data;
  for (std::size_t i = 0; i < 7; ++i) {
    data.x.push_back(random.vector(11, -3, 3));
    data.y.push_back(random.uniform(-1, 1));
  }
  for (const double l2 : {1.0, 1e-4, 1e-8}) expect_errors(data, l2, 1e-11);
  expect_errors(data, 1e-10, 1e-9);  // 1 - h is 1e-11 there
}

TEST(WeightSpread, IsNotGuessedWhereRoundingDecidesIt) {
  const Trained found = fit_with(dependent(), {.l2 = {1e-27, false}});
  EXPECT_TRUE(found.record.standard_errors.weights.empty());
  const auto said = [](const std::string& warning) { return warning.find("no standard errors") != std::string::npos; };
  EXPECT_TRUE(std::any_of(found.warnings.begin(), found.warnings.end(), said));
}

// More rows than fit in double-double: from the Gram matrix if columns are far from dependent, otherwise by rows.
TEST(WeightSpread, OfManyRowsIsNearThatInDoubleDouble) {
  Random random(6);
  const std::size_t n = 26'000, p = 90;
  Data data;
  for (std::size_t i = 0; i < n; ++i) {
    data.x.push_back(random.vector(p, -1, 1));
    data.x[i][1] = data.x[i][0] + 1e-3 * data.x[i][1];
    data.y.push_back(data.x[i][0] + random.uniform(-1, 1));
  }
  const Examples examples = examples_of(data);
  for (const double l2 : {1e-6, 1.0}) {
    Executor executor(2);
    const plumb::Run run{executor};
    NormalOptions options{.penalty = std::vector<double>(p, l2)};
    const NormalSolution solution = solve_normal_equations(examples, options, run);
    const Basis basis = basis_in_units(solution);
    ASSERT_FALSE(basis.exact_for(n));
    const WeightSpread found = find_weight_spread(solution, {basis}, examples, run);
    ASSERT_EQ(found.weights.size(), p);
    const std::size_t j = 1;  // |A^-1 e_j|^2 in G, with a solution refined against its residual
    std::vector<double> e(p + 1), v(p + 1), rest(p + 1), step(p + 1);
    e[1 + j] = 1.0;
    const auto gram = [&](std::size_t i, std::size_t k) {
      return solution.gram[std::max(i, k) * (p + 2) + std::min(i, k)];
    };
    solution.factor.solve(e, v);
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i <= p; ++i) {
        math::DoubleDouble sum = e[i];
        for (std::size_t k = 0; k <= p; ++k) sum -= math::two_product(gram(i, k), v[k]);
        if (i > 0) sum -= math::two_product(solution.penalty[i - 1], v[i]);
        rest[i] = sum.high;
      }
      solution.factor.solve(rest, step);
      for (std::size_t i = 0; i <= p; ++i) v[i] += step[i];
    }
    math::DoubleDouble total;
    for (std::size_t i = 0; i <= p; ++i)
      for (std::size_t k = 0; k <= p; ++k) total += math::two_product(gram(i, k), v[k]) * v[i];
    expect_close(found.weights[j], total.high, 1e-8);
  }
}

}  // namespace
}  // namespace plumb::weight_spread_test
