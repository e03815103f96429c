// Each kernel against its definition written as a plain loop, bit for bit, in every table, at odd sizes and starts.
#include "plumb/math/dense.h"

#include "plumb/math/gram_rows.h"
#include "plumb/math/special.h"
#include "plumb/math/testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace plumb::math::dense_test {
namespace {

using testing::Exact;
using testing::infinity;
using testing::nan;
using testing::Random;
using testing::same;
using testing::tables;

// The documented order: element i to lane i % 8, lanes folded by one tree.
template <class T>
T fold(const std::vector<T>& lane) {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

double plain_sum(In x) {
  std::vector<double> lane(8);
  for (std::size_t i = 0; i < x.size(); ++i) lane[i % 8] += x[i];
  return fold(lane);
}

double plain_dot(In a, In b) {
  std::vector<double> lane(8);
  for (std::size_t i = 0; i < a.size(); ++i) lane[i % 8] = std::fma(a[i], b[i], lane[i % 8]);
  return fold(lane);
}

DoubleDouble plain_dot2(In a, In b) {
  std::vector<double> high(8), low(8);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const DoubleDouble p = two_product(a[i], b[i]);
    const DoubleDouble s = two_sum(high[i % 8], p.high);
    high[i % 8] = s.high;
    low[i % 8] += s.low + p.low;
  }
  std::vector<DoubleDouble> lane;
  for (std::size_t l = 0; l < 8; ++l) lane.push_back(two_sum(high[l], low[l]));
  return fold(lane);
}

TEST(Dense, SumsFollowTheDocumentedOrderAtEveryLengthAndStart) {
  Random random(1);
  const std::vector<double> a = random.vector(1100), b = random.vector(1100);
  for (const Kernels* const table : tables()) {
    for (std::size_t n = 0; n <= 1000; n += n < 40 ? 1 : 37) {
      for (std::size_t start = 0; start < 9; ++start) {
        const In x(a.data() + start, n), y(b.data() + start + 1, n);
        ASSERT_TRUE(same(table->sum(x.data(), n), plain_sum(x))) << name(table->simd) << ' ' << n;
        ASSERT_TRUE(same(table->dot(x.data(), y.data(), n), plain_dot(x, y))) << name(table->simd) << ' ' << n;
        ASSERT_EQ(table->dot2(x.data(), y.data(), n), plain_dot2(x, y)) << name(table->simd) << ' ' << n;
        std::vector<double> axpy(y.begin(), y.end()), scaled = axpy, shifted(n + 1, 7.0);
        axpy.push_back(7.0);
        scaled.push_back(7.0);
        table->axpy(0.3, x.data(), axpy.data(), n);
        table->scale(0.3, scaled.data(), n);
        table->scale_shift(x.data(), y.data(), axpy.data(), shifted.data(), n);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_TRUE(same(axpy[i], std::fma(0.3, x[i], y[i])));
          ASSERT_TRUE(same(scaled[i], 0.3 * y[i]));
          ASSERT_TRUE(same(shifted[i], x[i] * y[i] - axpy[i]));
        }
        ASSERT_EQ(axpy[n], 7.0);
        ASSERT_EQ(scaled[n], 7.0);
        ASSERT_EQ(shifted[n], 7.0);
      }
    }
  }
}

TEST(Dense, SumsOfZerosArePlusZero) {
  const std::vector<double> minus(20, -0.0), plus(20, 0.0);
  for (const Kernels* const table : tables()) {
    for (std::size_t n = 0; n <= 20; ++n) {
      EXPECT_TRUE(same(table->sum(minus.data(), n), 0.0));
      EXPECT_TRUE(same(table->dot(minus.data(), plus.data(), n), 0.0));
      EXPECT_EQ(table->dot2(minus.data(), plus.data(), n), DoubleDouble(0.0));
    }
  }
}

TEST(Dense, NanAndInfinityReachTheSum) {
  for (const Kernels* const table : tables()) {
    for (std::size_t n = 1; n <= 20; ++n) {
      for (std::size_t at = 0; at < n; ++at) {
        std::vector<double> x(n, 1.0);
        const std::vector<double> ones(n, 1.0);
        x[at] = infinity;
        EXPECT_EQ(table->sum(x.data(), n), infinity);
        EXPECT_EQ(table->dot(x.data(), ones.data(), n), infinity);
        EXPECT_TRUE(std::isnan(table->dot2(x.data(), ones.data(), n).high));
        x[at] = -nan;
        EXPECT_EQ(std::bit_cast<std::uint64_t>(table->sum(x.data(), n)), 0x7ff8000000000000u);
        EXPECT_EQ(std::bit_cast<std::uint64_t>(table->dot(ones.data(), x.data(), n)), 0x7ff8000000000000u);
        EXPECT_TRUE(std::isnan(table->dot2(x.data(), ones.data(), n).high));
      }
    }
  }
}

TEST(Dense, Dot2KeepsItsBoundWhereTheSumCancels) {
  Random random(2);
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t n = 2 + random.below(200);
    std::vector<double> a(n), b(n);
    Exact exact, size;
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = random.spread(-30, 30);
      b[i] = i + 1 < n ? random.spread(-30, 30) : -exact.rounded() / a[i];  // the last product cancels the others
      exact = exact + Exact(a[i]) * Exact(b[i]);
      size = size + abs(Exact(a[i]) * Exact(b[i]));
    }
    const double error = abs(Exact(dot2(a, b)) - exact).rounded();
    const double factor = static_cast<double>(n + 8) * static_cast<double>(n + 8);
    EXPECT_LE(error, 0x1p-104 * abs(exact).rounded() + factor * 0x1p-106 * size.rounded());
    EXPECT_LE(error, 0x1p-52 * abs(exact).rounded() + 0x1p-90 * size.rounded());  // as a user would expect
  }
}

TEST(Dense, EightProductsAtOnceAreThoseOfOneByOne) {
  Random random(9);
  for (const Kernels* const table : tables())
    for (std::size_t rows = 0; rows <= 9; ++rows)
      for (const std::size_t n : {0u, 1u, 5u, 16u}) {
        const std::vector<double> a = random.vector(rows * n), b = random.vector(8 * n);
        std::vector<double> out(8 * rows + 1, 7.0);
        table->times8(a.data(), rows, n, b.data(), out.data());
        for (std::size_t r = 0; r < rows; ++r)
          for (std::size_t lane = 0; lane < 8; ++lane) {
            double sum = 0.0;
            for (std::size_t j = 0; j < n; ++j) sum = std::fma(a[r * n + j], b[8 * j + lane], sum);
            ASSERT_TRUE(same(out[8 * r + lane], sum)) << name(table->simd) << ' ' << rows << ' ' << n;
          }
        ASSERT_EQ(out.back(), 7.0);
      }
}

TEST(Dense, LeftOutErrorsFollowTheirDefinition) {
  Random random(11);
  for (const Kernels* const table : tables()) {
    constexpr std::size_t n = 5;
    std::vector<double> s = random.vector(8), y = random.vector(8), h = random.vector(8), fitted = random.vector(8 * n);
    std::vector<double> leverage = random.vector(8 * n), sums = random.vector(4 * 8 * n);
    for (double& each : s) each = std::abs(each);
    s[2] = 1.0, h[2] = 0.25, leverage[8 + 2] = 0.75;  // a row that is alone with a weight
    const std::vector<double> before = sums;
    table->left_out8(s.data(), y.data(), h.data(), fitted.data(), leverage.data(), n, sums.data());
    for (std::size_t at = 0; at < 8 * n; ++at) {
      const std::size_t lane = at % 8;
      const double error = y[lane] - fitted[at], rest = 1 - s[lane] * (h[lane] + leverage[at]);
      const bool has = rest > 1e-10;
      const double left_out = error * (1 / rest), square = has ? s[lane] * (left_out * left_out) : 0.0;
      ASSERT_TRUE(same(sums[at], before[at] + square));
      ASSERT_TRUE(same(sums[8 * n + at], before[8 * n + at] + s[lane] * error * error));
      ASSERT_TRUE(same(sums[16 * n + at], has ? before[16 * n + at] : 1.0)) << at;
      ASSERT_TRUE(same(sums[24 * n + at], has ? before[24 * n + at] + square * (1 / rest) : before[24 * n + at]));
    }
  }
}

// The definition of the contract, one element at a time.
void plain_gram(const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* s, double* gram) {
  for (std::size_t i = 0; i < rows; ++i) {
    const double* row = x + i * stride;
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = 0; k <= j; ++k) {
        gram[j * p + k] = std::fma(s == nullptr ? row[j] : s[i] * row[j], row[k], gram[j * p + k]) + 0.0;
      }
    }
  }
}

TEST(Dense, GramIsTheSumInRowOrderBitForBit) {
  Random random(3);
  for (const Kernels* const table : tables()) {
    for (const std::size_t p :
         {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 11u, 12u, 13u, 16u, 17u, 24u, 31u, 50u, 71u, 72u, 73u, 80u, 147u}) {
      for (const std::size_t rows : {0u, 1u, 5u, 127u, 128u, 129u, 300u}) {
        if (rows * p > 12'000) continue;
        const std::size_t stride = p + random.below(4);
        const std::vector<double> x = random.vector(rows * stride + 1);
        const std::vector<double> weight = random.vector(rows, 0.0, 3.0);
        for (const double* const s : {static_cast<const double*>(nullptr), weight.data()}) {
          std::vector<double> expected = random.vector(p * p), gram = expected;
          plain_gram(x.data() + 1, rows, stride, p, s, expected.data());
          table->gram_add(x.data() + 1, rows, stride, p, s, gram.data(), p);
          for (std::size_t t = 0; t < p * p; ++t) {  // above the diagonal too, which must not change
            ASSERT_TRUE(same(gram[t], expected[t]))
                << name(table->simd) << " p " << p << " rows " << rows << " at " << t;
          }
        }
      }
    }
  }
}

TEST(GramRows, ScaledAndShiftedRowsGiveTheBitsOfGramAdd) {
  Random random(30);
  for (const Kernels* const table : tables()) {
    for (const std::size_t n : {0u, 1u, 2u, 3u, 6u, 7u, 8u, 9u, 14u, 29u, 31u, 50u, 71u, 72u, 73u, 147u}) {
      for (const std::size_t rows : {0u, 1u, 63u, 64u, 65u, 150u}) {
        const std::size_t p = n + 2;
        const std::vector<double> x = random.vector(rows * n + 1), scale = random.vector(n + 1),
                                  shift = random.vector(n + 1), weight = random.vector(rows, 0.0, 3.0),
                                  y = random.vector(rows);
        std::vector<double> z, more;
        for (std::size_t i = 0; i < rows; ++i) {
          more.insert(more.end(), {1.0, y[i]});
          for (std::size_t j = 0; j < n; ++j) z.push_back(x[i * n + j] * scale[j] - shift[j]);
          z.insert(z.end(), {1.0, y[i]});
        }
        for (const bool weighted : {false, true}) {
          std::vector<double> expected(p * p);
          plain_gram(z.data(), rows, p, p, weighted ? weight.data() : nullptr, expected.data());
          GramRows gram(p, weighted, *table);
          for (std::size_t i = 0, count = 0; i < rows; i += count) {
            count = std::min(rows - i, 1 + random.below(90));
            gram.add(x.data() + i * n, count, scale.data(), shift.data(), n, more.data() + 2 * i, weight.data() + i);
          }
          gram.flush();
          for (std::size_t j = 0; j < p; ++j)
            for (std::size_t k = 0; k <= j; ++k)
              ASSERT_TRUE(same(gram.sum(j, k), expected[j * p + k]))
                  << name(table->simd) << " p " << p << " rows " << rows << " at " << j << ' ' << k;
        }
      }
    }
  }
}

TEST(Dense, RowsMayBeCutIntoCallsAnywhere) {
  Random random(4);
  const std::size_t p = 21, rows = 400;
  const std::vector<double> x = random.vector(rows * p), r = random.vector(rows),
                            low = random.vector(rows, -1e-17, 1e-17);
  for (const Kernels* const table : tables()) {
    std::vector<double> gram(p * p), whole_gram(p * p), out(p), whole_out(p), high(p), whole_high(p), lows(p),
        whole_lows(p);
    table->gram_add(x.data(), rows, p, p, r.data(), whole_gram.data(), p);
    table->transpose_times_add(x.data(), rows, p, p, r.data(), whole_out.data());
    table->transpose_times_dd_add(x.data(), rows, p, p, r.data(), low.data(), whole_high.data(), whole_lows.data());
    for (std::size_t begin = 0; begin < rows;) {
      const std::size_t count = std::min(rows - begin, random.below(90));
      const double* const at = x.data() + begin * p;
      table->gram_add(at, count, p, p, r.data() + begin, gram.data(), p);
      table->transpose_times_add(at, count, p, p, r.data() + begin, out.data());
      table->transpose_times_dd_add(at, count, p, p, r.data() + begin, low.data() + begin, high.data(), lows.data());
      begin += count;
    }
    EXPECT_EQ(gram, whole_gram);
    EXPECT_EQ(out, whole_out);
    EXPECT_EQ(high, whole_high);
    EXPECT_EQ(lows, whole_lows);
  }
}

TEST(Dense, GramLeavesNoMinusZero) {
  // (-1e-200)(1e-200) underflows to -0 where it is added to 0.
  const std::vector<double> x = {-1e-200, 1e-200};
  for (const Kernels* const table : tables()) {
    std::vector<double> gram(4);
    table->gram_add(x.data(), 1, 2, 2, nullptr, gram.data(), 2);
    EXPECT_TRUE(same(gram[2], 0.0));
  }
}

TEST(Dense, GramOfInfinityAndNanStaysInItsRowsAndColumns) {
  Random random(5);
  const std::size_t p = 19, rows = 10;
  for (const Kernels* const table : tables()) {
    for (std::size_t at = 0; at < p; ++at) {
      std::vector<double> x = random.vector(rows * p), gram(p * p);
      x[3 * p + at] = nan;
      table->gram_add(x.data(), rows, p, p, nullptr, gram.data(), p);
      for (std::size_t j = 0; j < p; ++j) {
        for (std::size_t k = 0; k <= j; ++k) ASSERT_EQ(std::isnan(gram[j * p + k]), j == at || k == at);
      }
    }
  }
}

TEST(Dense, TransposeTimesGoesInRowOrder) {
  Random random(6);
  for (const Kernels* const table : tables()) {
    for (const std::size_t p : {1u, 3u, 8u, 13u, 16u, 17u, 40u, 100u}) {
      for (const std::size_t rows : {0u, 1u, 3u, 4u, 6u, 16u, 37u}) {
        const std::size_t stride = p + random.below(3);
        const std::vector<double> x = random.vector(rows * stride), r = random.vector(rows);
        std::vector<double> r_low = random.vector(rows, -0x1p-54, 0x1p-54);
        for (std::size_t i = 0; i < rows; ++i) r_low[i] *= r[i];
        std::vector<double> out = random.vector(p), expected = out;
        table->transpose_times_add(x.data(), rows, stride, p, r.data(), out.data());
        std::vector<double> high(p), low(p);
        table->transpose_times_dd_add(x.data(), rows, stride, p, r.data(), r_low.data(), high.data(), low.data());
        for (std::size_t j = 0; j < p; ++j) {
          Exact exact, size;
          for (std::size_t i = 0; i < rows; ++i) {
            const double x_ij = x[i * stride + j];
            expected[j] = std::fma(r[i], x_ij, expected[j]);
            exact = exact + Exact(x_ij) * (Exact(r[i]) + Exact(r_low[i]));
            size = size + abs(exact) + abs(Exact(x_ij) * Exact(r[i]));
          }
          ASSERT_TRUE(same(out[j], expected[j]));
          ASSERT_LE(abs(Exact(DoubleDouble(high[j], low[j])) - exact).rounded(), 0x1p-103 * size.rounded());
        }
      }
    }
  }
}

// The documented order, one row at a time.
DoubleDouble plain_residual(In x, In w_high, In w_low, DoubleDouble bias, double y) {
  DoubleDouble r = two_sum(y, -bias.high);
  r.low -= bias.low;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double product = x[j] * w_high[j];
    const double product_low = std::fma(x[j], w_low[j], std::fma(x[j], w_high[j], -product));
    const DoubleDouble s = two_sum(r.high, -product);
    r = {s.high, r.low + (s.low - product_low)};
  }
  return two_sum(r.high, r.low);
}

TEST(Dense, ResidualsAreExactToDoubleDouble) {
  Random random(7);
  for (const Kernels* const table : tables()) {
    for (const std::size_t p : {0u, 1u, 7u, 8u, 20u, 53u}) {
      for (const std::size_t rows : {0u, 1u, 7u, 8u, 9u, 24u}) {
        const std::size_t stride = p + 1;
        const std::vector<double> x = random.vector(rows * stride), w = random.vector(p),
                                  w_low = random.vector(p, -0x1p-55, 0x1p-55);
        const DoubleDouble bias = {0.3, 0x1p-56};
        std::vector<double> y(rows), high(rows + 1, 7.0), low(rows + 1, 7.0);
        for (std::size_t i = 0; i < rows; ++i)
          y[i] = plain_dot(In(x.data() + i * stride, p), w) + bias.high + 1e-13;  // cancels
        table->residuals(x.data(), rows, stride, p, w.data(), w_low.data(), bias, y.data(), high.data(), low.data());
        for (std::size_t i = 0; i < rows; ++i) {
          const DoubleDouble r = {high[i], low[i]};
          EXPECT_EQ(r, plain_residual(In(x.data() + i * stride, p), w, w_low, bias, y[i]));
          Exact exact = Exact(y[i]) - Exact(bias);
          for (std::size_t j = 0; j < p; ++j)
            exact = exact - Exact(x[i * stride + j]) * (Exact(w[j]) + Exact(w_low[j]));
          EXPECT_LE(abs(Exact(r) - exact).rounded(), 0x1p-98);
        }
        EXPECT_EQ(high[rows], 7.0);
        EXPECT_EQ(low[rows], 7.0);
      }
    }
  }
}

TEST(Dense, Eliminate8SubtractsARankOneProduct) {
  Random random(8);
  for (const Kernels* const table : tables()) {
    const std::vector<double> u = random.vector(11), z = random.vector(8);
    std::vector<double> b = random.vector(88), expected = b;
    for (std::size_t j = 0; j < 11; ++j) {
      for (std::size_t t = 0; t < 8; ++t) expected[j * 8 + t] = std::fma(u[j], -z[t], expected[j * 8 + t]);
    }
    table->eliminate8(u.data(), 11, z.data(), b.data());
    EXPECT_EQ(b, expected);
  }
}

TEST(Dense, Eliminate8InDoubleDoubleIsTheSameInDoubleDouble) {
  Random random(9);
  for (const Kernels* const table : tables()) {
    const std::vector<double> u = random.vector(11), z = random.vector(8);
    const std::vector<double> u_low = random.vector(11, -0x1p-56, 0x1p-56), z_low = random.vector(8, -0x1p-56, 0x1p-56);
    std::vector<double> b = random.vector(88), b_low = random.vector(88, -0x1p-56, 0x1p-56);
    std::vector<double> high = b, low = b_low;
    for (std::size_t i = 0; i < 88; ++i) {
      const DoubleDouble left =
          DoubleDouble(b[i], b_low[i]) + DoubleDouble(u[i / 8], u_low[i / 8]) * -DoubleDouble(z[i % 8], z_low[i % 8]);
      high[i] = left.high;
      low[i] = left.low;
    }
    table->eliminate8_dd(u.data(), u_low.data(), 11, z.data(), z_low.data(), b.data(), b_low.data());
    EXPECT_EQ(b, high);
    EXPECT_EQ(b_low, low);
  }
}

}  // namespace
}  // namespace plumb::math::dense_test
