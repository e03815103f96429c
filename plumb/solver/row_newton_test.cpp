// rows: L3 L9
#include "plumb/solver/row_newton.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/random.h"
#include "plumb/solver/newton.h"

namespace plumb {
namespace {

constexpr std::uint32_t kFeatures = 300;
constexpr std::size_t kClasses = 5;

// Short texts: eight of many words in each row, some of which tell of its class.
Examples texts(std::size_t rows) {
  const RandomKey key{11, 0};
  std::uint64_t at = 0;
  Piece piece;
  piece.features = kFeatures;
  piece.offsets.push_back(0);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto label = static_cast<std::uint32_t>(key.uniform(at++) * kClasses);
    for (std::uint32_t k = 0; k < 8; ++k) {  // each from words of its own, so that the indices ascend
      const auto word = static_cast<std::uint32_t>(key.uniform(at++) * 32);
      piece.index.push_back(k * 37 + (key.uniform(at++) < 0.4 ? 32 + label : word));
      piece.values.push(0.25 + key.uniform(at++));
    }
    piece.offsets.push_back(piece.values.size());
    piece.targets.push_back(label);
    piece.weights.push_back(1.0 + static_cast<double>(i % 2));
    ++piece.rows;
  }
  return Examples({piece}, kFeatures);
}

struct Problem {
  Executor executor;
  plumb::Run run{executor};
  DesignMatrix x;
  Objective f;
  Problem(std::size_t rows, double l2, unsigned threads = 1, bool bias = false)
      : executor(threads), x(texts(rows), bias, {}, {}, run), f(x, softmax_loss(kClasses, false), ridge(l2), run) {}
  std::vector<double> ridge(double l2) const {
    std::vector<double> ridge(x.columns(), 0.0);
    for (std::size_t j = 0; j < kFeatures; ++j) ridge[j] = std::ldexp(l2, -2 * x.exponent(j));
    return ridge;
  }
};

TEST(RowNewton, ReachesTheOptimumWithinItsCertifiedGap) {
  for (const double l2 : {0.01, 1.0, 100.0}) {
    const SolverOptions options{.iterations = 100};
    Problem problem(600, l2), reference(600, l2);
    ASSERT_TRUE(suits_row_newton(problem.f, options));
    const Solution own = minimise_in_row_space(problem.f, options);
    EXPECT_LE(own.gap, 1e-6 * own.point.value) << l2;
    const SolverOptions exact{.tolerance = 1e-13, .iterations = 100};  // more digits than single precision has
    ASSERT_FALSE(suits_row_newton(reference.f, exact));
    const Solution best =
        minimise_by_newton(reference.f, std::vector<double>(reference.f.size()), exact);
    ASSERT_LE(best.gap, 1e-12 * best.point.value) << l2;
    EXPECT_LE(own.point.value - best.point.value, own.gap + 1e-13 * own.point.value) << l2;
    EXPECT_GE(own.point.value - best.point.value, -best.gap - 1e-13 * own.point.value) << l2;
  }
}

TEST(RowNewton, HasTheSameBitsForAnyNumberOfThreads) {
  std::vector<double> one;
  for (const unsigned threads : {1u, 2u, 3u, 7u}) {
    Problem problem(1000, 1.0, threads);
    const Solution own = minimise_in_row_space(problem.f, {.iterations = 100});
    if (one.empty()) one = own.point.w;
    EXPECT_EQ(own.point.w, one) << threads;
  }
}

TEST(RowNewton, LeavesToOthersWhatItCannotDo) {
  Problem plain(600, 1.0), with_bias(600, 1.0, 1, true), many_rows(kFeatures * 4 + 1, 1.0), free(600, 0.0);
  EXPECT_TRUE(suits_row_newton(plain.f, {}));
  EXPECT_FALSE(suits_row_newton(with_bias.f, {}));
  EXPECT_FALSE(suits_row_newton(many_rows.f, {}));
  EXPECT_FALSE(suits_row_newton(free.f, {}));
  EXPECT_FALSE(suits_row_newton(plain.f, {.tolerance = 1e-12}));
}

}  // namespace
}  // namespace plumb
