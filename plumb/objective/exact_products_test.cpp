#include "plumb/objective/exact_products.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/random.h"
#include "plumb/math/double_double.h"

namespace plumb::exact_products_test {
namespace {

using math::DoubleDouble;

// Columns in [1/2, 1), so that a matrix keeps them as they are. The second is the first except for a part of 1e-9, the
// last is a sum of the others and a bias but for rounding.
Examples nearly_dependent_rows(std::size_t rows, bool sparse) {
  const RandomKey key{5, 0};
  Piece piece;
  piece.features = 4;
  if (sparse) piece.offsets.push_back(0);
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = 0.5 + 0.25 * key.uniform(3 * i), b = a + 1e-9 * key.uniform(3 * i + 1),
                 c = 0.5 + 0.45 * key.uniform(3 * i + 2);
    const double values[] = {a, b, c, 0.3 * a + 0.5 * c + 0.2};
    for (std::uint32_t j = 0; j < 4; ++j) {
      piece.values.push(values[j]);
      if (sparse) piece.index.push_back(j);
    }
    if (sparse) piece.offsets.push_back(piece.values.size());
    piece.targets.push_back(static_cast<double>(i % 2));
    ++piece.rows;
  }
  return Examples({piece}, 4);
}

TEST(ExactProducts, HaveTheDigitsThatDoublesLose) {
  constexpr std::size_t kRows = 5000, kOutputs = 2;
  for (const bool sparse : {false, true}) {
    const Examples examples = nearly_dependent_rows(kRows, sparse);
    std::vector<std::vector<double>> one;
    for (const unsigned threads : {1u, 2u, 7u}) {
      Executor executor(threads);
      const plumb::Run run{executor};
      const DesignMatrix x(examples, true, {}, {}, run);
      const std::size_t p = x.columns();
      // Weights that cancel: their sum is 1e-9 of them.
      std::vector<double> w(kOutputs * p, 0.1), z(kRows * kOutputs), r(kRows * kOutputs), g(kOutputs * p), d(kRows);
      w[0] = 3e9 + 0.25;
      w[1] = -3e9;
      for (std::size_t i = 0; i < r.size(); ++i) r[i] = std::sin(static_cast<double>(i));
      for (std::size_t i = 0; i < kRows; ++i) d[i] = std::cos(static_cast<double>(i));
      exact_times(x, w, kOutputs, z, run);
      exact_transpose_times(x, r, kOutputs, g, run);
      const ExactGram gram = exact_gram(x, d, run);
      std::vector<DoubleDouble> sums(kOutputs * p), squares(p * p);
      for (std::size_t i = 0; i < kRows; ++i) {
        const Row row = x.row(i);
        for (std::size_t k = 0; k < kOutputs; ++k) {
          DoubleDouble score;
          for (std::size_t j = 0; j < p; ++j) {
            score += math::two_product(row.value[j], w[k * p + j]);
            sums[k * p + j] += math::two_product(row.value[j], r[i * kOutputs + k]);
          }
          EXPECT_NEAR(z[i * kOutputs + k], score.high, 1e-15) << i;
        }
        for (std::size_t j = 0; j < p; ++j)
          for (std::size_t k = 0; k <= j; ++k)
            squares[j * p + k] += math::two_product(row.value[j], d[i]) * row.value[k];
      }
      for (std::size_t at = 0; at < g.size(); ++at) EXPECT_NEAR(g[at], sums[at].high, 1e-15 * std::abs(sums[at].high));
      for (std::size_t j = 0; j < p; ++j)
        for (std::size_t k = 0; k <= j; ++k) {
          const DoubleDouble found(gram.high[j * p + k], gram.low[j * p + k]);
          EXPECT_LE(std::abs((found - squares[j * p + k]).high), 1e-26) << j << ' ' << k;
        }
      const std::vector<std::vector<double>> all = {z, g, gram.high, gram.low};
      if (threads == 1) one = all;
      EXPECT_EQ(all, one) << threads;
    }
  }
}

TEST(MadeUpColumns, AreThoseThatRoundingAloneTellsApart) {
  for (const bool sparse : {false, true}) {
    Executor executor(1);
    const plumb::Run run{executor};
    const DesignMatrix with(nearly_dependent_rows(3000, sparse), true, {}, {}, run);
    EXPECT_EQ(made_up_columns(with, run),
              (std::vector<MadeUp>{MadeUp::no, MadeUp::no, MadeUp::no, MadeUp::no, MadeUp::nearly}))
        << "the bias comes last";
    const DesignMatrix without(nearly_dependent_rows(3000, sparse), false, {}, {}, run);
    EXPECT_EQ(made_up_columns(without, run), std::vector<MadeUp>(4, MadeUp::no));
  }
}

// One of three levels in each row, a column given twice in another unit, one of zeros, and one of 0.1 times another.
TEST(MadeUpColumns, AreExactWhereSumsAre) {
  Piece piece;
  piece.features = 7;
  for (std::size_t i = 0; i < 90; ++i) {
    const double a = std::sin(static_cast<double>(i));
    for (const double x :
         {i % 3 == 0 ? 1.0 : 0.0, i % 3 == 1 ? 1.0 : 0.0, i % 3 == 2 ? 1.0 : 0.0, a, -0x1p40 * a, 0.0, 0.1 * a})
      piece.values.push(x);
    piece.targets.push_back(static_cast<double>(i % 2));
    ++piece.rows;
  }
  Executor executor(1);
  const plumb::Run run{executor};
  const DesignMatrix x(Examples({piece}, 7), true, {}, {}, run);
  EXPECT_EQ(made_up_columns(x, run),
            (std::vector<MadeUp>{MadeUp::no, MadeUp::no, MadeUp::no, MadeUp::no, MadeUp::exactly, MadeUp::exactly,
                                 MadeUp::nearly, MadeUp::exactly}));
}

}  // namespace
}  // namespace plumb::exact_products_test
