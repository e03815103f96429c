#include "plumb/solver/newton.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/random.h"

namespace plumb::newton_test {
namespace {

// Categories as ones: ten of a hundred columns in each row.
Examples categories(std::size_t rows) {
  const RandomKey key{21, 0};
  std::uint64_t at = 0;
  Piece piece;
  piece.features = 100;
  piece.offsets.push_back(0);
  for (std::size_t i = 0; i < rows; ++i) {
    double score = -0.5;
    for (std::uint32_t k = 0; k < 10; ++k) {
      const auto level = static_cast<std::uint32_t>(key.uniform(at++) * 10);
      piece.index.push_back(10 * k + level);
      piece.values.push(1.0);
      score += std::sin(10.0 * k + level) / 2;
    }
    piece.offsets.push_back(piece.values.size());
    piece.targets.push_back(key.uniform(at++) < 1 / (1 + std::exp(-score)) ? 1.0 : 0.0);
    ++piece.rows;
  }
  return Examples({piece}, 100);
}

// With 26,000 rows the penalised fit ends at the tolerance, with a thousand it has the last digits; so has a fit that
// asks for them, or that has no penalty. Every certificate holds, and a start from a sample saves steps.
TEST(NewtonsMethod, HasLastDigitsWhereTheyCostLittleOrAreAskedFor) {
  for (const std::size_t rows : {std::size_t{1000}, std::size_t{26'000}}) {
    std::vector<double> one;
    for (const unsigned threads : {1u, 2u, 3u, 7u}) {
      Executor executor(threads);
      const plumb::Run run{executor};
      const DesignMatrix x(categories(rows), true, {}, {}, run);
      std::vector<double> ridge(x.columns(), 0.5);
      ridge.back() = 0.0;
      Objective f(x, row_loss(Loss::logistic), ridge, run);
      const std::vector<double> zero(f.size());
      const Solution own = minimise_by_newton(f, zero, {.iterations = 100});
      const Solution best = minimise_by_newton(f, zero, {.iterations = 100, .last_digits = true});
      EXPECT_LE(best.gap, 1e-12 * best.point.value) << rows;
      EXPECT_LE(own.gap, 1e-6 * own.point.value) << rows;
      EXPECT_LE(own.point.value - best.point.value, own.gap + 1e-13 * own.point.value) << rows;
      if (rows > 1000) {
        EXPECT_LT(own.iterations, best.iterations);
        EXPECT_LE(own.iterations, 3u);
      } else {
        EXPECT_EQ(own.point.w, best.point.w);
      }
      if (one.empty()) one = own.point.w;
      EXPECT_EQ(own.point.w, one) << threads;
    }
  }
}

}  // namespace
}  // namespace plumb::newton_test
