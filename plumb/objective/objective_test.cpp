#include "plumb/objective/objective.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/random.h"
#include "plumb/math/cholesky.h"

namespace plumb::objective_test {
namespace {

Examples rows_of(std::size_t rows, std::uint32_t features, bool sparse) {
  const RandomKey key{31, 0};
  std::uint64_t at = 0;
  Piece piece;
  piece.features = features;
  if (sparse) piece.offsets.push_back(0);
  for (std::size_t i = 0; i < rows; ++i) {
    double score = 0.3;
    for (std::uint32_t j = 0; j < features; ++j) {
      const double x = key.uniform(at++) - 0.4;
      score += x * std::sin(1.0 + j);
      if (sparse) piece.index.push_back(j);
      piece.values.push(std::ldexp(x, static_cast<int>(j)));
    }
    if (sparse) piece.offsets.push_back(piece.values.size());
    piece.targets.push_back(key.uniform(at++) < 1 / (1 + std::exp(-score)) ? 1.0 : 0.0);
    ++piece.rows;
  }
  return Examples({piece}, features);
}

void expect_near(In a, In b, double precision) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], precision * (1.0 + std::abs(b[i]))) << i;
}

// One pass over dense rows gives the results of several, and of sparse rows too, and the same bits for any number of
// threads.
TEST(Objective, AStepOfOneReadingIsThatOfMany) {
  constexpr std::size_t kRows = 9001;
  constexpr std::uint32_t kFeatures = 11;
  for (const bool sparse : {false, true})
    for (const bool bias : {false, true}) {
      std::vector<double> first;
      for (const unsigned threads : {1u, 2u, 3u, 7u}) {
        Executor executor(threads);
        const plumb::Run run{executor};
        const DesignMatrix x(rows_of(kRows, kFeatures, sparse), bias, {}, {}, run);
        std::vector<double> ridge(x.columns(), 0.7);
        if (bias) ridge.back() = 0.0;
        Objective f(x, row_loss(Loss::logistic), ridge, run);
        std::vector<double> w(f.size()), d(f.size()), hessian;
        for (std::size_t j = 0; j < w.size(); ++j) w[j] = std::cos(static_cast<double>(j)) / 4;
        const Objective::Point point = f.at(w, &hessian);
        EXPECT_EQ(hessian, f.hessian(point));
        EXPECT_NEAR(point.value, f.valued(w).value, 1e-9);
        math::Cholesky(hessian, f.size(), 1e-14).solve(point.gradient, d);
        for (double& each : d) each = -each;
        Objective::Point renewed = point;
        f.renew(renewed);
        expect_near(point.gradient, renewed.gradient, 1e-13);
        EXPECT_NEAR(f.value_of_zero(), f.valued(std::vector<double>(f.size())).value, 1e-9);

        Objective::Landing landing = f.land(point, d, Objective::Beside::dual);
        expect_near(landing.zd, f.scores(d), 1e-14);
        Objective::Point moved = point;
        f.move(moved, d, landing.zd, 1.0);
        EXPECT_EQ(landing.point.w, moved.w);
        expect_near(landing.point.slope, moved.slope, 1e-13);
        expect_near(landing.point.curve, moved.curve, 1e-13);
        expect_near(landing.point.gradient, moved.gradient, 1e-12);
        EXPECT_NEAR(landing.point.value, moved.value, 1e-9);
        const Objective::Along along = f.along(point, d, landing.zd, 1.0);
        EXPECT_NEAR(landing.along.value, along.value, 1e-9);
        EXPECT_NEAR(landing.along.slope, along.slope, 1e-9);
        const double gap = f.gap(moved, f.newton_slopes(point, landing.zd), d);
        const double own_gap = f.gap(landing, d);
        EXPECT_NEAR(own_gap, gap, 1e-9 * gap);
        EXPECT_LT(gap, 0.1 * moved.value);
        const Objective::Landing other = f.land(point, d, Objective::Beside::hessian);
        expect_near(other.hessian, f.hessian(moved), 1e-12);

        std::vector<double> all = landing.point.gradient;
        all.insert(all.end(), other.hessian.begin(), other.hessian.end());
        all.insert(all.end(), {landing.point.value, landing.along.slope, own_gap});
        if (first.empty()) first = all;
        EXPECT_EQ(all, first) << threads;
      }
    }
}

}  // namespace
}  // namespace plumb::objective_test
