#include "plumb/solver/margin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/random.h"
#include "plumb/math/double_double.h"
#include "plumb/math/exact_sum.h"

namespace plumb::margin_test {
namespace {

struct Rows {
  std::vector<std::vector<double>> x;
  std::vector<double> y;  // 0 or 1
};

Examples examples_of(const Rows& rows, bool sparse) {
  Piece piece;
  piece.features = static_cast<std::uint32_t>(rows.x[0].size());
  if (sparse) piece.offsets.push_back(0);
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    for (std::uint32_t j = 0; j < piece.features; ++j) {
      if (sparse && rows.x[i][j] == 0.0) continue;
      if (sparse) piece.index.push_back(j);
      piece.values.push(rows.x[i][j]);
    }
    if (sparse) piece.offsets.push_back(piece.values.size());
    piece.targets.push_back(rows.y[i]);
    ++piece.rows;
  }
  const std::uint32_t features = piece.features;
  std::vector<Piece> pieces;
  pieces.push_back(std::move(piece));
  return Examples(std::move(pieces), features);
}

DataMargin margin_of(const Rows& rows, MarginOptions options = {}, bool sparse = false) {
  Executor executor(1);
  return data_margin(examples_of(rows, sparse), options, plumb::Run{executor, RandomKey{42, 0}});
}

void expect_certificate(const DataMargin& found, const Rows& rows) {
  if (found.separable == Separable::yes) {
    double norm = 0;
    for (const double w : found.weights) norm += w * w;
    double least = 1e300;
    for (std::size_t i = 0; i < rows.x.size(); ++i) {
      double score = found.bias;
      for (std::size_t j = 0; j < found.weights.size(); ++j) score += found.weights[j] * rows.x[i][j];
      least = std::min(least, (2 * rows.y[i] - 1) * score / std::sqrt(norm));
    }
    EXPECT_GT(least, 0.0);
    EXPECT_NEAR(least, found.free.low, 1e-9 * std::abs(least));
    EXPECT_LE(found.free.low, found.free.high);
    EXPECT_LE(found.augmented.low, found.augmented.high);
  } else if (found.separable == Separable::no) {
    std::vector<double> sum(rows.x[0].size() + 1);
    double total = 0;
    for (const DataMargin::Share& share : found.combination) {
      EXPECT_GT(share.share, 0.0);
      EXPECT_EQ(share.sign, 2 * rows.y[share.row] - 1);
      for (std::size_t j = 0; j < rows.x[0].size(); ++j) sum[j] += share.share * share.sign * rows.x[share.row][j];
      sum.back() += share.share * share.sign;
      total += share.share;
    }
    EXPECT_NEAR(total, 1.0, 1e-14);
    for (const double each : sum) EXPECT_NEAR(each, 0.0, 1e-14);
  }
}

// Two points: the margin is half their distance; the hyperplane is between them.
TEST(Margin, OfTwoPointsIsHalfTheirDistance) {
  const Rows rows{{{1, 1}, {4, 5}}, {0, 1}};
  const DataMargin found = margin_of(rows);
  EXPECT_EQ(found.separable, Separable::yes);
  EXPECT_NEAR(found.free.low, 2.5, 2.5e-4);
  EXPECT_LE(found.free.low, 2.5);
  EXPECT_GE(found.free.high, 2.5);
  EXPECT_EQ(found.radius, std::sqrt(42.0));
  EXPECT_EQ(found.closest.size(), 2u);
  expect_certificate(found, rows);
}

// (-1; 1) and (1; 1) of the augmented data: w = (1, 0) has margin 1; a third point moves only the free margin.
TEST(Margin, OfTheAugmentedDataIsAnotherNumber) {
  const Rows rows{{{2.0}, {4.0}}, {0, 1}};
  const DataMargin found = margin_of(rows);
  EXPECT_NEAR(found.free.high, 1.0, 1e-4);
  // max over unit (w, b) of min(4 w + b, -2 w - b): equal at b = -3 w, so w / sqrt(10).
  EXPECT_LE(found.augmented.low, 1 / std::sqrt(10.0));
  EXPECT_GE(found.augmented.high, 1 / std::sqrt(10.0) - 1e-16);
  EXPECT_LE(found.augmented.width(), 1e-4);
}

TEST(Margin, XorIsNotSeparableAndItsFourRowsProveIt) {
  const Rows rows{{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {0, 1, 1, 0}};
  for (const bool sparse : {false, true}) {
    const DataMargin found = margin_of(rows, {}, sparse);
    EXPECT_EQ(found.separable, Separable::no);
    ASSERT_EQ(found.combination.size(), 4u);
    for (const DataMargin::Share& share : found.combination) EXPECT_NEAR(share.share, 0.25, 1e-15);
    EXPECT_EQ(found.residual, 0.0);
    expect_certificate(found, rows);
  }
}

TEST(Margin, XorIsSeparableWithTheProduct) {
  const Rows rows{{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 1}}, {0, 1, 1, 0}};
  const DataMargin found = margin_of(rows);
  EXPECT_EQ(found.separable, Separable::yes);
  expect_certificate(found, rows);
}

TEST(Margin, AnIntervalIsSeparableOnlyWithTheSquare) {
  Rows line, parabola;
  for (int x = -3; x <= 3; ++x) {
    line.x.push_back({static_cast<double>(x)});
    parabola.x.push_back({static_cast<double>(x), static_cast<double>(x * x)});
    line.y.push_back(std::abs(x) <= 1 ? 1 : 0);
  }
  parabola.y = line.y;
  const DataMargin flat = margin_of(line), bent = margin_of(parabola);
  EXPECT_EQ(flat.separable, Separable::no);
  expect_certificate(flat, line);
  EXPECT_EQ(bent.separable, Separable::yes);
  EXPECT_NEAR(bent.free.low, 1.5, 1.5e-4);  // x^2 <= 1 against x^2 >= 4
  expect_certificate(bent, parabola);
}

// "At least 3 of 5 properties": the widest hyperplane is sum x = 2.5, at half over the root of 5.
TEST(Margin, AtLeastKOfNIsSeparable) {
  Rows rows;
  for (unsigned bits = 0; bits < 32; ++bits) {
    std::vector<double> x;
    int count = 0;
    for (unsigned j = 0; j < 5; ++j) {
      x.push_back((bits >> j & 1) != 0 ? 1.0 : 0.0);
      count += (bits >> j & 1) != 0 ? 1 : 0;
    }
    rows.x.push_back(x);
    rows.y.push_back(count >= 3 ? 1 : 0);
  }
  const DataMargin found = margin_of(rows);
  EXPECT_EQ(found.separable, Separable::yes);
  EXPECT_NEAR(found.free.low, 0.5 / std::sqrt(5.0), 1e-4);
  expect_certificate(found, rows);
  rows.y[31] = 0;  // a flipped label
  const DataMargin flipped = margin_of(rows);
  EXPECT_EQ(flipped.separable, Separable::no);
  expect_certificate(flipped, rows);
}

TEST(Margin, EqualRowsOfDifferentLabelsAreAProofByThemselves) {
  const Rows rows{{{0.1, 0}, {5, 1}, {0.3, 2}, {5, 1}}, {0, 1, 0, 0}};
  const DataMargin found = margin_of(rows);
  EXPECT_EQ(found.separable, Separable::no);
  ASSERT_EQ(found.combination.size(), 2u);
  EXPECT_EQ(found.combination[0].row, 1u);
  EXPECT_EQ(found.combination[1].row, 3u);
  EXPECT_EQ(found.residual, 0.0);
}

// Either way, whatever the data: a separating hyperplane, or a combination that is zero.
TEST(Margin, EverySmallSetHasACertificate) {
  const RandomKey key{11, 0};
  std::uint64_t draw = 0;
  int separable = 0;
  for (int set = 0; set < 300; ++set) {
    Rows rows;
    const std::size_t n = 4 + key.below(draw++, 12), p = 1 + key.below(draw++, 4);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> x;
      for (std::size_t j = 0; j < p; ++j) x.push_back(static_cast<double>(key.below(draw++, 9)) - 4);
      rows.x.push_back(x);
      rows.y.push_back(i < 2 ? static_cast<double>(i) : static_cast<double>(key.below(draw++, 2)));
    }
    const DataMargin found = margin_of(rows);
    EXPECT_NE(found.separable, Separable::undecided) << set;
    separable += found.separable == Separable::yes ? 1 : 0;
    if (found.separable == Separable::yes) {
      EXPECT_LE(found.free.width(), 1e-4);
    }
    expect_certificate(found, rows);
  }
  EXPECT_GT(separable, 50);
  EXPECT_LT(separable, 250);
}

TEST(Margin, WithoutABiasPlanesGoThroughZero) {
  const Rows rows{{{2.0}, {4.0}}, {0, 1}};
  EXPECT_EQ(margin_of(rows, {.bias = false}).separable, Separable::no);
  const Rows signs{{{-2.0}, {4.0}}, {0, 1}};
  const DataMargin found = margin_of(signs, {.bias = false});
  EXPECT_EQ(found.separable, Separable::yes);
  EXPECT_NEAR(found.free.low, 2.0, 1e-12);
  EXPECT_EQ(found.radius, 4.0);
}

TEST(Margin, NeedsTwoClasses) { EXPECT_THROW(margin_of({{{1.0}}, {1}}), Error); }

TEST(Margin, OfThreePointsOnALineFarFromZeroIsDecided) {
  const Rows between{{{1700000000}, {1700000001}, {1700000002}}, {0, 1, 0}};
  const DataMargin found = margin_of(between);
  EXPECT_EQ(found.separable, Separable::no);
  EXPECT_TRUE(found.exact);
  expect_certificate(found, between);
}

// Thirds are not doubles, but 1, 2 and 3 sixths are in the proportion of whole numbers.
TEST(Margin, SharesThatAreFractionsAreCheckedAsWholeNumbers) {
  const Rows rows{{{0}, {1}, {3}}, {0, 1, 0}};
  const DataMargin found = margin_of(rows);
  EXPECT_EQ(found.separable, Separable::no);
  EXPECT_TRUE(found.exact);
  EXPECT_NEAR(found.combination[0].share, 1.0 / 3.0, 1e-16);
  expect_certificate(found, rows);
}

TEST(Margin, BoundsHoldWhereColumnsAreFarFromZero) {
  const DataMargin found = margin_of({{{9999}, {10000}, {10001}}, {0, 0, 1}});
  EXPECT_EQ(found.separable, Separable::yes);
  EXPECT_LE(found.free.width(), 1e-4);
  EXPECT_NEAR(found.free.low, 0.5, 1e-4);
  EXPECT_LE(found.augmented.low, found.augmented.high);
}

// In one dimension only the order matters. Cases that cannot be decided stay undecided, and nothing is decided wrongly.
TEST(Margin, OfLargeNumbersIsNeverDecidedWrongly) {
  const RandomKey key{11, 0};
  std::uint64_t draw = 0;
  const auto below = [&](double n) { return std::floor(n * key.uniform(draw++)); };
  int undecided = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const double base = std::ldexp(1.0, static_cast<int>(below(50)));
    Rows rows;
    double lowest[2] = {1e300, 1e300}, highest[2] = {-1e300, -1e300};
    for (int i = 0; i < 4 + static_cast<int>(below(4)); ++i) {
      const double x = base + below(12), y = i < 2 ? i : below(2);
      rows.x.push_back({x, 3 * x + 1});  // and a column with the same information
      rows.y.push_back(y);
      lowest[static_cast<int>(y)] = std::min(lowest[static_cast<int>(y)], x);
      highest[static_cast<int>(y)] = std::max(highest[static_cast<int>(y)], x);
    }
    const bool apart = highest[0] < lowest[1] || highest[1] < lowest[0];
    const DataMargin found = margin_of(rows);
    if (found.separable == Separable::undecided) {
      ++undecided;
      EXPECT_GT(base, 1e4);
      continue;
    }
    ASSERT_EQ(found.separable, apart ? Separable::yes : Separable::no) << "trial " << trial << ", base " << base;
  }
  EXPECT_LT(undecided, 150);
}

// y (w.x + b) > 0 without rounding.
bool is_apart(const DataMargin& found, const Rows& rows) {
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    math::ExactSum score;
    score.add(found.bias);
    for (std::size_t j = 0; j < rows.x[i].size(); ++j) {
      const math::DoubleDouble product = math::two_product(found.weights[j], rows.x[i][j]);
      score.add(product.high);
      score.add(product.low);
    }
    if (!((2 * rows.y[i] - 1) * score.divided_by(1) > 0.0)) return false;
  }
  return true;
}

TEST(Margin, APlaneThatIsGivenHasTheRowsApartWithoutRounding) {
  const RandomKey key{12, 0};
  std::uint64_t draw = 0;
  const auto below = [&](double n) { return static_cast<int>(n * key.uniform(draw++)); };
  const std::vector<double> bases = {1.0, 3.7, 1e6, 1e-5, 0.1, -2.3, 1e20, 123456789.123};
  int given = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int features = 1 + below(3), count = 2 + below(6);
    std::vector<double> base;
    for (int j = 0; j < features; ++j) base.push_back(bases[static_cast<std::size_t>(below(8))]);
    Rows rows;
    for (int i = 0; i < count; ++i) {
      std::vector<double>& x = rows.x.emplace_back(base);
      for (double& value : x)
        for (int steps = below(4); steps > 0; --steps) value = std::nextafter(value, below(2) == 0 ? -1e300 : 1e300);
      rows.y.push_back(i < 2 ? i : below(2));
    }
    const DataMargin found = margin_of(rows, {.max_passes = 50});
    if (found.separable != Separable::yes) continue;
    ++given;
    EXPECT_TRUE(is_apart(found, rows)) << "trial " << trial;
  }
  EXPECT_GT(given, 10);
}

TEST(Margin, ValuesWhoseSquaresAreBeyondTheDoublesAreRefused) {
  EXPECT_THROW(margin_of({{{-1e200}, {1e200}}, {0, 1}}), Error);
}

}  // namespace
}  // namespace plumb::margin_test
