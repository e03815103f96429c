// rows: E2 E8 C1
#include "plumb/evaluate/class_metrics.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/base/random.h"
#include "plumb/evaluate/threshold.h"

namespace plumb::class_metrics_test {
namespace {

const Metric* find(const std::vector<Metric>& metrics, std::string_view name) {
  for (const Metric& metric : metrics)
    if (metric.name == name) return &metric;
  return nullptr;
}
double value(const std::vector<Metric>& metrics, std::string_view name) {
  const Metric* const found = find(metrics, name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? NAN : found->value;
}

// Scores are the one feature of a row: w = 1, b = 0.
LinearModel model(Link link, std::vector<std::string> labels) {
  const std::size_t rows = labels.size() == 2 ? 1 : labels.size();
  FeatureMap::Parts map;
  std::vector<double> w;
  for (std::uint32_t j = 0; j < rows; ++j) {
    map.inputs.push_back({"x" + std::to_string(j), Kind::number, {}});
    map.terms.push_back(ProductTerm{{{j, 1}}});
    for (std::uint32_t r = 0; r < rows; ++r) w.push_back(j == r);
  }
  LinearModel::Parts parts;
  parts.map = FeatureMap(map);
  parts.weights = Weights::dense(rows, static_cast<std::uint32_t>(rows), std::move(w));
  parts.bias.assign(rows, 0.0);
  parts.link = link;
  parts.labels = std::move(labels);
  return LinearModel(parts);
}

PredictedClasses predicted(const LinearModel& model, const std::vector<std::vector<double>>& scores,
                           const std::vector<double>& targets, const std::vector<double>& weights = {}) {
  PredictedClasses rows(model);
  Predictor predictor(model);
  for (std::size_t i = 0; i < scores.size(); ++i)
    rows.add(predictor, {{}, scores[i]}, targets[i], weights.empty() ? 1.0 : weights[i]);
  for (const double target : targets)
    if (target >= static_cast<double>(rows.labels.size())) rows.labels.push_back("other");
  return rows;
}

std::vector<double> matrix_of(const ClassReport& report) {
  std::vector<double> matrix;
  for (std::size_t i = 0; i < report.labels.size(); ++i)
    for (std::size_t j = 0; j < report.labels.size(); ++j) matrix.push_back(report.confused(i, j));
  return matrix;
}

TEST(ClassMetrics, OfTwoClassesAreWhatTheirNamesSay) {
  Executor executor;
  // Odds of 3, 1/3, 1 and 9 for the second label: probabilities .75, .25, .5 and .9.
  const LinearModel two = model(Link::logistic, {"no", "yes"});
  const PredictedClasses rows =
      predicted(two, {{std::log(3.0)}, {-std::log(3.0)}, {0.0}, {std::log(9.0)}}, {1, 0, 0, 0});
  const ClassReport found = class_metrics(rows, plumb::Run{executor});
  EXPECT_DOUBLE_EQ(value(found.metrics, "accuracy"), 0.5);
  EXPECT_DOUBLE_EQ(value(found.metrics, "error"), 0.5);
  EXPECT_NEAR(value(found.metrics, "log_loss"), -(2 * std::log(.75) + std::log(.5) + std::log(.1)) / 4, 1e-15);
  EXPECT_NEAR(value(found.metrics, "brier"), (2 * .0625 + .25 + .81) / 4, 1e-15);
  EXPECT_NEAR(value(found.metrics, "auc"), 2.0 / 3, 1e-15) << "above two of three rows";
  EXPECT_NEAR(value(found.metrics, "precision"), 1.0 / 3, 1e-15);
  EXPECT_DOUBLE_EQ(value(found.metrics, "recall"), 1.0);
  EXPECT_DOUBLE_EQ(value(found.metrics, "f1"), 0.5);
  EXPECT_EQ(found.labels, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(matrix_of(found), (std::vector<double>{1, 2, 0, 1})) << "a row for each label that is there";
  ASSERT_EQ(found.bins.size(), 3u);
  EXPECT_EQ(found.bins[1].rows, 2) << "both rows of confidence .75";
  EXPECT_EQ(found.bins[1].right, 1.0);
  EXPECT_NEAR(found.calibration_error, (.5 + 2 * .25 + .9) / 4, 1e-15);
}

TEST(ClassMetrics, OfManyClassesAreMeansOverThem) {
  Executor executor;
  const LinearModel three = model(Link::softmax, {"a", "b", "c"});
  const PredictedClasses rows =
      predicted(three, {{2, 1, 0}, {0, 2, 1}, {3, 2, 1}, {0, 0, 5}, {0, 4, 0}}, {0, 1, 1, 2, 2});
  const ClassReport found = class_metrics(rows, plumb::Run{executor});
  EXPECT_DOUBLE_EQ(value(found.metrics, "accuracy"), 0.6);
  EXPECT_NEAR(value(found.metrics, "precision"), (0.5 + 0.5 + 1.0) / 3, 1e-15);
  EXPECT_NEAR(value(found.metrics, "recall"), (1.0 + 0.5 + 0.5) / 3, 1e-15);
  EXPECT_NEAR(value(found.metrics, "f1"), (2.0 / 3 + 0.5 + 2.0 / 3) / 3, 1e-15);
  EXPECT_EQ(matrix_of(found), (std::vector<double>{1, 0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(
      value(class_metrics(predicted(three, {{9, 5, 0}, {0, 1, 0}, {0, 5, 9}}, {0, 1, 2}), plumb::Run{executor}).metrics,
            "auc"),
      1.0)
      << "by probabilities: score 5 of b is not above score 1 of b";
  const auto log_sum = [](double a, double b, double c) { return std::log(std::exp(a) + std::exp(b) + std::exp(c)); };
  const double loss =
      log_sum(2, 1, 0) - 2 + log_sum(0, 2, 1) - 2 + log_sum(3, 2, 1) - 2 + log_sum(0, 0, 5) - 5 + log_sum(0, 4, 0) - 0;
  EXPECT_NEAR(value(found.metrics, "log_loss"), loss / 5, 1e-14);
}

TEST(ClassMetrics, OfEachPairOfClassesIsAsIfThereWereNoOthers) {
  Executor executor;
  const LinearModel three = model(Link::softmax, {"a", "b", "c"});
  const PredictedClasses rows =
      predicted(three, {{2, 1, 9}, {1, 2, 9}, {3, 2, 1}, {0, 0, 5}, {0, 4, 1}}, {0, 0, 1, 2, 2});
  const ClassReport found = class_metrics(rows, plumb::Run{executor}, 0);
  ASSERT_EQ(found.pairs.size(), 3u);
  EXPECT_NEAR(found.pairs[0].accuracy, 1.0 / 3, 1e-15) << "a against b: one of two a, no b";
  EXPECT_NEAR(found.pairs[1].accuracy, 2.0 / 4, 1e-15) << "a against c: no a, both c";
  EXPECT_NEAR(found.pairs[2].accuracy, 2.0 / 3, 1e-15) << "b against c: the b, one of two c";
}

TEST(ClassMetrics, AWeightOfKCountsAsKCopies) {
  Executor executor;
  const LinearModel two = model(Link::logistic, {"a", "b"});
  const RandomKey random{3, 1};
  std::vector<std::vector<double>> once, copies;
  std::vector<double> target, copied, weight;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const double score = 4 * random.uniform(3 * i) - 2, label = random.uniform(3 * i + 1) < 0.4;
    const std::uint64_t k = random.below(3 * i + 2, 4);
    once.push_back({score});
    target.push_back(label);
    weight.push_back(static_cast<double>(k));
    for (std::uint64_t c = 0; c < k; ++c) {
      copies.push_back({score});
      copied.push_back(label);
    }
  }
  const ClassReport a = class_metrics(predicted(two, once, target, weight), plumb::Run{executor}, 0);
  const ClassReport b = class_metrics(predicted(two, copies, copied), plumb::Run{executor}, 0);
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (std::size_t i = 0; i < a.metrics.size(); ++i) {
    EXPECT_NEAR(a.metrics[i].value, b.metrics[i].value, 1e-14) << a.metrics[i].name;
    ASSERT_EQ(a.metrics[i].low.has_value(), b.metrics[i].low.has_value());
    if (a.metrics[i].low) {
      EXPECT_NEAR(*a.metrics[i].low, *b.metrics[i].low, 1e-14) << a.metrics[i].name;
    }
  }
  EXPECT_EQ(matrix_of(a), matrix_of(b));
}

TEST(ClassMetrics, ALabelTheModelDoesNotKnowIsAnErrorOfItsOwnClass) {
  Executor executor;
  const LinearModel two = model(Link::logistic, {"a", "b"});
  const ClassReport found = class_metrics(predicted(two, {{2}, {-2}, {1}}, {1, 0, 2}), plumb::Run{executor});
  EXPECT_NEAR(value(found.metrics, "accuracy"), 2.0 / 3, 1e-15);
  EXPECT_NEAR(value(found.metrics, "log_loss"), std::log1p(std::exp(-2.0)), 1e-15) << "of the two that it knows";
  EXPECT_EQ(found.labels.back(), "other");
  EXPECT_EQ(found.unknown, 1);
  EXPECT_EQ(found.notes.size(), 1u);
}

TEST(ClassMetrics, LossesStayFiniteWhereProbabilitiesRoundToOneAndZero) {
  Executor executor;
  const LinearModel two = model(Link::logistic, {"a", "b"});
  const ClassReport found = class_metrics(predicted(two, {{1e5}, {-1e5}}, {0, 1}), plumb::Run{executor});
  EXPECT_DOUBLE_EQ(value(found.metrics, "log_loss"), 1e5);
}

TEST(ClassMetrics, ThreadsChangeNoBit) {
  const LinearModel two = model(Link::logistic, {"a", "b"});
  const RandomKey random{8, 1};
  std::vector<std::vector<double>> scores;
  std::vector<double> target;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    scores.push_back({6 * random.uniform(2 * i) - 3});
    target.push_back(random.uniform(2 * i + 1) < 1 / (1 + std::exp(-scores.back()[0])));
  }
  const PredictedClasses rows = predicted(two, scores, target);
  Executor one(1), seven(7);
  const ClassReport a = class_metrics(rows, plumb::Run{one, {42, 0}}),
                    b = class_metrics(rows, plumb::Run{seven, {42, 0}});
  ASSERT_EQ(a.metrics.size(), 8u);
  for (std::size_t i = 0; i < a.metrics.size(); ++i) {
    EXPECT_EQ(a.metrics[i].low, b.metrics[i].low);
    EXPECT_EQ(a.metrics[i].high, b.metrics[i].high);
    ASSERT_TRUE(a.metrics[i].low.has_value()) << a.metrics[i].name;
    EXPECT_LT(*a.metrics[i].low, a.metrics[i].value);
    EXPECT_GT(*a.metrics[i].high, a.metrics[i].value);
  }
  EXPECT_LT(a.calibration_error, 0.03) << "labels were drawn by the probabilities";
}

// No resample of correct rows has a wrong one; Wilson's interval accounts for their number.
TEST(ClassMetrics, IntervalsOfPrecisionRecallAndF1HaveAWidthWhereNothingIsWrong) {
  Executor executor(1);
  const LinearModel two = model(Link::logistic, {"a", "b"});
  const PredictedClasses rows = predicted(two, {{-2}, {-1}, {3}, {2}, {1}}, {0, 0, 1, 1, 1});
  const ClassReport report = class_metrics(rows, plumb::Run{executor, {42, 0}});
  for (const char* const name : {"precision", "recall", "f1"}) {
    const auto found = std::find_if(report.metrics.begin(), report.metrics.end(),
                                    [&](const Metric& each) { return each.name == name; });
    ASSERT_NE(found, report.metrics.end()) << name;
    EXPECT_EQ(found->value, 1.0) << name;
    const double z2 = 1.959963984540054 * 1.959963984540054, share = 3 / (3 + z2);  // Wilson's of 3 out of 3
    EXPECT_NEAR(*found->low, std::string(name) == "f1" ? 2 * share / (1 + share) : share, 1e-12) << name;
    EXPECT_EQ(*found->high, 1.0) << name;
  }
}

TEST(ShareBaseline, SaysTheCommonestAndKnowsTheShares) {
  const LinearModel two = model(Link::logistic, {"a", "b"});
  const PredictedClasses rows = predicted(two, {{0}, {0}, {0}}, {0, 0, 1});
  const ShareBaseline found = share_baseline({3, 1}, rows);
  EXPECT_EQ(found.label, 0u);
  EXPECT_NEAR(value(found.metrics, "accuracy"), 2.0 / 3, 1e-15);
  EXPECT_NEAR(value(found.metrics, "log_loss"), -(2 * std::log(.75) + std::log(.25)) / 3, 1e-15);
  EXPECT_NEAR(value(found.metrics, "brier"), (2 * .0625 + .5625) / 3, 1e-15);
  EXPECT_EQ(share_baseline({2, 2}, rows).label, 1u) << "a tie goes to the last";
  EXPECT_EQ(value(share_baseline({3, 0}, rows).metrics, "log_loss"), std::numeric_limits<double>::infinity());
  PredictedClasses strange = rows;
  strange.actual[2] = 2;
  EXPECT_NEAR(value(share_baseline({3, 1}, strange).metrics, "log_loss"), -std::log(.75), 1e-15)
      << "of the rows that the model's is of";
}

TEST(ShareBaseline, SaysNotWhatIsCommonestOnlyWithoutTheRowsTried) {
  const LinearModel two = model(Link::logistic, {"a", "b"});
  const PredictedClasses rows = predicted(two, {{0}, {0}, {0}}, {0, 0, 1});
  const ShareBaseline tipped = share_baseline({8, 9}, rows, {10, 10});
  EXPECT_NEAR(value(tipped.metrics, "log_loss"), -(2 * std::log(8.0 / 17) + std::log(9.0 / 17)) / 3, 1e-15)
      << "the shares are those of the training rows";
  EXPECT_EQ(share_baseline({8, 9}, rows, {10.5, 10}).label, 0u);
  EXPECT_NEAR(value(share_baseline({8, 9}, rows, {10.5, 10}).metrics, "accuracy"), 2.0 / 3, 1e-15);
  EXPECT_EQ(tipped.label, 1u) << "a tie goes to the last";
  EXPECT_EQ(share_baseline({0, 1}, rows, {2, 2}).label, 1u);
  EXPECT_EQ(share_baseline({0, 1}, rows, {20, 2}).label, 1u) << "no training row had the other";
}

// The literal definition: every pair of a row of the class and another.
RC_GTEST_PROP(RocArea, IsTheShareOfPairsInOrder, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(2, 30);
  const auto raw = *rc::gen::container<std::vector<int>>(n, rc::gen::inRange(0, 8));
  auto is = *rc::gen::container<std::vector<int>>(n, rc::gen::inRange(0, 2));
  is[0] = 0;
  is[1] = 1;
  const std::vector<double> scores(raw.begin(), raw.end()), weights(n, 1.0);
  const std::vector<bool> positive(is.begin(), is.end());
  double pairs = 0.0, in_order = 0.0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (positive[i] && !positive[j]) {
        pairs += 1;
        in_order += scores[i] > scores[j] ? 1.0 : scores[i] == scores[j] ? 0.5 : 0.0;
      }
  const auto found = roc_area(scores, positive, weights);
  RC_ASSERT(found.has_value());
  RC_ASSERT(std::abs(found->area - in_order / pairs) < 1e-14);
  RC_ASSERT(found->variance >= 0 && found->variance <= 0.5);
}

TEST(RocArea, TheVarianceIsThatOfTheMeanWhereTheOtherSideIsLarge) {
  // Against one other row a row of the class is above or below: the variance is that of a share.
  std::vector<double> scores = {0.5}, weights(11, 1.0);
  std::vector<bool> positive = {false};
  for (int i = 0; i < 10; ++i) {
    scores.push_back(i < 3 ? 0.0 : 1.0);
    positive.push_back(true);
  }
  const auto found = roc_area(scores, positive, weights);
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->area, 0.7, 1e-15);
  EXPECT_NEAR(found->variance, 0.7 * 0.3 / 9, 1e-15);
}

TEST(Wilson, IsTheKnownIntervalAndStaysWithinOne) {
  // 81 of 263: Newcombe, Statistics in Medicine 17 (1998), table I: 0.2553 to 0.3662.
  const ShareInterval found = wilson_interval(81, 263);
  EXPECT_NEAR(found.low, 0.2553, 5e-5);
  EXPECT_NEAR(found.high, 0.3662, 5e-5);
  EXPECT_EQ(wilson_interval(5, 5).high, 1.0);
  EXPECT_EQ(wilson_interval(0, 5).low, 0.0);
  EXPECT_LT(wilson_interval(5, 5).low, 0.6);
}

TEST(Threshold, OfCostsIsWhereBothLabelsCostTheSame) {
  const auto read = [](std::string_view text) { return OptionText<ThresholdChoice>::read(text); };
  EXPECT_EQ(read("0.3").probability, 0.3);
  EXPECT_EQ(read("cost:FP=1,FN=4").probability, 0.2);
  for (const char* bad : {"", "2", "-0.1", "cost:", "cost:FP=1", "cost:FN=1,FP=1", "cost:FP=0,FN=0", "max"})
    EXPECT_THROW(read(bad), OptionFault) << bad;
  const LinearModel two = read("0.8").applied_to({model(Link::logistic, {"a", "b"}), Record()});
  EXPECT_EQ(Predictor(two).predict({{}, std::vector<double>{1.0}}).label, 0u) << "0.73 is below 0.8";
  EXPECT_THROW(read("0.8").applied_to(SavedModel{model(Link::sign, {"a", "b"}), Record()}), Error);
}

// Three labels with scores that carry some information.
PredictedClasses three_labels(std::uint64_t rows) {
  const RandomKey key{5, 5};
  PredictedClasses found;
  found.labels = {"a", "b", "c"};
  found.known = 3;
  for (std::uint64_t i = 0; i < rows; ++i) {
    const auto is = static_cast<std::uint32_t>(i % 3);
    for (std::uint32_t k = 0; k < 3; ++k) found.scores.push_back(key.uniform(3 * i + k) + (k == is ? 0.3 : 0.0));
    found.actual.push_back(is);
    found.predicted.push_back(is);
    found.weight.push_back(1.0);
  }
  return found;
}

TEST(ClassMetrics, TheMeanAreaOfManyClassesHasTheSpreadThatResamplingRowsGives) {
  Executor executor;
  const plumb::Run run{executor};
  const PredictedClasses rows = three_labels(300);
  const auto area = [&](const PredictedClasses& each) { return *find(class_metrics(each, run, 0).metrics, "auc"); };
  const Metric found = area(rows);
  ASSERT_TRUE(found.low && found.high);
  constexpr int kResampled = 300;
  double sum = 0.0, squares = 0.0;
  for (int r = 0; r < kResampled; ++r) {
    PredictedClasses drawn = rows;
    for (std::uint64_t i = 0; i < 300; ++i) {
      const std::uint64_t from = RandomKey{6, 6}.bits(static_cast<std::uint64_t>(r) * 300 + i) % 300;
      drawn.actual[i] = rows.actual[from];
      std::copy_n(rows.scores.begin() + static_cast<std::ptrdiff_t>(3 * from), 3,
                  drawn.scores.begin() + static_cast<std::ptrdiff_t>(3 * i));
    }
    const double own = area(drawn).value - found.value;
    sum += own;
    squares += own * own;
  }
  const double deviation = std::sqrt(squares / kResampled - (sum / kResampled) * (sum / kResampled));
  EXPECT_NEAR((*found.high - *found.low) / (2 * 1.96 * deviation), 1.0, 0.15);
}

}  // namespace
}  // namespace plumb::class_metrics_test
