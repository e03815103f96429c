// Leverages and numbers derived from them: against refits without each row, closed forms, and sums that must be whole.
#include "plumb/infer/diagnostics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "plumb/infer/testing.h"

namespace plumb::diagnostics_test {
namespace {

RowDiagnostics diagnostics_of(const Data& data, bool bias = true, unsigned threads = 1, bool sparse = false,
                              std::size_t cut = 1000) {
  Executor executor(threads);
  const Examples examples = examples_of(data, cut, sparse);
  return row_diagnostics(fit(examples, bias, threads), examples, plumb::Run{executor});
}

Data weighted_data(std::size_t n, std::size_t p, std::uint64_t seed) {
  Data data = random_data(n, p, seed);
  for (std::size_t r = 0; r < n; ++r) data.s.push_back(0.25 * static_cast<double>(1 + r % 7));
  return data;
}

TEST(RowDiagnostics, LeftOutPredictionsAreThoseOfFitsWithoutTheRow) {
  for (const bool weighted : {false, true})
    for (const bool bias : {true, false}) {
      const Data data = weighted ? weighted_data(25, 3, 5) : random_data(25, 3, 5);
      const RowDiagnostics rows = diagnostics_of(data, bias);
      double press = 0.0;
      ASSERT_EQ(rows.left_out.size(), 25u);
      for (std::size_t r = 0; r < 25; ++r) {
        const double refit = predicted(fit(without_row(data, r), bias), data.x[r]);
        expect_close(rows.left_out[r], refit, 1e-12);
        press += (weighted ? data.s[r] : 1.0) * (data.y[r] - refit) * (data.y[r] - refit);
      }
      expect_close(rows.press, press, 1e-10);
    }
}

// D_i = (b - b_i)' X'SX (b - b_i) / (k sd^2): how far all predictions move without row i.
TEST(RowDiagnostics, CooksDistanceIsHowFarThePredictionsMove) {
  const Data data = weighted_data(20, 2, 8);
  const Trained whole = fit(data);
  const RowDiagnostics rows = diagnostics_of(data);
  for (std::size_t r = 0; r < 20; ++r) {
    const Trained part = fit(without_row(data, r));
    double moved = 0.0;
    for (std::size_t i = 0; i < 20; ++i) {
      const double by = predicted(whole, data.x[i]) - predicted(part, data.x[i]);
      moved += data.s[i] * by * by;
    }
    expect_close(rows.cook[r], moved / (3.0 * rows.residual_sd * rows.residual_sd), 1e-9);
  }
}

// For a line h_i = 1/n + (x_i - mean)^2 / sum (x - mean)^2, wherever the x lie.
TEST(RowDiagnostics, LeveragesOfALineHaveTheirClosedForm) {
  for (const double shift : {0.0, 1e6, 1e12}) {
    Data data;
    for (int i = 0; i < 11; ++i) {
      data.x.push_back({shift + i});
      data.y.push_back(i % 3);
    }
    const RowDiagnostics rows = diagnostics_of(data);
    for (std::size_t i = 0; i < 11; ++i) {
      const double from_mean = static_cast<double>(i) - 5.0;
      expect_close(rows.leverage[i], 1.0 / 11 + from_mean * from_mean / 110, 1e-14);
    }
  }
}

TEST(RowDiagnostics, LeveragesAddUpToTheRank) {
  Data data = weighted_data(5000, 6, 3);
  for (auto& x : data.x) x.push_back(x[0] - 2 * x[1]);  // aliased
  const RowDiagnostics rows = diagnostics_of(data, true, 2);
  EXPECT_NEAR(std::accumulate(rows.leverage.begin(), rows.leverage.end(), 0.0), 7.0, 1e-11);
  for (const double h : rows.leverage) {
    EXPECT_GE(h, 0.0);
    EXPECT_LE(h, 1.0);
  }
}

TEST(RowDiagnostics, ARowThatAloneDecidesAWeightHasNoneWithoutIt) {
  Data data = random_data(12, 2, 4);
  for (std::size_t r = 0; r < 12; ++r) data.x[r].push_back(r == 7 ? 1.0 : 0.0);
  const RowDiagnostics rows = diagnostics_of(data);
  EXPECT_NEAR(rows.leverage[7], 1.0, 1e-12);
  EXPECT_TRUE(std::isnan(rows.left_out[7]));
  EXPECT_TRUE(std::isnan(rows.standardised[7]));
  EXPECT_TRUE(std::isnan(rows.cook[7]));
  EXPECT_TRUE(std::isfinite(rows.press));
  const Trained found = inferred(data);
  EXPECT_EQ(number_of(found, "loo_rows_without"), 1.0);
  expect_close(number_of(found, "loo_rmse"), std::sqrt(rows.press / 11), 1e-14);
}

TEST(RowDiagnostics, TheStandardisedResidualOfAWeightedRowIsThatOfEachCopy) {
  Data weighted = random_data(12, 2, 8), copies = weighted;
  weighted.s.assign(12, 1.0);
  weighted.s[4] = 3.0;
  for (int copy = 0; copy < 2; ++copy) {
    copies.x.push_back(weighted.x[4]);
    copies.y.push_back(weighted.y[4]);
  }
  const RowDiagnostics of_weights = diagnostics_of(weighted), of_copies = diagnostics_of(copies);
  for (std::size_t i = 0; i < 12; ++i) expect_close(of_weights.standardised[i], of_copies.standardised[i], 1e-11);
  expect_close(of_weights.leverage[4], 3 * of_copies.leverage[4], 1e-11);
}

TEST(RowDiagnostics, ResidualsAndRowsAreThoseOfTheData) {
  Data data = random_data(10, 2, 6);
  data.s.assign(10, 1.0);
  data.s[3] = 0.0;
  const RowDiagnostics rows = diagnostics_of(data);
  ASSERT_EQ(rows.number.size(), 9u) << "a row of weight 0 is left out";
  EXPECT_EQ(rows.number[2], 2u);
  EXPECT_EQ(rows.number[3], 4u);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(rows.actual[i], data.y[rows.number[i]]);
    EXPECT_NEAR(rows.residual[i], rows.actual[i] - rows.fitted[i], 1e-15);
    expect_close(rows.standardised[i], rows.residual[i] / (rows.residual_sd * std::sqrt(1.0 - rows.leverage[i])),
                 1e-14);
  }
}

TEST(RowDiagnostics, HaveTheSameBitsForAnyThreadsAndPiecesAndNearlyTheSameFromSparseRows) {
  Data data = random_data(9000, 5, 9);
  for (auto& x : data.x)
    if (x[1] < 0) x[1] = 0;
  const RowDiagnostics one = diagnostics_of(data);
  for (const unsigned threads : {2u, 5u}) {
    const RowDiagnostics many = diagnostics_of(data, true, threads, false, 777);
    EXPECT_EQ(one.leverage, many.leverage);
    EXPECT_EQ(one.left_out, many.left_out);
    EXPECT_EQ(one.press, many.press);
  }
  const RowDiagnostics sparse = diagnostics_of(data, true, 2, true);
  for (std::size_t r = 0; r < 9000; r += 100) expect_close(sparse.leverage[r], one.leverage[r], 1e-11);
}

// In units of 1e-200 and 1e200, and with weights of 1e-30: leverages do not depend on units.
TEST(RowDiagnostics, DoNotDependOnUnits) {
  const Data data = weighted_data(30, 2, 12);
  Data scaled = data;
  for (std::size_t r = 0; r < 30; ++r) {
    scaled.x[r][0] = std::ldexp(data.x[r][0], -700);
    scaled.x[r][1] = std::ldexp(data.x[r][1], 900);
    scaled.s[r] = std::ldexp(data.s[r], 31);  // an odd power: the root of its unit is no power of two
  }
  const RowDiagnostics plain = diagnostics_of(data), other = diagnostics_of(scaled);
  for (std::size_t r = 0; r < 30; ++r) {
    expect_close(other.leverage[r], plain.leverage[r], 1e-14);
    expect_close(other.left_out[r], plain.left_out[r], 1e-14);
  }
}

TEST(RowDiagnostics, AreRefusedWhereThereIsNoTheory) {
  const Data data = random_data(10, 1, 1);
  Trained bare = fit(data);
  bare.basis = nullptr;
  Executor executor(1);
  EXPECT_THROW(row_diagnostics(bare, examples_of(data), plumb::Run{executor}), Error);
}

}  // namespace
}  // namespace plumb::diagnostics_test
