// The numbers of inference: closed forms, independent ways to the same number, and weight k as k copies.
#include "plumb/infer/inference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/infer/diagnostics.h"
#include "plumb/infer/interval.h"
#include "plumb/infer/testing.h"
#include "plumb/infer/weight_tests.h"
#include "plumb/math/distributions.h"
#include "plumb/model/model_file.h"

namespace plumb::inference_test {
namespace {

// x 1..5, y 1 3 2 5 4: slope 0.8, RSS 3.6, TSS 10, n 5.
const Data kLine{{{1}, {2}, {3}, {4}, {5}}, {1, 3, 2, 5, 4}, {}};

TEST(Inference, OfALineHasItsClosedForms) {
  const Trained found = inferred(kLine);
  expect_close(number_of(found, "adjusted_r_squared"), 1 - (3.6 / 3) / (10.0 / 4), 1e-14);
  expect_close(number_of(found, "f_statistic"), 6.4 / 1.2, 1e-14);
  EXPECT_EQ(number_of(found, "f_numerator_degrees"), 1);
  EXPECT_EQ(number_of(found, "f_denominator_degrees"), 3);
  expect_close(number_of(found, "log_likelihood"), -2.5 * (std::log(2 * M_PI * 3.6 / 5) + 1), 1e-14);
  expect_close(number_of(found, "aic"), -2 * number_of(found, "log_likelihood") + 2 * 3, 1e-15);
  expect_close(number_of(found, "bic"), -2 * number_of(found, "log_likelihood") + std::log(5.0) * 3, 1e-15);
  EXPECT_NEAR(number_of(found, "largest_vif"), 1, 1e-14);

  const std::optional<WeightTests> tests = weight_tests(found.model, found.record);
  ASSERT_TRUE(tests);
  const double error = std::sqrt(1.2 / 10);
  expect_close(tests->t.weights[0], 0.8 / error, 1e-14);
  // One feature: F is t^2, and its p that of t.
  expect_close(tests->t.weights[0] * tests->t.weights[0], number_of(found, "f_statistic"), 1e-14);
  expect_close(tests->p.weights[0], number_of(found, "f_p"), 1e-13);
  const double quantile = math::StudentT{3}.quantile(0.975);
  expect_close(tests->low.weights[0], 0.8 - quantile * error, 1e-14);
  expect_close(tests->high.weights[0], 0.8 + quantile * error, 1e-14);
}

TEST(Inference, WithoutABiasIsHeldAgainstZero) {
  const Trained found = inferred(kLine, false);
  const double rss = number_of(found, "residual_sum_of_squares");
  expect_close(number_of(found, "f_statistic"), (55 - rss) / (rss / 4), 1e-13);
  EXPECT_EQ(number_of(found, "f_numerator_degrees"), 1);
  expect_close(number_of(found, "adjusted_r_squared"), 1 - rss / 4 / (55.0 / 5), 1e-13);
}

// VIF_j = 1 / (1 - R^2) of feature j on the others.
TEST(Inference, InflationIsThatOfAFitOfOneFeatureOnTheOthers) {
  Data data = random_data(60, 4, 31);
  for (auto& x : data.x) x[2] = 1e5 + x[0] - x[1] + 0.05 * x[2];
  const Trained found = inferred(data);
  const Statistic* const vif = find_statistic(found.record, "vif");
  ASSERT_NE(vif, nullptr);
  double largest = 0.0;
  for (std::size_t j = 0; j < 4; ++j) {
    Data others = data;
    for (std::size_t r = 0; r < 60; ++r) {
      others.y[r] = data.x[r][j];
      others.x[r].erase(others.x[r].begin() + static_cast<std::ptrdiff_t>(j));
    }
    const double wanted = 1 / (1 - number_of(fit(others), "r_squared"));
    expect_close(std::get<std::vector<double>>(vif->values)[j], wanted, 1e-9);
    largest = std::max(largest, wanted);
  }
  expect_close(number_of(found, "largest_vif"), largest, 1e-9);
}

// (X'X)^-1 sum s v x x' (X'X)^-1 with the influence of each row from fits to targets that are 1 in one row: the weights
// of such a fit are that row's column of (X'SX)^-1 X'S.
TEST(Inference, RobustErrorsAreTheSumsOfTheirDefinition) {
  const std::size_t n = 30;
  for (const bool bias : {true, false}) {
    const Data data = random_data(n, 2, 17);
    Executor executor(1);
    const RowDiagnostics rows = row_diagnostics(fit(data, bias), examples_of(data), plumb::Run{executor});
    const double k = bias ? 3 : 2;
    for (const Errors errors : {Errors::hc0, Errors::hc1, Errors::hc2, Errors::hc3}) {
      double squares[3] = {};
      for (std::size_t r = 0; r < n; ++r) {
        Data unit = data;
        unit.y.assign(n, 0.0);
        unit.y[r] = 1.0;
        const Trained pull = fit(unit, bias);
        const double room = 1 - rows.leverage[r], e = rows.residual[r];
        const double v = errors == Errors::hc1   ? e * e * n / (n - k)
                         : errors == Errors::hc2 ? e * e / room
                         : errors == Errors::hc3 ? e * e / (room * room)
                                                 : e * e;
        for (std::size_t j = 0; j < 2; ++j) squares[j] += v * weights(pull)[j] * weights(pull)[j];
        squares[2] += v * pull.model.parts().bias[0] * pull.model.parts().bias[0];
      }
      const Trained found = inferred(data, bias, errors);
      for (std::size_t j = 0; j < 2; ++j)
        expect_close(found.record.standard_errors.weights[j], std::sqrt(squares[j]), 1e-12);
      if (bias) expect_close(found.record.standard_errors.bias[0], std::sqrt(squares[2]), 1e-12);
    }
  }
}

TEST(Inference, ErrorsAreReadAndWrittenAsTheyAreTyped) {
  using Text = OptionText<ErrorsChoice>;
  for (const char* typed : {"classic", "hc0", "hc3", "bootstrap:2", "bootstrap:1000"})
    EXPECT_EQ(Text::text(Text::read(typed)), typed);
  EXPECT_EQ(Text::text(Text::read("bootstrap")), "bootstrap:1000");
  for (const char* typed : {"", "hc4", "bootstrap:", "bootstrap:1", "bootstrap:2.5", "bootstrap:x", "bootstrap100"})
    EXPECT_THROW(Text::read(typed), OptionFault) << typed;
}

TEST(Inference, AWeightOfKIsKCopies) {
  Data data = random_data(40, 2, 23);
  for (std::size_t r = 0; r < 40; ++r) data.s.push_back(static_cast<double>(r % 4));
  for (const Errors errors : {Errors::classic, Errors::hc0, Errors::hc1, Errors::hc2, Errors::hc3}) {
    const Trained weighted = inferred(data, true, errors), copied = inferred(copies_of(data), true, errors);
    for (const char* name : {"adjusted_r_squared", "f_statistic", "f_p", "log_likelihood", "aic", "bic", "largest_vif"})
      expect_close(number_of(weighted, name), number_of(copied, name), 1e-10);
    for (std::size_t j = 0; j < 2; ++j)
      expect_close(weighted.record.standard_errors.weights[j], copied.record.standard_errors.weights[j], 1e-12);
    expect_close(weighted.record.standard_errors.bias[0], copied.record.standard_errors.bias[0], 1e-12);
  }
}

// 0 / 0 for the row that alone decides a weight.
TEST(Inference, ThereAreNoHc2AndHc3ErrorsWhereARowHasLeverage1) {
  const Data data{{{0, 1}, {0, 2}, {0, 3}, {1, 9}, {0, 5}}, {1, 2, 2, 9, 4}, {}};
  for (const Errors errors : {Errors::hc0, Errors::hc1})
    EXPECT_FALSE(inferred(data, true, errors).record.standard_errors.empty());
  for (const Errors errors : {Errors::hc2, Errors::hc3}) {
    const Trained found = inferred(data, true, errors);
    EXPECT_TRUE(found.record.standard_errors.empty());
    ASSERT_FALSE(found.warnings.empty());
    EXPECT_NE(found.warnings.back().find("1 row has leverage 1"), std::string::npos) << found.warnings.back();
  }
}

TEST(Inference, SaysNothingWhereNothingIsLeftToJudgeBy) {
  const Trained exact = inferred({{{1}, {2}}, {1, 3}, {}});
  for (const char* name : {"adjusted_r_squared", "f_statistic", "f_p", "log_likelihood", "aic", "loo_rmse"})
    EXPECT_FALSE(has(exact, name)) << name;
  EXPECT_FALSE(weight_tests(exact.model, exact.record));
  EXPECT_EQ(find_statistic(exact.record, "basis.root"), nullptr);
  // A perfect fit with spare rows: errors of 0, and undefined t.
  const Trained perfect = inferred({{{1}, {2}, {3}}, {2, 4, 6}, {}});
  for (const char* name : {"f_statistic", "log_likelihood", "aic", "largest_vif"}) EXPECT_FALSE(has(perfect, name));
  const std::optional<WeightTests> tests = weight_tests(perfect.model, perfect.record);
  ASSERT_TRUE(tests);
  EXPECT_TRUE(std::isnan(tests->t.weights[0]));
  EXPECT_TRUE(std::isnan(tests->low.weights[0]));
}

TEST(Inference, OfAPenaltyIsTheLeaveOneOutErrorAlone) {
  const Data data = random_data(20, 2, 29);
  Executor executor(1);
  const plumb::Run run{executor};
  const Examples examples = examples_of(data);
  LeastSquaresOptions options;
  options.l2.value = 0.7;
  const auto trained = [&](const Data& rows) {
    return LeastSquaresTrainer(options).train({examples_of(rows), numbers(2)}, run);
  };
  Trained found = trained(data);
  add_inference(found, examples, {}, run);
  EXPECT_FALSE(weight_tests(found.model, found.record));
  for (const char* name : {"aic", "f_p", "adjusted_r_squared", "largest_vif"}) EXPECT_FALSE(has(found, name)) << name;
  EXPECT_THROW(IntervalPredictor(found.record, 2, 0.95), Error);
  EXPECT_THROW(add_inference(found, examples, {Errors::hc0}, run), Error);
  double press = 0.0;
  for (std::size_t r = 0; r < 20; ++r) {
    const double left = data.y[r] - predicted(trained(without_row(data, r)), data.x[r]);
    press += left * left;
  }
  expect_close(number_of(found, "press"), press, 1e-11);
}

TEST(Inference, IsRefusedWhereThereIsNoTheory) {
  Trained bare = fit(kLine);
  bare.basis = nullptr;
  Executor executor(1);
  const plumb::Run run{executor};
  add_inference(bare, examples_of(kLine), {}, run);
  EXPECT_FALSE(has(bare, "aic"));
  EXPECT_THROW(add_inference(bare, examples_of(kLine), {Errors::hc3}, run), Error);
}

TEST(Inference, HasTheSameBitsForAnyThreads) {
  const Data data = random_data(9000, 6, 41);
  for (const Errors errors : {Errors::classic, Errors::hc3}) {
    const Trained one = inferred(data, true, errors);
    for (const unsigned threads : {2u, 7u}) {
      const Trained many = inferred(data, true, errors, threads);
      EXPECT_EQ(one.record.fit, many.record.fit);
      EXPECT_EQ(one.record.standard_errors.weights, many.record.standard_errors.weights);
      EXPECT_EQ(one.record.statistics, many.record.statistics);
    }
  }
}

// At a line: sd quantile sqrt(1/n + (x - mean)^2 / sum (x - mean)^2), with one more 1 under the root for a new target.
TEST(Intervals, OfALineHaveTheirClosedForm) {
  const Trained found = inferred(kLine);
  IntervalPredictor intervals(found.record, 1, 0.9);
  for (const double x : {-10.0, 0.0, 3.0, 4.5, 100.0}) {
    const std::vector<double> row = {x};
    const double center = 0.6 + 0.8 * x;
    const Interval interval = intervals.around(center, {{}, row});
    const double distance = 0.2 + (x - 3) * (x - 3) / 10;
    const double unit = math::StudentT{3}.quantile(0.95) * std::sqrt(1.2);
    expect_close(interval.mean_high - center, unit * std::sqrt(distance), 1e-13);
    expect_close(center - interval.mean_low, unit * std::sqrt(distance), 1e-13);
    expect_close(interval.high - center, unit * std::sqrt(1 + distance), 1e-13);
    expect_close(center - interval.low, unit * std::sqrt(1 + distance), 1e-13);
  }
}

TEST(Intervals, AreTheSameFromAFileAndFromSparseRows) {
  Data data = random_data(50, 3, 77);
  for (std::size_t r = 0; r < 50; ++r) data.x[r][1] = r % 3 == 0 ? 1.0 : 0.0;
  const Trained found = inferred(data, true, Errors::classic, 1, true);
  const SavedModel loaded = parse_model(model_bytes(found.model, found.record), "m.plumb");
  IntervalPredictor before(found.record, 3, 0.95), after(loaded.record, 3, 0.95);
  const std::vector<double> dense = {0.5, 0.0, -0.25}, values = {0.5, -0.25};
  const std::vector<std::uint32_t> index = {0, 2};
  const Interval a = before.around(1.0, {{}, dense}), b = after.around(1.0, {index, values});
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.mean_high, b.mean_high);
}

TEST(Intervals, AreRefusedForModelsWithoutACovariance) {
  const Trained bare = fit(kLine);
  EXPECT_THROW(IntervalPredictor(bare.record, 1, 0.95), Error);
  Trained forged = inferred(kLine);
  for (Statistic& each : forged.record.statistics)
    if (each.name == "basis.root") each.values = std::vector<double>{1.0, 2.0};
  EXPECT_THROW(IntervalPredictor(forged.record, 1, 0.95), Error);
  try {
    IntervalPredictor(bare.record, 1000, 0.95);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("at most 512 features"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace plumb::inference_test
