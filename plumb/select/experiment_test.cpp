// rows: E1 E4
#include "plumb/select/experiment.h"

#include <gtest/gtest.h>

#include <fstream>

#include "plumb/base/testing.h"
#include "plumb/data/source.h"
#include "plumb/select/trials.h"

namespace plumb::experiment_test {
namespace {

struct Data {
  explicit Data(const std::string& csv, const FeatureOptions& features, Kind target) : run{executor, {42, 0}} {
    const std::string path = ::testing::TempDir() + "experiment.csv";
    std::ofstream(path) << csv;
    source = open_source({path}, ReadOptions());
    plan = plan_features(*source, features, {}, target);
    rows = std::make_unique<SharedRows>(*source, std::span(&plan, 1), run);
  }
  Executor executor;
  plumb::Run run;
  std::unique_ptr<Source> source;
  FeaturePlan plan;
  std::unique_ptr<SharedRows> rows;
};

Outcome tried_in(const Experiment& experiment, const std::vector<std::uint32_t>& fold, const plumb::Run& run) {
  return merged(std::move(try_all({&experiment, 1}, trials_of(fold), {}, run).front()));
}

std::string noise(int n) {
  std::string csv = "word,kind\n";
  for (int i = 0; i < n; ++i)
    csv += "w" + std::to_string(i * 7919 % 1000) + "," + (i * 31 % 64 < 32 ? "a" : "b") + "\n";
  return csv;
}

TEST(Experiment, NothingLeaksFromTheRowsThatAreTried) {
  FeatureOptions features;
  features.target = "kind";
  features.categorical = {"word"};
  Data data(noise(200), features, Kind::category);
  const auto trainer = find_trainer("logistic").setup()->make();
  const Experiment experiment(*data.rows, data.plan, *trainer);
  const Experiment::Fitted whole = experiment.fit(experiment.rows(), data.run);
  const auto seen = experiment.predict(whole, experiment.rows(), data.run);
  EXPECT_EQ(seen.metrics(data.run, 0).front().value, 1.0) << "every word has one class";
  const Outcome unseen =
      tried_in(experiment, experiment.splitter().folds(experiment.rows(), 5, data.run.random), data.run);
  ASSERT_EQ(unseen.rows(), 200u);
  EXPECT_LT(unseen.metrics(data.run, 0).front().value, 0.62) << "words of the validation rows were never seen";
  for (const Metric& metric : unseen.metrics(data.run, 0))
    if (metric.name == "log_loss") {
      EXPECT_GT(metric.value, 0.6);
    }
}

// The rule of train: with standard errors incomplete rows are left out, elsewhere their gaps are filled and marked.
TEST(Experiment, TreatsMissingNumbersAsTrainingDoes) {
  FeatureOptions features;
  features.target = "y";
  std::string csv = "x,y\n";
  for (int i = 0; i < 20; ++i) csv += (i % 5 == 0 ? "," : std::to_string(i) + ",") + std::to_string(3 * i + 1) + "\n";
  Data data(csv, features, Kind::number);
  const auto fitted = [&](const char* name) {
    const auto trainer = find_trainer(name).setup()->make();
    const Experiment experiment(*data.rows, data.plan, *trainer);
    const Experiment::Fitted whole = experiment.fit(experiment.rows(), data.run);
    EXPECT_EQ(experiment.predict(whole, experiment.rows(), data.run).rows(), 20u) << "all of them are predicted";
    return std::pair(whole.fit.model.parts().map.names(), whole.fit.model.parts().bias.front());
  };
  const auto [names, bias] = fitted("least-squares");
  EXPECT_EQ(names, std::vector<std::string>{"x"});
  EXPECT_NEAR(bias, 1.0, 1e-12) << "complete rows are on a line";
  EXPECT_EQ(fitted("ridge").first, (std::vector<std::string>{"x", "x missing"}));
}

TEST(Experiment, FoldsHaveAShareOfEachClassAndOnlyTheRowsGiven) {
  FeatureOptions features;
  features.target = "kind";
  features.categorical = {"word"};
  Data data(noise(100), features, Kind::category);
  const auto trainer = find_trainer("logistic").setup()->make();
  const Experiment experiment(*data.rows, data.plan, *trainer);
  TestChoice choice;
  const RowSet test = experiment.splitter().hold_out(experiment.rows(), choice, {1, 0});
  EXPECT_EQ(test.count(), 20u);
  const std::vector<std::uint32_t> fold = experiment.splitter().folds(test.complement(), 4, {1, 0});
  std::vector<std::vector<int>> count(4, std::vector<int>(2));
  for (std::uint64_t row = 0; row < 100; ++row) {
    EXPECT_EQ(fold[row] == Splitter::kNoFold, test.has(row));
    if (!test.has(row)) ++count[fold[row]][experiment.classes().of_row[row]];
  }
  for (const auto& each : count) {
    EXPECT_EQ(each[0] + each[1], 20);
    EXPECT_NEAR(each[0], count[0][0], 1);
  }
}

TEST(Experiment, OutOfFoldIsTheLiteralRefit) {
  std::string csv = "x,y\n";
  for (int i = 0; i < 40; ++i) csv += std::to_string(i * 13 % 41) + "," + std::to_string(i * 17 % 23) + "\n";
  FeatureOptions features;
  features.target = "y";
  Data data(csv, features, Kind::number);
  const auto trainer = find_trainer("least-squares").setup()->make();
  const Experiment experiment(*data.rows, data.plan, *trainer);
  const std::vector<std::uint32_t> fold = experiment.splitter().folds(experiment.rows(), 4, {3, 0});
  const Outcome all = tried_in(experiment, fold, data.run);
  ASSERT_EQ(all.rows(), 40u);
  for (std::uint32_t f = 0; f < 4; ++f) {
    RowSet test(40);
    for (std::uint64_t row = 0; row < 40; ++row)
      if (fold[row] == f) test.add(row);
    const Outcome part = experiment.predict(experiment.fit(test.complement(), data.run), test, data.run);
    std::size_t i = 0;
    for (std::uint64_t row = 0; row < 40; ++row)
      if (test.has(row)) {
        EXPECT_EQ(all.numbers.prediction[row], part.numbers.prediction[i++]);
      }
  }
  double squares = 0.0;
  for (std::size_t i = 0; i < 40; ++i) {
    const double e = all.numbers.prediction[i] - all.numbers.target[i];
    squares += e * e;
  }
  EXPECT_NEAR(all.loss().mean, squares / 40, 1e-12);
}

}  // namespace
}  // namespace plumb::experiment_test
