// rows: P1 P2 P3 P5 P7 L6
#include "plumb/solver/online.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/base/random.h"

namespace plumb::online_test {
namespace {

struct Sample {
  std::vector<double> x;
  double y;
};

Row row(const std::vector<double>& x) { return {{}, x}; }

// Small whole numbers, so that sums are exact and "the same" means the same bits.
std::vector<Sample> whole_numbers(std::size_t n, std::size_t p, std::uint64_t seed) {
  const RandomKey key{seed, 0};
  std::vector<Sample> samples;
  std::uint64_t draw = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Sample sample;
    for (std::size_t j = 0; j < p; ++j) sample.x.push_back(static_cast<double>(key.below(draw++, 7)) - 3.0);
    sample.y = key.below(draw++, 2) == 0 ? -1.0 : 1.0;
    samples.push_back(sample);
  }
  return samples;
}

Examples examples_of(const std::vector<Sample>& samples, bool sparse) {
  Piece piece;
  piece.features = static_cast<std::uint32_t>(samples[0].x.size());
  if (sparse) piece.offsets.push_back(0);
  for (const Sample& sample : samples) {
    for (std::uint32_t j = 0; j < piece.features; ++j) {
      if (sparse && sample.x[j] == 0.0) continue;
      if (sparse) piece.index.push_back(j);
      piece.values.push(sample.x[j]);
    }
    if (sparse) piece.offsets.push_back(piece.values.size());
    piece.targets.push_back(sample.y > 0 ? 1.0 : 0.0);
    ++piece.rows;
  }
  const std::uint32_t features = piece.features;
  std::vector<Piece> pieces;
  pieces.push_back(std::move(piece));
  return Examples(std::move(pieces), features);
}

// The slides' rule, by hand: (2, 1) is a mistake at score 0, so is the next; the third is right and changes nothing.
TEST(Online, ThePerceptronIsTracedStepByStep) {
  OnlineLearner learner({}, 2, 1);
  const std::vector<Sample> samples = {{{2, 1}, 1}, {{1, 3}, -1}, {{-1, 2}, -1}, {{1, 0}, 1}};
  const std::vector<std::vector<double>> weights = {{2, 1}, {1, -2}, {1, -2}, {1, -2}};
  const std::vector<double> bias = {1, 0, 0, 0};
  const std::vector<bool> mistakes = {true, true, false, false};
  for (std::size_t t = 0; t < samples.size(); ++t) {
    EXPECT_EQ(learner.learn(row(samples[t].x), samples[t].y).mistake, mistakes[t]) << t;
    EXPECT_EQ(learner.weights().weights, weights[t]) << t;
    EXPECT_EQ(learner.weights().bias[0], bias[t]) << t;
  }
}

TEST(Online, AZeroScoreIsAMistakeForBothClasses) {
  for (const double y : {-1.0, 1.0}) {
    OnlineLearner learner({}, 1, 1);
    const OnlineLearner::Outcome outcome = learner.learn(row({0.0}), y);
    EXPECT_TRUE(outcome.mistake && outcome.update);
    EXPECT_EQ(learner.weights().bias[0], y);
  }
}

// The bias moves by rate y, not by rate y times a value.
TEST(Online, TheRateMultipliesTheStepOfWeightsAndBiasAlike) {
  OnlineLearner learner({.rate = 0.25}, 1, 1);
  learner.learn(row({8.0}), -1.0);
  EXPECT_EQ(learner.weights().weights[0], -2.0);
  EXPECT_EQ(learner.weights().bias[0], -0.25);
}

TEST(Online, ThePerceptronIsGradientDescentOnThePerceptronLossStepByStep) {
  OnlineLearner perceptron({.average = true}, 4, 1);
  OnlineLearner descent({.update = Update::loss, .loss = Loss::perceptron, .average = true}, 4, 1);
  for (const Sample& sample : whole_numbers(300, 4, 1)) {
    const auto a = perceptron.learn(row(sample.x), sample.y), b = descent.learn(row(sample.x), sample.y);
    ASSERT_EQ(a.mistake, b.mistake);
    ASSERT_EQ(a.update, b.update);
    ASSERT_EQ(perceptron.weights().weights, descent.weights().weights);
    ASSERT_EQ(perceptron.average().weights, descent.average().weights);
    ASSERT_EQ(perceptron.average().bias, descent.average().bias);
  }
}

// Every rule: the lazy average against the mean of the vectors written out, the first one included.
TEST(Online, TheLazyAverageIsTheMeanOfAllWeightVectors) {
  for (const Update update : {Update::perceptron, Update::pa1, Update::pa2, Update::arow, Update::loss})
    for (const double l2 : {0.0, 0.05}) {
      if (l2 > 0 && update != Update::loss) continue;
      OnlineLearner learner({.update = update, .rate = 0.5, .l2 = l2, .average = true}, 3, 1);
      learner.start({1, {0.5, 0, -1}, {0.25}});
      std::vector<double> sum = {0.5, 0, -1, 0.25};
      double count = 1;
      for (const Sample& sample : whole_numbers(200, 3, 2)) {
        learner.learn(row(sample.x), sample.y);
        const Planes now = learner.weights();
        for (std::size_t j = 0; j < 3; ++j) sum[j] += now.weights[j];
        sum[3] += now.bias[0];
        ++count;
      }
      const Planes average = learner.average();
      const double tolerance = update == Update::perceptron ? 0.0 : 1e-12;
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(average.weights[j], sum[j] / count, tolerance);
      EXPECT_NEAR(average.bias[0], sum[3] / count, tolerance);
      EXPECT_EQ(learner.counted(), count);
    }
}

TEST(Online, AScaleThatShrinksAwayIsMultipliedOut) {
  OnlineRule rule{.update = Update::loss, .loss = Loss::squared, .rate = 0.5, .l2 = 1.0, .average = true};
  rule.labels = false;
  OnlineLearner learner(rule, 1, 1);
  double w = 0, b = 0, sum = 0;
  for (int t = 0; t < 1000; ++t) {  // 2^-1000 without folding
    const double x = t % 3 - 1, y = t % 5;
    const double step = 0.5 * (y - (w * x + b));
    w = 0.5 * w + step * x;
    b += step;
    sum += w;
    learner.learn(row({x}), y);
    ASSERT_NEAR(learner.weights().weights[0], w, 1e-12);
  }
  EXPECT_NEAR(learner.average().weights[0], sum / 1001, 1e-12);
}

TEST(Online, AMarginMovesTheWeightsAtTheMarginAndNotAbove) {
  for (const double below : {0.0, 1e-9}) {
    OnlineLearner learner({.margin = 2.0, .bias = false}, 1, 1);
    learner.start({1, {1.0}, {0.0}});
    const auto outcome = learner.learn(row({2.0 + 1e-9 - below}), 1.0);
    EXPECT_FALSE(outcome.mistake);
    EXPECT_EQ(outcome.update, below > 0);
  }
}

// |w| = 5: the score 10 of a row is a margin of 2 in units of |w|.
TEST(Online, ARelativeMarginIsInUnitsOfTheNormOfTheWeights) {
  for (const double margin : {1.999, 2.0}) {
    OnlineLearner learner({.margin = margin, .relative = true}, 2, 1);
    learner.start({1, {3, 4}, {0}});
    EXPECT_EQ(learner.learn(row({2, 1}), 1.0).update, margin == 2.0);
    EXPECT_NEAR(learner.norm(), margin == 2.0 ? std::sqrt(50.0) : 5.0, 1e-15);
  }
}

// After an uncapped update the margin is 1 exactly; pa1 is capped at C, pa2 falls short by the factor it states.
TEST(Online, PassiveAggressiveStepsReachTheMarginOrTheirLimit) {
  const auto margin_after = [](Update update, double aggressiveness) {
    OnlineLearner learner({.update = update, .aggressiveness = aggressiveness}, 2, 1);
    learner.learn(row({1, 2}), -1.0);
    const Planes w = learner.weights();
    return -(w.weights[0] + 2 * w.weights[1] + w.bias[0]);
  };
  EXPECT_NEAR(margin_after(Update::pa1, 10.0), 1.0, 1e-15);   // 1/6 is below C
  EXPECT_NEAR(margin_after(Update::pa1, 0.01), 0.06, 1e-15);  // C |x|^2 with the bias counted
  EXPECT_NEAR(margin_after(Update::pa2, 0.5), 6.0 / 7.0, 1e-15);
  EXPECT_NEAR(margin_after(Update::arow, 1.0), 6.0 / 7.0, 1e-15);  // all variances are 1 at first
}

TEST(Online, PassiveAggressiveLeavesRowsOfMarginOneAlone) {
  OnlineLearner learner({.update = Update::pa1}, 1, 1);
  learner.start({1, {1.0}, {0.0}});
  EXPECT_FALSE(learner.learn(row({1.0}), 1.0).update);
  EXPECT_TRUE(learner.learn(row({0.5}), 1.0).update);
}

// V_j -= (V_j x_j)^2 / (x'Vx + r), from V = 1: x = (1, 2) with the bias 1 and r = 1 makes the denominator 7.
TEST(Online, ArowShrinksTheVarianceOfWhatItHasSeen) {
  OnlineLearner learner({.update = Update::arow}, 3, 1);
  learner.learn(row({1, 2, 0}), 1.0);
  const std::vector<double> variances(learner.variances().begin(), learner.variances().end());
  const std::vector<double> expected = {1 - 1.0 / 7, 1 - 4.0 / 7, 1, 1 - 1.0 / 7};
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(variances[j], expected[j], 1e-15);
}

// y - p times x: at w = 0 the probability is a half.
TEST(Online, LogisticDescentMovesByTheResidual) {
  OnlineLearner learner({.update = Update::loss, .loss = Loss::logistic, .rate = 0.5}, 2, 1);
  learner.learn(row({2, -4}), 1.0);
  EXPECT_EQ(learner.weights().weights, (std::vector<double>{0.5, -1.0}));
  EXPECT_EQ(learner.weights().bias[0], 0.25);
}

TEST(Online, ManyClassesMoveTheRightPlaneAndItsRival) {
  OnlineLearner learner({}, 1, 3);
  EXPECT_TRUE(learner.learn(row({2.0}), 0.0).mistake);  // all scores are 0: the last of the others is the rival
  EXPECT_EQ(learner.weights().weights, (std::vector<double>{2, 0, -2}));
  EXPECT_EQ(learner.weights().bias, (std::vector<double>{1, 0, -1}));
  EXPECT_FALSE(learner.learn(row({1.0}), 0.0).update);
  EXPECT_TRUE(learner.learn(row({1.0}), 1.0).mistake);
  EXPECT_EQ(learner.weights().weights, (std::vector<double>{1, 1, -2}));
}

// With two hyperplanes the difference moves twice as far as the single one, in the same direction, so all signs agree.
// Scores of many planes read only weights that moved: the bits are those of reading all.
TEST(Online, ManyPlanesLearnAsTheRuleSays) {
  constexpr std::uint32_t kPlanes = 50, kFeatures = 12;
  OnlineLearner learner({.average = true}, kFeatures, kPlanes);
  std::vector<double> w(kPlanes * kFeatures), bias(kPlanes);
  const RandomKey key{4, 2};
  std::uint64_t draw = 0;
  for (int t = 0; t < 3000; ++t) {
    std::vector<std::uint32_t> index;
    std::vector<double> value;
    for (std::uint32_t j = 0; j < kFeatures; ++j)
      if (key.below(draw++, 3) == 0) {
        index.push_back(j);
        value.push_back(static_cast<double>(key.below(draw++, 9)) - 4.0);
      }
    const auto label = static_cast<std::size_t>(key.below(draw++, kPlanes));
    std::vector<double> scores = bias;
    for (std::size_t i = 0; i < index.size(); ++i)
      for (std::size_t k = 0; k < kPlanes; ++k) scores[k] += value[i] * w[k * kFeatures + index[i]];
    std::size_t rival = label == 0 ? 1 : 0;
    for (std::size_t k = 0; k < kPlanes; ++k)
      if (k != label && scores[k] >= scores[rival]) rival = k;
    const bool wrong = scores[label] <= scores[rival];
    EXPECT_EQ(learner.learn({index, value}, static_cast<double>(label)).update, wrong);
    if (!wrong) continue;
    for (std::size_t i = 0; i < index.size(); ++i) {
      w[label * kFeatures + index[i]] += value[i];
      w[rival * kFeatures + index[i]] -= value[i];
    }
    bias[label] += 1.0;
    bias[rival] -= 1.0;
  }
  const Planes found = learner.weights();
  EXPECT_EQ(found.bias, bias);
  for (std::size_t k = 0; k < kPlanes; ++k)
    for (std::size_t j = 0; j < kFeatures; ++j)
      EXPECT_EQ(found.weights[j * kPlanes + k], w[k * kFeatures + j]) << k << " " << j;
}

TEST(Online, TwoPlanesAgreeWithOne) {
  OnlineLearner one({}, 4, 1), two({}, 4, 2);
  for (const Sample& sample : whole_numbers(200, 4, 3)) {
    EXPECT_EQ(one.learn(row(sample.x), sample.y).mistake, two.learn(row(sample.x), (sample.y + 1) / 2).mistake);
    const Planes a = one.weights(), b = two.weights();
    for (std::size_t j = 0; j < 4; ++j) ASSERT_EQ(b.weights[2 * j + 1] - b.weights[2 * j], 2 * a.weights[j]);
  }
}

TEST(Online, SoftmaxStepsAddUpToZeroOverThePlanes) {
  OnlineLearner learner({.update = Update::loss, .loss = Loss::logistic}, 2, 3);
  learner.learn(row({1, 3}), 2.0);
  const Planes w = learner.weights();
  EXPECT_NEAR(w.weights[2], 2.0 / 3, 1e-15);
  EXPECT_NEAR(w.weights[3] + w.weights[4] + w.weights[5], 0.0, 1e-15);
}

TEST(Online, DenseAndSparseRowsGiveTheSameWeights) {
  const std::vector<Sample> samples = whole_numbers(500, 6, 4);
  const std::vector<std::uint64_t> order = RandomKey{7, 0}.shuffled(samples.size());
  std::vector<Planes> planes;
  for (const bool sparse : {false, true}) {
    const RowTable table(examples_of(samples, sparse));
    RowReader reader(table);
    OnlineLearner learner({.average = true}, 6, 1);
    const auto pass = learner.pass(reader, order);
    EXPECT_GT(pass.mistakes, 0u);
    EXPECT_EQ(pass.mistakes, pass.updates);
    planes.push_back(learner.average());
  }
  EXPECT_EQ(planes[0].weights, planes[1].weights);
  EXPECT_EQ(planes[0].bias, planes[1].bias);
}

// Prefetching rows changes no bit. The amounts owed to the average are added in another order.
TEST(Online, APassIsItsRowsOneByOne) {
  const std::vector<Sample> samples = whole_numbers(300, 20, 9);
  const Examples examples = examples_of(samples, true);
  const RowTable rows(examples);
  for (const bool average : {false, true})
    for (const Update update : {Update::perceptron, Update::loss, Update::pa1}) {
      const OnlineRule rule{.update = update, .rate = 0.3, .average = average};
      OnlineLearner whole(rule, 20, 1), single(rule, 20, 1), owing(rule, 20, 1);
      EXPECT_EQ(owing.can_owe(), average);
      std::vector<double> owed(average ? 300 : 0);
      RowReader reader(rows);
      for (std::uint64_t number = 0; number < 2; ++number) {
        const std::vector<std::uint64_t> order = order_of(RowOrder::shuffled, 0, 300, RandomKey{5, 0}, number);
        whole.pass(reader, order);
        owing.pass(reader, order, owed);
        for (const std::uint64_t i : order) single.learn(reader.row(i), samples[i].y);
      }
      EXPECT_EQ(owing.weights().weights, whole.weights().weights);
      EXPECT_EQ(whole.weights().weights, single.weights().weights) << static_cast<int>(update);
      EXPECT_EQ(whole.weights().bias, single.weights().bias);
      if (!average) continue;
      EXPECT_EQ(whole.average().weights, single.average().weights);
      EXPECT_NE(owing.average().weights, whole.average().weights);
      for (int times = 0; times < 2; ++times) {  // once is enough
        owing.settle(reader, owed);
        EXPECT_EQ(owing.average().bias, whole.average().bias);
        for (std::size_t j = 0; j < 20; ++j)
          EXPECT_NEAR(owing.average().weights[j], whole.average().weights[j], 1e-13 * whole.norm());
      }
    }
}

// Counts of 1 to 255 in rows of any length, including empty ones; some columns in no row.
Examples counted_rows(std::size_t n, std::uint32_t p, std::uint64_t seed, bool weighted, Values::Form form) {
  const RandomKey key{seed, 0};
  std::uint64_t draw = 0;
  Piece piece;
  piece.features = p;
  piece.offsets.push_back(0);
  piece.values.widen(form);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t often = 1 + key.below(draw++, 6);
    for (std::uint32_t j = 0; i % 17 != 3 && j < p; ++j) {
      if (j % 5 == 4 || key.below(draw++, often) != 0) continue;
      piece.index.push_back(j);
      const std::uint64_t most = key.below(draw++, 2) == 0 ? 3 : 255;
      piece.values.push(form == Values::Form::ones ? 1.0 : static_cast<double>(1 + key.below(draw++, most)));
    }
    piece.offsets.push_back(piece.values.size());
    piece.targets.push_back(static_cast<double>(key.below(draw++, 2)));
    if (weighted) piece.weights.push_back(static_cast<double>(key.below(draw++, 4)));
    ++piece.rows;
  }
  std::vector<Piece> pieces;
  pieces.push_back(std::move(piece));
  return Examples(std::move(pieces), p);
}

TEST(Online, APassOverACopyOfTheRowsIsTheSameBits) {
  Executor executor(2);
  for (const bool weighted : {false, true})
    for (const Values::Form form : {Values::Form::ones, Values::Form::bytes, Values::Form::floats})
      for (const std::uint32_t p : {1u, 7u, 60u}) {
        const Examples examples = counted_rows(5000, p, 3 + p, weighted, form);
        const RowTable rows(examples);
        const std::optional<CountRows> copy = CountRows::of(rows, plumb::Run{executor});
        ASSERT_TRUE(copy);
        for (const OnlineRule rule :
             {OnlineRule{}, OnlineRule{.rate = 0.3, .average = true},
              OnlineRule{.update = Update::pa1, .average = true}, OnlineRule{.update = Update::pa2, .bias = false},
              OnlineRule{.update = Update::loss, .rate = 0.01, .average = true},
              OnlineRule{.update = Update::loss, .rate = 0.01, .l2 = 0.1, .average = true},
              OnlineRule{.update = Update::loss, .loss = Loss::hinge, .rate = 0.1, .decay = 0.01}}) {
          OnlineLearner plain(rule, p, 1), copied(rule, p, 1);
          ASSERT_TRUE(copied.takes_counts());
          std::vector<double> owed(rule.average ? rows.size() : 0), owed_too = owed;
          RowReader reader(rows);
          for (std::uint64_t pass = 0; pass < 2; ++pass) {
            const auto order = order_of(RowOrder::shuffled, pass, rows.size(), RandomKey{1, 0}, pass);
            const OnlineLearner::Pass one = plain.pass(reader, order, owed),
                                      other = copied.pass(*copy, order, owed_too);
            ASSERT_EQ(one.mistakes, other.mistakes);
            ASSERT_EQ(one.updates, other.updates);
            ASSERT_GT(one.updates, 0u);
            ASSERT_EQ(plain.weights().weights, copied.weights().weights);
            ASSERT_EQ(plain.weights().bias, copied.weights().bias);
          }
          if (!rule.average) continue;
          plain.settle(reader, owed);
          copied.settle(reader, owed_too);
          ASSERT_EQ(plain.average().weights, copied.average().weights);
          ASSERT_EQ(plain.average().bias, copied.average().bias);
        }
      }
}

// A caller that stops between parts keeps what was learnt until then.
TEST(Online, APassOverACopyCanBeLeft) {
  Executor executor(1);
  const Examples examples = counted_rows(3 * OnlineLearner::kPart, 20, 9, false, Values::Form::floats);
  const RowTable rows(examples);
  const std::optional<CountRows> copy = CountRows::of(rows, plumb::Run{executor});
  ASSERT_TRUE(copy);
  const auto order = order_of(RowOrder::shuffled, 0, rows.size(), RandomKey{1, 0}, 0);
  for (const OnlineRule rule :
       {OnlineRule{.average = true}, OnlineRule{.update = Update::loss, .rate = 0.01, .average = true}}) {
    OnlineLearner plain(rule, 20, 1), copied(rule, 20, 1);
    std::vector<double> owed(rows.size()), owed_too(rows.size());
    RowReader reader(rows);
    const OnlineLearner::Pass expected = plain.pass(reader, std::span(order).first(OnlineLearner::kPart), owed);
    OnlineLearner::Pass seen;
    EXPECT_THROW(copied.pass(*copy, order, owed_too,
                             [&](std::size_t t, const OnlineLearner::Pass& done) {
                               seen = done;
                               if (t > 0) throw Error(ErrorCode::interrupted, "enough");
                             }),
                 Error);
    EXPECT_EQ(seen.updates, expected.updates);
    EXPECT_EQ(plain.weights().weights, copied.weights().weights);
    plain.settle(reader, owed);
    copied.settle(reader, owed_too);
    EXPECT_EQ(plain.average().weights, copied.average().weights);
  }
}

TEST(Online, OnlyRowsOfSmallCountsAreCopied) {
  Executor executor(1);
  const auto copies = [&](double value) {
    Piece piece;
    piece.features = 3;
    piece.offsets = {0};
    for (std::uint32_t i = 0; i < 100; ++i) {
      piece.index.push_back(i % 3);
      piece.values.push(i == 70 ? value : 2.0);
      piece.offsets.push_back(i + 1);
      piece.targets.push_back(0.0);
      ++piece.rows;
    }
    std::vector<Piece> pieces;
    pieces.push_back(std::move(piece));
    return CountRows::of(RowTable(Examples(std::move(pieces), 3)), plumb::Run{executor}).has_value();
  };
  for (const double value : {1.0, 2.0, 255.0}) EXPECT_TRUE(copies(value)) << value;
  for (const double value : {0.0, -0.0, 0.5, 1.5, -1.0, 256.0, 1e30, 0.1}) EXPECT_FALSE(copies(value)) << value;
}

TEST(Online, APassTellsOfEachUpdate) {
  const std::vector<Sample> samples = whole_numbers(100, 3, 5);
  const RowTable table(examples_of(samples, true));
  RowReader reader(table);
  OnlineLearner learner({}, 3, 1);
  std::vector<std::uint64_t> order(100);
  for (std::size_t i = 0; i < 100; ++i) order[i] = i;
  std::vector<double> w(3);
  learner.pass(reader, order, {}, [&](std::size_t i, In steps) {
    for (std::size_t j = 0; j < 3; ++j) w[j] += steps[0] * samples[i].x[j];
  });
  EXPECT_EQ(w, learner.weights().weights);
}

TEST(Online, ALearnerThatResumesGoesOnWhereTheOtherStopped) {
  const std::vector<Sample> samples = whole_numbers(200, 3, 6);
  OnlineLearner whole({.average = true}, 3, 1), first({.average = true}, 3, 1), second({.average = true}, 3, 1);
  for (std::size_t i = 0; i < 200; ++i) whole.learn(row(samples[i].x), samples[i].y);
  for (std::size_t i = 0; i < 90; ++i) first.learn(row(samples[i].x), samples[i].y);
  second.resume(first.weights(), first.average(), first.counted());
  for (std::size_t i = 90; i < 200; ++i) second.learn(row(samples[i].x), samples[i].y);
  EXPECT_EQ(second.weights().weights, whole.weights().weights);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(second.average().weights[j], whole.average().weights[j], 1e-13);
}

// The parts by hand: two shards of a pass, their mean, and the mean of every vector of either of them.
TEST(Online, MixingIsTheMeanOfThePartsAndCountsAllTheirVectors) {
  const std::vector<Sample> samples = whole_numbers(60, 3, 8);
  OnlineLearner common({.average = true}, 3, 1);
  common.start({1, {1, 2, 3}, {0}});
  std::vector<OnlineLearner> parts(2, common);
  std::vector<double> sum = {1, 2, 3}, mean(3);
  for (std::size_t part = 0; part < 2; ++part) {
    parts[part].forget_average();
    for (std::size_t i = 30 * part; i < 30 * part + 30; ++i) {
      parts[part].learn(row(samples[i].x), samples[i].y);
      for (std::size_t j = 0; j < 3; ++j) sum[j] += parts[part].weights().weights[j];
    }
    for (std::size_t j = 0; j < 3; ++j) mean[j] += parts[part].weights().weights[j] / 2;
  }
  common.mix(parts);
  EXPECT_EQ(common.weights().weights, mean);
  EXPECT_EQ(common.counted(), 61.0);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(common.average().weights[j], sum[j] / 61, 1e-13);
}

TEST(Online, WeightsThatOverflowAreAnErrorAndNotAResult) {
  const std::vector<Sample> samples = {{{1e200}, 1}, {{1e200}, -1}};
  const RowTable table(examples_of(samples, false));
  RowReader reader(table);
  OnlineLearner learner({}, 1, 1);
  const std::vector<std::uint64_t> order = {0};
  learner.pass(reader, order);
  EXPECT_THROW(learner.expect_finite(), Error);
}

}  // namespace
}  // namespace plumb::online_test
