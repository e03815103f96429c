// Errors, deviances and tests of maximum likelihood: closed forms of tables, and what must not change them.  // rows: B3
#include "plumb/infer/likelihood_inference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/infer/interval.h"
#include "plumb/infer/likelihood_testing.h"
#include "plumb/infer/testing.h"
#include "plumb/infer/weight_tests.h"
#include "plumb/math/distributions.h"

namespace plumb::likelihood_inference_test {
namespace {

// Rows of x 0 and 1 whose labels occur so often: counts[x][label].
Data table_of(const std::vector<std::vector<double>>& counts) {
  Data data;
  for (std::size_t x = 0; x < counts.size(); ++x)
    for (std::size_t label = 0; label < counts[x].size(); ++label) {
      data.x.push_back({static_cast<double>(x)});
      data.y.push_back(static_cast<double>(label));
      data.s.push_back(counts[x][label]);
    }
  return data;
}

// The log odds ratio of a table has the variance 1/a + 1/b + 1/c + 1/d (Woolf 1955).
TEST(LikelihoodInference, OfATableHasItsClosedForms) {
  const Trained fit = inferred_classes(table_of({{30, 10}, {12, 28}}), kTwoLabels);
  expect_close(weights(fit)[0], std::log(30.0 * 28 / (10 * 12)), 1e-13);
  expect_close(fit.record.standard_errors.weights[0], std::sqrt(1 / 30.0 + 1 / 10.0 + 1 / 12.0 + 1 / 28.0), 1e-12);
  expect_close(fit.record.standard_errors.bias[0], std::sqrt(1 / 30.0 + 1 / 10.0), 1e-12);
  const auto entropy = [](double a, double b) { return -a * std::log(a / (a + b)) - b * std::log(b / (a + b)); };
  const double none = 2 * entropy(42, 38), rest = 2 * (entropy(30, 10) + entropy(12, 28));
  expect_close(number_of(fit, kNullDeviance), none, 1e-13);
  expect_close(number_of(fit, kResidualDeviance), rest, 1e-13);
  EXPECT_EQ(number_of(fit, kNullFreedom), 79);
  EXPECT_EQ(number_of(fit, kResidualFreedom), 78);
  expect_close(number_of(fit, "likelihood_ratio"), none - rest, 1e-12);
  expect_close(number_of(fit, "likelihood_ratio_p"), math::ChiSquare{1}.upper(none - rest), 1e-11);
  expect_close(number_of(fit, "aic"), rest + 4, 1e-13);
  expect_close(number_of(fit, "bic"), rest + 2 * std::log(80.0), 1e-13);
  expect_close(number_of(fit, "mcfadden_r_squared"), 1 - rest / none, 1e-12);
  const std::optional<WeightTests> tests = weight_tests(fit.model, fit.record);
  ASSERT_TRUE(tests);
  EXPECT_TRUE(tests->normal);
  const double z = weights(fit)[0] / fit.record.standard_errors.weights[0];
  expect_close(tests->p.weights[0], std::erfc(z / std::sqrt(2.0)), 1e-11);
  expect_close(tests->high.weights[0], weights(fit)[0] + 1.959963984540054 * fit.record.standard_errors.weights[0],
               1e-12);
}

// Each log odds against the reference is that of a table of two labels.
TEST(LikelihoodInference, OfThreeLabelsIsAgainstTheFirst) {
  for (const char* reference : {"", "b"}) {
    LogisticOptions options;
    options.reference = reference;
    const Trained fit = inferred_classes(table_of({{30, 10, 20}, {12, 28, 15}}), kThreeLabels, options);
    const std::size_t zero = *reference == '\0' ? 0 : 1;
    EXPECT_EQ(number_of(fit, "reference"), static_cast<double>(zero));
    const double counts[2][3] = {{30, 10, 20}, {12, 28, 15}};
    const std::optional<WeightTests> tests = weight_tests(fit.model, fit.record);
    ASSERT_TRUE(tests);
    const std::vector<double> base = reference_weights(fit.model, fit.record);
    for (std::size_t k = 0; k < 3; ++k) {
      if (k == zero) {
        EXPECT_EQ(fit.record.standard_errors.weights[k], 0);
        EXPECT_TRUE(std::isnan(tests->t.weights[k]));
        continue;
      }
      double variance = 0.0;
      for (const std::size_t label : {zero, k})
        for (const auto& row : counts) variance += 1 / row[label];
      expect_close(fit.record.standard_errors.weights[k], std::sqrt(variance), 1e-11);
      expect_close(weights(fit)[k] - base[0],
                   std::log(counts[1][k] * counts[0][zero] / (counts[0][k] * counts[1][zero])), 1e-11);
      expect_close(tests->t.weights[k], (weights(fit)[k] - base[0]) / std::sqrt(variance), 1e-10);
    }
    EXPECT_EQ(number_of(fit, kResidualFreedom), 2 * 115 - 4);
  }
}

// The log of the ratio of two means has the variance 1/Y0 + 1/Y1, Y being the sums of the counts.
TEST(LikelihoodInference, OfCountsInTwoGroupsHasItsClosedForms) {
  const Data data{{{0}, {0}, {0}, {1}, {1}}, {2, 0, 3, 7, 4}, {}};
  const Trained fit = inferred_counts(data);
  expect_close(weights(fit)[0], std::log((11 / 2.0) / (5 / 3.0)), 1e-12);
  expect_close(fit.record.standard_errors.weights[0], std::sqrt(1 / 5.0 + 1 / 11.0), 1e-11);
  double log_likelihood = 0.0, deviance = 0.0, none = 0.0;
  for (std::size_t r = 0; r < 5; ++r) {
    const double y = data.y[r], mean = r < 3 ? 5 / 3.0 : 5.5;
    log_likelihood += y * std::log(mean) - mean - std::lgamma(y + 1);
    deviance += 2 * ((y > 0 ? y * std::log(y / mean) : 0) - (y - mean));
    none += 2 * ((y > 0 ? y * std::log(y / 3.2) : 0) - (y - 3.2));
  }
  expect_close(number_of(fit, "log_likelihood"), log_likelihood, 1e-12);
  expect_close(number_of(fit, kResidualDeviance), deviance, 1e-12);
  expect_close(number_of(fit, kNullDeviance), none, 1e-12);
}

TEST(LikelihoodInference, AWeightOfKIsKCopies) {
  for (const std::size_t labels : {2, 3}) {
    Data data = drawn_classes(80, 2, labels, 23);
    for (std::size_t r = 0; r < 80; ++r) data.s.push_back(static_cast<double>(r % 4));
    const std::vector<std::string>& names = labels == 2 ? kTwoLabels : kThreeLabels;
    const Trained weighted = inferred_classes(data, names), copied = inferred_classes(copies_of(data), names);
    for (const char* name : {kNullDeviance, kResidualDeviance, kResidualFreedom, "aic", "bic", "likelihood_ratio_p"})
      expect_close(number_of(weighted, name), number_of(copied, name), 1e-10);
    for (std::size_t i = 0; i < weighted.record.standard_errors.weights.size(); ++i)
      expect_close(weighted.record.standard_errors.weights[i], copied.record.standard_errors.weights[i], 1e-10);
  }
}

TEST(LikelihoodInference, HasTheSameBitsForAnyThreads) {
  const Data data = drawn_classes(9000, 5, 2, 5);
  for (const bool sparse : {false, true}) {
    const Trained one = inferred_classes(data, kTwoLabels, {}, {}, 1, sparse);
    for (const unsigned threads : {2u, 7u}) {
      const Trained other = inferred_classes(data, kTwoLabels, {}, {}, threads, sparse);
      EXPECT_EQ(one.record.fit, other.record.fit);
      EXPECT_EQ(one.record.standard_errors.weights, other.record.standard_errors.weights);
      EXPECT_EQ(one.record.statistics, other.record.statistics);
    }
  }
}

TEST(LikelihoodInference, AColumnTimesCHasItsWeightAndErrorOverCAndColumnsMayBePermuted) {
  const Data data = drawn_classes(300, 3, 2, 7);
  Data other = data;
  for (auto& x : other.x) x = {x[2], 1000 * x[0], x[1]};
  const Trained one = inferred_classes(data, kTwoLabels), two = inferred_classes(other, kTwoLabels);
  const double factor[] = {1000, 1, 1};
  for (std::size_t j = 0; j < 3; ++j) {
    const std::size_t at = (j + 1) % 3;
    expect_close(weights(two)[at] * factor[j], weights(one)[j], 1e-11);
    expect_close(two.record.standard_errors.weights[at] * factor[j], one.record.standard_errors.weights[j], 1e-11);
  }
}

// Columns far from 0 are centred inside: the errors of weights do not notice, that of the bias does.
TEST(LikelihoodInference, ColumnsFarFromZeroKeepTheirErrors) {
  const Data data = drawn_classes(300, 2, 2, 8);
  Data far = data;
  constexpr double kShift = 0x1p24;
  for (auto& x : far.x) x[1] = (std::ldexp(std::round(std::ldexp(x[1], 20)), -20)) + kShift;
  Data near = far;
  for (auto& x : near.x) x[1] -= kShift;
  const Trained one = inferred_classes(near, kTwoLabels), two = inferred_classes(far, kTwoLabels);
  for (std::size_t j = 0; j < 2; ++j)
    expect_close(two.record.standard_errors.weights[j], one.record.standard_errors.weights[j], 1e-9);
  expect_close(two.record.standard_errors.bias[0], kShift * one.record.standard_errors.weights[1], 1e-4);
  // An interval of a prediction is the same too.
  IntervalPredictor at_one(one.record, 2, 0.9), at_two(two.record, 2, 0.9);
  for (std::size_t r = 0; r < 5; ++r) {
    const Interval a = at_one.around(0, {{}, near.x[r]}), b = at_two.around(0, {{}, far.x[r]});
    expect_close(b.mean_high, a.mean_high, 1e-9);
  }
}

TEST(LikelihoodInference, OfAnIntervalIsTheErrorOfTheScore) {
  const Data data = drawn_classes(200, 2, 2, 9);
  const Trained fit = inferred_classes(data, kTwoLabels);
  // The score at x is the bias of the fit whose origin is x.
  for (std::size_t r = 0; r < 3; ++r) {
    Data moved = data;
    for (auto& x : moved.x)
      for (std::size_t j = 0; j < 2; ++j) x[j] -= data.x[r][j];
    const double error = inferred_classes(moved, kTwoLabels).record.standard_errors.bias[0];
    const Interval found = IntervalPredictor(fit.record, 2, 0.95).around(0.5, {{}, data.x[r]});
    expect_close(found.mean_high - 0.5, 1.959963984540054 * error, 1e-10);
  }
}

TEST(LikelihoodInference, AnAliasedFeatureHasNoErrorAndTheRankCountsWithoutIt) {
  Data data = drawn_classes(120, 3, 2, 10);
  for (auto& x : data.x) x[2] = x[0] - 2 * x[1];
  Data without = data;
  for (auto& x : without.x) x.pop_back();
  const Trained fit = inferred_classes(data, kTwoLabels), other = inferred_classes(without, kTwoLabels);
  ASSERT_EQ(fit.record.aliased, std::vector<std::uint32_t>{2});
  EXPECT_EQ(number_of(fit, "rank"), 3);
  EXPECT_EQ(number_of(fit, kResidualFreedom), number_of(other, kResidualFreedom));
  EXPECT_EQ(fit.record.standard_errors.weights[2], 0);
  for (std::size_t j = 0; j < 2; ++j)
    expect_close(fit.record.standard_errors.weights[j], other.record.standard_errors.weights[j], 1e-9);
}

TEST(LikelihoodInference, ThereAreNoErrorsWithAPenaltyWithSeparationOrWhereNoneAreWanted) {
  const Data data = drawn_classes(60, 2, 2, 11);
  EXPECT_TRUE(
      inferred_classes(data, kTwoLabels, {}, {.inference = InferenceAmount::none}).record.standard_errors.empty());
  LogisticOptions weighted;
  weighted.class_weight = {"balanced"};
  EXPECT_TRUE(inferred_classes(data, kTwoLabels, weighted).record.standard_errors.empty());
  const Data apart{{{1}, {2}, {3}, {4}}, {0, 0, 1, 1}, {}};
  const Trained fit = inferred_classes(apart, kTwoLabels);
  EXPECT_TRUE(fit.record.standard_errors.empty());
  EXPECT_TRUE(has(fit, "separated"));
  EXPECT_THROW(IntervalPredictor(fit.record, 1, 0.95), Error);
}

TEST(LikelihoodInference, OfCountsWithAnOffsetHasTheNullModelWithIt) {
  // Exposure e in the offset: the null model's mean is e times sum y / sum e.
  Data data{{{0, 0}, {1, 0}, {0, 0}, {1, 0}, {1, 0}}, {2, 5, 3, 9, 4}, {}};
  const double exposure[] = {1, 2, 3, 2.5, 1.5};
  for (std::size_t r = 0; r < 5; ++r) data.x[r][1] = std::log(exposure[r]);
  Executor executor(1);
  const plumb::Run run{executor};
  const Examples examples = examples_of(data);
  FeatureMap::Parts parts = numbers(2).parts();
  parts.terms.back() = OffsetTerm{1};
  const FeatureMap map(parts);
  Problem problem{examples, map};
  problem.infers = true;
  Trained fit = LossTrainer<PoissonLoss>().train(problem, run);
  add_inference(fit, examples, {}, run);
  double none = 0.0;
  for (std::size_t r = 0; r < 5; ++r) {
    const double mean = exposure[r] * 23 / 10;
    none += 2 * (data.y[r] * std::log(data.y[r] / mean) - (data.y[r] - mean));
  }
  expect_close(number_of(fit, kNullDeviance), none, 1e-12);
  expect_close(fit.record.standard_errors.weights[0], std::sqrt(1 / 5.0 + 1 / 18.0), 1e-11);
  EXPECT_EQ(fit.record.standard_errors.weights[1], 0);
}

}  // namespace
}  // namespace plumb::likelihood_inference_test
