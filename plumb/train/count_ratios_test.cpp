#include "plumb/train/count_ratios.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/train/logistic.h"
#include "plumb/train/testing.h"

namespace plumb::count_ratios_test {
namespace {

Data counted_data(std::size_t classes) {
  Data data;
  const RandomKey key{11, 0};
  std::uint64_t draw = 0;
  for (std::size_t r = 0; r < 120; ++r) {
    const auto label = static_cast<double>(r % classes);
    data.x.emplace_back();
    for (std::size_t j = 0; j < 6; ++j) {
      const double more = static_cast<double>(j) == 2 * label ? 2.0 : 0.7;
      data.x[r].push_back(std::floor(2 * more * key.uniform(draw++)));
    }
    data.y.push_back(key.uniform(draw++) < 0.15 ? static_cast<double>((r + 1) % classes) : label);
  }
  return data;
}

std::vector<std::vector<double>> ratios_of(const Data& data, std::size_t labels) {
  Executor executor(1);
  return count_ratios(examples_of(data), labels, data.x[0].size(), plumb::Run{executor});
}

template <class T>
Trained fit(const Data& data, const std::vector<std::string>& labels, const ConvexOptions& options,
            unsigned threads = 1) {
  Executor executor(threads);
  const Examples examples = examples_of(data);
  return T(options).train({examples, numbers(examples.features()), labels}, plumb::Run{executor});
}

TEST(CountRatios, AreThoseOfTheSums) {
  const Data data = {{{3, 0}, {1, 2}, {0, 4}}, {1, 1, 0}, {}};
  const std::vector<std::vector<double>> ratios = ratios_of(data, 2);
  ASSERT_EQ(ratios.size(), 1u);  // p = (5, 3) of 8, q = (1, 5) of 6
  EXPECT_NEAR(ratios[0][0], std::log((5.0 / 8) / (1.0 / 6)), 1e-14);
  EXPECT_NEAR(ratios[0][1], std::log((3.0 / 8) / (5.0 / 6)), 1e-14);
  EXPECT_EQ(ratios_of({{{1, 0}, {0, 1}, {1, 1}}, {0, 1, 2}, {}}, 3).size(), 3u);
}

TEST(CountRatios, RefuseValuesBelowZero) { EXPECT_THROW(ratios_of({{{-3, 0}, {1, 2}}, {1, 0}, {}}, 2), Error); }

// The definition: a fit to features times ratios, whose weights are mixed with their mean size.
TEST(CountRatios, AFitIsThatOfScaledFeaturesInterpolated) {
  for (const std::size_t classes : {2u, 3u}) {
    const std::vector<std::string> labels =
        classes == 2 ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"a", "b", "c"};
    const Data data = counted_data(classes);
    const std::vector<std::vector<double>> ratios = ratios_of(data, classes);
    ConvexOptions options;
    options.l2 = {0.5};
    options.tolerance = 1e-12;
    ConvexOptions weighted = options;
    weighted.weighting = FeatureWeighting::nb;
    const Trained found = fit<SquaredHingeTrainer>(data, labels, weighted);
    for (std::size_t k = 0; k < ratios.size(); ++k) {
      Data scaled = data;
      for (std::vector<double>& row : scaled.x)
        for (std::size_t j = 0; j < row.size(); ++j) row[j] *= ratios[k][j];
      if (classes > 2)
        for (double& y : scaled.y) y = y == static_cast<double>(k) ? 1.0 : 0.0;
      const Trained plain = fit<SquaredHingeTrainer>(scaled, {"rest", "own"}, options);
      std::vector<double> w(6), own(6);
      plain.model.parts().weights.row(0, w);
      found.model.parts().weights.row(k, own);
      double size = 0.0;
      for (const double each : w) size += std::abs(each) / 6;
      for (std::size_t j = 0; j < 6; ++j)
        EXPECT_NEAR(own[j], ratios[k][j] * (0.25 * w[j] + 0.75 * size), 1e-5) << classes << " " << k << " " << j;
    }
  }
}

TEST(CountRatios, TheBiasIsTheBestForTheWeights) {
  const Data data = counted_data(2);
  ConvexOptions options;
  options.weighting = FeatureWeighting::nb;
  const Trained found = fit<LogisticTrainer>(data, {"a", "b"}, options);
  std::vector<double> w(6);
  found.model.parts().weights.row(0, w);
  double slope = 0.0;
  for (std::size_t r = 0; r < data.x.size(); ++r) {
    double z = found.model.parts().bias[0];
    for (std::size_t j = 0; j < 6; ++j) z += w[j] * data.x[r][j];
    slope += 1 / (1 + std::exp(-z)) - data.y[r];
  }
  EXPECT_NEAR(slope, 0.0, 1e-9);
}

TEST(CountRatios, RowsOfWeightTwoAreTwoRows) {
  Data once = counted_data(2), twice = once;
  once.s.assign(once.x.size(), 1.0);
  for (std::size_t r = 0; r < 30; ++r) {
    once.s[r] = 2.0;
    twice.x.push_back(once.x[r]);
    twice.y.push_back(once.y[r]);
  }
  ConvexOptions options;
  options.weighting = FeatureWeighting::nb;
  options.tolerance = 1e-12;
  std::vector<double> a(6), b(6);
  fit<LogisticTrainer>(once, {"a", "b"}, options).model.parts().weights.row(0, a);
  fit<LogisticTrainer>(twice, {"a", "b"}, options, 2).model.parts().weights.row(0, b);
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(a[j], b[j], 1e-6);
}

TEST(CountRatios, NeedAPenaltyAndOnePlaneAClass) {
  const Data data = counted_data(3);
  ConvexOptions options;
  options.weighting = FeatureWeighting::nb;
  EXPECT_THROW(fit<LogisticTrainer>(data, {"a", "b", "c"}, options), Error);
  options.l2 = {0.0};
  EXPECT_THROW(SquaredHingeTrainer{options}, Error);
  options.l2 = {0.0, true};
  EXPECT_THROW(SquaredHingeTrainer{options}, Error);
}

}  // namespace
}  // namespace plumb::count_ratios_test
