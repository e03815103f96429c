// rows: E1 E4
#include "plumb/select/fold_lockstep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "plumb/data/source.h"

namespace plumb::fold_lockstep_test {
namespace {

// Lines of LIBSVM with more words than rows; every tenth has a word that no other line has.
std::string lines(std::size_t rows) {
  const RandomKey key{5, 0};
  std::uint64_t at = 0;
  std::string text;
  for (std::size_t i = 0; i < rows; ++i) {
    const bool yes = key.uniform(at++) < 0.4;
    text += yes ? "1" : "0";
    for (std::uint32_t k = 0; k < 12; ++k) {
      const auto word = static_cast<std::uint32_t>(key.uniform(at++) * 18);
      const bool tells = key.uniform(at++) < 0.15;
      const double value = 0.1 + key.uniform(at++);
      text += " " + std::to_string(1 + k * 21 + (tells ? 18 + (yes ? 1u : 0u) : word)) + ":" + std::to_string(value);
    }
    if (i % 10 == 0) text += " " + std::to_string(1000 + i) + ":2.5";
    text += "\n";
  }
  return text;
}

struct Tuning {
  explicit Tuning(unsigned threads = 1, const std::vector<std::string>& l2 = {"100", "1", "0.01"},
                  const std::string& solver = "auto")
      : executor(threads), run{executor, {42, 0}} {
    const std::string path = ::testing::TempDir() + "lockstep.libsvm";
    std::ofstream(path) << lines(400);
    source = open_source({path}, ReadOptions());
    FeatureOptions features;
    features.target = "label";
    plan = plan_features(*source, features, {}, Kind::category);
    rows = std::make_unique<SharedRows>(*source, std::span(&plan, 1), run);
    for (const std::string& value : l2) {
      setups.push_back(find_trainer("logistic").setup());
      OptionGroup group = setups.back()->options();
      for (const OptionInfo& info : group.options) {
        if (info.name == "l2") info.set(group.owner, value);
        if (info.name == "solver") info.set(group.owner, solver);
      }
      trainers.push_back(setups.back()->make());
      experiments.emplace_back(*rows, plan, *trainers.back());
    }
    trials = trials_of(experiments.front().splitter().folds(experiments.front().rows(), 10, run.random));
  }

  Executor executor;
  plumb::Run run;
  std::unique_ptr<Source> source;
  FeaturePlan plan;
  std::unique_ptr<SharedRows> rows;
  std::vector<std::unique_ptr<TrainerSetup>> setups;
  std::vector<std::unique_ptr<Trainer>> trainers;
  std::vector<Experiment> experiments;
  std::vector<Trial> trials;
};

TEST(Lockstep, PredictsWhatLiteralRefitsDo) {
  Tuning tuning;
  TrialOptions literal;
  literal.from_scratch = literal.seen_too = true;
  TrialOptions quick;
  quick.seen_too = true;
  EXPECT_FALSE(try_in_lockstep(tuning.experiments, tuning.trials, literal, tuning.run).has_value());
  auto found = try_in_lockstep(tuning.experiments, tuning.trials, quick, tuning.run);
  ASSERT_TRUE(found.has_value());
  auto expected = try_all(tuning.experiments, tuning.trials, literal, tuning.run);
  for (std::size_t e = 0; e < tuning.experiments.size(); ++e)
    for (std::size_t t = 0; t < tuning.trials.size(); ++t) {
      const Tried &own = (*found)[e][t], &other = expected[e][t];
      EXPECT_TRUE(own.converged);
      EXPECT_EQ(own.number, other.number);
      EXPECT_EQ(own.outcome.classes.actual, other.outcome.classes.actual);
      ASSERT_EQ(own.outcome.classes.scores.size(), other.outcome.classes.scores.size());
      // Both are within 1e-6 of the least loss: weights agree to about the root of that.
      for (std::size_t i = 0; i < own.outcome.classes.scores.size(); ++i)
        EXPECT_NEAR(own.outcome.classes.scores[i], other.outcome.classes.scores[i], 3e-2);
      EXPECT_NEAR(own.outcome.loss().mean, other.outcome.loss().mean, 1e-3);
      EXPECT_NEAR(own.seen.loss().mean, other.seen.loss().mean, 1e-3);
    }
}

TEST(Lockstep, HasTheSameBitsForAnyNumberOfThreads) {
  std::vector<double> first;
  for (const unsigned threads : {1u, 2u, 3u, 7u, 12u}) {
    Tuning tuning(threads);
    const auto found = try_in_lockstep(tuning.experiments, tuning.trials, {}, tuning.run);
    ASSERT_TRUE(found.has_value());
    std::vector<double> scores;
    for (const std::vector<Tried>& each : *found)
      for (const Tried& tried : each)
        scores.insert(scores.end(), tried.outcome.classes.scores.begin(), tried.outcome.classes.scores.end());
    if (first.empty()) first = scores;
    EXPECT_EQ(scores, first) << threads;
  }
}

TEST(Lockstep, IsLeftToOthersWhereTheyWouldGoAnotherWay) {
  const auto in_lockstep = [](Tuning tuning, const TrialOptions& options = {}) {
    return try_in_lockstep(tuning.experiments, tuning.trials, options, tuning.run).has_value();
  };
  EXPECT_FALSE(in_lockstep(Tuning(1, {"1"}))) << "one setting";
  EXPECT_FALSE(in_lockstep(Tuning(1, {"1", "0"}))) << "no penalty";
  EXPECT_FALSE(in_lockstep(Tuning(1, {"1", "auto"})));
  EXPECT_FALSE(in_lockstep(Tuning(1, {"1", "2"}, "newton")));
  EXPECT_TRUE(in_lockstep(Tuning(1, {"1", "2"}, "coordinate-descent")));
  TrialOptions limited;
  limited.over = [] { return false; };
  EXPECT_FALSE(in_lockstep(Tuning(), limited)) << "folds are begun one after the other";
}

}  // namespace
}  // namespace plumb::fold_lockstep_test
