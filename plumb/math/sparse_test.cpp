// Sparse kernels against plain loops and against the dense kernels on the same numbers, in every table.
#include "plumb/math/sparse.h"

#include "plumb/math/dense.h"
#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace plumb::math::sparse_test {
namespace {

using testing::Random;
using testing::same;
using testing::tables;

struct SparseRow {
  std::vector<std::uint32_t> index;
  std::vector<double> value;
};

SparseRow random_row(Random& random, std::size_t columns, std::size_t one_in) {
  SparseRow row;
  for (std::size_t j = 0; j < columns; ++j) {
    if (random.below(one_in) != 0) continue;
    row.index.push_back(static_cast<std::uint32_t>(j));
    row.value.push_back(random.uniform(-1.0, 1.0));
  }
  return row;
}

TEST(Sparse, DotOfARowWithoutGapsIsTheDenseDot) {
  Random random(1);
  for (const Kernels* const table : tables()) {
    for (std::size_t n = 0; n <= 40; ++n) {
      const std::vector<double> value = random.vector(n), w = random.vector(n);
      std::vector<std::uint32_t> index(n);
      for (std::size_t t = 0; t < n; ++t) index[t] = static_cast<std::uint32_t>(t);
      EXPECT_TRUE(same(table->sparse_dot(index.data(), value.data(), n, w.data()), dot(value, w)));
      EXPECT_EQ(table->sparse_dot2(index.data(), value.data(), n, w.data()), dot2(value, w));
    }
  }
}

TEST(Sparse, DotTakesLanesByPosition) {
  Random random(2);
  for (const Kernels* const table : tables()) {
    for (int trial = 0; trial < 200; ++trial) {
      const SparseRow row = random_row(random, 300, 1 + random.below(20));
      const std::vector<double> w = random.vector(300);
      std::vector<double> gathered;
      for (const std::uint32_t j : row.index) gathered.push_back(w[j]);
      const std::size_t n = row.index.size();
      ASSERT_TRUE(same(table->sparse_dot(row.index.data(), row.value.data(), n, w.data()), dot(row.value, gathered)));
      ASSERT_EQ(table->sparse_dot2(row.index.data(), row.value.data(), n, w.data()), dot2(row.value, gathered));

      std::vector<double> y = random.vector(300), expected = y;
      for (std::size_t t = 0; t < n; ++t) {
        expected[row.index[t]] = std::fma(0.3, row.value[t], expected[row.index[t]]);
      }
      const std::vector<double> ones(n, 1.0);
      ASSERT_TRUE(same(table->sparse_sum(row.index.data(), n, w.data()),
                       table->sparse_dot(row.index.data(), ones.data(), n, w.data())));
      table->sparse_axpy(0.3, row.index.data(), row.value.data(), n, y.data());
      ASSERT_EQ(y, expected);
    }
  }
}

TEST(Sparse, FloatsCountAsTheDoublesTheyAre) {
  Random random(5);
  for (const Kernels* const table : tables()) {
    for (int trial = 0; trial < 200; ++trial) {
      const SparseRow row = random_row(random, 300, 1 + random.below(20));
      const std::vector<float> narrow(row.value.begin(), row.value.end());
      const std::vector<double> wide(narrow.begin(), narrow.end()), w = random.vector(300);
      const std::uint32_t* const index = row.index.data();
      const std::size_t n = row.index.size();
      ASSERT_TRUE(same(table->sparse_dot_float(index, narrow.data(), n, w.data()),
                       table->sparse_dot(index, wide.data(), n, w.data())));
      std::vector<double> y = random.vector(300), once = y;
      table->sparse_axpy(0.3, index, wide.data(), n, y.data());
      table->sparse_axpy_float(0.3, index, narrow.data(), n, once.data());
      ASSERT_EQ(once, y);
    }
  }
}

TEST(Sparse, CountsAreTheFloatsTheyStandFor) {
  Random random(13);
  for (const Kernels* const table : tables())
    for (int trial = 0; trial < 100; ++trial) {
      SparseRow row = random_row(random, 300, 1 + random.below(20));
      std::vector<float> value;
      std::vector<std::uint32_t> entries;
      for (const std::uint32_t j : row.index) {
        const auto count = static_cast<std::uint32_t>(1 + random.below(255));
        value.push_back(static_cast<float>(count));
        entries.push_back(256 * j + count);
      }
      while (entries.size() % 8 != 0) entries.push_back(256 * 300);
      const std::size_t n = value.size();
      std::vector<double> y = random.vector(300), once = y;
      once.push_back(0.0);
      const std::uint32_t* const index = row.index.data();
      const double dot = table->sparse_dot_float(index, value.data(), n, y.data());
      std::vector<double> kept(entries.size());
      ASSERT_TRUE(same(table->count_dot(entries.data(), entries.size(), once.data(), kept.data()), dot));
      table->sparse_axpy_float(0.3, index, value.data(), n, y.data());
      table->count_axpy(0.3, entries.data(), entries.size(), kept.data(), once.data());
      for (std::size_t j = 0; j < y.size(); ++j) ASSERT_TRUE(same(once[j], y[j]));
      ASSERT_EQ(once[300], 0.0);
    }
}

TEST(Sparse, SeveralOutputsAtOnceAreOneAfterTheOtherInSinglePrecision) {
  Random random(6);
  for (const Kernels* const table : tables()) {
    for (const std::size_t width : {8u, 16u, 24u, 32u, 40u, 72u}) {
      const SparseRow row = random_row(random, 90, 4);
      std::vector<SparseEntry> entries;
      for (std::size_t t = 0; t < row.index.size(); ++t)
        entries.push_back({row.index[t], static_cast<float>(row.value[t])});
      std::vector<float> w, a, sums(width), expected(width);
      for (std::size_t i = 0; i < 90 * width; ++i) w.push_back(static_cast<float>(random.uniform(-1.0, 1.0)));
      for (std::size_t k = 0; k < width; ++k) a.push_back(static_cast<float>(random.uniform(-1.0, 1.0)));
      std::vector<float> y = w, moved = w;
      for (const SparseEntry& entry : entries)
        for (std::size_t k = 0; k < width; ++k) {
          expected[k] = std::fma(entry.value, w[entry.column * width + k], expected[k]);
          moved[entry.column * width + k] = std::fma(a[k], entry.value, moved[entry.column * width + k]);
        }
      table->sparse_dots(entries.data(), entries.size(), w.data(), width, sums.data());
      table->sparse_axpys(a.data(), entries.data(), entries.size(), width, y.data());
      ASSERT_EQ(sums, expected) << width;
      ASSERT_EQ(y, moved) << width;
    }
  }
}

TEST(Sparse, BytesAndManyRowsAtOnceChangeNoBit) {
  Random random(11);
  for (const Kernels* const table : tables()) {
    const std::vector<double> w = random.vector(300);
    std::vector<std::uint32_t> index;
    std::vector<std::uint64_t> offsets = {0};
    std::vector<double> expected;
    for (std::size_t r = 0; r < 100; ++r) {
      const SparseRow row = random_row(random, 300, 1 + random.below(40));
      const std::size_t n = row.index.size();
      std::vector<std::uint8_t> bytes;
      for (std::size_t t = 0; t < n; ++t) bytes.push_back(static_cast<std::uint8_t>(random.below(256)));
      const std::vector<double> values(bytes.begin(), bytes.end()), ones(n, 1.0);
      EXPECT_TRUE(
          same(table->sparse_dot_byte(row.index.data(), bytes.data(), n, w.data()), sparse_dot(row.index, values, w)));
      expected.push_back(sparse_dot(row.index, ones, w));
      index.insert(index.end(), row.index.begin(), row.index.end());
      offsets.push_back(index.size());
    }
    std::vector<double> found(expected.size());
    table->sparse_sums(index.data(), offsets.data(), found.size(), w.data(), found.data());
    EXPECT_EQ(found, expected);
  }
}

TEST(Sparse, RangeIsOfTheLeastAndTheHighestIndex) {
  Random random(12);
  for (const Kernels* const table : tables())
    for (std::size_t n = 0; n < 100; ++n) {
      std::vector<std::uint32_t> index(n);
      for (std::uint32_t& each : index) each = static_cast<std::uint32_t>(random.below(0xffffffff)) + 1;
      const IndexRange range = table->index_range(index.data(), n);
      EXPECT_EQ(range.least, n == 0 ? 0xffffffff : *std::min_element(index.begin(), index.end()));
      EXPECT_EQ(range.most, n == 0 ? 0 : *std::max_element(index.begin(), index.end()));
    }
}

TEST(Sparse, NanReachesTheDot) {
  const std::vector<std::uint32_t> index = {0, 2};
  const std::vector<double> value = {1.0, std::numeric_limits<double>::quiet_NaN()}, w = {1.0, 1.0, 1.0};
  for (const Kernels* const table : tables()) {
    EXPECT_TRUE(std::isnan(table->sparse_dot(index.data(), value.data(), 2, w.data())));
    EXPECT_TRUE(std::isnan(table->sparse_dot2(index.data(), value.data(), 2, w.data()).high));
  }
}

TEST(Sparse, GramIsTheDenseGramBitForBitAlsoWhereProductsUnderflow) {
  Random random(3);
  const std::size_t p = 23, rows = 200;
  for (const Kernels* const table : tables()) {
    for (const int low : {-2, -560}) {  // of 2^-560, products underflow to zeros of either sign
      std::vector<double> dense(rows * p), weight = random.vector(rows, 0.0, 2.0), expected(p * p), gram(p * p);
      for (std::size_t i = 0; i < rows; ++i) {
        SparseRow row = random_row(random, p, 3);
        for (std::size_t t = 0; t < row.index.size(); ++t) {
          row.value[t] = random.spread(low, low + 30);
          dense[i * p + row.index[t]] = row.value[t];
        }
        for (std::size_t j = 0; j < p; ++j) {
          if (dense[i * p + j] == 0.0 && random.below(2) == 0) dense[i * p + j] = -0.0;
        }
        table->sparse_gram_add(row.index.data(), row.value.data(), row.index.size(), weight[i], gram.data(), p);
      }
      table->gram_add(dense.data(), rows, p, p, weight.data(), expected.data(), p);
      for (std::size_t t = 0; t < p * p; ++t) ASSERT_TRUE(same(gram[t], expected[t])) << t;
    }
  }
}

TEST(Sparse, SpanFormsCallTheChosenTable) {
  const std::vector<std::uint32_t> index = {1, 3};
  const std::vector<double> value = {2.0, 5.0}, w = {1.0, 10.0, 100.0, 1000.0};
  EXPECT_EQ(sparse_dot(index, value, w), 5020.0);
  EXPECT_EQ(sparse_dot2(index, value, w), DoubleDouble(5020.0));
  std::vector<double> y(4), gram(16);
  sparse_axpy(2.0, index, value, y);
  EXPECT_EQ(y, (std::vector<double>{0.0, 4.0, 0.0, 10.0}));
  sparse_gram_add(index, value, 3.0, 4, gram.data());
  EXPECT_EQ(gram, (std::vector<double>{0, 0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 30, 0, 75}));
}

}  // namespace
}  // namespace plumb::math::sparse_test
