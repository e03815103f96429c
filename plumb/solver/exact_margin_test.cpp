// rows: C3 P6
#include "plumb/solver/exact_margin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/random.h"

namespace plumb::exact_margin_test {
namespace {

struct Points {
  std::vector<std::vector<double>> x;
  std::vector<double> y;

  Examples examples() const {
    Piece piece;
    piece.features = static_cast<std::uint32_t>(x[0].size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (const double value : x[i]) piece.values.push(value);
      piece.targets.push_back(y[i]);
      ++piece.rows;
    }
    const std::uint32_t features = piece.features;
    std::vector<Piece> pieces;
    pieces.push_back(std::move(piece));
    return Examples(std::move(pieces), features);
  }

  ExactMargin margin(BiasKind kind, std::uint64_t work = kMostMarginWork) const {
    const Examples all = examples();
    const RowTable rows(all);
    Executor executor(1);
    const plumb::Run run{executor, RandomKey{1, 0}};
    return exact_margin(rows, kind, {}, 1e-9, work, run).value_or(ExactMargin());
  }
  DataMargin by_doubles() const {
    Executor executor(1);
    return data_margin(examples(), {.tolerance = 1e-9}, plumb::Run{executor, RandomKey{1, 0}});
  }
};

// On both sides of a plane through the middle, and `away` from it; each column shifted.
Points points(std::uint64_t seed, std::size_t n, std::size_t p, double away, double shift) {
  const RandomKey key{seed, 0};
  std::uint64_t at = 0;
  Points found;
  while (found.x.size() < n) {
    std::vector<double> x(p);
    double sum = 0.0;
    for (std::size_t j = 0; j < p; ++j) {
      x[j] = std::round(1024.0 * (2.0 * key.uniform(at++) - 1.0)) / 1024.0;
      sum += x[j] * (j % 2 == 0 ? 1.0 : -0.5);
    }
    if (std::abs(sum) < away) continue;
    found.y.push_back(sum > 0.0 ? 1.0 : 0.0);
    for (double& each : x) each += shift;
    found.x.push_back(std::move(x));
  }
  return found;
}

// Of two points p > m on a line, the distance of 0 from the line through (p, 1) and (-m, -1).
TEST(ExactMargin, OfTwoPointsOnALineFarFromZeroIsTheClosedForm) {
  for (const double far : {0.0, 1e3, 1e8, 1.7e9, 1e15}) {
    const Points two{{{far + 3.0}, {far + 4.0}, {far + 1.0}, {far + 9.0}}, {0, 1, 0, 1}};
    const double wanted = 1.0 / std::hypot(2.0 * far + 7.0, 2.0);
    const MarginBounds bounds = two.margin(BiasKind::augmented).bounds;
    EXPECT_NEAR(bounds.low / wanted, 1.0, 1e-9) << far;
    EXPECT_NEAR(bounds.high / wanted, 1.0, 1e-9) << far;
    EXPECT_NEAR(two.margin(BiasKind::free).bounds.low, 0.5, 1e-9) << far;
  }
}

TEST(ExactMargin, IsWhatDoublesFindWhereTheyHaveTheDigits) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Points some = points(seed, 8 + 3 * seed, 1 + seed % 6, 0.1, 0.0);
    const DataMargin doubles = some.by_doubles();
    ASSERT_EQ(doubles.separable, Separable::yes);
    for (const auto& [kind, wanted] :
         {std::pair(BiasKind::augmented, doubles.augmented), std::pair(BiasKind::free, doubles.free)}) {
      const MarginBounds bounds = some.margin(kind).bounds;
      EXPECT_LE(bounds.width(), 1e-9) << seed;
      EXPECT_NEAR(bounds.low / wanted.high, 1.0, 1e-8) << seed;
      EXPECT_LE(bounds.low, wanted.high);
      EXPECT_GE(bounds.high, wanted.low);
    }
  }
}

TEST(ExactMargin, OfAFreeBiasDoesNotMoveWithTheRows) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const double near = points(seed, 60, 4, 0.1, 0.0).margin(BiasKind::free).bounds.low;
    EXPECT_NEAR(points(seed, 60, 4, 0.1, 0x1p40).margin(BiasKind::free).bounds.low / near, 1.0, 1e-9);
  }
}

TEST(ExactMargin, BoundsAreTightForColumnsFarFromZero) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const DataMargin found =
        points(seed, 100, 1 + seed % 8, 0.1, std::pow(10.0, 4.0 + static_cast<double>(seed % 6))).by_doubles();
    EXPECT_EQ(found.separable, Separable::yes);
    EXPECT_LE(found.augmented.width(), 1e-4) << seed;
    EXPECT_LE(found.free.width(), 1e-4) << seed;
    EXPECT_LE(found.augmented.low, found.free.high);
  }
}

TEST(ExactMargin, MeetsAProofWhereNoPlaneHasTheRowsApart) {
  const Points exclusive{{{0, 0}, {1, 1}, {0, 1}, {1, 0}}, {0, 0, 1, 1}};
  for (const BiasKind kind : {BiasKind::augmented, BiasKind::free}) {
    const ExactMargin found = exclusive.margin(kind);
    ASSERT_TRUE(found.zero.has_value());
    EXPECT_EQ(found.zero->shares.size(), 4u);
    EXPECT_EQ(found.zero->residual, 0.0);
    for (const DataMargin::Share& share : found.zero->shares) EXPECT_EQ(share.share, 0.25);
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Points flipped = points(seed, 60, 3, 0.1, 1e5);
    for (std::size_t i = 0; i < 10; ++i) flipped.y[i] = 1.0 - flipped.y[i];
    const ExactMargin found = flipped.margin(BiasKind::augmented);
    ASSERT_TRUE(found.zero.has_value()) << seed;
    EXPECT_LE(found.zero->residual, 1e-15);
  }
}

// More columns than rows, so that all but four rows are easily apart; a + b = c + d.
TEST(ExactMargin, FindsAFewRowsThatContradictEachOtherAmongMany) {
  Points some = points(3, 80, 250, 0.0, 0.0);
  some.y[77] = some.y[76] = 1.0;
  some.y[78] = some.y[79] = 0.0;
  for (std::size_t j = 0; j < 250; ++j) some.x[79][j] = some.x[76][j] + some.x[77][j] - some.x[78][j];
  const DataMargin found = some.by_doubles();
  EXPECT_EQ(found.separable, Separable::no);
  EXPECT_TRUE(found.exact);
  ASSERT_EQ(found.combination.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(found.combination[k].row, 76 + k);
}

TEST(ExactMargin, GivesUpRatherThanTakeLong) {
  EXPECT_FALSE(points(1, 60, 30, 0.1, 1e8).margin(BiasKind::augmented, 1000).bounds.low > 0.0);
}

}  // namespace
}  // namespace plumb::exact_margin_test
