// Losses that are models by themselves: closed forms, properties for any data, and values of other programs.
#include "plumb/train/loss_trainer.h"

#include <numeric>

#include "plumb/base/error.h"
#include "plumb/math/special.h"
#include "plumb/train/testing.h"

namespace plumb::loss_trainer_test {
namespace {

using HuberTrainer = LossTrainer<HuberLoss>;
using HuberOptions = LossOptions<HuberLoss>;
using PoissonTrainer = LossTrainer<PoissonLoss>;
using PoissonOptions = LossOptions<PoissonLoss>;

template <class T, class Options>
Trained fit_as(const Data& data, const Options& options, unsigned threads = 1, bool sparse = false,
               bool offset = false) {
  Executor executor(threads);
  const Examples examples = examples_of(data, 1000, sparse);
  FeatureMap::Parts parts = numbers(examples.features()).parts();
  if (offset) parts.terms.back() = OffsetTerm{examples.features() - 1};
  return T(options).train({examples, FeatureMap(parts)}, plumb::Run{executor});
}
Trained huber(const Data& data, double threshold = 1.345, double l2 = 0.0, unsigned threads = 1) {
  HuberOptions options;
  options.threshold = threshold;
  options.l2 = {l2};
  return fit_as<HuberTrainer>(data, options, threads);
}
Trained poisson(const Data& data, double l2 = 0.0, unsigned threads = 1, bool offset = false) {
  PoissonOptions options;
  options.l2 = {l2};
  return fit_as<PoissonTrainer>(data, options, threads, false, offset);
}

// Small whole numbers, some outliers.
Data sixty(bool counts) {
  Data data;
  for (int i = 0; i < 60; ++i) {
    const double a = (7 * i) % 11, b = (i * i) % 13, c = (3 * i) % 5;
    data.x.push_back({a, b, c});
    const double line = 3 + 2 * a - b + 0.5 * c + ((5 * i) % 7 - 3) / 4.0;
    const double far = (i % 9 == 4 ? 40 : 0) - (i % 14 == 3 ? 25 : 0);
    data.y.push_back(counts ? (3 * i * i + 5 * i) % 9 + std::floor(a / 2) : line + far);
  }
  return data;
}

void expect_weights(const Trained& fit, const std::vector<double>& w, double bias, double off) {
  EXPECT_TRUE(fit.record.converged);
  EXPECT_EQ(fit.record.certificate.kind, "gap");
  EXPECT_LE(fit.record.certificate.value, 1e-10);
  for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(weights(fit)[j], w[j], off) << j;
  EXPECT_NEAR(fit.model.parts().bias[0], bias, off);
}

// scikit-learn 1.9.1, HuberRegressor(epsilon, alpha = l2 / 2, tol = 1e-12), which stops at 1e-5 or so of its optimum.
TEST(HuberTrainer, AgreesWithScikitLearn) {
  const Data data = sixty(false);
  const Trained plain = huber(data), penalised = huber(data, 1.345, 10.0), wide = huber(data, 2.0);
  expect_weights(plain, {1.99554094, -0.99877826, 0.58773328}, 2.92582722, 3e-5);
  EXPECT_NEAR(number_of(plain, "scale"), 0.50314503, 1e-5);
  EXPECT_NEAR(plain.record.objective, 1003.0338727, 1e-6);
  expect_weights(penalised, {1.98054516, -0.99585366, 0.56848276}, 3.01100765, 1e-5);
  EXPECT_NEAR(number_of(penalised, "scale"), 0.51944304, 1e-5);
  EXPECT_NEAR(penalised.record.objective, 1029.44289595, 1e-6);
  expect_weights(wide, {1.95679032, -1.01973948, 0.61509346}, 3.2407693, 5e-5);
  EXPECT_NEAR(number_of(wide, "scale"), 0.96889741, 5e-5);
}

TEST(HuberTrainer, WithAHugeThresholdIsLeastSquares) {
  const Data data = random_data(300, 4, 1);
  const Trained robust = huber(data, 1e6), squares = fit(data);
  expect_weights(robust, weights(squares), squares.model.parts().bias[0], 1e-9);
  double squared = 0.0;
  for (std::size_t i = 0; i < data.y.size(); ++i) {
    double r = data.y[i] - squares.model.parts().bias[0];
    for (std::size_t j = 0; j < 4; ++j) r -= weights(squares)[j] * data.x[i][j];
    squared += r * r;
  }
  EXPECT_NEAR(number_of(robust, "scale"), std::sqrt(squared / 300), 1e-6);
}

TEST(HuberTrainer, FollowsTheUnitOfTheTarget) {
  Data data = sixty(false);
  const Trained one = huber(data);
  for (double& y : data.y) y *= 1024;
  const Trained other = huber(data);
  for (std::size_t j = 0; j < 3; ++j) expect_close(weights(other)[j], 1024 * weights(one)[j], 1e-7);
  expect_close(number_of(other, "scale"), 1024 * number_of(one, "scale"), 1e-7);
}

TEST(HuberTrainer, IsNotMovedFurtherByATargetThatGoesFurtherAway) {
  Data data = sixty(false);
  const Trained one = huber(data);
  data.y[4] += 1e6;
  const Trained other = huber(data);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(weights(other)[j], weights(one)[j], 1e-6);
}

TEST(HuberTrainer, SaysSoWhereTheScaleIsZero) {
  const Data line{{{0}, {1}, {2}, {3}, {4}, {5}}, {1, 3, 5, 7, 9, 100}, {}};
  const Trained found = huber(line);
  EXPECT_NEAR(weights(found)[0], 2.0, 1e-6);
  ASSERT_FALSE(found.warnings.empty());
  EXPECT_NE(found.warnings.back().find("the scale is 0"), std::string::npos);
}

template <class Fit>
void expect_weights_are_copies(const Data& data, Fit&& fit) {
  Data weighted = data, copied;
  for (std::size_t i = 0; i < data.y.size(); ++i) {
    weighted.s.push_back(static_cast<double>(i % 3));
    for (std::size_t k = 0; k < i % 3; ++k) {
      copied.x.push_back(data.x[i]);
      copied.y.push_back(data.y[i]);
    }
  }
  const Trained one = fit(weighted), other = fit(copied);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(weights(one)[j], weights(other)[j], 1e-8);
  EXPECT_NEAR(one.model.parts().bias[0], other.model.parts().bias[0], 1e-8);
}
TEST(LossTrainers, AWeightOfKIsKCopiesOfTheRow) {
  expect_weights_are_copies(sixty(false), [](const Data& data) { return huber(data); });
  expect_weights_are_copies(sixty(true), [](const Data& data) { return poisson(data); });
}

TEST(LossTrainers, GiveTheSameBitsForAnyNumberOfThreads) {
  Data data = random_data(10'000, 3, 5);
  const auto same = [&](auto&& fit) {
    const Trained one = fit(1u);
    for (const unsigned threads : {2u, 7u}) {
      const Trained other = fit(threads);
      EXPECT_EQ(weights(one), weights(other));
      EXPECT_EQ(one.model.parts().bias, other.model.parts().bias);
      EXPECT_EQ(one.record.fit, other.record.fit);
    }
  };
  same([&](unsigned threads) { return huber(data, 1.345, 0.0, threads); });
  for (double& y : data.y) y = std::floor(std::abs(y));
  same([&](unsigned threads) { return poisson(data, 0.0, threads); });
}

TEST(LossTrainers, EverySolverThatFitsFindsTheOptimum) {
  const auto agree = [](const auto& fit, const std::vector<double>& expected) {
    for (const char* solver : {"newton", "lbfgs", "conjugate-gradient"}) {
      const Trained found = fit(solver);
      for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(weights(found)[j], expected[j], 1e-4) << solver;
    }
    EXPECT_THROW(fit("coordinate-descent"), Error);
  };
  const Data numbers = sixty(false), counts = sixty(true);
  agree(
      [&](const std::string& solver) {
        HuberOptions options;
        options.solver = solver;
        return fit_as<HuberTrainer>(numbers, options);
      },
      weights(huber(numbers)));
  agree(
      [&](const std::string& solver) {
        PoissonOptions options;
        options.solver = solver;
        return fit_as<PoissonTrainer>(counts, options);
      },
      weights(poisson(counts)));
}

TEST(LossTrainers, ASolverThatLacksAPartOfTheLossNamesThoseThatFit) {
  PoissonOptions options;
  options.l2 = {1.0};
  options.solver = "sgd";
  try {
    fit_as<PoissonTrainer>(sixty(true), options);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(error.message().find("a bound on the curvature, and the loss poisson has none"), std::string::npos);
    EXPECT_NE(error.message().find("newton, lbfgs, conjugate-gradient, gradient-descent would fit"), std::string::npos)
        << error.message();
  }
}

// scikit-learn 1.9.1, PoissonRegressor(alpha, tol = 1e-12): alpha = l2 / rows.
TEST(PoissonTrainer, AgreesWithScikitLearn) {
  const Data data = sixty(true);
  expect_weights(poisson(data), {0.07009215563, -0.00240416912, 0.03031875273}, 1.41349222367, 1e-6);
  expect_weights(poisson(data, 6.0), {0.06998743357, -0.00239853782, 0.03009829218}, 1.41451899943, 1e-6);
}

// statsmodels 0.15.0, GLM(family = Poisson, offset = log(exposure), freq_weights): params and deviance.
TEST(PoissonTrainer, AgreesWithStatsmodelsOnExposure) {
  Data data = sixty(true);
  for (std::size_t i = 0; i < data.x.size(); ++i) data.x[i].push_back(std::log(1.0 + static_cast<double>(i % 4)));
  const Trained plain = poisson(data, 0.0, 1, true);
  expect_weights(plain, {0.06141320447, -0.01534058333, 0.029304963, 1.0}, 0.62195546639, 1e-9);
  EXPECT_NEAR(2 * number_of(plain, "training_loss"), 163.80718330959758, 1e-8);
  for (std::size_t i = 0; i < data.x.size(); ++i) data.s.push_back(1.0 + static_cast<double>(i % 3));
  const Trained weighted = poisson(data, 0.0, 1, true);
  expect_weights(weighted, {0.0577461276984, -0.0174657518504, 0.0229504556923, 1.0}, 0.68976545551754, 1e-9);
  EXPECT_NEAR(2 * number_of(weighted, "training_loss"), 327.3142617025495, 1e-8);
}

TEST(PoissonTrainer, OfABiasAloneIsTheLogarithmOfTheMean) {
  Data data{{{0}, {0}, {0}, {0}}, {0, 1, 1000, 3}, {}};
  EXPECT_NEAR(poisson(data).model.parts().bias[0], std::log(251.0), 1e-9);
}

TEST(PoissonTrainer, MeansAddUpToTheCounts) {
  const Data data = sixty(true);
  const Trained found = poisson(data);
  EXPECT_EQ(found.model.parts().link, Link::log);
  Predictor predictor(found.model);
  double sum = 0.0;
  for (const std::vector<double>& x : data.x) sum += predictor.predict({{}, x}).value;
  EXPECT_NEAR(sum, std::accumulate(data.y.begin(), data.y.end(), 0.0), 1e-7);
}

TEST(PoissonTrainer, RefusesANegativeTarget) {
  Data data = sixty(true);
  data.y[7] = -1;
  try {
    poisson(data);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_EQ(error.message(), "the target of row 8 is -1; -m poisson takes targets of at least 0");
  }
}

}  // namespace
}  // namespace plumb::loss_trainer_test
