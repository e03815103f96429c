#include "plumb/objective/design_matrix.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/random.h"

namespace plumb::design_matrix_test {
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

// Few columns are added block by block, more in runs of rows, most in one run; after some sums by columns.
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

// Dense rows in two pieces, some without weight; the first column is 1e7 and a little.
Examples dense_rows(std::size_t rows, std::uint32_t features) {
  const RandomKey key{5, 0};
  std::uint64_t at = 0;
  std::vector<Piece> pieces(2);
  for (std::size_t i = 0; i < rows; ++i) {
    Piece& piece = pieces[i < rows / 3 ? 0 : 1];
    piece.features = features;
    ++piece.rows;
    for (std::uint32_t j = 0; j < features; ++j)
      piece.values.push((j == 0 ? 1e7 : 0.0) + std::ldexp(key.uniform(at++) - 0.4, static_cast<int>(j % 30)));
    piece.targets.push_back(static_cast<double>(i % 2));
    piece.weights.push_back(i % 7 == 0 ? 0.0 : 1.0 + static_cast<double>(i % 3));
  }
  return Examples(std::move(pieces), features);
}

// Products of rows in place have the same bits as of rows that were laid out, and so have those of some of the rows;
// centred or not.
TEST(DesignMatrix, DenseRowsInPlaceGiveTheBitsOfRowsThatAreLaidOut) {
  for (const std::uint32_t features : {1u, 7u, 54u, 300u})
    for (const bool bias : {false, true}) {
      const Examples examples = dense_rows(9000, features);
      for (const unsigned threads : {1u, 3u}) {
        Executor executor(threads);
        const plumb::Run run{executor};
        DesignMatrix in_place(examples, bias, {}, {}, run), laid_out(examples, bias, {}, {}, run);
        ASSERT_EQ(in_place.row_begin(1), in_place.columns());
        laid_out.lay_out(run);
        in_place.centre();
        laid_out.centre();
        EXPECT_EQ(in_place.centred(), bias);
        std::vector<std::uint32_t> some;
        for (std::uint32_t i = 5; i < in_place.rows(); i += 1 + i % 9) some.push_back(i);
        const DesignMatrix few(in_place, some, 2.0), copied(laid_out, some, 2.0);
        const auto expect_alike = [&](const DesignMatrix& a, const DesignMatrix& b) {
          const std::size_t n = a.rows(), p = a.columns();
          for (const std::size_t outputs : {std::size_t{1}, std::size_t{3}}) {
            std::vector<double> w(p * outputs), r(n * outputs), z(n * outputs), g(p * outputs);
            for (std::size_t j = 0; j < w.size(); ++j) w[j] = std::sin(static_cast<double>(j));
            for (std::size_t i = 0; i < r.size(); ++i) r[i] = std::cos(static_cast<double>(i));
            std::vector<double> other_z = z, other_g = g;
            a.times(w, outputs, z, run);
            b.times(w, outputs, other_z, run);
            EXPECT_EQ(z, other_z) << features;
            a.transpose_times(r, outputs, g, run);
            b.transpose_times(r, outputs, other_g, run);
            EXPECT_EQ(g, other_g) << features;
          }
          std::vector<double> squares(p), other(p);
          a.squares(a.weights(), squares, run);
          b.squares(b.weights(), other, run);
          EXPECT_EQ(squares, other);
          EXPECT_EQ(a.gram(a.weights(), run), b.gram(b.weights(), run));
          for (std::size_t i = 0; i < n; i += 100)
            EXPECT_TRUE(std::equal(a.row(i).value.begin(), a.row(i).value.end(), b.row(i).value.begin()));
        };
        expect_alike(in_place, laid_out);
        expect_alike(few, copied);
      }
    }
}

// So have those of many sparse rows, floats or doubles, up to the position of the bias in a sum.
TEST(DesignMatrix, SparseRowsInPlaceGiveTheNumbersOfRowsThatAreLaidOut) {
  constexpr std::size_t kRows = 70'000;
  constexpr std::uint32_t kFeatures = 3000, kEntries = 20;
  for (const bool floats : {false, true}) {
    const RandomKey key{8, 0};
    std::uint64_t at = 0;
    Piece piece;
    piece.features = kFeatures;
    piece.offsets.push_back(0);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::uint32_t k = 0; k < kEntries; ++k) {
        const double value = 1.0 + key.uniform(at++) * std::ldexp(1.0, static_cast<int>(k));
        piece.index.push_back(k * 150 + static_cast<std::uint32_t>(key.uniform(at++) * 150));
        piece.values.push(floats ? double{static_cast<float>(value)} : value);
      }
      piece.offsets.push_back(piece.values.size());
      piece.targets.push_back(static_cast<double>(i % 2));
      piece.weights.push_back(i % 5 == 0 ? 0.0 : 1.0);
      ++piece.rows;
    }
    const Examples examples({piece}, kFeatures);
    for (const bool bias : {false, true}) {
      std::vector<double> first;
      for (const unsigned threads : {1u, 2u, 7u}) {
        Executor executor(threads);
        const plumb::Run run{executor};
        const DesignMatrix in_place(examples, bias, {}, {}, run), laid_out(examples, bias, {}, {}, run);
        ASSERT_TRUE(in_place.sparse_in_place());
        laid_out.lay_out(run);
        ASSERT_FALSE(laid_out.sparse_in_place());
        EXPECT_EQ(in_place.entries(), kRows / 5 * 4 * (kEntries + (bias ? 1 : 0)));
        std::vector<double> w(in_place.columns()), r(in_place.rows()), z(r.size()), g(w.size());
        for (std::size_t j = 0; j < w.size(); ++j) w[j] = std::sin(static_cast<double>(j));
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = std::cos(static_cast<double>(i));
        std::vector<double> other_z = z, other_g = g;
        in_place.times(w, 1, z, run);
        laid_out.times(w, 1, other_z, run);
        in_place.transpose_times(r, 1, g, run);
        laid_out.transpose_times(r, 1, other_g, run);
        EXPECT_TRUE(in_place.sparse_in_place());
        if (bias) {
          for (std::size_t i = 0; i < z.size(); ++i) ASSERT_NEAR(z[i], other_z[i], 1e-13);
          for (std::size_t j = 0; j < g.size(); ++j) ASSERT_NEAR(g[j], other_g[j], 1e-10);
        } else {
          EXPECT_EQ(z, other_z);
          EXPECT_EQ(g, other_g);
        }
        z.insert(z.end(), g.begin(), g.end());
        if (first.empty()) first = z;
        EXPECT_EQ(z, first) << threads;
        const Row row = in_place.row(17), same = laid_out.row(17);  // lays the rows out
        EXPECT_FALSE(in_place.sparse_in_place());
        EXPECT_TRUE(std::equal(row.index.begin(), row.index.end(), same.index.begin(), same.index.end()));
        EXPECT_TRUE(std::equal(row.value.begin(), row.value.end(), same.value.begin(), same.value.end()));
      }
    }
  }
}

}  // namespace
}  // namespace plumb::design_matrix_test
