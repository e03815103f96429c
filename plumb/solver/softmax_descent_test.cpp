// rows: L3 L9
#include "plumb/solver/softmax_descent.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/random.h"
#include "plumb/base/testing.h"
#include "plumb/solver/newton.h"

namespace plumb::softmax_descent_test {
namespace {

constexpr std::uint32_t kFeatures = 300;
constexpr std::size_t kClasses = 5;

// Short texts: eight of many words in each row, some of which are informative about its class.
Examples texts(std::size_t rows) {
  const RandomKey key{11, 0};
  std::uint64_t at = 0;
  Piece piece;
  piece.features = kFeatures;
  piece.offsets.push_back(0);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto label = static_cast<std::uint32_t>(key.uniform(at++) * kClasses);
    for (std::uint32_t k = 0; k < 8; ++k) {  // each from its own words, so that the indices ascend
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

TEST(SoftmaxDescent, ReachesTheOptimumWithinItsCertifiedGap) {
  for (const bool bias : {false, true})
    for (const double l2 : {0.01, 1.0, 100.0}) {
      Problem problem(600, l2, 1, bias), reference(600, l2, 1, bias);
      const Solution own =
          minimise_by_softmax_descent(problem.f, std::vector<double>(problem.f.size()), {.iterations = 1000});
      EXPECT_LE(own.gap, 1e-6 * own.point.value) << l2;
      const Solution best = minimise_by_newton(reference.f, std::vector<double>(reference.f.size()),
                                               {.tolerance = 1e-13, .iterations = 100});
      ASSERT_LE(best.gap, 1e-12 * best.point.value) << l2;
      EXPECT_LE(own.point.value - best.point.value, own.gap + 1e-13 * own.point.value) << l2;
      EXPECT_GE(own.point.value - best.point.value, -best.gap - 1e-13 * own.point.value) << l2;
    }
}

// By itself, without the Newton steps that finish what passes cannot.
TEST(SoftmaxDescent, NeedsFewPassesOverTexts) {
  for (const bool bias : {false, true}) {
    Problem problem(600, 1.0, 1, bias);
    const Solution own =
        minimise_by_softmax_descent(problem.f, std::vector<double>(problem.f.size()), {.iterations = 36});
    EXPECT_EQ(own.why, StopReason::converged) << bias;
    EXPECT_LE(own.gap, 1e-6 * own.point.value) << bias;
  }
}

TEST(SoftmaxDescent, HasTheSameBitsForAnyNumberOfThreads) {
  std::vector<double> one;
  for (const unsigned threads : sweep_of({1u, 2u, 3u, 7u})) {
    Problem problem(1000, 1.0, threads, true);
    const Solution own =
        minimise_by_softmax_descent(problem.f, std::vector<double>(problem.f.size()), {.iterations = 100});
    if (one.empty()) one = own.point.w;
    EXPECT_EQ(own.point.w, one) << threads;
  }
}

// Enough entries for two shards, which run in parallel.
TEST(SoftmaxDescent, InShardsTakesFewPassesOverTextsWithTheSameBitsForAnyNumberOfThreads) {
  constexpr std::uint32_t kWords = 20'000, kLength = 50;
  const RandomKey key{12, 0};
  std::uint64_t at = 0;
  Piece piece;
  piece.features = kWords;
  piece.offsets.push_back(0);
  for (; piece.values.size() <= 1'000'000; ++piece.rows) {
    const auto label = static_cast<std::uint32_t>(key.uniform(at++) * 3);
    for (std::uint32_t k = 0; k < kLength; ++k) {
      const double u = key.uniform(at++);  // some words are frequent, and some of these are informative
      const double word = (u < 0.1 ? (label + 3 * u) / 400 : u * u * u) * (kWords / kLength);
      piece.index.push_back(k * (kWords / kLength) + static_cast<std::uint32_t>(word));
      piece.values.push(0.1 + 0.05 * key.uniform(at++));
    }
    piece.offsets.push_back(piece.values.size());
    piece.targets.push_back(label);
  }
  const Examples examples({piece}, kWords);
  for (const bool bias : {false, true}) {
    std::vector<double> one;
    for (const unsigned threads : {1u, 2u, 7u}) {
      Executor executor(threads);
      const plumb::Run run{executor};
      const DesignMatrix x(examples, bias, {}, {}, run);
      std::vector<double> ridge(x.columns(), 0.0);
      for (std::size_t j = 0; j < kWords; ++j) ridge[j] = std::ldexp(1.0, -2 * x.exponent(j));
      Objective f(x, softmax_loss(3, false), ridge, run);
      const Solution own = minimise_by_softmax_descent(f, std::vector<double>(f.size()), {.iterations = 100});
      EXPECT_LE(own.gap, 1e-6 * own.point.value) << bias;
      EXPECT_FALSE(own.ended_by_newton) << bias;
      if (one.empty()) {
        one = own.point.w;
        const Solution best = minimise_by_softmax_descent(f, own.point.w, {.tolerance = 1e-8, .iterations = 100});
        EXPECT_LE(own.point.value - best.point.value, own.gap + 1e-13 * own.point.value) << bias;
        EXPECT_LE(best.point.value - own.point.value, best.gap + 1e-13 * own.point.value) << bias;
      }
      EXPECT_EQ(own.point.w, one) << bias << ' ' << threads;
    }
  }
}

// Rows of zeros carry no information on weights, and long ones in large units are too much for whole Newton steps.
TEST(SoftmaxDescent, TakesRowsOfAnyLength) {
  Piece piece;
  piece.features = 3;
  for (const double x : {0.0, 1e-6, 1.0, 300.0, -300.0, 1.5, 0.0, -2.0, 40.0}) {
    piece.values.push(x);
    piece.values.push(x == 0.0 ? 0.0 : 1.0 / (1.0 + std::abs(x)));
    piece.values.push(-x / 2);
    piece.targets.push_back(static_cast<double>(piece.rows % 3));
    piece.weights.push_back(piece.rows == 2 ? 50.0 : 1.0);
    ++piece.rows;
  }
  Executor executor(1);
  const plumb::Run run{executor};
  const DesignMatrix x(Examples({piece}, 3), false, {}, {}, run);
  for (const double ridge : {1e-6, 1e-2, 1.0}) {
    Objective f(x, softmax_loss(3, false), std::vector<double>(3, ridge), run);
    const Solution own = minimise_by_softmax_descent(f, std::vector<double>(f.size()), {.iterations = 1000});
    EXPECT_LE(own.gap, 1e-6 * own.point.value) << ridge;
  }
}

}  // namespace
}  // namespace plumb::softmax_descent_test
