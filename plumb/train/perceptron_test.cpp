#include "plumb/train/perceptron.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/testing.h"
#include "plumb/train/ledger.h"
#include "plumb/train/testing.h"

namespace plumb::perceptron_test {
namespace {

const std::vector<std::string> kTwo = {"no", "yes"};
const std::vector<std::string> kThree = {"a", "b", "c"};
Trained perceptron(const Data& data, PerceptronOptions options, unsigned threads = 1, const SavedModel* start = nullptr,
                   const std::vector<std::string>& labels = kTwo, bool sparse = false) {
  Executor executor(threads);
  const Examples examples = examples_of(data, 7, sparse);
  return PerceptronTrainer(options).train({examples, numbers(examples.features()), labels, start},
                                          plumb::Run{executor, RandomKey{42, 0}});
}

// Counts, and labels by a hyperplane with noise.
Data counts(std::size_t n, std::size_t p) {
  Data data;
  const RandomKey key{5, 0};
  std::uint64_t draw = 0;
  for (std::size_t i = 0; i < n; ++i) {
    data.x.emplace_back();
    for (std::size_t j = 0; j < p; ++j) data.x[i].push_back(std::floor(4 * key.uniform(draw++)));
    data.y.push_back(data.x[i][0] + data.x[i][3] > data.x[i][5] + 3 * key.uniform(draw++) ? 1 : 0);
  }
  return data;
}

// Rows on both sides of a hyperplane through the data, at least `gap` away from it.
Data separable(std::size_t n, std::size_t p, std::uint64_t seed, double gap = 0.1) {
  Data data;
  const RandomKey key{seed, 0};
  std::uint64_t draw = 0;
  while (data.x.size() < n) {
    std::vector<double> x(p);
    double s = 0.2;
    for (std::size_t j = 0; j < p; ++j) {
      x[j] = 2 * key.uniform(draw++) - 1;
      s += (j % 2 == 0 ? 1.0 : -0.5) * x[j];
    }
    if (std::abs(s) < gap) continue;
    data.x.push_back(x);
    data.y.push_back(s > 0 ? 1 : 0);
  }
  return data;
}

std::size_t errors(const LinearModel& model, const Data& data) {
  Predictor predictor(model);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < data.x.size(); ++i)
    wrong += predictor.predict({{}, data.x[i]}).label != static_cast<std::size_t>(data.y[i]) ? 1 : 0;
  return wrong;
}

TEST(Perceptron, StopsAtACleanPassAndSeparatesWhatCanBeSeparated) {
  const Data data = separable(200, 3, 1);
  for (const RowOrder order : {RowOrder::given, RowOrder::shuffled}) {
    const Trained fit = perceptron(data, {.variant = Variant::plain, .passes = 1000, .order = order});
    EXPECT_TRUE(fit.record.converged);
    EXPECT_LT(fit.record.iterations, 1000u);
    EXPECT_EQ(errors(fit.model, data), 0u);
    const Ledger ledger = Ledger::of(fit.record);
    EXPECT_EQ(ledger.mistakes.size(), fit.record.iterations);
    EXPECT_EQ(ledger.mistakes.back(), 0);
    EXPECT_GT(ledger.mistakes.front(), 0);
  }
}

// Counts are copied if memory allows: a run with no more memory than the fit needs has the same bits.
TEST(Perceptron, ACopyOfTheRowsChangesNothing) {
  const Data data = counts(5000, 9);
  const Examples examples = examples_of(data, 700, true);
  Executor executor(2);
  for (const std::uint64_t shards : {1u, 3u})
    for (const OnlineLoss loss : {OnlineLoss::perceptron, OnlineLoss::logistic}) {
      const PerceptronTrainer trainer(PerceptronOptions{.loss = loss, .passes = 8, .shards = shards});
      const MemoryBudget least(examples.bytes() + trainer.memory(FitSize::of(examples, 2), executor));
      const auto fitted = [&](MemoryBudget memory) {
        return trainer.train({examples, numbers(examples.features()), kTwo},
                             plumb::Run{executor, RandomKey{42, 0}, {}, memory});
      };
      const Trained copied = fitted({}), plain = fitted(least);
      EXPECT_EQ(weights(copied), weights(plain));
      EXPECT_EQ(copied.model.parts().bias, plain.model.parts().bias);
      EXPECT_EQ(Ledger::of(copied.record).mistakes, Ledger::of(plain.record).mistakes);
      EXPECT_EQ(Ledger::of(copied.record).mistakes.size(), 8u);
    }
}

// Its hypotheses are as many as its mistakes.
TEST(Perceptron, AVoteEndsBeforeItTakesMoreMemoryThanIsGranted) {
  const Data data = counts(3000, 20);
  const Examples examples = examples_of(data, 700, true);
  Executor executor(1);
  const PerceptronTrainer trainer(PerceptronOptions{.variant = Variant::voted, .passes = 3});
  const auto fitted = [&](MemoryBudget memory) {
    return trainer.train({examples, numbers(examples.features()), kTwo},
                         plumb::Run{executor, RandomKey{42, 0}, {}, memory});
  };
  const Trained free = fitted({});
  const std::uint64_t least = examples.bytes() + trainer.memory(FitSize::of(examples, 2), executor);
  const std::uint64_t kept = free.model.parts().votes.size() * 20 * 12;  // an index and a value for each entry
  EXPECT_EQ(fitted(MemoryBudget(least + 4 * kept)).model.parts().votes, free.model.parts().votes);
  try {
    fitted(MemoryBudget(least + kept));
    ADD_FAILURE() << "more than was granted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resources);
    EXPECT_NE(error.message().find("hypotheses of a voted perceptron so far"), std::string::npos) << error.what();
    EXPECT_NE(error.hint().find("--variant averaged"), std::string::npos) << error.hint();
  }
}

TEST(Perceptron, DifferentOrdersGiveDifferentSeparators) {
  const Data data = separable(200, 3, 1);
  const Trained a = perceptron(data, {.variant = Variant::plain, .passes = 1000, .order = RowOrder::given});
  const Trained b = perceptron(data, {.variant = Variant::plain, .passes = 1000, .order = RowOrder::shuffled});
  EXPECT_NE(weights(a), weights(b));
  EXPECT_EQ(errors(a.model, data) + errors(b.model, data), 0u);
}

TEST(Perceptron, SaysSoWhenNoPassWasClean) {
  const Data xor_table{{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {0, 1, 1, 0}, {}};
  const Trained fit = perceptron(xor_table, {.passes = 50});
  EXPECT_FALSE(fit.record.converged);
  EXPECT_EQ(fit.record.iterations, 50u);
}

// In the given order, by hand: the vectors after each row, the zeros before the first included.
TEST(Perceptron, TheAverageIsTheMeanOfAllVectorsByHand) {
  const Data data{{{1, 0}, {0, 1}, {1, 1}}, {1, 0, 1}, {}};
  const Trained fit = perceptron(data, {.passes = 1, .order = RowOrder::given});
  // (0,0;0), (1,0;1) after row 1, (1,-1;0) after row 2 (score 1), and row 3 scores 0: (2,0;1).
  EXPECT_EQ(weights(fit), (std::vector<double>{4.0 / 4, -1.0 / 4}));
  EXPECT_EQ(fit.model.parts().bias[0], 2.0 / 4);
}

TEST(Perceptron, AVoteIsTheVoteOfEveryHypothesisByItsSurvival) {
  const Data data = separable(60, 2, 3, 0.0);
  const Trained plain = perceptron(data, {.variant = Variant::plain, .passes = 3, .order = RowOrder::given});
  const Trained voted = perceptron(data, {.variant = Variant::voted, .passes = 3, .order = RowOrder::given});
  // The literal rule.
  std::vector<std::vector<double>> hypotheses;
  std::vector<double> votes, w(3);
  for (int pass = 0; pass < static_cast<int>(voted.record.iterations); ++pass)
    for (std::size_t i = 0; i < data.x.size(); ++i) {
      const double y = 2 * data.y[i] - 1;
      if (y * (w[0] * data.x[i][0] + w[1] * data.x[i][1] + w[2]) <= 0) {
        w = {w[0] + y * data.x[i][0], w[1] + y * data.x[i][1], w[2] + y};
        hypotheses.push_back(w);
        votes.push_back(0);
      }
      ++votes.back();
    }
  ASSERT_EQ(voted.model.rows(), hypotheses.size());
  EXPECT_EQ(voted.model.parts().votes, votes);
  std::vector<double> row(2);
  for (std::size_t r = 0; r < hypotheses.size(); ++r) {
    voted.model.parts().weights.row_after(r, row);
    EXPECT_NEAR(row[0], hypotheses[r][0], 1e-12);
    EXPECT_NEAR(row[1], hypotheses[r][1], 1e-12);
    EXPECT_EQ(voted.model.parts().bias[r], hypotheses[r][2]);
  }
  EXPECT_NEAR(row[0], weights(plain)[0], 1e-12);
  Predictor predictor(voted.model);
  for (const std::vector<double>& x : data.x) {
    double vote = 0;
    for (std::size_t r = 0; r < votes.size(); ++r)
      vote += hypotheses[r][0] * x[0] + hypotheses[r][1] * x[1] + hypotheses[r][2] >= 0 ? votes[r] : -votes[r];
    EXPECT_EQ(predictor.predict({{}, x}).label, vote >= 0 ? 1u : 0u);
  }
}

// Three classes of whole numbers with some labels flipped, so that rules traced literally give the same bits.
Data three_classes() {
  Data data;
  const RandomKey key{8, 0};
  for (std::size_t i = 0; i < 70; ++i) {
    const std::size_t c = i % 3;
    const auto noise = [&](std::uint64_t draw) { return std::floor(5 * key.uniform(2 * i + draw)) - 2; };
    data.x.push_back({3.0 * static_cast<double>(c == 0) + noise(0), 3.0 * static_cast<double>(c == 1) + noise(1)});
    data.y.push_back(static_cast<double>(i % 11 == 0 ? (c + 1) % 3 : c));
  }
  return data;
}

TEST(Perceptron, AVoteOfManyClassesIsThatOfEveryHypothesisForItsBestPlane) {
  const Data data = three_classes();
  const auto score = [](const std::vector<double>& w, const std::vector<double>& x) {
    return w[0] * x[0] + w[1] * x[1] + w[2];
  };
  const auto best = [&](const std::vector<std::vector<double>>& planes, const std::vector<double>& x) {
    std::size_t winner = 0;
    for (std::size_t k = 1; k < 3; ++k)
      if (score(planes[k], x) >= score(planes[winner], x)) winner = k;
    return winner;
  };
  // The literal rule: the best other hyperplane is a rival, a tie is a mistake.
  std::vector<std::vector<std::vector<double>>> hypotheses;
  std::vector<double> votes;
  std::vector<std::vector<double>> w(3, std::vector<double>(3));
  for (int pass = 0; pass < 4; ++pass)
    for (std::size_t i = 0; i < data.x.size(); ++i) {
      const auto right = static_cast<std::size_t>(data.y[i]);
      std::size_t rival = right == 0 ? 1 : 0;
      for (std::size_t k = 0; k < 3; ++k)
        if (k != right && score(w[k], data.x[i]) >= score(w[rival], data.x[i])) rival = k;
      if (score(w[right], data.x[i]) <= score(w[rival], data.x[i])) {
        for (std::size_t j = 0; j < 3; ++j) {
          w[right][j] += j < 2 ? data.x[i][j] : 1.0;
          w[rival][j] -= j < 2 ? data.x[i][j] : 1.0;
        }
        hypotheses.push_back(w);
        votes.push_back(0);
      }
      ++votes.back();
    }
  const PerceptronOptions options{.variant = Variant::voted, .passes = 4, .order = RowOrder::given};
  for (const bool sparse : {false, true}) {
    const Trained voted = perceptron(data, options, 1, nullptr, kThree, sparse);
    ASSERT_EQ(number_of(voted, "updates"), static_cast<double>(hypotheses.size()));
    EXPECT_EQ(voted.model.rows(), 3 + 2 * hypotheses.size()) << "zeros, then two planes an update";
    Predictor predictor(voted.model);
    std::size_t wrong = 0;
    for (double a = -4; a <= 5; a += 0.5)
      for (double b = -4; b <= 5; b += 0.5) {
        const std::vector<double> x = {a, b};
        std::vector<double> tally(3);
        for (std::size_t h = 0; h < votes.size(); ++h) tally[best(hypotheses[h], x)] += votes[h];
        std::size_t expected = 0;
        for (std::size_t k = 1; k < 3; ++k)
          if (tally[k] >= tally[expected]) expected = k;
        const std::size_t found = predictor.predict({{}, x}).label;
        const In counted = predictor.label_scores();
        EXPECT_EQ(std::vector<double>(counted.begin(), counted.end()), tally);
        wrong += found != expected;
      }
    EXPECT_EQ(wrong, 0u);
  }
}

TEST(Perceptron, AVoteOfManyClassesGoesOnWhereItStopped) {
  const Data data = three_classes();
  for (const StartWeights start : {StartWeights::zero, StartWeights::random}) {
    const auto after = [&](std::uint64_t passes, const SavedModel* before) {
      return perceptron(data, {.variant = Variant::voted, .passes = passes, .order = RowOrder::given, .start = start},
                        1, before, kThree);
    };
    const Trained five = after(5, nullptr), three = after(3, nullptr);
    const SavedModel saved{three.model, three.record};
    const Trained again = after(2, &saved);
    EXPECT_EQ(again.model.parts().votes, five.model.parts().votes);
    EXPECT_EQ(again.model.parts().bias, five.model.parts().bias);
    EXPECT_EQ(again.model.parts().weights.chains(), five.model.parts().weights.chains());
    EXPECT_EQ(again.model.parts().weights.sparse_values().values, five.model.parts().weights.sparse_values().values);
  }
}

TEST(Perceptron, ManyClassesAreSeparatedToo) {
  Data data;
  const RandomKey key{5, 0};
  for (std::size_t i = 0; i < 90; ++i) {
    const std::size_t c = i % 3;
    data.x.push_back({3.0 * static_cast<double>(c == 0) + key.uniform(2 * i),
                      3.0 * static_cast<double>(c == 1) + key.uniform(2 * i + 1)});
    data.y.push_back(static_cast<double>(c));
  }
  for (const Update update : {Update::perceptron, Update::pa1, Update::pa2, Update::arow}) {
    const Trained fit =
        perceptron(data, {.variant = Variant::plain, .update = update, .passes = 200}, 1, nullptr, kThree);
    EXPECT_EQ(fit.model.rows(), 3u);
    EXPECT_EQ(errors(fit.model, data), 0u);
  }
}

TEST(Perceptron, ShardsGiveTheSameBitsForAnyNumberOfThreads) {
  const Data data = separable(500, 4, 6, 0.0);
  const Trained one = perceptron(data, {.passes = 5, .shards = 8}, 1);
  for (const unsigned threads : {2u, 7u}) {
    const Trained many = perceptron(data, {.passes = 5, .shards = 8}, threads);
    EXPECT_EQ(weights(one), weights(many));
    EXPECT_EQ(one.model.parts().bias, many.model.parts().bias);
  }
  EXPECT_NE(weights(one), weights(perceptron(data, {.passes = 5, .shards = 4})));
  EXPECT_LT(errors(one.model, data), 50u);
}

TEST(Perceptron, ShardsOfAFileThatIsSortedByItsLabelsHaveRowsOfAll) {
  Data data = separable(300, 2, 6);
  Data sorted;
  for (const double label : {0.0, 1.0})
    for (std::size_t i = 0; i < data.x.size(); ++i)
      if (data.y[i] == label) {
        sorted.x.push_back(data.x[i]);
        sorted.y.push_back(label);
      }
  const Trained fit = perceptron(sorted, {.variant = Variant::plain, .passes = 10, .shards = 3});
  EXPECT_LE(errors(fit.model, sorted), 6u);
}

TEST(Perceptron, OneShardIsNoShard) {
  const Data data = separable(100, 3, 7, 0.0);
  EXPECT_EQ(weights(perceptron(data, {.passes = 3})), weights(perceptron(data, {.passes = 3, .shards = 1})));
}

TEST(Perceptron, ContinuingIsTheSameAsHavingGoneOn) {
  const Data data = separable(150, 3, 8, 0.0);
  for (const Variant variant : {Variant::plain, Variant::averaged, Variant::voted}) {
    const Trained whole = perceptron(data, {.variant = variant, .rate = 0.1, .passes = 5});
    const Trained first = perceptron(data, {.variant = variant, .rate = 0.1, .passes = 3});
    const SavedModel saved = parse_model(model_bytes(first.model, first.record), "first.plumb");
    SavedModel named = saved;
    named.record.model = "perceptron";
    const Trained second = perceptron(data, {.variant = variant, .rate = 0.1, .passes = 2}, 1, &named);
    EXPECT_EQ(second.record.iterations, whole.record.iterations);
    EXPECT_EQ(Ledger::of(second.record).mistakes, Ledger::of(whole.record).mistakes);
    EXPECT_EQ(Ledger::of(second.record).norm, Ledger::of(whole.record).norm);
    ASSERT_EQ(second.model.rows(), whole.model.rows());
    const double off = variant == Variant::averaged ? 1e-12 : 0.0;  // others are the same to the last bit
    std::vector<double> a(3), b(3);
    for (std::uint64_t r = 0; r < whole.model.rows(); ++r) {
      whole.model.parts().weights.row_after(r, a);
      second.model.parts().weights.row_after(r, b);
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(a[j], b[j], off);
      EXPECT_NEAR(whole.model.parts().bias[r], second.model.parts().bias[r], off);
    }
    EXPECT_EQ(whole.model.parts().votes, second.model.parts().votes);
  }
}

TEST(Perceptron, TracesEveryPass) {
  const Trained fit = perceptron(separable(100, 2, 3), {.variant = Variant::plain, .rate = 0.5, .passes = 4});
  const Ledger ledger = Ledger::of(fit.record);
  ASSERT_EQ(fit.trace.size(), ledger.mistakes.size());
  for (std::size_t k = 0; k < fit.trace.size(); ++k) {
    const SolverStep& step = fit.trace[k];
    EXPECT_EQ(step.iteration, k + 1);
    EXPECT_EQ(step.loss, static_cast<double>(ledger.mistakes[k]));
    EXPECT_EQ(step.step, 0.5);
    EXPECT_EQ(step.norm, ledger.norm[k]);
    EXPECT_TRUE(std::isnan(step.gradient_norm));
  }
  EXPECT_EQ(fit.trace.back().weights.size(), 3u);
  EXPECT_EQ(fit.trace.back().weights[2], fit.model.parts().bias[0]);
}

TEST(Perceptron, AskedToStopKeepsWhatItHas) {
  const Data data = separable(150, 3, 8, 0.0);
  const Examples examples = examples_of(data, 7, false);
  for (const std::uint64_t shards : {1, 3}) {
    const PerceptronOptions options{.variant = Variant::averaged, .passes = 1000000, .shards = shards};
    int asked = 0;
    Executor executor(1);
    const plumb::Run run{executor, RandomKey{42, 0}, [&](const Progress&) { return ++asked < 20; }};
    const Trained fit = PerceptronTrainer(options).train({examples, numbers(examples.features()), kTwo, nullptr}, run);
    EXPECT_TRUE(fit.stopped);
    EXPECT_FALSE(fit.record.converged);
    ASSERT_EQ(fit.warnings.size(), 1u);
    ASSERT_GT(fit.record.iterations, 0u);
    PerceptronOptions same = options;
    same.passes = fit.record.iterations;
    const Trained whole = perceptron(data, same);
    EXPECT_EQ(fit.model.parts().bias, whole.model.parts().bias);
    EXPECT_EQ(Ledger::of(fit.record).mistakes, Ledger::of(whole.record).mistakes);
  }
  Executor executor(1);
  const plumb::Run never{executor, RandomKey{42, 0}, [](const Progress&) { return false; }};
  EXPECT_THROW(PerceptronTrainer().train({examples, numbers(examples.features()), kTwo, nullptr}, never), Error);
}

TEST(Perceptron, ARandomStartIsBetweenZeroAndOneAndComesFromTheSeed) {
  const Data data = {{{0.0}, {0.0}}, {1, 1}, {}};  // right from the start: the bias is positive
  const Trained fit = perceptron(data, {.variant = Variant::plain, .start = StartWeights::random});
  EXPECT_GT(weights(fit)[0], 0.0);
  EXPECT_LT(weights(fit)[0], 1.0);
  EXPECT_TRUE(fit.record.converged);
}

// One row x = 2 of the second class from w = 0, b = 0: the slope of a loss is -1, -1/2 or s - y = -1 there.
TEST(Perceptron, WithALossTakesAStepDownItsSlope) {
  const Data data = {{{2.0}}, {1}, {}};
  for (const auto& [loss, slope] :
       {std::pair(OnlineLoss::hinge, 1.0), std::pair(OnlineLoss::logistic, 0.5), std::pair(OnlineLoss::squared, 1.0)}) {
    const Trained fit = perceptron(data, {.variant = Variant::plain, .loss = loss, .rate = 0.25, .passes = 1});
    EXPECT_EQ(weights(fit)[0], 0.25 * slope * 2.0);
    EXPECT_EQ(fit.model.parts().bias[0], 0.25 * slope);
    EXPECT_EQ(fit.record.solver, "sgd");
  }
  EXPECT_THROW(PerceptronTrainer({.update = Update::pa1, .loss = OnlineLoss::hinge}), Error);
}

// Norms grow, so a fixed margin means less and less; every row of a clean pass has it.
TEST(Perceptron, AMarginIsReachedByEveryRowOfACleanPass) {
  const Data data = separable(100, 2, 9, 0.2);
  for (const bool relative : {false, true}) {
    const Trained fit = perceptron(
        data, {.variant = Variant::plain, .margin = relative ? 0.02 : 2.0, .relative = relative, .passes = 5000});
    ASSERT_TRUE(fit.record.converged);
    const std::vector<double> w = weights(fit);
    const double norm = std::hypot(w[0], w[1]);
    EXPECT_NEAR(Ledger::of(fit.record).norm.back(), norm, 1e-12 * norm);
    for (std::size_t i = 0; i < data.x.size(); ++i) {
      const double y = 2 * data.y[i] - 1;
      EXPECT_GT(y * (w[0] * data.x[i][0] + w[1] * data.x[i][1] + fit.model.parts().bias[0]),
                relative ? 0.02 * norm * (1 - 1e-12) : 2.0);
    }
  }
}

// Novikoff: on rows that some hyperplane separates, however they are drawn, ordered and separated.
TEST(Perceptron, NeverErrsMoreThanTheBoundOnTenThousandSeparableSets) {
  const RandomKey key{2026, 0};
  for (std::uint64_t set = 0; set < sweep_size<std::uint64_t>(10'000); ++set) {
    const Data data = separable(2 + key.below(set, 15), 1 + set % 3, set + 1000, 0.02);
    if (std::all_of(data.y.begin(), data.y.end(), [&](double y) { return y == data.y[0]; })) continue;
    const double beta = set % 2 == 0 ? 0.0 : 0.5;
    const Trained fit = perceptron(data, {.variant = Variant::plain, .margin = beta, .passes = 100'000});
    ASSERT_TRUE(fit.record.converged) << set;
    ASSERT_LE(number_of(fit, "updates"), number_of(fit, "mistake_bound")) << set;
    ASSERT_LE(number_of(fit, "margin_low"), number_of(fit, "margin_high")) << set;
  }
}

TEST(Perceptron, NeverErrsMoreThanTheSlackBoundWhereNoPlaneSeparates) {
  for (std::uint64_t seed = 1; seed <= sweep_size<std::uint64_t>(200); ++seed) {
    Data data = separable(60, 2, seed, 0.3);
    for (std::size_t i = 0; i < 60; i += 20) data.y[i] = 1 - data.y[i];
    const Trained fit = perceptron(data, {.margin = seed % 2 == 0 ? 0.0 : 1.0, .passes = 20});
    if (fit.record.converged) continue;
    EXPECT_LE(number_of(fit, "updates"), number_of(fit, "mistake_bound"));
    EXPECT_GT(number_of(fit, "slack"), 0.0);
  }
}

TEST(Perceptron, HasASlackBoundAlsoWhereTheLastWeightsAreZero) {
  const Data data{{{-3, -3}, {-3, 0}, {3, -2}, {-3, 3}, {2, 3}}, {1, 0, 0, 0, 0}, {}};
  for (std::uint64_t passes = 1; passes < 30; ++passes) {
    const Trained fit =
        perceptron(data, {.variant = Variant::plain, .passes = passes, .order = RowOrder::given, .bias = false});
    const double* const bound = find_number(fit.record, "mistake_bound");
    ASSERT_NE(bound, nullptr) << passes;
    EXPECT_GE(*bound, static_cast<double>(Ledger::of(fit.record).all_updates()));
  }
  const Data opposite{{{1, 1}, {1, 1}}, {0, 1}, {}};  // one step there, one back
  const Trained fit =
      perceptron(opposite, {.variant = Variant::plain, .passes = 3, .order = RowOrder::given, .bias = false});
  const double* const bound = find_number(fit.record, "mistake_bound");
  ASSERT_NE(bound, nullptr);
  EXPECT_GE(*bound, static_cast<double>(Ledger::of(fit.record).all_updates()));
}

TEST(Perceptron, SaysTheBoundOfAnyNumberOfPassesBesideATighterOne) {
  const Data data{
      {{1, -1}, {3, 2}, {-2, -1}, {-1, 3}, {-2, -2}, {-1, 2}, {-2, 3}, {-1, 1}}, {1, 1, 0, 1, 0, 1, 0, 0}, {}};
  const Trained fit = perceptron(data, {.passes = 2, .order = RowOrder::given});
  const double* const tight = find_number(fit.record, "mistake_bound");
  const double* const any = find_number(fit.record, "margin_bound");
  ASSERT_TRUE(tight != nullptr && any != nullptr);
  EXPECT_LT(*tight, *any);
  EXPECT_NEAR(*any, std::pow(*find_number(fit.record, "radius") / *find_number(fit.record, "margin_low"), 2),
              1e-6 * *any);
}

TEST(Perceptron, LeavesOutABoundThatIsNoNumber) {
  const Trained fit = perceptron(separable(20, 2, 4), {.margin = 1e308, .passes = 3});
  EXPECT_EQ(find_number(fit.record, "mistake_bound"), nullptr);
  for (const auto& [name, value] : fit.record.fit) EXPECT_TRUE(std::isfinite(value)) << name;
}

TEST(Perceptron, KnowsTheNormAndTheBoundOfTinyWeights) {
  const Data data = separable(40, 2, 4);
  const Trained one = perceptron(data, {.passes = 20});
  const Trained tiny = perceptron(data, {.rate = 0x1p-990, .passes = 20});
  EXPECT_EQ(std::ldexp(Ledger::of(tiny.record).norm.back(), 990), Ledger::of(one.record).norm.back());
  ASSERT_NE(find_number(tiny.record, "mistake_bound"), nullptr);
  EXPECT_EQ(*find_number(tiny.record, "mistake_bound"), *find_number(one.record, "mistake_bound"));
}

TEST(Perceptron, RefusesWhatContradictsItself) {
  EXPECT_THROW(PerceptronTrainer({.update = Update::pa1, .margin = 1.0}), Error);
  EXPECT_THROW(PerceptronTrainer({.aggressiveness = 3.0}), Error);
  EXPECT_THROW(PerceptronTrainer({.variant = Variant::voted, .shards = 2}), Error);
  EXPECT_THROW(PerceptronTrainer({.variant = Variant::voted, .update = Update::arow}), Error);
}

}  // namespace
}  // namespace plumb::perceptron_test
