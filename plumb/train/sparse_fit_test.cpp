// rows: L7
// Fits with an L1 penalty through the trainers: what the rows, the columns and the options mean.
#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/error.h"
#include "plumb/base/testing.h"
#include "plumb/train/least_squares.h"
#include "plumb/train/logistic.h"
#include "plumb/train/loss_trainer.h"
#include "plumb/train/testing.h"

namespace plumb::sparse_fit_test {
namespace {

Data data_of(std::size_t n, std::size_t p, std::size_t labels = 0) {
  Data data;
  const RandomKey key{17, 0};
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    data.x.emplace_back();
    double score = 0.2;
    for (std::size_t j = 0; j < p; ++j) {
      data.x[i].push_back((2 * key.uniform(at++) - 1) * (j % 3 == 0 ? 5.0 : 1.0) + 0.5);
      score += (j % 4 == 0 ? 0.5 : j % 4 == 1 ? -1.0 : 0.0) * data.x[i][j];
    }
    const double noise = key.uniform(at++);
    data.y.push_back(labels == 2   ? (noise < 1 / (1 + std::exp(-score)) ? 1.0 : 0.0)
                     : labels == 3 ? std::floor(2.999 / (1 + std::exp(-score - noise)))
                                   : score + noise);
    data.s.push_back(static_cast<double>(1 + i % 3));
  }
  return data;
}

const std::vector<std::string> kTwo = {"no", "yes"}, kThree = {"a", "b", "c"};

template <class Trainer>
Trained fit_by(const Trainer& trainer, const Data& data, std::span<const std::string> labels = {}) {
  Executor executor(1);
  const Examples examples = examples_of(data);
  return trainer.train({examples, numbers(examples.features()), labels}, plumb::Run{executor});
}

std::vector<double> weights_of(const Trained& fit) {
  const Weights& all = fit.model.parts().weights;
  std::vector<double> w(all.features()), every;
  for (std::uint64_t r = 0; r < all.rows(); ++r) {
    all.row(r, w);
    every.insert(every.end(), w.begin(), w.end());
  }
  every.insert(every.end(), fit.model.parts().bias.begin(), fit.model.parts().bias.end());
  return every;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double within) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], within) << i;
}

TEST(SparseFit, StoresOnlyTheNonZeros) {
  const Trained fit = fit_by(LogisticTrainer({.sparse = {.l1 = 12.0}}), data_of(300, 20, 2), kTwo);
  const Weights& weights = fit.model.parts().weights;
  EXPECT_EQ(weights.form(), Weights::Form::sparse);
  EXPECT_LT(weights.sparse_values().values.size(), 15u);
  EXPECT_GT(weights.sparse_values().values.size(), 2u);
  for (const double each : weights.sparse_values().values) EXPECT_NE(each, 0.0);
  EXPECT_TRUE(fit.record.converged);
  EXPECT_EQ(number_of(fit, "l1"), 12.0);
  EXPECT_EQ(number_of(fit, "l2"), 0.0) << "the default of --l2 is for fits without --l1";
}

TEST(SparseFit, TakesARowOfWeightKAsKCopies) {
  for (const std::size_t labels : {0, 2, 3}) {
    const Data weighted = data_of(90, 8, labels);
    Data copies;
    for (std::size_t i = 0; i < weighted.x.size(); ++i)
      for (int k = 0; k < static_cast<int>(weighted.s[i]); ++k) {
        copies.x.push_back(weighted.x[i]);
        copies.y.push_back(weighted.y[i]);
      }
    if (labels == 0) {
      LeastSquaresOptions options;
      options.sparse.l1 = {4.0};
      expect_near(weights_of(fit_by(LeastSquaresTrainer(options), weighted)),
                  weights_of(fit_by(LeastSquaresTrainer(options), copies)), 1e-8);
    } else {
      LogisticOptions options;
      options.sparse.l1 = {2.0};
      options.tolerance = 1e-12;
      const LogisticTrainer trainer(options);
      expect_near(weights_of(fit_by(trainer, weighted, labels == 2 ? kTwo : kThree)),
                  weights_of(fit_by(trainer, copies, labels == 2 ? kTwo : kThree)), 1e-5);
    }
  }
}

TEST(SparseFit, PermutesItsWeightsWithTheColumns) {
  const Data data = data_of(150, 9, 2);
  Data reversed = data;
  for (std::vector<double>& row : reversed.x) std::reverse(row.begin(), row.end());
  LogisticOptions options;
  options.sparse.l1 = {3.0};
  options.l2 = Strength(0.5);
  options.l2.given = true;
  options.tolerance = 1e-12;
  std::vector<double> a = weights_of(fit_by(LogisticTrainer(options), data, kTwo));
  const std::vector<double> b = weights_of(fit_by(LogisticTrainer(options), reversed, kTwo));
  std::reverse(a.begin(), a.end() - 1);
  expect_near(a, b, 1e-6);
}

TEST(SparseFit, MultipliesBothPenaltiesByThePenaltyFactor) {
  LeastSquaresOptions options;
  options.sparse.l1 = {1e6};
  options.penalty_factor = {"x3=0"};
  const Trained fit = fit_by(LeastSquaresTrainer(options), data_of(100, 6));
  const std::vector<double> w = weights_of(fit);
  for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(w[j] == 0.0, j != 3) << j;
  EXPECT_TRUE(fit.record.converged);
  // What is left is least squares on that column alone.
  Data alone = data_of(100, 6);
  for (std::vector<double>& row : alone.x) row = {row[3]};
  const Trained expected = fit_by(LeastSquaresTrainer(), alone);
  EXPECT_NEAR(w[3], expected.model.parts().weights.dense_values()[0], 1e-8);
}

TEST(SparseFit, HasACertificateForHubersScaleToo) {
  LossOptions<HuberLoss> options;
  options.sparse.l1 = {5.0};
  Data data = data_of(200, 10);
  for (std::size_t i = 0; i < data.y.size(); i += 17) data.y[i] += 50;
  const Trained fit = fit_by(LossTrainer<HuberLoss>(options), data);
  EXPECT_TRUE(fit.record.converged) << fit.record.certificate.value;
  EXPECT_LE(fit.record.certificate.value, options.tolerance);
  EXPECT_EQ(fit.model.parts().weights.form(), Weights::Form::sparse);
}

TEST(SparseFit, PenalisesTheBiasOnlyOnRequest) {
  LogisticOptions options;
  options.sparse.l1 = {1e6};
  EXPECT_NE(fit_by(LogisticTrainer(options), data_of(80, 3, 2), kTwo).model.parts().bias[0], 0.0);
  options.penalise_bias = true;
  EXPECT_EQ(fit_by(LogisticTrainer(options), data_of(80, 3, 2), kTwo).model.parts().bias[0], 0.0);
}

TEST(SparseFit, NamesConstantAndCopiedColumns) {
  Data data = data_of(80, 4, 2);
  for (std::vector<double>& row : data.x) {
    row[1] = 7.0;
    row[3] = row[0];
  }
  LogisticOptions options;
  options.sparse.l1 = {0.5};
  const Trained fit = fit_by(LogisticTrainer(options), data, kTwo);
  ASSERT_EQ(fit.warnings.size(), 2u);
  EXPECT_EQ(fit.warnings[0], "feature \"x1\" has weight 0: it is constant");
  EXPECT_EQ(fit.warnings[1], "feature \"x3\" has weight 0: it is a copy of \"x0\"");
  const std::vector<double> w = weights_of(fit);
  EXPECT_EQ(w[1], 0.0);
  EXPECT_EQ(w[3], 0.0);
  EXPECT_NE(w[0], 0.0);
}

TEST(SparseFit, RefusesSolversThatNeedASmoothPenalty) {
  LogisticOptions options;
  options.sparse.l1 = {1.0};
  options.solver = "newton";
  const auto error = failure_of([&] { fit_by(LogisticTrainer(options), data_of(40, 3, 2), kTwo); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_EQ(error->hint(), "--solver coordinate-descent");
}

}  // namespace
}  // namespace plumb::sparse_fit_test
