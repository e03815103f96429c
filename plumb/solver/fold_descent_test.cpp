// rows: E1 L9
#include "plumb/solver/fold_descent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>

#include "plumb/base/random.h"
#include "plumb/objective/objective.h"
#include "plumb/solver/newton.h"

namespace plumb::fold_descent_test {
namespace {

constexpr std::uint32_t kWords = 300;
constexpr std::size_t kRows = 500;

// Short texts of weighted rows: eight of many words each, some of which are informative. Some words are counted in
// another unit.
Examples reviews(double unit) {
  const RandomKey key{21, 0};
  std::uint64_t at = 0;
  Piece piece;
  piece.features = kWords;
  piece.offsets.push_back(0);
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::uint32_t label = key.uniform(at++) < 0.35 ? 1 : 0;
    for (std::uint32_t k = 0; k < 8; ++k) {
      const auto word = static_cast<std::uint32_t>(key.uniform(at++) * 34);
      piece.index.push_back(k * 37 + (key.uniform(at++) < 0.2 ? 34 + label : word));
      piece.values.push((0.25 + key.uniform(at++)) * (k == 3 ? unit : 1.0));
    }
    piece.offsets.push_back(piece.values.size());
    piece.targets.push_back(label);
    piece.weights.push_back(1.0 + static_cast<double>(i % 2));
    ++piece.rows;
  }
  return Examples({piece}, kWords);
}

enum class Bias { none, free, penalised };

struct Folds {
  Executor executor{1};
  plumb::Run run{executor};
  DesignMatrix x;
  FoldRows rows;

  explicit Folds(Bias bias, double unit = 1.0)
      : x(reviews(unit), bias != Bias::none, {}, {}, run), rows(x, ridge(1.0, bias == Bias::penalised), run) {}
  std::vector<double> ridge(double l2, bool with_bias) const {
    std::vector<double> all(x.columns());
    for (std::size_t j = 0; j < all.size(); ++j) all[j] = std::ldexp(l2, -2 * x.exponent(j));
    if (x.bias()) all.back() = with_bias ? l2 : 0.0;
    return all;
  }
  // Fit k of `fits` is trained on all rows except every fifth, from the k-th on.
  static bool learns(std::size_t i, std::size_t k) { return i % 5 != k % 5; }
  static std::vector<std::uint8_t> lanes(std::size_t first, std::size_t fits) {
    std::vector<std::uint8_t> in(kRows);
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t k = 0; k < fits; ++k)
        if (learns(i, first + k)) in[i] = static_cast<std::uint8_t>(in[i] | 1u << k);
    return in;
  }
};

TEST(FoldDescent, EveryFitIsThatOfItsOwnRowsWithinItsCertifiedGap) {
  for (const auto& [bias, unit] :
       {std::pair(Bias::none, 1.0),
        {Bias::free, 1.0},
        {Bias::penalised, 1.0},
        {Bias::free, 1000.0}}) {  // such units, and weak penalties, are sometimes too much for it, which it reports
    Folds folds(bias, unit);
    FoldDescent descent(folds.rows, Folds::lanes(0, 5), 5);
    for (const double l2 : {100.0, 1.0, 0.3, 0.01}) {  // one from where the other ended
      const std::vector<FoldDescent::Result> found = descent.solve(l2, 1e-6, 300, folds.run);
      ASSERT_EQ(found.size(), 5u);
      for (std::size_t k = 0; k < 5; ++k) {
        std::vector<std::uint32_t> own;
        for (std::uint32_t i = 0; i < kRows; ++i)
          if (Folds::learns(i, k)) own.push_back(i);
        const DesignMatrix x(folds.x, own, 1.0);
        Objective f(x, row_loss(Loss::logistic), folds.ridge(l2, bias == Bias::penalised), folds.run);
        const Solution best =
            minimise_by_newton(f, std::vector<double>(f.size()), {.tolerance = 1e-13, .iterations = 100});
        ASSERT_LE(best.gap, 1e-11 * best.point.value);
        const double value = f.valued(found[k].w).value;
        EXPECT_TRUE(found[k].converged || unit > 1.0 || l2 < 0.1) << l2;
        EXPECT_EQ(found[k].converged, found[k].gap <= 1e-6 * found[k].value);
        EXPECT_NEAR(found[k].value, value, 1e-12 * value);
        EXPECT_LE(value - best.point.value, found[k].gap + 1e-13 * value);
      }
    }
  }
}

TEST(FoldDescent, AFitHasTheSameBitsWhateverStandsBesideIt) {
  Folds folds(Bias::free);
  FoldDescent together(folds.rows, Folds::lanes(0, 5), 5);
  std::vector<std::unique_ptr<FoldDescent>> apart;
  for (std::size_t k = 0; k < 5; ++k) apart.push_back(std::make_unique<FoldDescent>(folds.rows, Folds::lanes(k, 1), 1));
  for (const double l2 : {10.0, 0.1}) {
    const std::vector<FoldDescent::Result> all = together.solve(l2, 1e-5, 300, folds.run);
    for (std::size_t k = 0; k < 5; ++k) {
      const FoldDescent::Result one = apart[k]->solve(l2, 1e-5, 300, folds.run).front();
      EXPECT_EQ(one.w, all[k].w);
      EXPECT_EQ(one.gap, all[k].gap);
      EXPECT_EQ(one.passes, all[k].passes);
    }
  }
}

TEST(FoldDescent, SaysWhereItFellShort) {
  Folds folds(Bias::free);
  FoldDescent descent(folds.rows, Folds::lanes(0, 2), 2);
  for (const FoldDescent::Result& each : descent.solve(1e-4, 1e-9, 2, folds.run)) {
    EXPECT_FALSE(each.converged);
    EXPECT_EQ(each.passes, 2u);
    EXPECT_GT(each.gap, 1e-9 * each.value);
    EXPECT_EQ(each.w.size(), folds.x.columns());
  }
}

TEST(FoldDescent, GivesUpWhereItComesNoNearer) {
  Folds folds(Bias::free, 1000.0);
  FoldDescent descent(folds.rows, Folds::lanes(0, 1), 1);
  const FoldDescent::Result found = descent.solve(1e-6, 1e-9, 10'000, folds.run).front();
  EXPECT_FALSE(found.converged);
  EXPECT_LT(found.passes, 500u);
}

}  // namespace
}  // namespace plumb::fold_descent_test
