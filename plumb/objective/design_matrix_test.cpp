#include "plumb/objective/design_matrix.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/random.h"

namespace plumb {
namespace {

// About `entries` ones and fractions a row, in ascending columns; the last rows have none.
Examples sparse_rows(std::size_t rows, std::uint32_t features, std::uint32_t entries) {
  const RandomKey key{3, 0};
  std::uint64_t at = 0;
  Piece piece;
  piece.features = features;
  piece.offsets.push_back(0);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint32_t width = features / entries;
    for (std::uint32_t k = 0; k < entries && i + 10 < rows; ++k) {
      piece.index.push_back(k * width + static_cast<std::uint32_t>(key.uniform(at++) * width));
      piece.values.push(i % 2 == 0 ? 1.0 : key.uniform(at++) - 0.3);
    }
    piece.offsets.push_back(piece.values.size());
    piece.targets.push_back(static_cast<double>(i % 2));
    ++piece.rows;
  }
  return Examples({piece}, features);
}

// Few columns are added up block by block, more in runs of rows, most in one run; after some sums by columns.
TEST(DesignMatrix, SumsOverRowsAreRightWithTheSameBitsForAnyNumberOfThreads) {
  constexpr std::size_t kRows = 9000;
  for (const std::uint32_t features : {40u, 2000u, 60'000u})
    for (const std::size_t outputs : {std::size_t{1}, std::size_t{3}}) {
      const Examples examples = sparse_rows(kRows, features, 20);
      std::vector<std::vector<double>> one;
      for (const unsigned threads : {1u, 2u, 3u, 7u}) {
        Executor executor(threads);
        const plumb::Run run{executor};
        const DesignMatrix x(examples, true, {}, {}, run);
        std::vector<double> r(kRows * outputs);
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = std::sin(static_cast<double>(i));
        std::vector<double> expected(x.columns() * outputs);
        for (std::size_t i = 0; i < kRows; ++i)
          for (std::size_t t = 0; t < x.row(i).index.size(); ++t)
            for (std::size_t k = 0; k < outputs; ++k)
              expected[k * x.columns() + x.row(i).index[t]] += r[i * outputs + k] * x.row(i).value[t];
        std::vector<std::vector<double>> sums;
        for (int time = 0; time < 5; ++time) {
          std::vector<double>& own = sums.emplace_back(expected.size(), 7.0);
          x.transpose_times(r, outputs, own, run);
          for (std::size_t j = 0; j < own.size(); ++j) ASSERT_NEAR(own[j], expected[j], 1e-10) << features << ' ' << j;
        }
        if (threads == 1) one = sums;
        EXPECT_EQ(sums, one) << features << ' ' << threads;
      }
    }
}

TEST(DesignMatrix, UnitsAreThoseOfTheLargestNumberWhereverItsRowIs) {
  constexpr std::size_t kRows = 80'000;  // more blocks than runs
  for (const std::size_t place : {std::size_t{0}, std::size_t{41'111}, kRows - 1}) {
    Piece piece;
    piece.features = 2;
    piece.rows = kRows;
    piece.offsets.push_back(0);
    for (std::size_t i = 0; i < kRows; ++i) {
      if (i % 3 == 0 || i == place) {
        piece.index.push_back(1);
        piece.values.push(i == place ? -3.0 : 0.25);
      }
      piece.offsets.push_back(piece.values.size());
      piece.targets.push_back(0.0);
    }
    Executor executor(2);
    const DesignMatrix x(Examples({piece}, 2), false, {}, {}, plumb::Run{executor});
    EXPECT_EQ(x.exponent(1), 2) << place;
    EXPECT_EQ(x.row(place).value[0], -0.75) << place;
    EXPECT_EQ(x.entries(), piece.values.size());
  }
}

}  // namespace
}  // namespace plumb
