// Random designs of every condition against exact solutions: the error never exceeds the digits that are stated.
// rows: R1
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "plumb/math/testing.h"
#include "plumb/train/least_squares.h"
#include "plumb/train/normal_equations.h"
#include "plumb/train/testing.h"

namespace plumb {
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
      for (std::size_t i = 0; i < n; ++i) a[j][k] = a[j][k] + z(i, j) * z(i, k);
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

// Columns that are sums of the earlier ones and, of size 10^-spread, of something new.
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

TEST(LeastSquares, TheErrorNeverExceedsTheStatedDigits) {
  const bool full = std::getenv("PLUMB_FULL") != nullptr;
  const std::size_t designs = full ? 10'000 : 300;
  double fewest = 17.0;
  for (std::size_t seed = 0; seed < designs; ++seed) {
    Random random(seed);
    const std::size_t p = 2 + random.below(6), n = p + 3 + random.below(40);
    const double spread = random.uniform(0.0, 14.0);
    const Data data = near_dependent(random, n, p, spread);
    const Fit found = fit(data);
    if (!found.record.aliased.empty()) continue;  // what is left out is another problem
    const std::vector<Exact> exact = solved_exactly(data);
    const double digits = number_of(found, "digits");
    fewest = std::min(fewest, digits);
    // As docs/least_squares.md has it: relative to the weight or, if that is more, to a millionth of the largest, each
    // in the unit of its column; the bias relative to its terms.
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
      EXPECT_LE(error, std::pow(10.0, -digits) * size)
          << "design " << seed << ", weight " << j << ", spread " << spread;
    }
    const double error = abs(Exact(found.model.parts().bias[0]) - exact[0]).rounded();
    EXPECT_LE(error, std::pow(10.0, -digits) * terms) << "design " << seed << ", spread " << spread;
  }
  EXPECT_GE(fewest, 8.0);  // the statement must be worth something, too
}

// What large data get: the Gram matrix alone, where it has the digits. So many rows that one in double-double is not
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
}  // namespace plumb
