// Numbers derived from leverages against their definition in 400 bits, for polynomials far from 0: in double they have
// six digits or so, while the fit reports that it has all of them.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/infer/diagnostics.h"
#include "plumb/infer/inference.h"
#include "plumb/infer/interval.h"
#include "plumb/infer/testing.h"
#include "plumb/math/distributions.h"
#include "plumb/math/testing.h"
#include "plumb/train/basis.h"

namespace plumb::leverage_digits_test {
namespace {

using math::testing::Exact;

// Years to the powers 1 to `degree`, with the rounding errors of those beyond 2^53.
struct Years {
  explicit Years(std::size_t powers) : degree(powers) {
    Piece piece;
    piece.features = static_cast<std::uint32_t>(degree);
    for (std::uint32_t j = 0; j < degree; ++j) piece.lows_of.push_back(j);
    for (int year = 1980; year < 2020; ++year) {
      math::DoubleDouble power = 1.0;
      std::vector<Exact> row = {Exact(1.0)};
      for (std::size_t j = 0; j < degree; ++j) {
        power = power * static_cast<double>(year);
        piece.values.push(power.high);
        piece.lows.push_back(power.low);
        row.push_back(Exact(power.high) + Exact(power.low));
      }
      z.push_back(std::move(row));
      piece.targets.push_back(std::sin(year) + 0.01 * (year % 7));
      ++piece.rows;
    }
    y = piece.targets;
    std::vector<Piece> pieces;
    pieces.push_back(std::move(piece));
    examples = Examples(std::move(pieces), static_cast<std::uint32_t>(degree));
    solve();
  }

  // The influences u_i = (Z'Z)^-1 z_i by Gauss-Jordan, then leverages and residuals.
  void solve() {
    const std::size_t n = z.size(), q = degree + 1;
    std::vector<std::vector<Exact>> a(q, std::vector<Exact>(q + n, Exact(0.0)));
    for (std::size_t j = 0; j < q; ++j)
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < q; ++k) a[j][k] = a[j][k] + z[i][j] * z[i][k];
        a[j][q + i] = z[i][j];
      }
    for (std::size_t j = 0; j < q; ++j)
      for (std::size_t i = 0; i < q; ++i) {
        if (i == j) continue;
        const Exact times = a[i][j] / a[j][j];
        for (std::size_t k = j; k < q + n; ++k) a[i][k] = a[i][k] - times * a[j][k];
      }
    std::vector<Exact> w(q, Exact(0.0));
    pull.assign(n, {});
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < q; ++j) {
        pull[i].push_back(a[j][q + i] / a[j][j]);
        w[j] = w[j] + pull[i][j] * Exact(y[i]);
      }
    Exact squares(0.0);
    for (std::size_t i = 0; i < n; ++i) {
      Exact h(0.0), r(y[i]);
      for (std::size_t j = 0; j < q; ++j) {
        h = h + z[i][j] * pull[i][j];
        r = r - z[i][j] * w[j];
      }
      leverage.push_back(h);
      residual.push_back(r);
      squares = squares + r * r;
    }
    variance = squares / Exact(static_cast<double>(n - q));
  }

  std::size_t degree;
  std::vector<std::vector<Exact>> z, pull;
  std::vector<double> y;
  std::vector<Exact> leverage, residual;
  Exact variance = Exact(0.0);
  Examples examples = Examples({}, 0);
};

Trained inferred(const Years& years, Errors errors) {
  Executor executor(2);
  const plumb::Run run{executor};
  Trained found = fit(years.examples);
  add_inference(found, years.examples, {errors}, run);
  return found;
}

TEST(Leverages, OfAPolynomialInYearsHaveTwelveDigits) {
  for (const std::size_t degree : {3, 5}) {
    const Years years(degree);
    const Trained found = inferred(years, Errors::classic);
    Executor executor(1);
    const RowDiagnostics rows = row_diagnostics(found, years.examples, plumb::Run{executor});
    Exact press(0.0);
    for (std::size_t i = 0; i < years.y.size(); ++i) {
      const Exact room = Exact(1.0) - years.leverage[i], r = years.residual[i], left = r / room;
      press = press + left * left;
      expect_close(rows.leverage[i], years.leverage[i].rounded(), 1e-13);
      expect_close(rows.left_out[i], (Exact(years.y[i]) - left).rounded(), 1e-12);
      expect_close(rows.standardised[i], (r / sqrt(years.variance * room)).rounded(), 1e-12);
      const Exact cook = left * left * years.leverage[i] / (years.variance * Exact(static_cast<double>(degree + 1)));
      expect_close(rows.cook[i], cook.rounded(), 1e-12);
    }
    expect_close(number_of(found, "press"), press.rounded(), 1e-13);
  }
}

TEST(Leverages, MakeRobustErrorsOfTwelveDigits) {
  const Years years(5);
  for (const Errors errors : {Errors::hc0, Errors::hc3}) {
    const Trained found = inferred(years, errors);
    for (std::size_t j = 0; j <= years.degree; ++j) {
      Exact sum(0.0);
      for (std::size_t i = 0; i < years.y.size(); ++i) {
        Exact each = years.residual[i] * years.pull[i][j];
        if (errors == Errors::hc3) each = each / (Exact(1.0) - years.leverage[i]);
        sum = sum + each * each;
      }
      const ModelNumbers& made = found.record.standard_errors;
      expect_close(j == 0 ? made.bias[0] : made.weights[j - 1], sqrt(sum).rounded(), 1e-12);
    }
  }
}

// The prediction itself is a double, so the widths are compared.
TEST(Leverages, MakeIntervalsOfTwelveDigitsFromARecord) {
  const Years years(5);
  const Trained found = inferred(years, Errors::classic);
  IntervalPredictor intervals(found.record, years.degree, 0.95);
  ASSERT_TRUE(intervals.exact());
  const double quantile = math::StudentT{static_cast<double>(years.y.size() - years.degree - 1)}.quantile(0.975);
  std::size_t i = 0;
  years.examples.block(0).for_each([&](const Example& e) {
    const Interval interval = intervals.around(0.0, e.x, e.lows, years.examples.lows_of());
    const double mean = quantile * sqrt(years.variance * years.leverage[i]).rounded();
    expect_close(interval.mean_high, mean, 1e-12);
    expect_close(interval.high, quantile * sqrt(years.variance * (Exact(1.0) + years.leverage[i])).rounded(), 1e-12);
    ++i;
  });
}

// A fit whose columns cannot be told apart even in double-double says so, and nothing is derived from unknown numbers.
TEST(Leverages, AreLeftOutWhereTheyAreNotKnown) {
  const Data data = random_data(30, 2, 3);
  const Examples examples = examples_of(data);
  Executor executor(1);
  const plumb::Run run{executor};
  for (const Errors errors : {Errors::classic, Errors::hc1}) {
    Trained found = fit(data);
    EXPECT_TRUE(has_leverages(found));
    found.record.fit.emplace_back(kLeverageError, 1.0);
    add_inference(found, examples, {errors}, run);
    EXPECT_FALSE(has_leverages(found));
    EXPECT_FALSE(has(found, "press"));
    EXPECT_TRUE(has(found, "f_statistic"));
    EXPECT_EQ(found.record.standard_errors.weights.empty(), errors == Errors::hc1);
    EXPECT_THROW(IntervalPredictor(found.record, 2, 0.95), Error);
    const RowDiagnostics rows = row_diagnostics(found, examples, run);
    EXPECT_EQ(rows.residual, row_diagnostics(fit(data), examples, run).residual);
    EXPECT_TRUE(std::isnan(rows.leverage[0]) && std::isnan(rows.left_out[0]) && std::isnan(rows.cook[0]));
  }
}

}  // namespace
}  // namespace plumb::leverage_digits_test
