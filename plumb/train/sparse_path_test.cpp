// --l1 auto: the points of a path against fits by themselves, and the choice among them against refits.
// rows: B2 L7
#include "plumb/train/sparse_path.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/error.h"
#include "plumb/base/testing.h"
#include "plumb/train/deal_folds.h"
#include "plumb/train/lasso.h"
#include "plumb/train/loss_trainer.h"
#include "plumb/train/testing.h"

namespace plumb::sparse_path_test {
namespace {

Data data_of(std::size_t n, std::size_t p, bool labels = false, double noise = 1.0) {
  Data data;
  const RandomKey key{29, 0};
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    data.x.emplace_back();
    double score = 0.2;
    for (std::size_t j = 0; j < p; ++j) {
      data.x[i].push_back((2 * key.uniform(at++) - 1) * (j % 3 == 0 ? 5.0 : 1.0) + 0.5);
      score += (j % 4 == 0 ? 0.5 : j % 4 == 1 ? -1.0 : 0.0) * data.x[i][j];
    }
    const double own = key.uniform(at++) - 0.5;
    data.y.push_back(labels ? (score + 4 * noise * own > 0 ? 1.0 : 0.0) : score + 2 * noise * own);
  }
  return data;
}

const std::vector<std::string> kTwo = {"no", "yes"};

Trained fit_by(const ConvexTrainer& trainer, const Examples& examples, unsigned threads = 1) {
  Executor executor(threads);
  const std::span<const std::string> labels =
      trainer.loss() == Loss::logistic ? std::span<const std::string>(kTwo) : std::span<const std::string>();
  return trainer.train({examples, numbers(examples.features()), labels}, plumb::Run{executor, {5, 0}});
}

std::vector<double> weights_of(const Trained& fit) {
  std::vector<double> w(fit.model.features());
  fit.model.parts().weights.row(0, w);
  w.push_back(fit.model.parts().bias[0]);
  return w;
}

// The points of the kept path: their numbers, and their weights with the bias left out.
struct Kept {
  std::vector<std::vector<double>> point, w;
};
Kept path_of(const Trained& fit) {
  Kept kept;
  const Statistic& table = *find_statistic(fit.record, kPathStatistic);
  const auto& numbers = std::get<std::vector<double>>(table.values);
  for (std::size_t k = 0; k < table.shape[0]; ++k)
    kept.point.emplace_back(numbers.begin() + static_cast<std::ptrdiff_t>(k * kPathColumns),
                            numbers.begin() + static_cast<std::ptrdiff_t>((k + 1) * kPathColumns));
  kept.w.assign(kept.point.size(), std::vector<double>(fit.model.features()));
  const auto& weights = std::get<std::vector<double>>(find_statistic(fit.record, kPathWeights)->values);
  for (std::size_t i = 0; i < weights.size(); i += 3)
    kept.w[static_cast<std::size_t>(weights[i])][static_cast<std::size_t>(weights[i + 1])] = weights[i + 2];
  return kept;
}

TEST(SparsePath, BeginsWhereAllWeightsAreZeroAndNoLater) {
  for (const bool labels : {false, true}) {
    const Examples examples = examples_of(data_of(200, 8, labels));
    LogisticOptions logistic;
    logistic.sparse.path = true;
    const Trained fit = labels ? fit_by(LogisticTrainer(logistic), examples) : fit_by(LassoTrainer(), examples);
    const Kept path = path_of(fit);
    EXPECT_EQ(path.point[0][2], 0.0);
    EXPECT_EQ(path.point[1][2], 1.0);
    LassoOptions just_below;
    just_below.sparse.l1 = {path.point[0][0] * (1 - 1e-3)};
    just_below.tolerance = 1e-13;
    logistic.tolerance = 1e-13;
    logistic.sparse = {.l1 = {path.point[0][0] * (1 - 1e-3)}};
    const std::vector<double> w =
        weights_of(labels ? fit_by(LogisticTrainer(logistic), examples) : fit_by(LassoTrainer(just_below), examples));
    EXPECT_EQ(std::count(w.begin(), w.end() - 1, 0.0), 7);
  }
}

TEST(SparsePath, HasThePointsThatFitsByThemselvesHave) {
  for (const bool labels : {false, true})
    for (const bool sparse : {false, true})
      for (const double ratio : {1.0, 0.5}) {
        const Examples examples = examples_of(data_of(120, 10, labels), 1000, sparse);
        LassoOptions options;
        if (labels) options.standardise = false;
        options.sparse.path_points = 20;
        options.sparse.path_folds = 3;
        options.sparse.usual_ratio = ratio;
        options.sparse.l1 = {0.0, true};
        options.tolerance = 1e-11;
        const auto fit_with = [&](const LassoOptions& own) {
          return labels ? fit_by(LogisticTrainer(own), examples) : fit_by(LassoTrainer(own), examples);
        };
        const Kept path = path_of(fit_with(options));
        for (std::size_t k = 3; k < path.point.size(); k += 5) {
          LassoOptions own = options;
          own.sparse.l1 = {path.point[k][0]};
          own.l2 = {path.point[k][1]};
          own.l2.given = true;
          own.sparse.usual_ratio = 1.0;
          const Trained alone = fit_with(own);
          EXPECT_LE(path.point[k][5], options.tolerance);
          const std::vector<double> w = weights_of(alone);
          for (std::size_t j = 0; j < 10; ++j) EXPECT_NEAR(path.w[k][j], w[j], 2e-5) << k << " " << j;
        }
      }
}

// By sums for a lasso, by rows for logistic regression.
TEST(SparsePath, HasTheHeldOutLossOfRefitsWithoutEachFold) {
  for (const bool labels : {false, true}) {
    const Examples examples = examples_of(data_of(90, 6, labels));
    LassoOptions options;
    options.standardise = false;
    options.sparse.path_points = 8;
    options.sparse.path_folds = 4;
    options.tolerance = 1e-11;
    const auto fit_with = [&](const LassoOptions& own, const Examples& rows) {
      return labels ? fit_by(LogisticTrainer(own), rows) : fit_by(LassoTrainer(own), rows);
    };
    const Kept path = path_of(fit_with(options, examples));
    Executor executor(1);
    const FeatureMap map = numbers(6);
    const Problem problem{examples, map, labels ? std::span<const std::string>(kTwo) : std::span<const std::string>()};
    const std::vector<RowSet> folds = deal_folds(problem, 4, "--l1", plumb::Run{executor, {5, 0}});
    LassoOptions own = options;
    own.sparse.l1 = {path.point[4][0]};
    double sum = 0.0;
    for (const RowSet& held : folds) {
      const Trained fit = fit_with(own, examples.with(held.complement()));
      const std::vector<double> w = weights_of(fit);
      examples.with(held).block(0).for_each([&](const Example& e) {
        double z = w.back();
        for (std::size_t j = 0; j < 6; ++j) z += w[j] * e.x.value[j];
        sum += labels ? std::log1p(std::exp(e.target == 1.0 ? -z : z)) : (z - e.target) * (z - e.target);
      });
    }
    EXPECT_NEAR(path.point[4][6], sum / 90, 1e-6 * sum / 90);
  }
}

TEST(SparsePath, ChoosesTheLeastLossOrTheLargestPenaltyWithinAStandardError) {
  const Examples examples = examples_of(data_of(100, 20, false, 4.0));
  LassoOptions options;
  const Trained least = fit_by(LassoTrainer(options), examples);
  options.sparse.path_rule = PathRule::one_se;
  const Trained larger = fit_by(LassoTrainer(options), examples);
  const Kept path = path_of(least);
  std::size_t best = 0, one_se = 0;
  for (std::size_t k = 0; k < path.point.size(); ++k)
    if (path.point[k][6] < path.point[best][6]) best = k;
  while (path.point[one_se][6] > path.point[best][6] + path.point[best][7]) ++one_se;
  EXPECT_EQ(number_of(least, "l1"), path.point[best][0]);
  EXPECT_EQ(number_of(larger, "l1"), path.point[one_se][0]);
  EXPECT_LT(one_se, best);
}

TEST(SparsePath, ChoosesAmongRatios) {
  const Examples examples = examples_of(data_of(60, 30, false, 2.0));
  LassoOptions options;
  options.sparse.l1_ratio = {"0.1", "0.5", "1"};
  const Trained fit = fit_by(LassoTrainer(options), examples);
  const auto& tried = std::get<std::vector<double>>(find_statistic(fit.record, kPathRatios)->values);
  ASSERT_EQ(tried.size(), 6u);
  double least = tried[1];
  for (const std::size_t i : {3, 5}) least = std::min(least, tried[static_cast<std::size_t>(i)]);
  EXPECT_EQ(number_of(fit, "path_heldout_loss"), least);
}

TEST(SparsePath, HasTheSameBitsForAnyNumberOfThreads) {
  for (const bool labels : {false, true}) {
    const Examples examples = examples_of(data_of(5000, 6, labels));
    LassoOptions options;
    options.sparse.path_points = 10;
    std::vector<Statistic> one;
    for (const unsigned threads : {1u, 2u, 7u}) {
      const Trained fit = labels ? fit_by(LogisticTrainer(options), examples, threads)
                                 : fit_by(LassoTrainer(options), examples, threads);
      if (one.empty()) one = fit.record.statistics;
      EXPECT_EQ(fit.record.statistics, one) << threads;
    }
  }
}

TEST(SparsePath, EndsWhereSeparableClassesAreExplained) {
  Data data = data_of(60, 4, true, 0.0);
  for (std::size_t i = 0; i < 60; ++i) data.x[i][0] += data.y[i] == 1.0 ? 6 : -6;
  const Examples examples = examples_of(data);
  LogisticOptions options;
  options.sparse.path = true;
  const Trained fit = fit_by(LogisticTrainer(options), examples);
  const Kept path = path_of(fit);
  EXPECT_LT(path.point.size(), 100u);
  EXPECT_GE(path.point.back()[3], 0.999);
  EXPECT_LT(path.point[path.point.size() - 2][3], 0.999);
  ASSERT_FALSE(fit.warnings.empty());
  EXPECT_TRUE(fit.warnings[0].starts_with("the path ends at l1 ")) << fit.warnings[0];
  EXPECT_TRUE(fit.record.converged);
}

TEST(SparsePath, ScalesColumnsInsideUnlessAskedNotTo) {
  const Data data = data_of(150, 7);
  Data scaled = data;
  for (std::vector<double>& row : scaled.x) row[1] *= 1000;
  const std::vector<double> a = weights_of(fit_by(LassoTrainer(), examples_of(data)));
  const std::vector<double> b = weights_of(fit_by(LassoTrainer(), examples_of(scaled)));
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j] * (j == 1 ? 1000 : 1), 1e-6) << j;
  LassoOptions raw;
  raw.standardise = false;
  const Trained fit = fit_by(LassoTrainer(raw), examples_of(scaled));
  EXPECT_EQ(path_of(fit).w[1][1] != 0.0, true) << "the largest column enters first";
}

TEST(SparsePath, RefitsTheSelectedFeaturesWithoutAPenalty) {
  Data data = data_of(150, 12, false, 3.0);
  LassoOptions options;
  options.sparse.path_rule = PathRule::one_se;
  const std::vector<double> selected = weights_of(fit_by(LassoTrainer(options), examples_of(data)));
  options.sparse.refit_selected = true;
  const Trained again = fit_by(LassoTrainer(options), examples_of(data));
  Data some = data;
  for (std::size_t i = 0; i < some.x.size(); ++i) {
    some.x[i].clear();
    for (std::size_t j = 0; j < 12; ++j)
      if (selected[j] != 0.0) some.x[i].push_back(data.x[i][j]);
  }
  ASSERT_LT(some.x[0].size(), 12u);
  const std::vector<double> expected = weights(fit(some));
  const std::vector<double> own = weights_of(again);
  for (std::size_t j = 0, at = 0; j < 12; ++j)
    if (selected[j] == 0.0) {
      EXPECT_EQ(own[j], 0.0);
    } else {
      EXPECT_NEAR(own[j], expected[at++], 1e-5);
    }
  EXPECT_TRUE(again.record.converged);
  EXPECT_NE(again.warnings.back().find("p-values"), std::string::npos);
}

TEST(SparsePath, RefusesWhatContradictsItself) {
  const auto refused = [](auto&& change) {
    LogisticOptions options;
    options.sparse.l1 = {0.0, true};
    change(options);
    const auto error = failure_of([&] { LogisticTrainer{options}; });
    return error && error->code() == ErrorCode::usage ? error->message() : std::string();
  };
  EXPECT_NE(refused([](auto& o) { o.sparse.l1_ratio = {"0"}; }), "");
  EXPECT_NE(refused([](auto& o) { o.sparse.l1_ratio = {"x"}; }), "");
  EXPECT_NE(refused([](auto& o) { o.sparse.l1_ratio = {"0.5"}, o.l2.given = true; }), "");
  EXPECT_NE(refused([](auto& o) { o.sparse = {.l1_ratio = {"0.5"}}; }), "");
  EXPECT_NE(refused([](auto& o) { o.stop = StopRule::change; }), "");
  EXPECT_EQ(refused([](auto&) {}), "");
  LossOptions<HuberLoss> huber;
  huber.sparse.path = true;
  EXPECT_TRUE(failure_of([&] { LossTrainer<HuberLoss>{huber}; }));
}

}  // namespace
}  // namespace plumb::sparse_path_test
