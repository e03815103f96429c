// rows: E8
// Calibration: closed forms, recovery of known sigmoids and temperatures, weights as copies.
#include "plumb/evaluate/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plumb/base/random.h"
#include "plumb/math/special.h"

namespace plumb::calibration_test {

struct Draws {
  RandomKey key;
  std::uint64_t count = 0;
  double uniform() { return key.uniform(count++); }
};

struct Data {
  std::vector<double> scores, weights;
  std::vector<bool> positive;
  void add(double score, bool label, double weight = 1.0) {
    scores.push_back(score);
    positive.push_back(label);
    weights.push_back(weight);
  }
};

// Labels of two classes whose log-odds are slope * score + offset.
Data drawn(std::size_t rows, double slope, double offset) {
  Data data;
  Draws draws{RandomKey{7, 0}};
  for (std::size_t i = 0; i < rows; ++i) {
    const double score = 12.0 * draws.uniform() - 6.0;
    data.add(score, draws.uniform() < math::sigmoid(slope * score + offset));
  }
  return data;
}

PredictedClasses rows_of(const Data& data, bool probable) {
  PredictedClasses rows;
  rows.labels = {"no", "yes"};
  rows.known = 2;
  rows.probable = probable;
  rows.scores = data.scores;
  rows.weight = data.weights;
  for (std::size_t i = 0; i < data.scores.size(); ++i) {
    rows.actual.push_back(data.positive[i] ? 1 : 0);
    rows.predicted.push_back(data.scores[i] >= 0 ? 1 : 0);
    if (probable) rows.log_loss.push_back(math::log1p_exp(data.positive[i] ? -data.scores[i] : data.scores[i]));
  }
  return rows;
}

TEST(Calibration, RecoversAKnownSigmoid) {
  const Data data = drawn(200'000, 0.4, -0.7);
  const Calibration found = fit_sigmoid(data.scores, data.positive, data.weights);
  EXPECT_NEAR(found.slope, 0.4, 0.01);
  EXPECT_NEAR(found.offset, -0.7, 0.03);
}

TEST(Calibration, OneScoreForAllRowsGivesTheShareOfPositives) {
  Data data;
  for (int i = 0; i < 8; ++i) data.add(0.0, i < 3);
  const Calibration found = fit_sigmoid(data.scores, data.positive, data.weights);
  const double high = 4.0 / 5.0, low = 1.0 / 7.0, share = (3 * high + 5 * low) / 8;  // the targets of Platt
  EXPECT_NEAR(found.offset, std::log(share / (1 - share)), 1e-7);
}

TEST(Calibration, TwoScoresGiveTheTargetsOfEach) {
  Data data;  // separated: scores 1 are positive, scores -1 are not
  for (int i = 0; i < 5; ++i) data.add(1.0, true);
  for (int i = 0; i < 2; ++i) data.add(-1.0, false);
  const Calibration found = fit_sigmoid(data.scores, data.positive, data.weights);
  EXPECT_NEAR(math::sigmoid(found.log_odds(1.0)), 6.0 / 7.0, 1e-9);
  EXPECT_NEAR(math::sigmoid(found.log_odds(-1.0)), 1.0 / 4.0, 1e-9);
}

TEST(Calibration, AWeightCountsAsCopies) {
  Data weighted, copied;
  const Data data = drawn(300, 0.5, 0.3);
  for (std::size_t i = 0; i < data.scores.size(); ++i) {
    const std::size_t copies = 1 + i % 3;
    weighted.add(data.scores[i], data.positive[i], static_cast<double>(copies));
    for (std::size_t k = 0; k < copies; ++k) copied.add(data.scores[i], data.positive[i]);
  }
  const Calibration a = fit_sigmoid(weighted.scores, weighted.positive, weighted.weights);
  const Calibration b = fit_sigmoid(copied.scores, copied.positive, copied.weights);
  EXPECT_NEAR(a.slope, b.slope, 1e-9);
  EXPECT_NEAR(a.offset, b.offset, 1e-9);
}

TEST(Calibration, RecoversAKnownTemperature) {
  constexpr std::size_t kClasses = 4, kRows = 50'000;
  std::vector<double> scores(kClasses * kRows), weights(kRows, 1.0), p(kClasses);
  std::vector<std::uint32_t> actual;
  Draws draws{RandomKey{11, 0}};
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t k = 0; k < kClasses; ++k) {
      scores[i * kClasses + k] = 20.0 * draws.uniform();
      p[k] = 0.15 * scores[i * kClasses + k];
    }
    math::softmax(p, p);
    double at = draws.uniform();
    std::uint32_t k = 0;
    while (k + 1 < kClasses && (at -= p[k]) > 0) ++k;
    actual.push_back(k);
  }
  EXPECT_NEAR(fit_temperature(scores, kClasses, actual, weights), 0.15, 0.004);
}

TEST(Calibration, LowersTheLossOfOverconfidentScoresAndLeavesTrueOnes) {
  const std::optional<FoundCalibration> sure = find_calibration(rows_of(drawn(20'000, 0.2, 0.0), true));
  ASSERT_TRUE(sure && sure->before);
  EXPECT_TRUE(sure->helps());
  EXPECT_LT(sure->after, *sure->before);
  const std::optional<FoundCalibration> right = find_calibration(rows_of(drawn(20'000, 1.0, 0.0), true));
  ASSERT_TRUE(right);
  EXPECT_FALSE(right->helps());
  EXPECT_NEAR(right->calibration.slope, 1.0, 0.05);
}

TEST(Calibration, ScoresWithoutProbabilitiesGetThem) {
  const std::optional<FoundCalibration> found = find_calibration(rows_of(drawn(20'000, 0.8, 0.4), false));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->before);
  EXPECT_TRUE(found->helps());
  EXPECT_NEAR(found->calibration.slope, 0.8, 0.05);
}

TEST(Calibration, ScoresThatSayNothingHaveNone) {
  EXPECT_FALSE(find_calibration(rows_of(drawn(20'000, -0.5, 0.0), false)));
  EXPECT_FALSE(find_calibration(PredictedClasses()));
}

// Where only probabilities are chosen, scores that say nothing stand for the share of the class.
TEST(Calibration, AutomaticallyScoresThatSayNothingGetTheShareOfTheirClass) {
  const Data data = drawn(20'000, -0.5, 0.0);
  const std::optional<FoundCalibration> found = find_calibration(rows_of(data, false), Calibrate::automatic);
  ASSERT_TRUE(found);
  double positive = 0.0;
  for (const bool each : data.positive) positive += each ? 1.0 : 0.0;
  for (const double score : {-6.0, 0.0, 6.0})
    EXPECT_NEAR(math::sigmoid(found->calibration.log_odds(score)), positive / 20'000, 1e-4);
}

TEST(Calibration, ATemperatureKeepsTheLabelsOfTwoClasses) {
  const std::optional<FoundCalibration> found =
      find_calibration(rows_of(drawn(20'000, 0.4, 0.5), true), Calibrate::temperature);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->calibration.offset, 0.0);
  EXPECT_EQ(found->more_errors, 0.0);
  EXPECT_TRUE(found->calibration.keeps_signs());
  EXPECT_NEAR(found->calibration.slope, 0.4, 0.1);
}

// The threshold of a sigmoid with an offset is elsewhere: where that makes more errors, the labels stay.
TEST(Calibration, AutomaticallyTheLabelsStayWhereASigmoidMakesMoreErrors) {
  Data data;  // symmetric but for a few far rows, which pull the sigmoid to one side
  for (int i = 0; i < 500; ++i) {
    data.add(0.1 + 0.001 * i, i % 10 != 0);
    data.add(-0.1 - 0.001 * i, i % 10 == 0);
  }
  for (int i = 0; i < 40; ++i) data.add(-0.7, true);
  const auto sigmoid = find_calibration(rows_of(data, true), Calibrate::sigmoid);
  const auto found = find_calibration(rows_of(data, true), Calibrate::automatic);
  ASSERT_TRUE(sigmoid && found);
  EXPECT_EQ(found->by, sigmoid->more_errors > 0.0 ? Calibrate::temperature : Calibrate::sigmoid);
  EXPECT_LE(found->more_errors, 0.0);
}

TEST(Calibration, RowsThatAreRuledOutHaveNoPart) {
  const Data data = drawn(1000, 0.3, 0.1);
  Data more = data;
  more.add(-HUGE_VAL, true);
  more.add(HUGE_VAL, true);
  const std::optional<FoundCalibration> a = find_calibration(rows_of(data, true));
  const std::optional<FoundCalibration> b = find_calibration(rows_of(more, true));
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->calibration.slope, b->calibration.slope);
  EXPECT_EQ(a->calibration.offset, b->calibration.offset);
}

// The least squared error has a closed form: the largest of the smallest means of runs that hold the row.
std::vector<double> ascending_means(const std::vector<double>& positive) {
  std::vector<double> found;
  for (std::size_t i = 0; i < positive.size(); ++i) {
    double best = -1.0;
    for (std::size_t a = 0; a <= i; ++a) {
      double least = 2.0;
      for (std::size_t b = i; b < positive.size(); ++b) {
        double sum = 0.0;
        for (std::size_t k = a; k <= b; ++k) sum += positive[k];
        least = std::min(least, sum / static_cast<double>(b - a + 1));
      }
      best = std::max(best, least);
    }
    found.push_back(best);
  }
  return found;
}

double probability(const Calibration& calibration, double score) { return math::sigmoid(calibration.log_odds(score)); }

TEST(Isotonic, IsTheClosedFormMovedAwayFromZeroAndOne) {
  Draws draws{RandomKey{3, 0}};
  int compared = 0;
  for (int round = 0; round < 300; ++round) {
    Data data;
    std::vector<double> positive;
    const auto rows = static_cast<std::size_t>(3 + 12 * draws.uniform());
    for (std::size_t i = 0; i < rows; ++i) {
      data.add(static_cast<double>(i), draws.uniform() < static_cast<double>(i) / static_cast<double>(rows));
      positive.push_back(data.positive.back() ? 1.0 : 0.0);
    }
    const std::vector<double> means = ascending_means(positive);
    std::vector<double> expected(rows);
    bool ascend = true;  // one block after the other, when moved
    for (std::size_t begin = 0, end = 0; begin < rows; begin = end) {
      while (end < rows && std::abs(means[end] - means[begin]) < 1e-12) ++end;
      const auto n = static_cast<double>(end - begin);
      for (std::size_t i = begin; i < end; ++i) expected[i] = (means[i] * n + 0.5) / (n + 1.0);
      ascend = ascend && (begin == 0 || expected[begin] > expected[begin - 1] + 1e-9);
    }
    if (!ascend) continue;
    ++compared;
    const Calibration found = fit_isotonic(data.scores, data.positive, data.weights);
    EXPECT_EQ(found.fault(), nullptr);
    for (std::size_t i = 0; i < rows; ++i)
      EXPECT_NEAR(probability(found, data.scores[i]), expected[i], 1e-12) << round << " " << i;
  }
  EXPECT_GT(compared, 100);
}

TEST(Isotonic, AscendsAndIsNeverZeroOrOne) {
  Draws draws{RandomKey{4, 0}};
  for (int round = 0; round < 200; ++round) {
    Data data;
    for (int i = 0; i < 40; ++i)
      data.add(std::floor(20.0 * draws.uniform()), draws.uniform() < 0.5, std::floor(3.0 * draws.uniform()));
    data.add(21.0, true);
    const Calibration found = fit_isotonic(data.scores, data.positive, data.weights);
    ASSERT_EQ(found.fault(), nullptr);
    double last = 0.0;
    for (double score = -5.0; score < 30.0; score += 0.25) {
      const double p = probability(found, score);
      EXPECT_GE(p, last);
      EXPECT_GT(p, 0.0);
      EXPECT_LT(p, 1.0);
      last = p;
    }
  }
}

TEST(Isotonic, AWeightCountsAsCopies) {
  Data weighted, copied;
  const Data data = drawn(300, 0.5, 0.3);
  for (std::size_t i = 0; i < data.scores.size(); ++i) {
    weighted.add(data.scores[i], data.positive[i], static_cast<double>(i % 3));
    for (std::size_t k = 0; k < i % 3; ++k) copied.add(data.scores[i], data.positive[i]);
  }
  const Calibration a = fit_isotonic(weighted.scores, weighted.positive, weighted.weights);
  const Calibration b = fit_isotonic(copied.scores, copied.positive, copied.weights);
  EXPECT_EQ(a.scores, b.scores);
  EXPECT_EQ(a.probabilities, b.probabilities);
}

TEST(Calibration, BendsScoresThatSayLessThanInProportion) {
  Data data;  // the log-odds are the logarithm of the score
  Draws draws{RandomKey{5, 0}};
  for (int i = 0; i < 50'000; ++i) {
    const double score = 200.0 * draws.uniform() - 100.0;
    data.add(score, draws.uniform() < math::sigmoid(std::copysign(std::log1p(std::abs(score)), score)));
  }
  const std::optional<FoundCalibration> found = find_calibration(rows_of(data, false));
  ASSERT_TRUE(found);
  EXPECT_GT(found->calibration.bend, 0.0);
  for (const double score : {-80.0, -10.0, 3.0, 50.0})
    EXPECT_NEAR(found->calibration.log_odds(score), std::copysign(std::log1p(std::abs(score)), score), 0.3) << score;
  EXPECT_EQ(find_calibration(rows_of(drawn(20'000, 0.3, 0.0), false))->calibration.bend, 0.0) << "these are straight";
}

TEST(Calibration, OfOneScoreIsTheSameWhateverTheOrderOfRows) {
  const Data data = drawn(2000, 0.4, 0.2);
  Data reversed;
  for (std::size_t i = data.scores.size(); i-- > 0;) reversed.add(data.scores[i], data.positive[i]);
  EXPECT_EQ(fit_isotonic(data.scores, data.positive, data.weights).probabilities,
            fit_isotonic(reversed.scores, reversed.positive, reversed.weights).probabilities);
}

}  // namespace plumb::calibration_test
