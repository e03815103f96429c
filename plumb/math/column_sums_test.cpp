#include "plumb/math/column_sums.h"

#include "plumb/math/dense.h"
#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace plumb::math::column_sums_test {
namespace {

using testing::Exact;
using testing::Random;
using testing::same;
using testing::tables;

struct Columns {
  std::vector<std::vector<double>> x;  // [row][column], each row in its own array, so that reads past it are detected
  std::vector<const double*> row;
  std::vector<double> about, sums, plain, counted;

  Columns(std::vector<std::vector<double>> rows, const std::vector<MomentGrid>& grids) : x(std::move(rows)) {
    const std::size_t width = in_eights(grids.size());
    about.resize(3 * width);
    sums.resize(4 * width);
    plain.resize(4 * width);
    counted.resize(width / 8);
    for (std::size_t j = 0; j < grids.size(); ++j) {
      about[j] = grids[j].shift();
      about[width + j] = grids[j].back();
      about[2 * width + j] = grids[j].most();
    }
    for (const auto& each : x) row.push_back(each.data());
  }
  void add(const Kernels& table, std::size_t p) {
    table.moments_about_add(row.data(), 1, row.size(), p, about.data(), sums.data(), plain.data(), counted.data(),
                            row.front(), p);
  }
  Exact sum(const std::vector<double>& of, std::size_t first, std::size_t j) const {
    const std::size_t width = counted.size() * 8;
    return Exact(of[first * width + j]) + Exact(of[(first + 1) * width + j]);
  }
};

TEST(ColumnSums, AboutANumberHaveTheDigitsOfTheSpreadHoweverFarItIs) {
  Random random(3);
  for (const Kernels* const table : tables())
    for (std::size_t p = 1; p <= 27; ++p) {
      std::vector<MomentGrid> grids;
      std::vector<double> far, size;
      for (std::size_t j = 0; j < p; ++j) {
        size.push_back(std::ldexp(1.0, static_cast<int>(random.below(60)) - 30));
        far.push_back(j % 3 == 0 ? 0.0
                                 : size[j] * std::ldexp(random.uniform(-1, 1), static_cast<int>(random.below(40))));
        grids.push_back(MomentGrid::around(far[j] + size[j] * random.uniform(-1, 1), size[j] * random.uniform(0.1, 1)));
        ASSERT_TRUE(grids[j].has_steps());
      }
      std::vector<std::vector<double>> rows(1 + random.below(40), std::vector<double>(p));
      for (auto& row : rows)
        for (std::size_t j = 0; j < p; ++j) row[j] = far[j] + size[j] * random.uniform(-1, 1);
      Columns columns(rows, grids);
      columns.add(*table, p);
      for (std::size_t j = 0; j < p; ++j) {
        Exact sum, squares;
        double terms = 0.0;
        for (const auto& row : rows) {
          const Exact d = Exact(row[j]) - Exact(grids[j].about);
          sum = sum + d;
          squares = squares + d * d;
          terms += grids[j].step * (std::abs(row[j] - grids[j].about) + grids[j].step);
        }
        ASSERT_EQ(columns.counted[j / 8], static_cast<double>(rows.size())) << j << " of " << p;
        EXPECT_LE(abs(columns.sum(columns.sums, 0, j) - sum).rounded(), 0x1p-53 * 41 * grids[j].step);
        EXPECT_LE(abs(columns.sum(columns.sums, 2, j) - squares).rounded(),
                  0x1p-102 * squares.rounded() + 0x1p-53 * 4 * static_cast<double>(rows.size()) * terms);
        EXPECT_LE(abs(columns.sum(columns.sums, 2, j) - squares).rounded(), 0x1p-60 * size[j] * size[j] * 40);
        EXPECT_EQ(columns.plain[j], 0.0);
      }
    }
}

TEST(ColumnSums, OfNumbersFarOffTheGridAreThoseInTwiceThePrecision) {
  Random random(4);
  for (const Kernels* const table : tables())
    for (const std::size_t p : {1u, 8u, 13u, 24u})
      for (const double outlier : {1e3, 1e9, 1e30, 1e150}) {
        std::vector<std::vector<double>> rows;
        for (std::size_t i = 0; i < 12; ++i) rows.push_back(random.vector(p));
        rows[random.below(rows.size())][p - 1] = outlier;
        const MomentGrid grid = MomentGrid::around(0.1, 1.0);
        Columns columns(rows, std::vector<MomentGrid>(p, grid));
        columns.add(*table, p);
        columns.add(*table, p);
        for (std::size_t j = 0; j < p; ++j) {
          Exact sum, squares;
          for (const auto& row : rows) {
            const Exact d = Exact(row[j]) - Exact(grid.about);
            sum = sum + Exact(2.0) * d;
            squares = squares + Exact(2.0) * d * d;
          }
          const bool off = j / 8 == (p - 1) / 8;
          ASSERT_EQ(columns.counted[j / 8], off ? 0.0 : 24.0) << outlier << ' ' << j << " of " << p;
          if (!off) continue;
          EXPECT_LE(abs(columns.sum(columns.plain, 0, j) - sum).rounded(), 0x1p-95 * (24 + outlier));
          EXPECT_LE(abs(columns.sum(columns.plain, 2, j) - squares).rounded(), 0x1p-95 * squares.rounded());
          EXPECT_EQ(columns.sums[j], 0.0);
        }
      }
}

TEST(ColumnSums, AreExactWhereEveryNumberIsOnTheGrid) {
  Random random(5);
  std::vector<std::vector<double>> rows(500, std::vector<double>(1));
  double sum = 0.0, squares = 0.0;
  const MomentGrid grid = MomentGrid::around(40, 20);
  for (auto& row : rows) {
    row[0] = static_cast<double>(random.below(100));
    sum += row[0] - grid.about;
    squares += (row[0] - grid.about) * (row[0] - grid.about);
  }
  Columns columns(rows, {grid});
  columns.add(kernels(), 1);
  EXPECT_EQ(columns.sums[0], sum);
  EXPECT_EQ(columns.sums[16], squares);
  EXPECT_EQ(columns.sums[8], 0.0);
  EXPECT_EQ(columns.sums[24], 0.0);
}

// Rows end with their last number, so that none after it may be read; some columns have too large squares.
TEST(ColumnSums, OfEverySecondNumberAreThoseOfTheNumbersAlone) {
  Random random(17);
  for (const Kernels* const table : tables())
    for (std::size_t p = 1; p <= 35; ++p) {
      std::vector<std::vector<double>> alone(9, std::vector<double>(p)), apart(9, std::vector<double>(2 * p - 1, 7.0));
      std::vector<MomentGrid> grids;
      for (std::size_t j = 0; j < p; ++j) {
        grids.push_back(MomentGrid::around(random.uniform(-1, 1), j == 20 ? 1e-9 : 1.0));
        for (std::size_t i = 0; i < alone.size(); ++i) alone[i][j] = apart[i][2 * j] = random.uniform(-3, 3);
      }
      Columns expected(alone, grids), found(apart, grids);
      expected.add(*table, p);
      table->moments_about_add(found.row.data(), 2, found.row.size(), p, found.about.data(), found.sums.data(),
                               found.plain.data(), found.counted.data(), p % 2 == 0 ? nullptr : found.row[0], 2 * p);
      EXPECT_EQ(found.sums, expected.sums) << p;
      EXPECT_EQ(found.plain, expected.plain) << p;
      EXPECT_EQ(found.counted, expected.counted) << p;
    }
}

// A column far from 0 in one group of eight with a column that has an outlier.
TEST(ColumnSums, OfNumbersFarFromZeroKeepTheirDigitsBesideAnOutlier) {
  Random random(19);
  for (const Kernels* const table : tables()) {
    std::vector<std::vector<double>> rows;
    for (std::size_t i = 0; i < 16; ++i) rows.push_back({1e9 + random.uniform(-1, 1), random.uniform(-1, 1)});
    rows[7][1] = 1e12;
    const MomentGrid far = MomentGrid::around(1e9, 1.0);
    Columns columns(rows, {far, MomentGrid::around(0.0, 1.0)});
    columns.add(*table, 2);
    ASSERT_EQ(columns.counted[0], 0.0);
    Exact squares;
    for (const auto& row : rows)
      squares = squares + (Exact(row[0]) - Exact(far.about)) * (Exact(row[0]) - Exact(far.about));
    EXPECT_LE(abs(columns.sum(columns.plain, 2, 0) - squares).rounded(), 0x1p-95 * squares.rounded());
  }
}

TEST(ColumnSums, WithWeightsAreThoseInTwiceThePrecision) {
  Random random(18);
  for (const Kernels* const table : tables())
    for (std::size_t p = 1; p <= 27; ++p)
      for (std::size_t step = 1; step <= 2; ++step) {
        const std::size_t width = in_eights(p);
        std::vector<double> sums(4 * width), about(width);
        for (std::size_t j = 0; j < p; ++j) about[j] = j % 3 == 0 ? 0.0 : std::ldexp(random.uniform(-1, 1), 40);
        std::vector<Exact> first(p), second(p);
        for (std::size_t i = 0; i < 40; ++i) {
          std::vector<double> row(step * (p - 1) + 1);  // none after it may be read
          for (std::size_t j = 0; j < p; ++j) row[step * j] = about[j] + random.uniform(-1, 1);
          const double weight = random.uniform(0, 2);
          table->weighted_moments_add(row.data(), step, p, weight, about.data(), sums.data());
          for (std::size_t j = 0; j < p; ++j) {
            const Exact d = Exact(row[step * j]) - Exact(about[j]);
            first[j] = first[j] + Exact(weight) * d;
            second[j] = second[j] + Exact(weight) * d * d;
          }
        }
        for (std::size_t j = 0; j < p; ++j) {
          const auto off = [&](std::size_t at, const Exact& expected) {
            return abs(Exact(sums[at * width + j]) + Exact(sums[(at + 1) * width + j]) - expected).rounded();
          };
          EXPECT_LE(off(0, first[j]), 0x1p-96 * 40) << p << ' ' << j;
          EXPECT_LE(off(2, second[j]), 0x1p-96 * 40) << p << ' ' << j;
        }
      }
}

TEST(MomentGrid, IsNoneWhereThereIsNothingToGoBy) {
  for (const double spread : {0.0, -1.0, testing::nan, testing::infinity, 1e-200, 1e200})
    EXPECT_FALSE(MomentGrid::around(0.0, spread).has_steps()) << spread;
  EXPECT_TRUE(MomentGrid::around(1.0, 1e-200).has_steps()) << "of what doubles near 1 are apart";
  EXPECT_FALSE(MomentGrid::around(testing::infinity, 1.0).has_steps());
  EXPECT_LT(MomentGrid().most(), 0.0);
}

TEST(Dots, AreTheDotOfEachRow) {
  Random random(6);
  for (const Kernels* const table : tables())
    for (std::size_t p = 0; p <= 35; ++p)
      for (const std::size_t rows : {1u, 3u, 4u, 9u}) {
        const std::size_t stride = p + 2;
        const std::vector<double> x = random.vector(rows * stride), w = random.vector(p);
        std::vector<double> out(rows);
        table->dots(x.data(), rows, stride, p, w.data(), out.data());
        for (std::size_t i = 0; i < rows; ++i)
          ASSERT_TRUE(same(out[i], table->dot(w.data(), x.data() + i * stride, p))) << p << ' ' << i;
      }
}

}  // namespace
}  // namespace plumb::math::column_sums_test
