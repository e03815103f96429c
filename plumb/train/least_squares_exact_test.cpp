// Random designs of every condition number against exact solutions: the error never exceeds the stated digits.
// rows: R1
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "plumb/math/testing.h"
#include "plumb/train/least_squares.h"
#include "plumb/train/normal_equations.h"
#include "plumb/train/testing.h"

namespace plumb::least_squares_exact_test {
namespace {

using math::testing::Exact;
using math::testing::Random;

// The normal equations of (1, x) in 400 bits, by Gauss-Jordan: condition 1e14 squared takes 93 of them.
std::vector<Exact> solved_exactly(const Data& data) {
  const std::size_t n = data.y.size(), q = data.x[0].size() + 1;
  std::vector<std::vector<Exact>> a(q, std::vector<Exact>(q + 1));
  const auto z = [&](std::size_t i, std::size_t j) {
    return Exact(j == 0 ? 1.0 : j < q ? data.x[i][j - 1] : data.y[i]);
  };
  for (std::size_t j = 0; j < q; ++j)
    for (std::size_t k = 0; k <= q; ++k)
      for (std::size_t i = 0; i < n; ++i)
        a[j][k] = a[j][k] + Exact(data.s.empty() ? 1.0 : data.s[i]) * z(i, j) * z(i, k);
  for (std::size_t j = 0; j < q; ++j)
    for (std::size_t i = 0; i < q; ++i) {
      if (i == j) continue;
      const Exact times = a[i][j] / a[j][j];
      for (std::size_t k = j; k <= q; ++k) a[i][k] = a[i][k] - times * a[j][k];
    }
  std::vector<Exact> solution;
  for (std::size_t j = 0; j < q; ++j) solution.push_back(a[j][q] / a[j][j]);
  return solution;
}

// Columns that are sums of the earlier ones plus, of size 10^-spread, something new.
Data near_dependent(Random& random, std::size_t n, std::size_t p, double spread) {
  Data data;
  const std::vector<double> weight = random.vector(p, -3, 3), size = random.vector(p, -6, 6);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> x = random.vector(p);
    for (std::size_t j = 1; j < p; ++j) x[j] = x[j - 1] + std::pow(10.0, -spread / static_cast<double>(p - 1)) * x[j];
    double y = 1 + random.uniform(-0.1, 0.1);
    for (std::size_t j = 0; j < p; ++j) {
      x[j] *= std::pow(10.0, size[j]);
      y += weight[j] * x[j] / std::pow(10.0, size[j]);
    }
    data.x.push_back(std::move(x));
    data.y.push_back(y);
  }
  return data;
}

std::size_t designs(std::size_t few, std::size_t many) { return math::testing::full_run() ? many : few; }

// The bias first. As in docs/least_squares.md: relative to the weight or, if that is more, to a millionth of the
// largest, each in the unit of its column; the bias relative to its terms. Returns the stated digits.
double expect_stated_digits(const Data& data, const Trained& found, const std::vector<Exact>& exact,
                            const std::string& design) {
  const std::size_t p = data.x[0].size();
  const double digits = number_of(found, "digits");
  double largest = 0.0, terms = std::abs(exact[0].rounded());
  std::vector<double> unit(p);
  for (std::size_t j = 0; j < p; ++j) {
    for (const auto& x : data.x) unit[j] = std::max(unit[j], std::abs(x[j]));
    largest = std::max(largest, std::abs(exact[1 + j].rounded()) * unit[j]);
    terms += std::abs(exact[1 + j].rounded()) * unit[j];
  }
  for (std::size_t j = 0; j < p; ++j) {
    const double error = abs(Exact(weights(found)[j]) - exact[1 + j]).rounded() * unit[j];
    const double size = std::max(std::abs(exact[1 + j].rounded()) * unit[j], 1e-6 * largest / 2);
    EXPECT_LE(error, std::pow(10.0, -digits) * size) << design << ", weight " << j;
  }
  const double error = abs(Exact(found.model.parts().bias[0]) - exact[0]).rounded();
  EXPECT_LE(error, std::pow(10.0, -digits) * terms) << design;
  return digits;
}

TEST(LeastSquares, TheErrorNeverExceedsTheStatedDigits) {
  double fewest = 17.0;
  for (std::size_t seed = 0; seed < designs(300, 10'000); ++seed) {
    Random random(seed);
    const std::size_t p = 2 + random.below(6), n = p + 3 + random.below(40);
    const double spread = random.uniform(0.0, 14.0);
    const Data data = near_dependent(random, n, p, spread);
    const Trained found = fit(data);
    if (!found.record.aliased.empty()) continue;  // the rest is another problem
    const std::string design = "design " + std::to_string(seed) + ", spread " + std::to_string(spread);
    fewest = std::min(fewest, expect_stated_digits(data, found, solved_exactly(data), design));
  }
  EXPECT_GE(fewest, 8.0);  // the stated number must be useful, too
}

// Two columns nearly equal, one of them far from 0: large weights cancel in every residual.
TEST(LeastSquares, TheErrorNeverExceedsTheStatedDigitsFarFromZero) {
  double fewest = 17.0;
  for (std::size_t seed = 0; seed < designs(500, 10'000); ++seed) {
    Random random(seed);
    const std::size_t p = 2 + random.below(2), n = p + 3 + random.below(9);
    const double spread = random.uniform(3.0, 11.0), far = std::pow(10.0, random.uniform(3.0, 8.0));
    Data data;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> x = random.vector(p, -2, 2);
      x[1] = x[0] + std::pow(10.0, -spread) * x[1] + far;
      data.y.push_back(x[0] + x[1] + random.uniform(-0.2, 0.2));
      data.x.push_back(std::move(x));
      if (seed % 3 == 0) data.s.push_back(static_cast<double>(1 + random.below(3)));
    }
    const Trained found = fit(data);
    if (!found.record.aliased.empty()) continue;
    const std::string design =
        "design " + std::to_string(seed) + ", spread " + std::to_string(spread) + ", far " + std::to_string(far);
    fewest = std::min(fewest, expect_stated_digits(data, found, solved_exactly(data), design));
  }
  EXPECT_GE(fewest, 10.0);
}

// The solution with the least sum w^2, in 400 bits: w = C'u, where the rows of C span those of x (centred, with a
// bias), and u solves the normal equations of x C'.
std::vector<Exact> shortest_solution(const Data& data, bool bias) {
  const std::size_t n = data.y.size(), p = data.x[0].size();
  using Matrix = std::vector<std::vector<Exact>>;
  Matrix x;
  std::vector<Exact> mean(p + 1), y;
  for (std::size_t i = 0; i < n; ++i) {
    x.emplace_back();
    for (std::size_t j = 0; j < p; ++j) {
      x[i].push_back(Exact(data.x[i][j]));
      if (bias) mean[j] = mean[j] + x[i][j] / Exact(static_cast<double>(n));
    }
    y.push_back(Exact(data.y[i]));
    if (bias) mean[p] = mean[p] + y[i] / Exact(static_cast<double>(n));
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < p; ++j) x[i][j] = x[i][j] - mean[j];
    y[i] = y[i] - mean[p];
  }
  // Gauss-Jordan; numbers are whole except for the means, so tiny ones are 0.
  const auto reduce = [](Matrix& m, std::size_t columns) {
    std::size_t rank = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      std::size_t best = rank;
      for (std::size_t i = rank; i < m.size(); ++i)
        if (abs(m[i][c]).rounded() > abs(m[best][c]).rounded()) best = i;
      if (rank == m.size() || abs(m[best][c]).rounded() < 1e-60) continue;
      std::swap(m[rank], m[best]);
      const Exact pivot = m[rank][c];
      for (Exact& each : m[rank]) each = each / pivot;
      for (std::size_t i = 0; i < m.size(); ++i) {
        const Exact times = m[i][c];
        for (std::size_t k = 0; k < m[i].size() && i != rank; ++k) m[i][k] = m[i][k] - times * m[rank][k];
      }
      ++rank;
    }
    m.resize(rank);
  };
  Matrix c = x;
  reduce(c, p);
  const std::size_t r = c.size();
  Matrix equations(r, std::vector<Exact>(r + 1));
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Exact> z(r);
    for (std::size_t a = 0; a < r; ++a)
      for (std::size_t j = 0; j < p; ++j) z[a] = z[a] + x[i][j] * c[a][j];
    z.push_back(y[i]);
    for (std::size_t a = 0; a < r; ++a)
      for (std::size_t b = 0; b <= r; ++b) equations[a][b] = equations[a][b] + z[a] * z[b];
  }
  reduce(equations, r);
  std::vector<Exact> solution(p + 1);
  solution[0] = mean[p];
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t a = 0; a < r; ++a) solution[1 + j] = solution[1 + j] + c[a][j] * equations[a][r];
    solution[0] = solution[0] - solution[1 + j] * mean[j];
  }
  return solution;
}

TEST(LeastSquares, OfTheLeastNormTheErrorNeverExceedsTheStatedDigitsEither) {
  double fewest = 17.0;
  for (std::size_t seed = 0; seed < designs(300, 5'000); ++seed) {
    Random random(seed);
    const std::size_t p = 3 + random.below(5);
    const bool wide = random.below(2) == 0, bias = random.below(3) != 0, constant = random.below(5) < 2;
    const std::size_t n = wide ? 2 + random.below(p - 2) : p + 1 + random.below(8);
    std::vector<double> unit;
    for (std::size_t j = 0; j < p; ++j)
      unit.push_back(std::pow(10.0, std::max(0.0, static_cast<double>(random.below(5)) - 1)));
    Data data;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> x;
      for (std::size_t j = 0; j < p; ++j) x.push_back((static_cast<double>(random.below(19)) - 9) * unit[j]);
      if (!wide) x[p - 1] = x[0] + 2 * x[1];
      if (constant) x[p - 2] = 7;
      data.x.push_back(std::move(x));
      data.y.push_back(static_cast<double>(random.below(101)) - 50);
    }
    const std::vector<Exact> exact = shortest_solution(data, bias);
    if (std::all_of(exact.begin() + 1, exact.end(), [](const Exact& w) { return abs(w).rounded() < 1e-50; })) continue;
    const Trained found = fit_with(data, {.bias = bias, .rank = RankRule::min_norm});
    fewest = std::min(fewest, expect_stated_digits(data, found, exact, "design " + std::to_string(seed)));
  }
  EXPECT_GE(fewest, 10.0);
}

// The method for large data: the Gram matrix alone, if it has the digits. Enough rows that one in double-double is not
// cheap.
TEST(LeastSquares, WithoutRefinementTheStatedDigitsHoldToo) {
  Executor executor(1);
  const plumb::Run run{executor};
  for (const bool independent : {true, false}) {
    Random random(7);
    const std::size_t p = 100;
    Data data;
    for (std::size_t i = 0; i < 12'000; ++i) {
      data.x.push_back(random.vector(p));
      if (!independent) data.x[i][1] = data.x[i][0] + 1e-3 * data.x[i][1];
      data.y.push_back(random.uniform(5.0, 6.0));
      for (std::size_t j = 0; j < p; ++j) data.y[i] += data.x[i][j] * (1 + static_cast<double>(j % 3));
    }
    const Examples examples = examples_of(data);
    const NormalSolution quick = solve_normal_equations(examples, {.refined_cells = 0}, run),
                         exact = solve_normal_equations(examples, {}, run);
    EXPECT_EQ(quick.passes == 0, independent);
    EXPECT_GE(quick.digits, 9.0);
    for (std::size_t j = 0; j < p; ++j)
      EXPECT_NEAR(quick.weights[j], exact.weights[j], std::pow(10.0, -quick.digits) * std::abs(exact.weights[j])) << j;
    EXPECT_NEAR(quick.bias, exact.bias, std::pow(10.0, -quick.digits) * std::abs(exact.bias));
    EXPECT_NEAR(quick.solved_error, exact.solved_error, 1e-9 * exact.solved_error);
    EXPECT_NEAR(quick.squared_target, exact.squared_target, 1e-12 * exact.squared_target);
    EXPECT_GE(quick.solved_decrement, exact.solved_decrement);
    // All digits of many rows: a pass that would change no bit is not made.
    const NormalSolution last = solve_normal_equations(examples, {.digits = 16, .refined_cells = 0}, run);
    EXPECT_EQ(last.passes == 1, independent);
    EXPECT_EQ(last.weights, exact.weights);
    EXPECT_EQ(last.bias, exact.bias);
    EXPECT_EQ(last.digits, exact.digits);
    EXPECT_NEAR(last.solved_error, exact.solved_error, 1e-15 * exact.solved_error);
  }
}

}  // namespace
}  // namespace plumb::least_squares_exact_test
