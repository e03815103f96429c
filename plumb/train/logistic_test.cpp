#include "plumb/train/logistic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "plumb/solver/solver.h"
#include "plumb/train/testing.h"

namespace plumb::logistic_test {
namespace {

const std::vector<std::string> kTwo = {"no", "yes"};
const std::vector<std::string> kThree = {"a", "b", "c"};

// Labels drawn from a logistic model, columns in very different units.
Data class_data(std::size_t n, std::size_t p, std::size_t classes, std::uint64_t seed, double spread = 1.0) {
  Data data;
  const RandomKey key{seed, 0};
  std::uint64_t draw = 0;
  for (std::size_t r = 0; r < n; ++r) {
    data.x.emplace_back();
    double score = 0.3;
    double unit = 1.0;
    for (std::size_t j = 0; j < p; ++j) {
      const double x = 2 * key.uniform(draw++) - 1;
      score += (j % 2 == 0 ? 1.5 : -1.0) * x;
      data.x[r].push_back(unit * (x + static_cast<double>(j)));
      unit *= spread;
    }
    const double u = key.uniform(draw++);
    const double chance = 1 / (1 + std::exp(-score));
    data.y.push_back(classes == 2 ? (u < chance ? 1 : 0)
                                  : std::floor(static_cast<double>(classes) * std::min(0.999, (u + chance) / 2)));
  }
  return data;
}

Trained fit_classes(const Examples& examples, const std::vector<std::string>& labels,
                    const LogisticOptions& options = {}, unsigned threads = 1) {
  Executor executor(threads);
  return LogisticTrainer(options).train({examples, numbers(examples.features()), labels}, plumb::Run{executor});
}

TEST(Logistic, OfNoFeaturesHasTheLogOddsOfTheClassesAsBias) {
  Data data;
  for (int i = 0; i < 10; ++i) {
    data.x.push_back({0.0});
    data.y.push_back(i < 3 ? 1 : 0);
  }
  const Trained fit = fit_classes(examples_of(data), kTwo);
  EXPECT_NEAR(fit.model.parts().bias[0], std::log(3.0 / 7.0), 1e-12);
  EXPECT_TRUE(fit.record.converged);
  EXPECT_NEAR(fit.record.objective, -(3 * std::log(0.3) + 7 * std::log(0.7)), 1e-12);
}

// sum_i (p_i - y_i) x_i + l2 w = 0, in the user's units.
double largest_slope(const Data& data, const Trained& fit, double l2) {
  const std::vector<double> w = weights(fit);
  std::vector<double> g(w.size() + 1), size(w.size() + 1);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    double z = fit.model.parts().bias[0];
    for (std::size_t j = 0; j < w.size(); ++j) z += w[j] * data.x[i][j];
    const double s = data.s.empty() ? 1 : data.s[i], r = s * (1 / (1 + std::exp(-z)) - data.y[i]);
    for (std::size_t j = 0; j <= w.size(); ++j) {
      const double x = j < w.size() ? data.x[i][j] : 1;
      g[j] += r * x;
      size[j] += std::abs(r * x);
    }
  }
  double worst = 0;
  for (std::size_t j = 0; j <= w.size(); ++j)
    worst = std::max(worst, std::abs(g[j] + (j < w.size() ? l2 * w[j] : 0)) / size[j]);
  return worst;
}

TEST(Logistic, GradientIsZeroAtTheOptimumOfDenseAndSparseRowsInAnyUnits) {
  for (const double spread : {1.0, 100.0, 1e-4})
    for (const bool sparse : {false, true}) {
      const Data data = class_data(300, 4, 2, 7, spread);
      const Trained fit = fit_classes(examples_of(data, 1000, sparse), kTwo, {});
      EXPECT_TRUE(fit.record.converged) << spread;
      EXPECT_LE(fit.record.certificate.value, 1e-9);
      EXPECT_LE(largest_slope(data, fit, 1.0), 1e-9) << spread;
    }
}

// The value at the saved weights, on these data with `shared`, a power of two, added to the second column.
long double saved_objective(const Data& data, const Trained& fit, double l2, double shared) {
  const LinearModel::Parts& parts = fit.model.parts();
  const std::size_t rows = parts.bias.size(), p = data.x[0].size();
  long double sum = 0;
  std::vector<std::vector<double>> w(rows, std::vector<double>(p));
  for (std::size_t k = 0; k < rows; ++k) {
    parts.weights.row(k, w[k]);
    for (const double each : w[k]) sum += 0.5L * l2 * each * each;
  }
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    std::vector<long double> z(rows == 1 ? 2 : rows);
    for (std::size_t k = 0; k < rows; ++k) {
      long double& own = z[rows == 1 ? 1 : k];
      own = parts.bias[k] + static_cast<long double>(w[k][1]) * shared;
      for (std::size_t j = 0; j < p; ++j) own += static_cast<long double>(w[k][j]) * data.x[i][j];
    }
    long double all = 0;
    for (const long double each : z) all += std::exp(each - z[static_cast<std::size_t>(data.y[i])]);
    sum += std::log(all);
  }
  return sum;
}

// Numbers of 1e6 to 1e9 that differ by 1, like times and keys: the optimum is that of the centred numbers, for every
// solver that promises one, and the certificate holds for the saved weights.
TEST(Logistic, SeesColumnsWithoutWhatTheirRowsShare) {
  for (const std::size_t classes : {2, 3})
    for (const double l2 : {1.0, 1e-3, 0.0}) {
      Data near = class_data(60, 2, classes, 31);
      for (std::vector<double>& row : near.x)
        for (double& each : row) each = std::ldexp(std::round(std::ldexp(each, 20)), -20);
      LogisticOptions options;
      options.l2.value = l2;
      const std::vector<std::string>& labels = classes == 2 ? kTwo : kThree;
      if (classes == 3) options.reference = "b";
      const Trained plain = fit_classes(examples_of(near), labels, options);
      for (const double shared : {0x1p20, -0x1p27, 0x1p30})
        for (const std::string solver : {"auto", "lbfgs", "conjugate-gradient", "gradient-descent"}) {
          Data far = near;
          for (std::vector<double>& row : far.x) row[1] += shared;
          options.solver = solver;
          const Trained fit = fit_classes(examples_of(far, 1000, solver == "auto" && l2 == 1e-3), labels, options);
          EXPECT_TRUE(fit.record.converged) << solver << ' ' << shared << ' ' << l2;
          EXPECT_TRUE(fit.warnings.empty()) << fit.warnings.front();
          const double best = plain.record.objective, left = fit.record.certificate.value * fit.record.objective;
          EXPECT_LE(saved_objective(near, fit, l2, shared) - static_cast<long double>(best), left + 1e-14 * best)
              << solver << ' ' << shared << ' ' << l2;
          if (solver != "auto") continue;
          EXPECT_LE(fit.record.certificate.value, 1e-9) << shared;
          for (std::size_t j = 0; j < weights(plain).size(); ++j)
            EXPECT_NEAR(weights(fit)[j], weights(plain)[j], 1e-5) << shared;
          if (classes > 2) continue;
          // Steps are reported in the units of the features: sum_i (p - y) x at the start.
          double g[3] = {};
          for (std::size_t i = 0; i < far.x.size(); ++i)
            for (std::size_t j = 0; j < 3; ++j) g[j] += (0.5 - far.y[i]) * (j < 2 ? far.x[i][j] : 1.0);
          const double size = std::hypot(g[0], g[1], g[2]);
          EXPECT_NEAR(fit.trace[0].gradient_norm, size, 1e-6 * size);
        }
    }
}

TEST(Logistic, GoesOnFromAModelOfColumnsThatShareMuch) {
  Data data = class_data(60, 2, 3, 32);
  for (std::vector<double>& row : data.x) row[0] += 0x1p24;
  const Examples examples = examples_of(data);
  LogisticOptions options;
  options.class_weight = {"b=2"};
  const Trained first = fit_classes(examples, kThree, options);
  double bias = 0;
  for (const double each : first.model.parts().bias) bias += each;
  EXPECT_NEAR(bias, 0.0, 1e-8);
  const SavedModel saved{first.model, first.record};
  Executor executor(1);
  const Trained second = LogisticTrainer(options).train({examples, numbers(2), kThree, &saved}, plumb::Run{executor});
  EXPECT_LE(second.record.iterations, 2u);
}

TEST(Logistic, WithoutAPenaltyIsCertifiedToo) {
  const Data data = class_data(300, 3, 2, 8);
  LogisticOptions options;
  options.l2.value = 0;
  const Trained fit = fit_classes(examples_of(data), kTwo, options);
  EXPECT_TRUE(fit.record.converged);
  EXPECT_LE(fit.record.certificate.value, 1e-9);
  EXPECT_LE(largest_slope(data, fit, 0.0), 1e-10);
}

TEST(Logistic, SymmetricSoftmaxAtTwiceThePenaltyIsTheLogisticModel) {
  const Data two = class_data(200, 3, 2, 9);
  Data three = two;
  LogisticOptions half;
  half.l2.value = 0.5;
  const Trained binary = fit_classes(examples_of(two), kTwo, half);
  // A third class without rows has a weight all the same; with its bias at minus infinity it would vanish. So compare
  // two classes under softmax through the library.
  Executor executor(1);
  const plumb::Run run{executor};
  const DesignMatrix x(examples_of(two), true, {}, {}, run);
  std::vector<double> ridge(4, 1.0);
  for (std::size_t j = 0; j < 3; ++j) ridge[j] = std::ldexp(1.0, -2 * x.exponent(j));
  ridge[3] = 0;
  Objective f(x, softmax_loss(2, false), ridge, run);
  const Solution solution = find_solver("newton").minimise(f, std::vector<double>(8), {.iterations = 50});
  EXPECT_LE(solution.gap, 1e-9);
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_NEAR(std::ldexp(solution.point.w[4 + j] - solution.point.w[j], -x.exponent(j)), weights(binary)[j], 1e-7);
  EXPECT_NEAR(solution.point.value, binary.record.objective, 1e-9 * binary.record.objective);
}

TEST(Logistic, OfThreeClassesHasMeanZeroBiasesAndWeights) {
  const Trained fit = fit_classes(examples_of(class_data(300, 3, 3, 10)), kThree);
  EXPECT_TRUE(fit.record.converged);
  EXPECT_EQ(fit.model.parts().link, Link::softmax);
  double bias = 0;
  for (const double each : fit.model.parts().bias) bias += each;
  EXPECT_NEAR(bias, 0, 1e-12);
  for (std::size_t j = 0; j < 3; ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += weights(fit)[k * 3 + j];
    EXPECT_NEAR(sum, 0, 1e-7);  // a shift of all classes costs penalty and gains nothing
  }
}

TEST(Logistic, WithAReferenceHasWeightsForAllOtherClasses) {
  LogisticOptions options;
  options.reference = "b";
  options.l2.value = 0;
  const Data data = class_data(300, 2, 3, 11);
  const Trained fit = fit_classes(examples_of(data), kThree, options);
  EXPECT_TRUE(fit.record.converged);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(weights(fit)[2 + j], 0.0);
  // Without a penalty both forms are one model.
  options.reference = "";
  const Trained symmetric = fit_classes(examples_of(data), kThree, options);
  EXPECT_NEAR(symmetric.record.objective, fit.record.objective, 1e-9 * fit.record.objective);
  for (std::size_t j = 0; j < 2; ++j)
    EXPECT_NEAR(weights(symmetric)[j] - weights(symmetric)[2 + j], weights(fit)[j], 1e-6);
}

TEST(Logistic, CountsARowOfWeightTwoTwice) {
  Data twice = class_data(100, 2, 2, 12), weighted = twice;
  weighted.s.assign(100, 1.0);
  weighted.s[5] = 2.0;
  weighted.s[50] = 0.0;
  twice.x.push_back(twice.x[5]);
  twice.y.push_back(twice.y[5]);
  twice.x.erase(twice.x.begin() + 50);
  twice.y.erase(twice.y.begin() + 50);
  const Trained a = fit_classes(examples_of(twice), kTwo), b = fit_classes(examples_of(weighted), kTwo);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(weights(a)[j], weights(b)[j], 1e-9);
}

TEST(Logistic, ClassWeightsLeaveTheProbabilitiesOfASaturatedModelAlone) {
  Data data;  // one column of zeros and ones: the model has a probability of its own for each
  for (int i = 0; i < 40; ++i) {
    data.x.push_back({i < 20 ? 0.0 : 1.0});
    data.y.push_back(i % 20 < (i < 20 ? 5 : 12) ? 1 : 0);
  }
  LogisticOptions options;
  options.l2.value = 0;
  const Trained plain = fit_classes(examples_of(data), kTwo, options);
  options.class_weight = {"yes=7"};
  const Trained weighted = fit_classes(examples_of(data), kTwo, options);
  EXPECT_NEAR(plain.model.parts().bias[0], weighted.model.parts().bias[0], 1e-8);
  EXPECT_NEAR(weights(plain)[0], weights(weighted)[0], 1e-8);
}

TEST(Logistic, WithoutAPenaltySaysThatSeparatedClassesHaveNoOptimum) {
  LogisticOptions options;
  options.l2.value = 0;
  Data apart;  // x0 tells them apart, x1 says nothing
  const RandomKey key{3, 0};
  for (std::uint64_t i = 0; i < 30; ++i) {
    apart.y.push_back(i < 15 ? 0 : 1);
    apart.x.push_back({i < 15 ? -1 - key.uniform(2 * i) : 1 + key.uniform(2 * i), key.uniform(2 * i + 1)});
  }
  const Trained complete = fit_classes(examples_of(apart), kTwo, options);
  EXPECT_FALSE(complete.record.converged);
  ASSERT_EQ(complete.warnings.size(), 1u);
  EXPECT_NE(complete.warnings[0].find("the classes are separated by \"x0\""), std::string::npos)
      << complete.warnings[0];

  Data touching = class_data(60, 1, 2, 21);  // x1 is 1 for some rows of one class alone
  for (std::size_t i = 0; i < 60; ++i) touching.x[i].push_back(touching.y[i] == 1 && i % 4 == 0 ? 1.0 : 0.0);
  const Trained quasi = fit_classes(examples_of(touching), kTwo, options);
  EXPECT_FALSE(quasi.record.converged);
  ASSERT_EQ(quasi.warnings.size(), 1u);
  EXPECT_NE(quasi.warnings[0].find("except for rows on the boundary by \"x1\""), std::string::npos)
      << quasi.warnings[0];

  options.l2.value = 1;
  EXPECT_TRUE(fit_classes(examples_of(touching), kTwo, options).record.converged);
}

TEST(Logistic, FindsNoSeparationInClassesThatOverlapUnderLargeScores) {
  Data data;
  for (int i = 0; i < 40; ++i) {
    data.x.push_back({i < 38 ? (i % 2 == 0 ? -1.0 : 1.0) * 1.0 : 40.0});
    data.y.push_back(i < 4 ? 1 - i % 2 : i % 2);
  }
  data.y[38] = 1;
  data.y[39] = 1;
  LogisticOptions options;
  options.l2.value = 0;
  const Trained fit = fit_classes(examples_of(data), kTwo, options);
  EXPECT_TRUE(fit.record.converged);
  EXPECT_TRUE(fit.warnings.empty());
}

TEST(Logistic, GoesOnFromAModel) {
  const Data data = class_data(300, 4, 2, 14);
  const Examples examples = examples_of(data);
  const Trained first = fit_classes(examples, kTwo);
  const SavedModel saved{first.model, first.record};
  Executor executor(1);
  const Trained again =
      LogisticTrainer().train({examples, numbers(examples.features()), kTwo, &saved}, plumb::Run{executor});
  EXPECT_LE(again.record.iterations, 1u);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(weights(again)[j], weights(first)[j], 1e-9);
}

TEST(Logistic, GoesOnFromAModelWithAReference) {
  const Examples examples = examples_of(class_data(300, 3, 3, 15));
  LogisticOptions options;
  options.reference = "b";
  options.class_weight = {"c=3"};
  const Trained first = fit_classes(examples, kThree, options);
  EXPECT_GT(first.record.iterations, 2u);
  const SavedModel saved{first.model, first.record};
  Executor executor(1);
  const Trained again =
      LogisticTrainer(options).train({examples, numbers(examples.features()), kThree, &saved}, plumb::Run{executor});
  EXPECT_LE(again.record.iterations, 1u);
}

TEST(Logistic, WithClassWeightsHasAReferenceAtZeroAndBiasesOfMeanZero) {
  const Examples examples = examples_of(class_data(300, 3, 3, 16));
  LogisticOptions options;
  options.class_weight = {"b=3"};
  const std::vector<double> bias = fit_classes(examples, kThree, options).model.parts().bias;
  EXPECT_NEAR(bias[0] + bias[1] + bias[2], 0.0, 1e-12);
  options.reference = "b";
  EXPECT_EQ(fit_classes(examples, kThree, options).model.parts().bias[1], 0.0);
}

TEST(Logistic, FindsALabelThatIsANumberHoweverItIsTyped) {
  const Examples examples = examples_of(class_data(60, 2, 2, 18));
  LogisticOptions typed, other;
  typed.class_weight = {"1=2"};
  typed.reference = "0";
  other.class_weight = {"1.0=2"};
  other.reference = "0.0";
  const Trained first = fit_classes(examples, {"0", "1"}, typed), second = fit_classes(examples, {"0", "1"}, other);
  EXPECT_EQ(first.model.parts().bias, second.model.parts().bias);
  EXPECT_NE(first.model.parts().bias, fit_classes(examples, {"0", "1"}, {}).model.parts().bias);
}

TEST(Logistic, OfTwoClassesHasTheFirstAsItsReferenceAndNoOther) {
  const Examples examples = examples_of(class_data(50, 2, 2, 17));
  LogisticOptions options;
  options.reference = "no";
  EXPECT_NO_THROW(fit_classes(examples, kTwo, options));
  options.reference = "yes";
  EXPECT_THROW(fit_classes(examples, kTwo, options), Error);
}

TEST(Logistic, BySlowSolversNamesTheColumnThatSeparates) {
  Data touching = class_data(60, 1, 2, 21);  // x1 is 1 for some rows of one class alone
  for (std::size_t i = 0; i < 60; ++i) touching.x[i].push_back(touching.y[i] == 1 && i % 4 == 0 ? 1.0 : 0.0);
  LogisticOptions options;
  options.l2.value = 0;
  for (const char* solver : {"sgd", "gis", "iis", "lbfgs", "gradient-descent"}) {
    options.solver = solver;
    const Trained fit = fit_classes(examples_of(touching), kTwo, options);
    EXPECT_FALSE(fit.record.converged);
    ASSERT_EQ(fit.warnings.size(), 1u);
    EXPECT_NE(fit.warnings[0].find("except for rows on the boundary by \"x1\""), std::string::npos) << fit.warnings[0];
  }
}

TEST(Logistic, HasTheSameBitsForAnyNumberOfThreads) {
  const Examples examples = examples_of(class_data(9000, 5, 3, 13), 700, true);
  const Trained one = fit_classes(examples, kThree);
  for (const unsigned threads : {2u, 3u, 7u})
    EXPECT_EQ(weights(one), weights(fit_classes(examples, kThree, {}, threads)));
}

// An observer that asks to stop at its n-th call.
Observer stops_after(std::shared_ptr<int> questions) {
  return [questions](const Progress&) { return --*questions > 0; };
}

TEST(Logistic, AskedToStopGivesTheBestItHasMarked) {
  const Examples examples = examples_of(class_data(500, 4, 2, 3, 10.0));
  LogisticOptions options;
  options.solver = "gradient-descent";
  options.tolerance = 1e-14;
  Executor executor(1);
  const Trained best = fit_classes(examples, kTwo);
  bool threw = false;
  double last = HUGE_VAL;
  for (const int questions : {1, 3, 12, 20, 30}) {
    try {
      const Trained fit = LogisticTrainer(options).train(
          {examples, numbers(4), kTwo},
          plumb::Run{.executor = executor, .watch = stops_after(std::make_shared<int>(questions))});
      EXPECT_TRUE(fit.stopped);
      EXPECT_FALSE(fit.record.converged);
      ASSERT_EQ(fit.warnings.size(), 1u);
      EXPECT_NE(fit.warnings[0].find("--continue"), std::string::npos);
      EXPECT_EQ(fit.record.iterations + 1, fit.trace.size());
      EXPECT_LT(fit.record.objective, 500 * std::log(2.0));
      EXPECT_LE(fit.record.objective, last);  // more time, no worse
      last = fit.record.objective;
      const double above = fit.record.objective - best.record.objective;
      EXPECT_LE(above, fit.record.certificate.value * fit.record.objective);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::interrupted);
      threw = true;  // before the first step there is no result
    }
  }
  EXPECT_TRUE(threw);
  EXPECT_LT(last, HUGE_VAL);
}

// Many weights: the first step alone takes many passes.
TEST(Logistic, AskedToStopWithinItsFirstStepKeepsWhatThatHas) {
  const Examples examples = examples_of(class_data(200, 900, 3, 4, 1.01), 1000, true);
  Executor executor(1);
  int kept = 0;
  for (const int questions : {20, 30, 40}) {
    try {
      const Trained fit = LogisticTrainer().train(
          {examples, numbers(900), kThree},
          plumb::Run{.executor = executor, .watch = stops_after(std::make_shared<int>(questions))});
      EXPECT_TRUE(fit.stopped);
      EXPECT_LT(fit.record.objective, 200 * std::log(3.0));
      if (fit.record.iterations == 1) ++kept;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::interrupted);
    }
  }
  EXPECT_GT(kept, 0);
}

TEST(Logistic, DoesNotGoOnFromAModelWithRowsOfOneLabel) {
  const Trained first = fit_classes(examples_of(class_data(50, 2, 2, 14)), kTwo);
  const SavedModel saved{first.model, first.record};
  const Examples rows = examples_of({{{1, 2}, {2, 1}}, {1, 1}, {}});
  Executor executor(1);
  EXPECT_THROW(LogisticTrainer().train({rows, numbers(2), kTwo, &saved}, plumb::Run{executor}), Error);
}

TEST(Logistic, WithoutAPenaltyNamesTheColumnsThatOthersMakeUp) {
  const Data data{{{0, 0}, {1, 2}, {2, 4}, {3, 6}}, {0, 1, 0, 1}, {}};
  LogisticOptions options;
  options.l2 = {0.0};
  const Trained fit = fit_classes(examples_of(data), kTwo, options);
  EXPECT_EQ(fit.record.aliased, std::vector<std::uint32_t>{1});
  EXPECT_EQ(weights(fit)[1], 0.0);
  ASSERT_EQ(fit.warnings.size(), 1u);
  EXPECT_NE(fit.warnings[0].find("is a linear combination of other features"), std::string::npos) << fit.warnings[0];

  const Trained constant = fit_classes(examples_of({{{7}, {7}, {7}}, {0, 1, 1}, {}}), kTwo, options);
  ASSERT_EQ(constant.warnings.size(), 1u);
  EXPECT_NE(constant.warnings[0].find("the bias is 0"), std::string::npos);
  EXPECT_TRUE(fit_classes(examples_of(data), kTwo).record.aliased.empty());  // a penalty shares it
}

TEST(Logistic, SaysThatDoublesHaveNoMoreDigits) {
  LogisticOptions options;
  options.tolerance = 0.0;
  const Trained fit = fit_classes(examples_of(class_data(50, 2, 2, 14)), kTwo, options);
  ASSERT_EQ(fit.warnings.size(), 1u);
  EXPECT_EQ(fit.warnings[0].find("--max-iterations"), std::string::npos) << fit.warnings[0];
}

TEST(Logistic, RefusesARateThatNobodyAsksFor) {
  LogisticOptions options;
  options.rate = 3.0;
  for (const char* const solver : {"auto", "lbfgs", "newton", "gradient-descent"}) {
    options.solver = solver;
    EXPECT_THROW(LogisticTrainer{options}, Error) << solver;
  }
  options.step = StepRule::fixed;
  EXPECT_NO_THROW(LogisticTrainer{options});
}

TEST(Logistic, SaysThatOptionsOfSgdAreOfSgd) {
  for (int which = 0; which < 4; ++which) {
    LogisticOptions options;
    if (which == 0) options.order = RowOrder::given;
    if (which == 1) options.start = StartWeights::random;
    options.average = which == 2;
    options.adaptive = which == 3;
    EXPECT_THROW(LogisticTrainer{options}, Error) << which;
    options.solver = "sgd";
    EXPECT_NO_THROW(LogisticTrainer{options}) << which;
  }
}

}  // namespace
}  // namespace plumb::logistic_test
