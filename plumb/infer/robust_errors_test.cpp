// Robust and clustered errors by their definitions, and diagnostics of rows against fits without them.
#include "plumb/infer/robust_errors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "plumb/infer/diagnostics.h"
#include "plumb/infer/likelihood_testing.h"
#include "plumb/infer/testing.h"

namespace plumb::robust_errors_test {
namespace {

// The rows and columns of a small symmetric matrix, inverted by Gauss and Jordan.
using Matrix = std::vector<std::vector<double>>;
Matrix inverse(Matrix a) {
  const std::size_t n = a.size();
  Matrix b(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) b[i][i] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const double pivot = a[i][i];
    for (std::size_t j = 0; j < n; ++j) a[i][j] /= pivot, b[i][j] /= pivot;
    for (std::size_t k = 0; k < n; ++k) {
      if (k == i) continue;
      const double factor = a[k][i];
      for (std::size_t j = 0; j < n; ++j) a[k][j] -= factor * a[i][j], b[k][j] -= factor * b[i][j];
    }
  }
  return b;
}

// A^-1 M A^-1 from scores and information of each row, with z = (x, 1): `v` multiplies the square of a row's score.
struct Definition {
  Matrix a, z;
  std::vector<double> residual, curvature;

  Definition(const Data& data, const Trained& fit, bool classes) : a(3, std::vector<double>(3)) {
    for (std::size_t i = 0; i < data.x.size(); ++i) {
      z.push_back({data.x[i][0], data.x[i][1], 1.0});
      const double score = weights(fit)[0] * z[i][0] + weights(fit)[1] * z[i][1] + fit.model.parts().bias[0];
      const double p = 1 / (1 + std::exp(-score));
      residual.push_back(data.y[i] - (classes ? p : score));
      curvature.push_back(classes ? p * (1 - p) : 1.0);
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) a[r][c] += curvature[i] * z[i][r] * z[i][c];
    }
  }
  double leverage(std::size_t i) const {
    const Matrix b = inverse(a);
    double sum = 0.0;
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) sum += z[i][r] * b[r][c] * z[i][c];
    return curvature[i] * sum;
  }
  // The errors of both weights and the bias from sums of scores.
  std::vector<double> errors(const Matrix& sums, double correction) const {
    const Matrix b = inverse(a);
    std::vector<double> found(3);
    for (const std::vector<double>& sum : sums)
      for (std::size_t r = 0; r < 3; ++r) {
        double pull = 0.0;
        for (std::size_t c = 0; c < 3; ++c) pull += b[r][c] * sum[c];
        found[r] += correction * pull * pull;
      }
    for (double& each : found) each = std::sqrt(each);
    return found;
  }
  Matrix scores(std::span<const std::uint32_t> cluster, double power = 0.0) const {
    Matrix sums(*std::max_element(cluster.begin(), cluster.end()) + 1, std::vector<double>(3));
    for (std::size_t i = 0; i < z.size(); ++i)
      for (std::size_t r = 0; r < 3; ++r)
        sums[cluster[i]][r] += residual[i] * z[i][r] * (power == 0.0 ? 1.0 : std::pow(1 - leverage(i), -power));
    return sums;
  }
};

void expect_errors(const Trained& fit, const std::vector<double>& wanted, double relative) {
  for (std::size_t j = 0; j < 2; ++j) expect_close(fit.record.standard_errors.weights[j], wanted[j], relative);
  expect_close(fit.record.standard_errors.bias[0], wanted[2], relative);
}

std::vector<std::uint32_t> each_row(std::size_t n) {
  std::vector<std::uint32_t> own(n);
  std::iota(own.begin(), own.end(), 0u);
  return own;
}

TEST(RobustErrors, OfALogisticFitAreTheSumsOfTheirDefinition) {
  const std::size_t n = 60;
  const Data data = drawn_classes(n, 2, 2, 31);
  const Definition by_hand(data, inferred_classes(data, kTwoLabels), true);
  const auto own = each_row(n);
  const auto robust = [&](Errors errors) { return inferred_classes(data, kTwoLabels, {}, {.errors = errors}); };
  expect_errors(robust(Errors::hc0), by_hand.errors(by_hand.scores(own), 1.0), 1e-10);
  expect_errors(robust(Errors::hc1), by_hand.errors(by_hand.scores(own), n / (n - 3.0)), 1e-10);
  expect_errors(robust(Errors::hc2), by_hand.errors(by_hand.scores(own, 0.5), 1.0), 1e-10);
  expect_errors(robust(Errors::hc3), by_hand.errors(by_hand.scores(own, 1.0), 1.0), 1e-10);
}

TEST(RobustErrors, OfClustersAreTheSumsOfTheirDefinition) {
  const std::size_t n = 60;
  const Data data = drawn_classes(n, 2, 2, 32);
  std::vector<std::uint32_t> cluster(n);
  for (std::size_t i = 0; i < n; ++i) cluster[i] = static_cast<std::uint32_t>((i * i) % 7);  // of which four occur
  std::vector<bool> seen(7);
  for (const std::uint32_t each : cluster) seen[each] = true;
  const auto g = static_cast<double>(std::count(seen.begin(), seen.end(), true));
  const double correction = g / (g - 1) * (n - 1.0) / (n - 3.0);
  const InferenceOptions options{.cluster = "column"};
  for (const bool classes : {true, false}) {
    Data own = data;
    if (!classes)
      for (std::size_t i = 0; i < n; ++i) own.y[i] += own.x[i][0] + own.x[i][1] * own.x[i][1];
    Trained found = classes ? inferred_classes(own, kTwoLabels, {}, options, 1, false, cluster) : fit(own);
    Executor executor(1);
    if (!classes) add_inference(found, examples_of(own), options, plumb::Run{executor}, {cluster});
    const Definition by_hand(own, found, classes);
    expect_errors(found, by_hand.errors(by_hand.scores(cluster), correction), 1e-10);
    EXPECT_EQ(number_of(found, kClusters), g);
  }
}

// CR1 with n clusters is n / (n - 1) (n - 1) / (n - k): hc1.
TEST(RobustErrors, WithEachRowItsOwnClusterAreThoseOfHc1) {
  const Data data = drawn_classes(80, 2, 2, 33);
  const auto own = each_row(80);
  const InferenceOptions clustered{.cluster = "column"}, robust{.errors = Errors::hc1};
  const Trained one = inferred_classes(data, kTwoLabels, {}, clustered, 1, false, own);
  const Trained two = inferred_classes(data, kTwoLabels, {}, robust);
  for (std::size_t j = 0; j < 2; ++j)
    expect_close(one.record.standard_errors.weights[j], two.record.standard_errors.weights[j], 1e-11);
  const Data three = drawn_classes(80, 2, 3, 34);
  const Trained softmax = inferred_classes(three, kThreeLabels, {}, clustered, 1, false, own);
  const Trained other = inferred_classes(three, kThreeLabels, {}, robust);
  for (std::size_t i = 2; i < 6; ++i)
    expect_close(softmax.record.standard_errors.weights[i], other.record.standard_errors.weights[i], 1e-9);
  Executor executor(1);
  Trained line = fit(data);
  add_inference(line, examples_of(data), clustered, plumb::Run{executor}, {own});
  expect_close(line.record.standard_errors.weights[1],
               inferred(data, true, Errors::hc1).record.standard_errors.weights[1], 1e-12);
}

TEST(RobustErrors, AWeightOfKIsKCopiesInOneClusterAndBitsDoNotDependOnThreads) {
  Data data = drawn_classes(60, 2, 2, 35);
  std::vector<std::uint32_t> cluster, copies;
  for (std::size_t r = 0; r < 60; ++r) {
    data.s.push_back(static_cast<double>(r % 3));
    cluster.push_back(static_cast<std::uint32_t>(r / 6));
    for (std::size_t k = 0; k < r % 3; ++k) copies.push_back(cluster.back());
  }
  for (const Errors errors : {Errors::hc0, Errors::hc1, Errors::hc2, Errors::hc3}) {
    const InferenceOptions options{.errors = errors};
    const Trained one = inferred_classes(data, kTwoLabels, {}, options);
    const Trained two = inferred_classes(copies_of(data), kTwoLabels, {}, options);
    expect_close(one.record.standard_errors.weights[0], two.record.standard_errors.weights[0], 1e-9);
  }
  const InferenceOptions options{.cluster = "column"};
  const Trained one = inferred_classes(data, kTwoLabels, {}, options, 1, false, cluster);
  const Trained two = inferred_classes(copies_of(data), kTwoLabels, {}, options, 1, false, copies);
  expect_close(one.record.standard_errors.weights[0], two.record.standard_errors.weights[0], 1e-9);
  const Trained three = inferred_classes(data, kTwoLabels, {}, options, 7, false, cluster);
  EXPECT_EQ(one.record.standard_errors.weights, three.record.standard_errors.weights);
}

TEST(RobustErrors, RefuseWhatHasNone) {
  const Data data = drawn_classes(40, 2, 3, 36);
  EXPECT_THROW(inferred_classes(data, kThreeLabels, {}, {.errors = Errors::hc3}), Error);
  const std::vector<std::uint32_t> one(40);
  EXPECT_THROW(inferred_classes(data, kThreeLabels, {}, {.cluster = "c"}, 1, false, one), Error);
  EXPECT_THROW(inferred_classes(data, kThreeLabels, {}, {.errors = Errors::hc0, .cluster = "c"}, 1, false, one), Error);
  EXPECT_THROW(inferred_classes(data, kThreeLabels, {}, {.errors = Errors::hc0, .inference = InferenceAmount::full}),
               Error);
}

RowDiagnostics diagnosed(const Data& data) {
  Executor executor(1);
  return row_diagnostics(inferred_classes(data, kTwoLabels), examples_of(data), plumb::Run{executor});
}

TEST(LikelihoodDiagnostics, LeveragesAddUpToTheRankAndDeviancesToTheDeviance) {
  Data data = drawn_classes(70, 2, 2, 37);
  for (std::size_t r = 0; r < 70; ++r) data.s.push_back(static_cast<double>(1 + r % 3));
  const RowDiagnostics rows = diagnosed(data);
  ASSERT_EQ(rows.leverage.size(), 70);
  double leverages = 0.0, deviance = 0.0;
  for (std::size_t i = 0; i < 70; ++i) {
    leverages += rows.leverage[i];
    deviance += rows.weight[i] * rows.deviance[i] * rows.deviance[i];
    EXPECT_EQ(rows.residual[i] > 0, rows.actual[i] == 1);
    EXPECT_NEAR(rows.residual[i], rows.actual[i] - rows.fitted[i], 1e-14);
  }
  expect_close(leverages, 3, 1e-11);
  expect_close(deviance, number_of(inferred_classes(data, kTwoLabels), kResidualDeviance), 1e-12);
}

// To first order: the error of the prediction is far smaller than what leaving out the row changes.
TEST(LikelihoodDiagnostics, APredictionWithoutARowIsNearlyThatOfTheFitWithoutIt) {
  const Data data = drawn_classes(200, 2, 2, 38);
  const RowDiagnostics rows = diagnosed(data);
  const Definition by_hand(data, inferred_classes(data, kTwoLabels), true);
  for (std::size_t i = 0; i < 200; i += 25) {
    const Trained without = inferred_classes(without_row(data, i), kTwoLabels);
    const double score =
        weights(without)[0] * data.x[i][0] + weights(without)[1] * data.x[i][1] + without.model.parts().bias[0];
    const double p = 1 / (1 + std::exp(-score));
    EXPECT_LT(std::abs(rows.left_out[i] - p), 0.1 * std::abs(rows.fitted[i] - p)) << i;
    expect_close(rows.leverage[i], by_hand.leverage(i), 1e-10);
    const double room = 1 - rows.leverage[i], r = rows.residual[i];
    expect_close(rows.cook[i], r * r / by_hand.curvature[i] * rows.leverage[i] / (room * room * 3), 1e-10);
  }
}

}  // namespace
}  // namespace plumb::robust_errors_test
