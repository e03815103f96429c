// rows: C1
#include "plumb/model/model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/error.h"
#include "plumb/base/random.h"
#include "plumb/model/explain.h"
#include "plumb/model/memory_test.h"

namespace plumb::model_test {
namespace {

FeatureMap numbers(std::uint32_t p) {
  FeatureMap::Parts parts;
  for (std::uint32_t j = 0; j < p; ++j) {
    parts.inputs.push_back({"x" + std::to_string(j), Kind::number, {}});
    parts.terms.push_back(ProductTerm{{{j, 1}}});
  }
  return FeatureMap(parts);
}

LinearModel::Parts parts(Link link, std::uint64_t rows, std::vector<std::string> labels, std::vector<double> w,
                         std::vector<double> bias) {
  const auto p = static_cast<std::uint32_t>(w.size() / rows);
  LinearModel::Parts parts;
  parts.map = numbers(p);
  parts.weights = Weights::dense(rows, p, std::move(w));
  parts.bias = std::move(bias);
  parts.link = link;
  parts.labels = std::move(labels);
  return parts;
}

std::size_t label(const LinearModel& model, std::vector<double> x) { return Predictor(model).predict({{}, x}).label; }

TEST(LinearModel, IdentityPredictsTheScore) {
  const LinearModel model(parts(Link::identity, 1, {}, {2, -1}, {0.5}));
  const std::vector<double> x = {3, 4};
  EXPECT_EQ(Predictor(model).predict({{}, x}).value, 2.5);
}

TEST(LinearModel, SignGivesTiesToThePositiveClass) {
  const LinearModel model(parts(Link::sign, 1, {"-", "+"}, {1, 1}, {-1}));
  EXPECT_EQ(label(model, {1, 0}), 1u) << "a score of 0";
  EXPECT_EQ(label(model, {0.5, 0}), 0u);
}

TEST(LinearModel, TheLargestScoreWinsAndTheLastOfEquals) {
  const LinearModel model(parts(Link::softmax, 3, {"a", "b", "c"}, {1, 0, 0, 1, 0, 1}, {0, 0, 0}));
  EXPECT_EQ(label(model, {2, 1}), 0u);
  EXPECT_EQ(label(model, {1, 2}), 2u) << "b and c tie";
  EXPECT_EQ(label(model, {0, 0}), 2u);
}

TEST(LinearModel, ARowPerClassAgreesWithOneRowAtTwoClasses) {
  const RandomKey random{3, 0};
  for (std::uint64_t i = 0; i < 500; ++i) {
    const auto draw = [&](std::uint64_t k) { return 4 * random.uniform(10 * i + k) - 2; };
    const std::vector<double> w0 = {draw(0), draw(1)}, w1 = {draw(2), draw(3)}, x = {draw(4), draw(5)};
    const LinearModel two(parts(Link::softmax, 2, {"a", "b"}, {w0[0], w0[1], w1[0], w1[1]}, {draw(6), draw(7)}));
    const LinearModel one(parts(Link::logistic, 1, {"a", "b"}, {w1[0] - w0[0], w1[1] - w0[1]}, {draw(7) - draw(6)}));
    EXPECT_EQ(label(two, x), label(one, x));
    Predictor a(two), b(one);
    a.predict({{}, x});
    b.predict({{}, x});
    EXPECT_NEAR(a.probabilities()[1], b.probabilities()[1], 1e-14);
    EXPECT_NEAR(a.probabilities()[0] + a.probabilities()[1], 1, 1e-15);
  }
}

TEST(LinearModel, ThresholdAndCalibrationMoveTheDecision) {
  LinearModel::Parts p = parts(Link::logistic, 1, {"no", "yes"}, {1}, {0});
  p.threshold = 0.9;
  const LinearModel strict(p);
  EXPECT_EQ(label(strict, {1}), 0u);
  EXPECT_EQ(label(strict, {2.3}), 1u) << "log-odds of 0.9 are 2.197";
  p.threshold = 0.5;
  p.calibration = {2.0, -1.0};
  const LinearModel calibrated(p);
  EXPECT_EQ(label(calibrated, {0.4}), 0u);
  Predictor predictor(calibrated);
  const std::vector<double> x = {1.0};
  predictor.predict({{}, x});
  EXPECT_NEAR(predictor.probabilities()[1], 1 / (1 + std::exp(-1.0)), 1e-15);
}

TEST(LinearModel, VetoesAreComparedBeforeScores) {
  LinearModel::Parts p = parts(Link::softmax, 3, {"a", "b", "c"}, {9, 0, 0, 0, 0, 0}, {0, 1, 0});
  p.vetoes = {{0, 1, 1, 2}, {1, 0}, {1, 1}};  // feature 1 rules out a, feature 0 rules out c
  const LinearModel model(p);
  EXPECT_EQ(label(model, {1, 0}), 0u);
  EXPECT_EQ(label(model, {1, 1}), 1u) << "a and c are ruled out";
  EXPECT_EQ(label(model, {0, 1}), 1u);
  Predictor predictor(model);
  const std::vector<double> x = {1, 1};
  predictor.predict({{}, x});
  EXPECT_EQ(predictor.probabilities()[0], 0.0);
  EXPECT_EQ(predictor.probabilities()[1], 1.0);
  const std::vector<std::uint32_t> index = {1};
  const std::vector<double> value = {1};
  EXPECT_EQ(predictor.predict({index, value}).label, 1u) << "a sparse row is vetoed as a dense one";
}

TEST(LinearModel, VetoesOfOneRowCountForBothClasses) {
  LinearModel::Parts p = parts(Link::logistic, 1, {"a", "b"}, {0, 0}, {5});
  p.vetoes = {{0, 2}, {0, 1}, {1, -1}};
  const LinearModel model(p);
  EXPECT_EQ(label(model, {0, 0}), 1u);
  EXPECT_EQ(label(model, {1, 0}), 0u);
  EXPECT_EQ(label(model, {0, 1}), 1u);
  EXPECT_EQ(label(model, {1, 1}), 1u) << "both are ruled out once; the score decides";
}

TEST(LinearModel, VotesAreWeighedByTheirSurvival) {
  LinearModel::Parts p = parts(Link::vote, 3, {"a", "b"}, {1, 1, -1}, {0, 0, 0});
  p.votes = {1, 2, 4};
  const LinearModel model(p);
  EXPECT_EQ(label(model, {1}), 0u) << "3 votes for b, 4 for a";
  EXPECT_EQ(label(model, {-1}), 1u);
}

TEST(Predictor, AllocatesNothingForARow) {
  if (!memory_is_counted) GTEST_SKIP() << "memory is not counted under sanitizers";
  LinearModel::Parts softmax = parts(Link::softmax, 3, {"a", "b", "c"}, {9, 0, 0, 0, 0, 0}, {0, 1, 0});
  softmax.vetoes = {{0, 1, 1, 2}, {1, 0}, {1, 1}};
  const std::vector<double> x = {1, 2};
  const std::vector<std::uint32_t> index = {1};
  const std::vector<double> value = {2};
  for (const LinearModel& model : {LinearModel(parts(Link::identity, 1, {}, {2, -1}, {0.5})), LinearModel(softmax)}) {
    const std::size_t at_first = memory.pieces;
    Predictor predictor(model);
    const std::size_t before = memory.pieces;
    EXPECT_GT(before, at_first) << "the count itself works";
    double sum = 0;
    for (int i = 0; i < 100; ++i) {
      sum += predictor.predict({{}, x}).value + predictor.predict({index, value}).value + predictor.scores()[0];
      if (model.parts().link == Link::softmax) sum += predictor.probabilities()[0];
    }
    EXPECT_EQ(memory.pieces, before) << sum;
  }
}

TEST(Weights, SparseAndIncrementsScoreAsTheDenseRowsTheyStandFor) {
  const RandomKey random{17, 0};
  constexpr std::uint32_t p = 37;
  constexpr std::uint64_t rows = 5;
  SparseRows<double> changes, sums;
  std::vector<double> dense(rows * p), dense_sums(rows * p);
  changes.offsets = sums.offsets = {0};
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint32_t j = 0; j < p; ++j) {
      const bool there = random.uniform(r * p + j) < 0.3;
      const double w = there ? std::floor(20 * random.uniform(1000 + r * p + j)) - 10 : 0;
      dense[r * p + j] = w;
      dense_sums[r * p + j] = w + (r > 0 ? dense_sums[(r - 1) * p + j] : 0);
      if (there) {
        changes.index.push_back(j);
        changes.values.push_back(w);
      }
    }
    changes.offsets.push_back(changes.index.size());
  }
  const Weights as_dense = Weights::dense(rows, p, dense), as_sums = Weights::dense(rows, p, dense_sums);
  const Weights as_sparse = Weights::sparse(rows, p, changes), as_increments = Weights::increments(rows, p, changes);
  std::vector<double> x(p), a(rows), b(rows);
  std::vector<std::uint32_t> index;
  std::vector<double> value;
  for (std::uint32_t j = 0; j < p; ++j) {
    x[j] = std::floor(9 * random.uniform(5000 + j)) - 4;
    if (x[j] != 0) index.push_back(j), value.push_back(x[j]);
  }
  for (const Row& row : {Row{{}, x}, Row{index, value}}) {
    as_dense.scores(row, a);
    as_sparse.scores(row, b);
    EXPECT_EQ(a, b) << "whole numbers, so exactly";
    as_sums.scores(row, a);
    as_increments.scores(row, b);
    EXPECT_EQ(a, b);
  }
  std::vector<double> w(p), v(p), after(p, 99.0), sparse_after(p, 99.0);
  for (std::uint64_t r = 0; r < rows; ++r) {
    as_sums.row(r, w);
    as_increments.row(r, v);
    EXPECT_EQ(w, v);
    as_increments.row_after(r, after);
    EXPECT_EQ(w, after) << "one step on from the row before";
    as_dense.row(r, w);
    as_sparse.row_after(r, sparse_after);
    EXPECT_EQ(w, sparse_after);
  }
}

TEST(Weights, OfSeveralChainsEachIsAHistoryOfItsOwn) {
  // Chain 1: 1, then 3; chain 0: (0, 5), then (0, 4).
  const Weights weights =
      Weights::increments(4, 2, {{0, 1, 2, 3, 4}, {0, 1, 0, 1}, {1.0, 5.0, 2.0, -1.0}}, {1, 0, 1, 0});
  const std::vector<std::vector<double>> rows = {{1, 0}, {0, 5}, {3, 0}, {0, 4}};
  const std::vector<double> x = {10, 1};
  std::vector<double> scores(4), w(2), first(2, 99.0), second(2, 99.0);
  weights.scores({{}, x}, scores);
  EXPECT_EQ(scores, (std::vector<double>{10, 5, 30, 4}));
  for (std::uint64_t r = 0; r < 4; ++r) {
    weights.row(r, w);
    EXPECT_EQ(w, rows[r]);
    std::vector<double>& before = r % 2 == 0 ? first : second;
    weights.row_after(r, before);
    EXPECT_EQ(before, rows[r]);
  }
  EXPECT_THROW(Weights::increments(2, 1, {{0, 1, 2}, {0, 0}, {1e308, 1e308}}, {0, 0}), Error);
  EXPECT_NO_THROW(Weights::increments(2, 1, {{0, 1, 2}, {0, 0}, {1e308, 1e308}}, {1, 0}));
}

TEST(Weights, BrokenOnesAreRefused) {
  EXPECT_THROW(Weights::dense(2, 2, {1, 2, 3}), Error);
  EXPECT_THROW(Weights::dense(1, 1, {NAN}), Error);
  EXPECT_THROW(Weights::sparse(1, 2, {{0, 1}, {2}, {1.0}}), Error) << "index out of range";
  EXPECT_THROW(Weights::sparse(1, 3, {{0, 2}, {1, 1}, {1.0, 2.0}}), Error) << "index twice";
  EXPECT_THROW(Weights::sparse(2, 3, {{0, 2, 1}, {0}, {1.0}}), Error) << "offsets fall";
  EXPECT_THROW(Weights::sparse(1, 3, {{0, 1}, {0}, {INFINITY}}), Error);
  EXPECT_NO_THROW(Weights::increments(3, 1, {{0, 1, 2, 3}, {0, 0, 0}, {1e308, -1e308, 1e308}}));
  EXPECT_THROW(Weights::increments(3, 1, {{0, 1, 2, 3}, {0, 0, 0}, {1e308, 1e308, -1e308}}), Error)
      << "the second row is infinite";
}

TEST(LinearModel, PartsThatContradictEachOtherAreRefused) {
  using Change = void (*)(LinearModel::Parts&);
  for (const Change change :
       {Change([](LinearModel::Parts& p) { p.bias = {}; }), Change([](LinearModel::Parts& p) { p.bias = {NAN}; }),
        Change([](LinearModel::Parts& p) { p.labels = {"a"}; }), Change([](LinearModel::Parts& p) {
          p.labels = {"a", "a"};
        }),
        Change([](LinearModel::Parts& p) { p.link = Link::softmax; }),
        Change([](LinearModel::Parts& p) { p.link = Link::vote; }),
        Change([](LinearModel::Parts& p) { p.link = Link::identity; }),
        Change([](LinearModel::Parts& p) { p.votes = {1}; }), Change([](LinearModel::Parts& p) { p.threshold = 2; }),
        Change([](LinearModel::Parts& p) { p.calibration.slope = 0; }),
        Change([](LinearModel::Parts& p) { p.map = FeatureMap(); }), Change([](LinearModel::Parts& p) {
          p.vetoes = {{0, 1}, {7}, {1}};
        }),
        Change([](LinearModel::Parts& p) { p.vetoes.index = {1}; })}) {
    LinearModel::Parts p = parts(Link::logistic, 1, {"a", "b"}, {1, 2}, {0});
    EXPECT_NO_THROW(LinearModel{p});
    change(p);
    EXPECT_THROW(LinearModel{p}, Error);
  }
}

TEST(Explain, ContributionsAndBiasAddUpToTheScore) {
  const LinearModel model(parts(Link::identity, 1, {}, {2, 0, -3, 0.5}, {1}));
  const std::vector<double> x = {1, 7, 2, 0};
  const Explanation why = explain(model, {{}, x});
  EXPECT_EQ(why.score, -3.0);
  ASSERT_EQ(why.contributions.size(), 2u) << "those that are 0 are left out";
  EXPECT_EQ(why.contributions[0].feature, 2u);
  EXPECT_EQ(why.contributions[0].contribution, -6.0);
  EXPECT_EQ(why.contributions[1].contribution, 2.0);
  EXPECT_EQ(why.bias + why.contributions[0].contribution + why.contributions[1].contribution, why.score);
}

TEST(Explain, TakesTheRowThatWasPredicted) {
  const std::vector<double> x = {1, 2};
  const LinearModel softmax(parts(Link::softmax, 3, {"a", "b", "c"}, {1, 0, 2, 3, 0, 0}, {0, 1.5, -1.5}));
  const Explanation why = explain(softmax, {{}, x});
  EXPECT_EQ(why.prediction.label, 1u);
  EXPECT_EQ(why.model_row, 1u);
  // For a softmax everything is relative to the mean of the labels, which have the scores 1, 9.5 and -1.5.
  EXPECT_EQ(why.mean_score, 3.0);
  EXPECT_EQ(why.score, 6.5);
  EXPECT_EQ(why.bias, 1.5);
  EXPECT_EQ(why.contributions[0].weight, 2.0);
  EXPECT_EQ(why.bias + why.contributions[0].contribution + why.contributions[1].contribution, why.score);

  const LinearModel one_row(parts(Link::sign, 1, {"no", "yes"}, {-1, 0}, {0}));
  EXPECT_EQ(explain(one_row, {{}, x}).prediction.label, 0u);
  EXPECT_EQ(explain(one_row, {{}, x}).score, -1.0) << "of the second label, also where the first is predicted";
}

TEST(Explain, SaysWhichVetoesDecidedAndAgainstWhichLabel) {
  LinearModel::Parts p = parts(Link::softmax, 3, {"a", "b", "c"}, {9, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 0});
  p.vetoes = {{0, 2, 2, 3}, {1, 2, 0}, {1, 1, 1}};  // features 1 and 2 rule out a, feature 0 rules out c
  const LinearModel model(p);
  const std::vector<double> vetoed = {1, 1, 1}, free = {1, 0, 0};
  const Explanation why = explain(model, {{}, vetoed});
  ASSERT_TRUE(why.vetoes);
  EXPECT_EQ(why.prediction.label, 1u);
  EXPECT_EQ(why.vetoes->instead_of, 0u);
  EXPECT_EQ(why.vetoes->features, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_FALSE(explain(model, {{}, free}).vetoes) << "c is ruled out, but the scores give a";
  const std::vector<std::uint32_t> index = {0, 2};
  const std::vector<double> value = {1, 1};
  EXPECT_EQ(explain(model, {index, value}).vetoes->features, std::vector<std::uint32_t>{2}) << "of a sparse row";
}

TEST(Explain, SaysWhichVetoesOfOneRowDecided) {
  LinearModel::Parts p = parts(Link::logistic, 1, {"a", "b"}, {0, 0}, {5});
  p.vetoes = {{0, 2}, {0, 1}, {1, -1}};  // feature 0 rules out b, feature 1 rules out a
  const std::vector<double> first = {1, 0}, second = {0, 1}, both = {1, 1};
  const Explanation why = explain(LinearModel(p), {{}, first});
  ASSERT_TRUE(why.vetoes);
  EXPECT_EQ(why.prediction.label, 0u);
  EXPECT_EQ(why.vetoes->instead_of, 1u);
  EXPECT_EQ(why.vetoes->features, std::vector<std::uint32_t>{0});
  EXPECT_FALSE(explain(LinearModel(p), {{}, second}).vetoes) << "the scores give b as well";
  EXPECT_FALSE(explain(LinearModel(p), {{}, both}).vetoes) << "both are ruled out once";
  p.bias = {-5};
  EXPECT_EQ(explain(LinearModel(p), {{}, second}).vetoes->features, std::vector<std::uint32_t>{1});
}

TEST(Explain, TakesOfVotersTheStrongestOnTheSideThatWon) {
  LinearModel::Parts p = parts(Link::vote, 4, {"a", "b"}, {-1, 1, 2, 3}, {0, 0, 0, 0});
  p.votes = {4, 2, 3, 3};
  const std::vector<double> x = {1};
  EXPECT_EQ(explain(LinearModel(p), {{}, x}).prediction.label, 1u);
  EXPECT_EQ(explain(LinearModel(p), {{}, x}).model_row, 2u) << "the first of two with 3 votes for b; a has 4, and lost";
  p.votes = {9, 2, 3, 3};
  EXPECT_EQ(explain(LinearModel(p), {{}, x}).model_row, 0u);
  p.votes = {0, 0, 0, 0};
  const std::vector<double> zero = {0};
  EXPECT_EQ(explain(LinearModel(p), {{}, zero}).model_row, 0u);
}

TEST(Explain, RefusesWhatIsTooLargeForANumber) {
  const auto refused = [](const LinearModel& model, const std::vector<double>& x) {
    try {
      explain(model, {{}, x});
      return false;
    } catch (const Error& error) {
      return error.code() == ErrorCode::data;
    }
  };
  const LinearModel model(parts(Link::identity, 1, {}, {10, 10}, {0}));
  EXPECT_FALSE(refused(model, {1e307, 0}));
  EXPECT_TRUE(refused(model, {1e308, 0})) << "infinite";
  EXPECT_TRUE(refused(model, {1e308, -1e308})) << "not a number";
  EXPECT_TRUE(refused(model, {1.5e307, -1.5e307})) << "a score of 0 of which the parts do not add up";
  const LinearModel two(parts(Link::softmax, 2, {"a", "b"}, {10, 0, 0, 1}, {0, 0}));
  EXPECT_TRUE(refused(two, {-1e308, 1})) << "b wins against a score that is no number";
}

TEST(Explain, WhatTopLeavesOutIsCountedAndSummed) {
  const LinearModel model(parts(Link::identity, 1, {}, {1, -5, 3, 0}, {1}));
  const std::vector<double> x = {1, 1, 1, 1};
  const Explanation why = explain(model, {{}, x});
  EXPECT_EQ(rest_after(why, 1).count, 2u);
  EXPECT_EQ(rest_after(why, 1).contribution, 4.0);
  EXPECT_EQ(rest_after(why, 3).count, 0u);
  EXPECT_EQ(rest_after(why, 9).count, 0u);
  EXPECT_EQ(rest_after(why, 0).count, 0u) << "0 shows all";
}

}  // namespace
}  // namespace plumb::model_test
