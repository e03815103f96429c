#include "plumb/solver/lasso_path.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/random.h"

namespace plumb::lasso_path_test {
namespace {

DesignMatrix draw(bool bias, bool sparse, bool offset, const Run& run) {
  const RandomKey key{23, 0};
  std::uint64_t at = 0;
  Piece piece;
  piece.features = 9;
  if (sparse) piece.offsets.push_back(0);
  for (std::size_t i = 0; i < 150; ++i, ++piece.rows) {
    double score = 4.0;
    for (std::uint32_t j = 0; j < 9; ++j) {
      const double x = 2 * key.uniform(at++) - 1;
      if (sparse && key.uniform(at++) < 0.5) continue;
      score += (j % 3 - 1.0) * x;
      piece.values.push(x * (j == 4 ? 100 : 1) + (sparse ? 0.0 : 0.5 * j));
      if (sparse) piece.index.push_back(j);
    }
    if (sparse) piece.offsets.push_back(piece.values.size());
    piece.targets.push_back(score + key.uniform(at++));
    piece.weights.push_back(1.0 + static_cast<double>(i % 2));
  }
  std::optional<std::uint32_t> given;
  if (offset) given = 8;
  return DesignMatrix(Examples({piece}, 9), bias, given, {}, run);
}

PathUnits units_of(const DesignMatrix& x) {
  PathUnits units{std::vector<double>(x.columns()), std::vector<double>(x.columns()), std::vector<double>(x.columns())};
  for (std::size_t j = 0; j < 9; ++j) {
    units.lasso[j] = j == 2 ? 0.0 : std::ldexp(1.0, -x.exponent(j));  // one column without a penalty
    units.ridge[j] = j == 2 ? 0.0 : std::ldexp(1.0, -2 * x.exponent(j));
  }
  return units;
}

TEST(LassoPath, IsTheSameFromSumsAsFromRows) {
  Executor executor(1);
  const plumb::Run run{executor};
  for (const bool bias : {true, false})
    for (const bool sparse : {false, true})
      for (const bool offset : {false, true})
        for (const double ratio : {1.0, 0.4}) {
          const DesignMatrix x = draw(bias, sparse, offset, run);
          const PathUnits units = units_of(x);
          const SolverOptions options{.tolerance = 1e-10, .iterations = 100};
          Objective f(x, row_loss(Loss::squared), units.fixed_ridge, run);
          const SquareMeans means = square_means(x, bias, run);
          const SquareSums sums = square_sums(x, means, bias, run);
          const auto by_rows = follow_rows(f, units, options), by_sums = follow_sums(sums, means, units, options);
          const PathFit null = by_rows->null(), same = by_sums->null();
          EXPECT_NEAR(null.loss, same.loss, 1e-8 * null.loss);
          EXPECT_NEAR(by_rows->largest(), by_sums->largest(), 1e-8 * by_rows->largest());
          for (double part = 1.0; part > 1e-3; part /= 3) {
            const double strength = part * by_rows->largest() / ratio;
            const PathPenalty penalty{strength * ratio, strength * (1 - ratio)};
            const PathFit a = by_rows->at(penalty), b = by_sums->at(penalty);
            EXPECT_LE(a.gap, 1e-10 * a.value);
            EXPECT_LE(b.gap, 1e-10 * b.value) << bias << sparse << offset << ratio << " " << part;
            EXPECT_NEAR(a.value, b.value, 1e-9 * a.value);
            double squares = 0.0;
            const std::vector<double> z = f.scores(b.w);
            for (std::size_t i = 0; i < x.rows(); ++i) {
              const double off = x.targets()[i] - z[i] - (offset ? x.offsets()[i] : 0.0);
              squares += x.weights()[i] * off * off;
            }
            EXPECT_NEAR(sums.squared_error(b.w, means.column, means.target), squares, 1e-9 * squares);
            EXPECT_NEAR(2 * b.loss, squares, 1e-8 * squares);
          }
        }
}

TEST(LassoPath, AddsAndTakesAwaySumsOfRows) {
  Executor executor(1);
  const plumb::Run run{executor};
  const DesignMatrix x = draw(true, false, false, run);
  const SquareMeans means = square_means(x, true, run);
  std::vector<std::uint32_t> some, rest;
  for (std::uint32_t i = 0; i < x.rows(); ++i) (i % 4 == 0 ? some : rest).push_back(i);
  SquareSums others = square_sums(x, means, true, run);
  others.add(square_sums(DesignMatrix(x, some, 1.0), means, true, run), -1.0);
  const SquareSums own = square_sums(DesignMatrix(x, rest, 1.0), means, true, run);
  EXPECT_NEAR(others.weight, own.weight, 1e-9);
  EXPECT_NEAR(others.squared_target, own.squared_target, 1e-9 * own.squared_target);
  for (std::size_t j = 0; j < own.gram.size(); ++j) EXPECT_NEAR(others.gram[j], own.gram[j], 1e-9 * own.weight);
}

}  // namespace
}  // namespace plumb::lasso_path_test
