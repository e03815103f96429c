// rows: E1 E4
#include "plumb/select/cross_validate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "plumb/data/source.h"
#include "plumb/select/trials.h"

namespace plumb::cross_validate_test {
namespace {

struct Data {
  Data(const std::string& csv, const std::string& trainer_name,
       const std::vector<std::pair<std::string, std::string>>& options = {}, const FeatureOptions& features = {},
       const TextOptions& text = {}, unsigned threads = 1)
      : executor(threads), run{executor, {42, 0}}, setup(find_trainer(trainer_name).setup()) {
    const std::string path = ::testing::TempDir() + "cross_validate.csv";
    std::ofstream(path) << csv;
    source = open_source({path}, ReadOptions());
    OptionGroup group = setup->options();
    for (const auto& [name, value] : options)
      for (const OptionInfo& info : group.options)
        if (info.name == name) info.set(group.owner, value);
    FeatureOptions own = features;
    own.target = "y";
    plan = plan_features(*source, own, text, find_trainer(trainer_name).target);
    rows = std::make_unique<SharedRows>(*source, std::span(&plan, 1), run);
    trainer = setup->make();
    experiment = std::make_unique<Experiment>(*rows, plan, *trainer);
  }
  Outcome judged(std::uint64_t folds, bool refit) const {
    const Experiment::Fitted whole = experiment->fit(experiment->rows(), run);
    const std::vector<std::uint32_t> fold =
        folds == 0 ? std::vector<std::uint32_t>() : experiment->splitter().folds(experiment->rows(), folds, run.random);
    return cross_validate(*experiment, whole, fold, refit ? FoldWay::refits : way_of(*experiment, whole, folds == 0),
                          run);
  }
  FoldWay way(bool alone) const { return way_of(*experiment, experiment->fit(experiment->rows(), run), alone); }

  Executor executor;
  plumb::Run run;
  std::unique_ptr<TrainerSetup> setup;
  std::unique_ptr<Source> source;
  FeaturePlan plan;
  std::unique_ptr<SharedRows> rows;
  std::unique_ptr<Trainer> trainer;
  std::unique_ptr<Experiment> experiment;
};

std::uint64_t draw(std::uint64_t i) { return RandomKey{9, 9}.bits(i); }

std::string mixed(std::size_t n) {
  std::string csv = "size,colour,y\n";
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t d = draw(i);
    csv += std::to_string(d % 97) + "," + std::string(1, static_cast<char>('a' + (d >> 8) % 5)) + "," +
           ((d % 97) + (d >> 16) % 60 > 80 ? "yes" : "no") + "\n";
  }
  return csv;
}

std::string numbers(std::size_t n) {
  std::string csv = "a,b,kind,y\n";
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t d = draw(i + 1000);
    csv += std::to_string(d % 89) + "," + std::to_string((d >> 8) % 31) + "," +
           std::string(1, static_cast<char>('p' + (d >> 20) % 3)) + "," +
           std::to_string(3 * (d % 89) + (d >> 30) % 40) + "\n";
  }
  return csv;
}

void expect_same(const Outcome& a, const Outcome& b, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  for (std::size_t i = 0; i < a.numbers.rows(); ++i)
    EXPECT_NEAR(a.numbers.prediction[i], b.numbers.prediction[i], tolerance) << i;
  EXPECT_EQ(a.classes.actual, b.classes.actual);
  for (std::size_t i = 0; i < a.classes.log_loss.size(); ++i)
    EXPECT_NEAR(a.classes.log_loss[i], b.classes.log_loss[i], tolerance) << i;
}

TEST(CrossValidate, SumsOfNaiveBayesGiveWhatRefitsGive) {
  const Data data(mixed(120), "naive-bayes");
  EXPECT_EQ(data.way(false), FoldWay::sums);
  expect_same(data.judged(10, false), data.judged(10, true), 1e-9);
  expect_same(data.judged(0, false), data.judged(0, true), 1e-9);
}

TEST(CrossValidate, LeveragesOfLeastSquaresGiveWhatRefitsGive) {
  for (const char* l2 : {"0", "3.5"}) {
    const Data data(numbers(40), "least-squares", {{"l2", l2}});
    EXPECT_EQ(data.way(true), FoldWay::leverages);
    EXPECT_EQ(data.way(false), FoldWay::refits);
    expect_same(data.judged(0, false), data.judged(0, true), 1e-7);
  }
}

TEST(CrossValidate, ThereIsNoShortCutWhereFeaturesOrPenaltyHangOnTheRows) {
  EXPECT_EQ(Data(numbers(40), "least-squares", {{"l2", "auto"}}).way(true), FoldWay::refits);
  FeatureOptions filled;
  filled.missing = Missing::mean;
  EXPECT_EQ(Data("x,y\n1,2\n,3\n3,5\n4,4\n6,8\n", "least-squares", {}, filled).way(true), FoldWay::refits);
  EXPECT_EQ(Data(mixed(60), "naive-bayes", {}, filled).way(false), FoldWay::refits);
  FeatureOptions scaled;
  scaled.scale = Scaling::standard;
  EXPECT_EQ(Data(numbers(40), "least-squares", {{"l2", "1"}}, scaled).way(true), FoldWay::refits);
  EXPECT_EQ(Data(mixed(60), "naive-bayes", {}, scaled).way(false), FoldWay::refits);
}

// A row's own values, target and words change no bit of the results for the other rows of its fold: everything learnt
// (levels, fill values, scales, vocabulary, document frequencies) comes from other folds.
TEST(CrossValidate, NothingIsLearntFromTheRowsThatAreTried) {
  const auto csv = [](bool changed) {
    std::string text = "n,level,words,y\n";
    for (std::size_t i = 0; i < 60; ++i) {
      const std::uint64_t d = draw(i + 5000);
      const bool other = changed && i == 17;
      text += (i % 9 == 4 ? ""
               : other    ? "1000"
                          : std::to_string(d % 50)) +
              "," +
              (other   ? "new"
               : d % 3 ? "u"
                       : "v") +
              ",";
      for (std::size_t w = 0; w < 6; ++w)
        text += (other ? "odd" : "w") + std::to_string((d >> (5 * w)) % 12) + (w < 5 ? " " : ",");
      text += std::string(other || (d >> 40) % 2 ? "yes" : "no") + "\n";
    }
    return text;
  };
  FeatureOptions features;
  features.missing = Missing::mean;
  features.scale = Scaling::standard;
  features.text = {"words"};
  features.categorical = {"level"};
  TextOptions words;
  words.tfidf = true;
  words.max_terms = 20;
  const Data before(csv(false), "logistic", {}, features, words);
  const auto fold = Splitter(60).folds(RowSet(60, true), 5, {42, 0});  // classes change, so the folds are random
  const auto tried = [&](const Data& data) {
    return merged(std::move(try_all({data.experiment.get(), 1}, trials_of(fold), {}, data.run).front()));
  };
  const Outcome one = tried(before);
  const Data after(csv(true), "logistic", {}, features, words);
  const Outcome two = tried(after);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    if (i == 17) continue;
    const bool same = one.classes.log_loss[i] == two.classes.log_loss[i];
    if (fold[i] == fold[17]) {
      EXPECT_TRUE(same) << i;
    } else {
      changed += !same;
    }
  }
  EXPECT_GT(changed, 40u) << "rows of other folds were predicted by fits that saw the row";
}

TEST(Trials, AFitThatBeginsWhereTheLastEndedComesToTheSameOptimum) {
  const std::string csv = mixed(300);
  const Data first(csv, "logistic", {{"l2", "0.1"}}), second(csv, "logistic", {{"l2", "10"}});
  std::vector<Experiment> both;
  both.emplace_back(*first.rows, first.plan, *first.trainer);
  both.emplace_back(*first.rows, first.plan, *second.trainer);
  ASSERT_TRUE(both[0].same_features(both[1]));
  const auto trials = trials_of(both[0].splitter().folds(both[0].rows(), 5, {42, 0}));
  TrialOptions scratch;
  scratch.from_scratch = true;
  auto warm = try_all(both, trials, {}, first.run), cold = try_all(both, trials, scratch, first.run);
  for (std::size_t e = 0; e < 2; ++e) expect_same(merged(warm[e]), merged(cold[e]), 1e-3);
  EXPECT_NE(merged(warm[1]).classes.log_loss, merged(cold[1]).classes.log_loss) << "or nothing began elsewhere";
}

TEST(Trials, ThreadsChangeNoBit) {
  const std::string csv = mixed(500);
  const Data one(csv, "logistic"), many(csv, "logistic", {}, {}, {}, 4);
  EXPECT_EQ(one.judged(10, true).classes.log_loss, many.judged(10, true).classes.log_loss);
}

// Counts started fits: a time limit after k of them ends in the middle of the last.
struct Timed final : Trainer {
  explicit Timed(const Trainer& inner) : inner(inner) {}
  std::uint64_t memory(const FitSize& size, const Executor& executor) const override {
    return inner.memory(size, executor);
  }
  Wishes wishes() const override { return inner.wishes(); }
  Trained train(const Problem& problem, const plumb::Run& run) const override {
    ++begun;
    return inner.train(problem, run);
  }
  const Trainer& inner;
  mutable std::size_t begun = 0;
};

struct Limited {
  explicit Limited(const std::string& model, std::size_t settings) : data(mixed(80), model), timed(*data.trainer) {
    for (std::size_t i = 0; i < settings; ++i) experiments.emplace_back(*data.rows, data.plan, timed);
    trials = trials_of(experiments.front().splitter().folds(experiments.front().rows(), 8, {42, 0}));
  }
  // {settings, trials} that finished in time; each trial has 10 rows.
  std::pair<std::size_t, std::size_t> tried(const std::function<bool()>& over, std::size_t folds = 8) {
    timed.begun = 0;
    TrialOptions options;
    options.over = over;
    const auto found = try_all(experiments, std::span(trials).first(folds), options, data.run);
    for (const auto& each : found) {
      EXPECT_EQ(each.size(), found.front().size());
      EXPECT_EQ(merged(each).rows(), 10 * each.size());
    }
    return {found.size(), found.front().size()};
  }
  Data data;
  Timed timed;
  std::vector<Experiment> experiments;
  std::vector<Trial> trials;
};

// Fits that end with their best so far, and one that has nothing yet.
TEST(Trials, WhenTheTimeIsOverAllExperimentsHaveTheSameTrials) {
  for (const std::string model : {"logistic", "perceptron", "naive-bayes"}) {
    Limited limited(model, 2);
    for (const std::size_t begun : {7ul, 8ul}) {
      EXPECT_EQ(limited.tried([&] { return limited.timed.begun >= begun; }), std::pair(2ul, 3ul)) << model << begun;
      EXPECT_EQ(limited.timed.begun, begun);
    }
    EXPECT_EQ(limited.tried([&] { return false; }), std::pair(2ul, 8ul));
  }
}

TEST(Trials, WhenTheTimeIsOverInTheFirstTrialTheExperimentsThereIsTimeForAreMade) {
  for (const std::string model : {"logistic", "perceptron", "naive-bayes"}) {
    Limited limited(model, 5);
    for (const std::size_t folds : {1ul, 8ul}) {
      EXPECT_EQ(limited.tried([&] { return limited.timed.begun >= 4; }, folds), std::pair(3ul, 1ul)) << model;
      EXPECT_EQ(limited.timed.begun, 4u);
      EXPECT_EQ(limited.tried([&] { return true; }, folds), std::pair(1ul, 1ul)) << "one is always made";
    }
  }
}

TEST(Trials, TheObserverEndsAllOfItWhateverTheTimeIs) {
  Limited limited("logistic", 3);
  plumb::Run run = limited.data.run;
  run.watch = [&](const Progress&) { return limited.timed.begun < 2; };
  TrialOptions options;
  options.over = [&] { return limited.timed.begun >= 2; };
  EXPECT_THROW(try_all(limited.experiments, limited.trials, options, run), Error);
}

TEST(CrossValidate, ARowOfWeightNoughtDoesNotTakeTheAreaAway) {
  std::string csv = "x,w,y\n";
  for (int i = 0; i < 16; ++i)
    csv += std::to_string(i * 7 % 16) + "," + (i == 3 ? "0" : "1") + "," + (i * 7 % 16 + i % 5 > 9 ? "b" : "a") + "\n";
  FeatureOptions features;
  features.weight = "w";
  const Data data(csv, "logistic", {}, features);
  const std::vector<Metric> metrics = data.judged(0, true).metrics(data.run, 0);
  EXPECT_TRUE(std::any_of(metrics.begin(), metrics.end(), [](const Metric& each) { return each.name == "auc"; }));
}

TEST(CrossValidate, AClassThatAFoldDidNotSeeHasNoChanceThereAndTheAreaIsStillTold) {
  std::string csv = "x,y\n";
  for (int i = 0; i < 20; ++i) csv += std::to_string(i * 7 % 20) + "," + (i * 7 % 20 > 9 ? "b" : "a") + "\n";
  csv += "40,c\n";
  const Data data(csv, "logistic");
  const Outcome outcome = data.judged(3, true);
  const PredictedClasses& rows = outcome.classes;
  ASSERT_EQ(rows.scores.size(), 3 * rows.rows());
  for (std::uint64_t i = 0; i < rows.rows(); ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < 3; ++k) sum += rows.scores[3 * i + k];
    EXPECT_NEAR(sum, 1.0, 1e-12) << "probabilities of row " << i;
    if (rows.actual[i] == 2) {
      EXPECT_EQ(rows.scores[3 * i + 2], 0.0);
      EXPECT_GE(rows.brier[i], 1.0);
    }
  }
}

// Nested training sets of 12 to 90 rows, the others held out.
std::vector<Trial> nested_trials(std::uint64_t rows) {
  std::vector<Trial> trials;
  for (const std::uint64_t size : {4u, 12u, 40u, 90u}) {
    Trial trial{RowSet(rows), RowSet(rows)};
    for (std::uint64_t row = 0; row < rows; ++row)
      if (row < size) trial.training.add(row);
    for (std::uint64_t row = 90; row < rows; ++row) trial.tried.add(row);
    trials.push_back(std::move(trial));
  }
  return trials;
}

TEST(PrefixSquares, SumsOfNestedTrainingSetsGiveWhatRefitsGive) {
  std::string csv = "a,b,c,kind,y\n";
  for (std::uint64_t i = 0; i < 120; ++i) {
    const std::uint64_t d = draw(i);
    const double a = 1000.0 + static_cast<double>(d % 101), b = static_cast<double>((d >> 8) % 17) / 7;
    const double c = a * b + static_cast<double>(d % 5);
    csv += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c) + "," +
           std::string(1, static_cast<char>('p' + (d >> 20) % 4)) + "," +
           std::to_string(3 * a - b + static_cast<double>((d >> 30) % 13)) + "\n";
  }
  for (const std::string l2 : {"0", "2.5"}) {
    const Data data(csv, "least-squares", {{"l2", l2}});
    const Experiment& experiment = *data.experiment;
    const std::vector<Trial> trials = nested_trials(120);
    TrialOptions options;
    options.seen_too = true;
    const std::vector<Tried> quick = try_nested(experiment, trials, trials.size(), options, false, data.run);
    const std::vector<Tried> literal = std::move(try_all({&experiment, 1}, trials, options, data.run).front());
    for (std::size_t t = 0; t < trials.size(); ++t) {
      const auto agree = [&](const Predicted& found, const Predicted& wanted) {
        ASSERT_EQ(found.rows(), wanted.rows());
        for (std::uint64_t i = 0; i < found.rows(); ++i)
          EXPECT_NEAR(found.prediction[i], wanted.prediction[i], 1e-10 * (1 + std::abs(wanted.prediction[i])))
              << "l2 " << l2 << ", trial " << t << ", row " << i;
      };
      agree(quick[t].outcome.numbers, literal[t].outcome.numbers);
      agree(quick[t].seen.numbers, literal[t].seen.numbers);
    }
  }
  EXPECT_TRUE(Data(csv, "least-squares").trainer->skills().refits);
  EXPECT_FALSE(Data(csv, "least-squares", {{"l2", "auto"}}).trainer->skills().refits);
}

}  // namespace
}  // namespace plumb::cross_validate_test
