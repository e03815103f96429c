// Profile intervals, tests of terms and Firth's estimates: their definitions by separate fits, and closed forms.  // rows: B3
#include "plumb/infer/refits.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/infer/full_inference.h"
#include "plumb/infer/likelihood_testing.h"
#include "plumb/infer/model_terms.h"
#include "plumb/infer/testing.h"
#include "plumb/infer/weight_tests.h"
#include "plumb/math/distributions.h"
#include "plumb/train/firth.h"

namespace plumb::refits_test {
namespace {

const InferenceOptions kFull{.inference = InferenceAmount::full};

Data without_column(Data data, std::size_t j) {
  for (auto& x : data.x) x.erase(x.begin() + static_cast<std::ptrdiff_t>(j));
  return data;
}

// The deviance of a fit with the weight of column j fixed: the column times it is an offset.
double deviance_with(const Data& data, std::size_t j, double weight) {
  Data moved = data;
  for (auto& x : moved.x) x[j] *= weight;
  Executor executor(1);
  const plumb::Run run{executor};
  const Examples examples = examples_of(moved);
  FeatureMap::Parts parts = numbers(examples.features()).parts();
  parts.terms[j] = OffsetTerm{static_cast<std::uint32_t>(j)};
  const FeatureMap map(parts);
  LogisticOptions options;
  options.l2 = {0.0};
  return 2 * LogisticTrainer(options).train({examples, map, kTwoLabels}, run).record.objective;
}

TEST(Refits, TheEndsOfAProfileLoseAQuantileOfChiSquare) {
  const Data data = drawn_classes(60, 3, 2, 3);
  const Trained fit = inferred_classes(data, kTwoLabels, {}, kFull);
  const std::optional<WeightTests> tests = weight_tests(fit.model, fit.record);
  ASSERT_TRUE(tests);
  const double deviance = number_of(fit, kResidualDeviance), quantile = math::ChiSquare{1}.quantile(0.95);
  for (std::size_t j = 0; j < 3; ++j) {
    for (const double end : {tests->low.weights[j], tests->high.weights[j]})
      EXPECT_NEAR(deviance_with(data, j, end) - deviance, quantile, 1e-8);
    expect_close(tests->chi_square.weights[j], deviance_with(data, j, 0.0) - deviance, 1e-8);
    expect_close(tests->p.weights[j], math::ChiSquare{1}.upper(tests->chi_square.weights[j]), 1e-14);
  }
}

// An interval of the bias is one of the score at 0, wherever the origin of the columns is.
TEST(Refits, TheProfileOfABiasMovesWithTheOrigin) {
  Data data = drawn_classes(60, 2, 2, 4);
  for (auto& x : data.x)
    for (double& each : x) each = std::ldexp(std::round(std::ldexp(each, 12)), -12);
  Data far = data;
  for (auto& x : far.x) x[0] += 4096;  // centred inside
  const Trained near = inferred_classes(data, kTwoLabels, {}, kFull),
                moved = inferred_classes(far, kTwoLabels, {}, kFull);
  const auto one = weight_tests(near.model, near.record), two = weight_tests(moved.model, moved.record);
  for (std::size_t j = 0; j < 2; ++j) expect_close(two->low.weights[j], one->low.weights[j], 1e-7);
  // So far from the data the bias is 4096 times the first weight, but for a part in a thousand.
  expect_close(two->low.bias[0], -4096 * one->high.weights[0], 1e-2);
  expect_close(two->high.bias[0], -4096 * one->low.weights[0], 1e-2);
}

// A group without any count has a weight of minus infinity, of which only the upper end is finite: where the other rows'
// likelihood, which the group does not touch, and that of the group, -m, lose 3.84 / 2.
TEST(Refits, AWeightThatIsAllButInfiniteHasOneEnd) {
  const Data data{{{1}, {1}, {0}, {0}, {0}}, {0, 0, 3, 5, 4}, {}};
  const Trained fit = inferred_counts(data, true, kFull);
  const auto tests = weight_tests(fit.model, fit.record);
  ASSERT_TRUE(tests);
  EXPECT_TRUE(std::isnan(tests->low.weights[0]));
  const double w = tests->high.weights[0];
  // With that weight the bias is log(12 / (3 + 2 e^w)).
  const double bias = std::log(12 / (3 + 2 * std::exp(w))), means = std::exp(bias);
  const double lost = 2 * (12 * std::log(4.0) - 12 - (12 * bias - 3 * means - 2 * means * std::exp(w)));
  EXPECT_NEAR(lost, math::ChiSquare{1}.quantile(0.95), 1e-6);
}

TEST(Refits, TheTestOfATermIsTheDifferenceOfTwoDeviances) {
  for (const std::size_t labels : {2, 3}) {
    const Data data = drawn_classes(90, 3, labels, 6);
    const std::vector<std::string>& names = labels == 2 ? kTwoLabels : kThreeLabels;
    const Trained fit = inferred_classes(data, names, {}, kFull);
    const std::vector<TermTest> tests = term_tests(fit.model.parts().map, fit.record);
    ASSERT_EQ(tests.size(), 3);
    for (std::size_t j = 0; j < 3; ++j) {
      const Trained less = inferred_classes(without_column(data, j), names);
      EXPECT_EQ(tests[j].degrees, static_cast<double>(labels - 1));
      expect_close(tests[j].statistic, number_of(less, kResidualDeviance) - number_of(fit, kResidualDeviance), 1e-8);
    }
  }
}

// Type II: a term is tested without those that contain it, and a category is one term.
TEST(Refits, ATermIsTestedWithoutTheTermsThatContainIt) {
  FeatureMap::Parts parts;
  parts.inputs = {{"a", Kind::number, {}}, {"b", Kind::category, {"x", "y", "z"}}};
  parts.terms = {ProductTerm{{{0, 1}}}, CategoryTerm{1, 0}, CrossTerm{{0, {}}, {1, 0}}, ProductTerm{{{0, 2}}}};
  const FeatureMap map(parts);
  const std::vector<ModelTerm> terms = model_terms(map);
  ASSERT_EQ(terms.size(), 4);
  EXPECT_EQ(terms[1].name, "b");
  EXPECT_EQ(terms[1].features, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(terms[2].name, "a:b");
  EXPECT_EQ(containing(terms, terms[0]), terms[2].features);
  EXPECT_EQ(containing(terms, terms[1]), terms[2].features);
  EXPECT_TRUE(containing(terms, terms[2]).empty());
  EXPECT_EQ(containing(terms, terms[3]), terms[2].features);
}

// With counts a of n the penalised maximum adds half a success and half a failure (Firth 1993).
TEST(Firth, OfABiasAloneAddsHalfARowToEachLabel) {
  Data data{{{0}, {0}}, {0, 1}, {7, 0}};
  LogisticOptions options;
  options.firth = true;
  const Trained fit = inferred_classes(data, kTwoLabels, options);
  EXPECT_TRUE(fit.record.converged);
  expect_close(fit.model.parts().bias[0], std::log(0.5 / 7.5), 1e-12);
}

// A saturated table: half a row in each cell, which an empty one needs.
TEST(Firth, OfATableAddsHalfARowToEachCell) {
  Data data{{{0}, {0}, {1}, {1}}, {0, 1, 0, 1}, {9, 4, 6, 0}};
  LogisticOptions options;
  options.firth = true;
  const Trained fit = inferred_classes(data, kTwoLabels, options);
  expect_close(fit.model.parts().bias[0], std::log(4.5 / 9.5), 1e-11);
  expect_close(weights(fit)[0], std::log(0.5 * 9.5 / (6.5 * 4.5)), 1e-11);
  const auto tests = weight_tests(fit.model, fit.record);
  ASSERT_TRUE(tests);
  EXPECT_LT(tests->low.weights[0], tests->high.weights[0]);
  EXPECT_TRUE(std::isfinite(tests->low.weights[0]));
}

// A row that alone decides a weight has leverage 1 and counts twice: once as it is, and as half of each label.
TEST(Firth, ConvergesWhereARowAloneDecidesAWeight) {
  Data data = drawn_classes(400, 2, 2, 14);
  for (std::size_t r = 0; r < 400; ++r) data.x[r].push_back(r == 7 ? 1 : 0);
  LogisticOptions options;
  options.firth = true;
  const Trained fit = inferred_classes(data, kTwoLabels, options, {.inference = InferenceAmount::wald});
  EXPECT_TRUE(fit.record.converged);
  EXPECT_LT(fit.record.iterations, 15);
  double score = fit.model.parts().bias[0];
  for (std::size_t j = 0; j < 3; ++j) score += weights(fit)[j] * data.x[7][j];
  EXPECT_NEAR(1 / (1 + std::exp(-score)), (data.y[7] + 0.5) / 2, 1e-9);
}

TEST(Firth, WeightsAreCopiesUnitsAndThreadsChangeNothing) {
  Data data = drawn_classes(50, 2, 2, 12);
  for (std::size_t r = 0; r < 50; ++r) data.s.push_back(static_cast<double>(r % 3));
  LogisticOptions options;
  options.firth = true;
  const Trained weighted = inferred_classes(data, kTwoLabels, options);
  const Trained copied = inferred_classes(copies_of(data), kTwoLabels, options);
  Data scaled = data;
  for (auto& x : scaled.x) x[1] *= 1000;
  const Trained other = inferred_classes(scaled, kTwoLabels, options);
  const auto one = weight_tests(weighted.model, weighted.record), two = weight_tests(copied.model, copied.record),
             three = weight_tests(other.model, other.record);
  for (std::size_t j = 0; j < 2; ++j) {
    const double unit = j == 1 ? 1000 : 1;
    expect_close(weights(copied)[j], weights(weighted)[j], 1e-9);
    expect_close(two->low.weights[j], one->low.weights[j], 1e-8);
    expect_close(two->p.weights[j], one->p.weights[j], 1e-7);
    expect_close(weights(other)[j] * unit, weights(weighted)[j], 1e-9);
    expect_close(three->high.weights[j] * unit, one->high.weights[j], 1e-8);
  }
  expect_close(number_of(other, kFirthLikelihood) - std::log(1000.0), number_of(weighted, kFirthLikelihood), 1e-10);
  const Data large = drawn_classes(9000, 3, 2, 13);
  const Trained alone = inferred_classes(large, kTwoLabels, options),
                many = inferred_classes(large, kTwoLabels, options, {}, 7);
  EXPECT_EQ(weights(alone), weights(many));
  EXPECT_EQ(alone.record.statistics, many.record.statistics);
}

TEST(Firth, RefusesWhatItCannotCombine) {
  LogisticOptions options;
  options.firth = true;
  EXPECT_THROW(inferred_classes(drawn_classes(40, 2, 3, 1), kThreeLabels, options), Error);
  LogisticOptions weighted = options;
  weighted.class_weight = {"balanced"};
  EXPECT_THROW(LogisticTrainer{weighted}, Error);
  LogisticOptions other = options;
  other.solver = "lbfgs";
  EXPECT_THROW(LogisticTrainer{other}, Error);
}

}  // namespace
}  // namespace plumb::refits_test
