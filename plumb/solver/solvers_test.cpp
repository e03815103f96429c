// Tests for every solver in THE list.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>

#include "plumb/base/error.h"
#include "plumb/base/random.h"
#include "plumb/base/testing.h"
#include "plumb/solver/newton.h"
#include "plumb/solver/solver.h"

namespace plumb::solvers_test {
namespace {

struct Sample {
  std::size_t rows = 400, features = 5, classes = 2;
  bool sparse = false;
  double spread = 1.0;  // of one column's unit to the next
};

Examples draw(const Sample& sample, std::uint64_t seed = 5) {
  const RandomKey key{seed, 0};
  std::uint64_t at = 0;
  Piece piece;
  piece.features = static_cast<std::uint32_t>(sample.features);
  if (sample.sparse) piece.offsets.push_back(0);
  for (std::size_t i = 0; i < sample.rows; ++i) {
    double score = 0.2, unit = 1.0;
    for (std::uint32_t j = 0; j < sample.features; ++j, unit *= sample.spread) {
      const double x = 2 * key.uniform(at++) - 1;
      if (sample.sparse && key.uniform(at++) < 0.6) continue;
      score += (j % 3 - 1.0) * x;
      if (sample.sparse) piece.index.push_back(j);
      piece.values.push(unit * (x + (sample.sparse ? 0.0 : 0.5)));
    }
    if (sample.sparse) piece.offsets.push_back(piece.values.size());
    const double p = 1 / (1 + std::exp(-2 * score)), u = key.uniform(at++);
    piece.targets.push_back(sample.classes == 2 ? (u < p ? 1 : 0) : std::floor((u + p) / 2 * 2.999));
    piece.weights.push_back(1.0 + static_cast<double>(i % 3));
    ++piece.rows;
  }
  return Examples({piece}, static_cast<std::uint32_t>(sample.features));
}

class Problem {
 public:
  Problem(const Sample& sample, Loss loss, double l2, unsigned threads = 1, bool bias = true)
      : executor_(threads),
        run_{executor_},
        x_(draw(sample), bias, {}, {}, run_),
        f_(x_, sample.classes == 2 ? row_loss(loss) : softmax_loss(sample.classes, false), ridge(l2), run_) {}
  Objective& f() { return f_; }

 private:
  std::vector<double> ridge(double l2) const {
    std::vector<double> ridge(x_.columns(), 0.0);
    for (std::size_t j = 0; j + (x_.bias() ? 1 : 0) < x_.columns(); ++j) ridge[j] = std::ldexp(l2, -2 * x_.exponent(j));
    return ridge;
  }
  Executor executor_;
  plumb::Run run_;
  DesignMatrix x_;
  Objective f_;
};

Solution solved(Problem& problem, const SolverEntry& solver, SolverOptions options = {}) {
  if (options.iterations == 0) options.iterations = solver.iterations;
  return solver.minimise(problem.f(), std::vector<double>(problem.f().size()), options);
}

class EverySolver : public testing::TestWithParam<std::size_t> {
 protected:
  const SolverEntry& entry() const { return solver_list()[GetParam()]; }
};

TEST_P(EverySolver, IsFoundByItsName) { EXPECT_EQ(&find_solver(entry().name), &entry()); }

TEST_P(EverySolver, ReachesTheOptimumOfNewtonWithinItsCertifiedGap) {
  for (const Loss loss : {Loss::logistic, Loss::squared_hinge, Loss::hinge})
    for (const bool sparse : {false, true})
      for (const double spread : {1.0, 30.0})
        for (const std::size_t classes : {2, 3})
          for (const double l2 : {0.0, 0.1, 10.0}) {
            if (classes == 3 && loss != Loss::logistic) continue;
            const Sample sample{.classes = classes, .sparse = sparse, .spread = spread};
            Problem reference(sample, loss, l2), problem(sample, loss, l2);
            if (!entry().lacks(problem.f()).empty()) continue;
            const Solution best = solved(reference, find_solver("newton"));
            const Solution own = solved(problem, entry(), {.iterations = entry().exact ? 0u : 20u});
            EXPECT_LE(best.gap, 1e-9 * best.point.value);
            if (entry().exact) {
              EXPECT_LE(own.gap, 1e-6 * own.point.value)
                  << EnumNames<Loss>::names[static_cast<std::size_t>(loss)] << " sparse " << sparse << " spread "
                  << spread << " classes " << classes << " l2 " << l2 << " after " << own.iterations;
              EXPECT_EQ(own.why, StopReason::converged);
            }
            // Both are upper bounds; only the rounding of a sum of this size may lie between.
            EXPECT_LE(own.point.value - best.point.value, own.gap + 1e-13 * own.point.value)
                << EnumNames<Loss>::names[static_cast<std::size_t>(loss)] << " sparse " << sparse << " spread "
                << spread << " classes " << classes << " l2 " << l2 << " after " << own.iterations;
          }
}

TEST_P(EverySolver, HasTheSameBitsForAnyNumberOfThreads) {
  const Sample sample{.rows = 9000, .sparse = true};
  std::vector<double> one;
  for (const unsigned threads : sweep_of({1u, 2u, 3u, 7u})) {
    Problem problem(sample, Loss::logistic, 1.0, threads);
    if (!entry().lacks(problem.f()).empty()) return;
    const Solution own = solved(problem, entry(), {.tolerance = 1e-3, .iterations = entry().exact ? 0u : 3u});
    if (one.empty()) one = own.point.w;
    EXPECT_EQ(own.point.w, one) << threads;
  }
}

TEST_P(EverySolver, SaysSoWhenItsStepsDoNotSuffice) {
  Problem problem({.features = 12, .spread = 3.0}, Loss::logistic, 1e-3);
  if (!entry().lacks(problem.f()).empty()) return;
  const Solution own = solved(problem, entry(), {.iterations = 1});
  EXPECT_NE(own.why, StopReason::converged);
  EXPECT_GT(own.gap, 1e-6 * own.point.value);
}

TEST_P(EverySolver, SaysWhatItLacks) {
  Problem problem({}, Loss::hinge, 0.0);
  if (entry().lacks(problem.f()).empty()) return;
  EXPECT_THROW(expect_fit(entry(), problem.f()), Error);
}

TEST_P(EverySolver, TellsOfEveryStepOfItsTraceInOrder) {
  Problem problem({}, Loss::logistic, 1.0);
  if (!entry().lacks(problem.f()).empty()) return;
  std::vector<std::uint64_t> heard;
  const Solution own = solved(problem, entry(), {.iterations = 5, .on_step = [&](const Solution& so_far) {
                                                   heard.push_back(so_far.iterations);
                                                   EXPECT_EQ(so_far.trace.back().loss, so_far.point.value);
                                                 }});
  // Coordinate descent also reports passes without a certificate.
  EXPECT_TRUE(std::is_sorted(heard.begin(), heard.end()));
  for (const SolverStep& step : own.trace)
    EXPECT_EQ(std::count(heard.begin(), heard.end(), step.iteration), 1) << step.iteration;
}

INSTANTIATE_TEST_SUITE_P(Solvers, EverySolver, testing::Range(std::size_t{0}, solver_list().size()),
                         [](const auto& instance) {
                           std::string name(solver_list()[instance.param].name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The requirement for a method that never converges: it makes progress.
TEST(SlowSolvers, ComeNearTheOptimum) {
  Problem reference({}, Loss::logistic, 1.0);
  const double best = solved(reference, find_solver("newton")).point.value;
  for (const auto& [name, share] : {std::pair("sgd", 0.01), std::pair("gis", 0.15), std::pair("iis", 0.08)}) {
    Problem problem({}, Loss::logistic, 1.0);
    const Solution own = solved(problem, find_solver(name), {.iterations = 100});
    EXPECT_LE(own.point.value, (1 + share) * best) << name;
    for (std::size_t i = 1; i < own.trace.size() && name != std::string("sgd"); ++i)
      EXPECT_LE(own.trace[i].loss, own.trace[i - 1].loss + 1e-9) << name << " rises at " << i;
  }
}

TEST(Hinge, ByNewtonAndByCoordinateDescentIsTheSameWithAndWithoutABias) {
  for (const bool bias : {false, true})
    for (const double l2 : {0.1, 10.0}) {
      Problem problem({}, Loss::hinge, l2, 1, bias), other({}, Loss::hinge, l2, 1, bias);
      const Solution own = solved(problem, find_solver("newton"));
      EXPECT_LE(own.gap, 1e-6 * own.point.value) << bias << " " << l2 << " " << own.iterations;
      const Solution dual = solved(other, find_solver("coordinate-descent"), {.tolerance = 1e-2});
      EXPECT_LE(dual.gap, 1e-2 * dual.point.value) << bias << " " << l2 << " " << dual.iterations;
      EXPECT_LE(own.point.value - own.gap, dual.point.value);
      EXPECT_LE(dual.point.value - dual.gap, own.point.value);
    }
}

// Columns from 1 to 1e8 and a weak penalty: at w = 0 only the penalty would bend the path.
TEST(Hinge, FromRawColumnsReachesTheOptimumByBothSolvers) {
  for (const std::size_t rows : {31, 2000})
    for (const double l2 : {0.1, 1.0}) {
      const Sample sample{.rows = rows, .spread = 100.0};
      Problem problem(sample, Loss::hinge, l2), other(sample, Loss::hinge, l2);
      const Solution own = solved(problem, find_solver("newton"));
      EXPECT_EQ(own.why, StopReason::converged);
      EXPECT_LE(own.gap, 1e-6 * own.point.value);
      EXPECT_LE(own.iterations, 60u);
      const Solution dual = solved(other, find_solver("coordinate-descent"));
      EXPECT_EQ(dual.why, StopReason::converged);
      EXPECT_LE(std::abs(dual.point.value - own.point.value), 2e-6 * own.point.value);
    }
}

// Many overlapping rows, in columns of 1 to 1e6: it takes steps before a bound is useful.
TEST(Hinge, GoesOnWhileThereIsNoBoundYet) {
  Problem problem({.rows = 20'000, .features = 30, .spread = 1.6}, Loss::hinge, 1.0);
  const Solution own = solved(problem, find_solver("newton"));
  EXPECT_EQ(own.why, StopReason::converged);
  EXPECT_LE(own.gap, 1e-6 * own.point.value);
}

TEST(Hinge, WithoutAPenaltyIsZeroWhereAPlaneHasAllRowsRight) {
  Executor executor(1);
  const plumb::Run run{executor};
  Piece piece;
  piece.features = 1;
  piece.rows = 4;
  piece.values = {1, 2, 3, 5};
  piece.targets = {0, 0, 1, 1};
  const DesignMatrix x(Examples({piece}, 1), true, {}, {}, run);
  Objective f(x, row_loss(Loss::hinge), {0, 0}, run);
  const Solution own = find_solver("newton").minimise(f, {0, 0}, {.iterations = 200});
  EXPECT_EQ(own.why, StopReason::converged);
  EXPECT_EQ(own.point.value, 0.0);
}

// Half the loss of one row at z = 0 is log 2, its slope 1/2: by hand, w = rate * (1/2) x after one step.
TEST(GradientDescent, AtAFixedRateTakesTheStepsOfTheTextbook) {
  Executor executor(1);
  const plumb::Run run{executor};
  Piece piece;
  piece.features = 2;
  piece.rows = 2;
  piece.values = {3, 40, -5, 1};
  piece.targets = {1, 0};
  const Examples examples({piece}, 2);
  const DesignMatrix x(examples, true, {}, {}, run);
  Objective f(x, row_loss(Loss::logistic), {0, 0, 0}, run);
  const SolverOptions options{
      .step = StepRule::fixed, .stop = StopRule::change, .rate = 0.25, .tolerance = 1e-9, .iterations = 1};
  const Solution one = find_solver("gradient-descent").minimise(f, {0, 0, 0}, options);
  EXPECT_EQ(std::ldexp(one.point.w[0], -x.exponent(0)), 0.25 * (0.5 * 3 + 0.5 * 5));
  EXPECT_EQ(std::ldexp(one.point.w[1], -x.exponent(1)), 0.25 * (0.5 * 40 - 0.5 * 1));
  EXPECT_EQ(one.point.w[2], 0.0);
}

// Enough rows that a sample of them is fitted first.
TEST(GradientDescent, AtAFixedRateStopsWhereTheGapIsWithinTheTolerance) {
  Problem problem({.rows = 40, .features = 2}, Loss::logistic, 0.3);
  std::uint64_t before = 0;
  for (const double tolerance : {1e-2, 1e-6}) {
    const Solution found =
        find_solver("gradient-descent")
            .minimise(problem.f(), std::vector<double>(problem.f().size()),
                      {.step = StepRule::fixed, .rate = 0.02, .tolerance = tolerance, .iterations = 100000});
    EXPECT_EQ(found.why, StopReason::converged);
    EXPECT_LE(found.gap, tolerance * found.point.value);
    EXPECT_EQ(found.trace.back().gap, found.gap);
    EXPECT_GT(found.iterations, before);
    EXPECT_LT(found.iterations, 10000u);
    before = found.iterations;
  }
}

TEST(Newton, FromASampleReachesTheOptimumInFewStepsWithTheSameBitsForAnyNumberOfThreads) {
  const Sample sample{.rows = 130'000, .features = 3};
  for (const double l2 : {0.0, 1.0}) {
    Problem reference(sample, Loss::logistic, l2);
    const Solution best = solved(reference, find_solver("lbfgs"), {.tolerance = 1e-10});
    std::vector<double> one;
    for (const unsigned threads : sweep_of({1u, 2u, 7u})) {
      Problem problem(sample, Loss::logistic, l2, threads);
      const Solution own = solved(problem, find_solver("newton"));
      if (one.empty()) one = own.point.w;
      EXPECT_EQ(own.point.w, one) << threads;
      EXPECT_LE(own.gap, 1e-6 * own.point.value);
      EXPECT_LE(own.iterations, 4u);
      EXPECT_LE(own.point.value - best.point.value, own.gap + 1e-13 * own.point.value);
      EXPECT_LE(best.point.value - own.point.value, best.gap + 1e-13 * own.point.value);
    }
  }
}

// Two samples, the second an eighth of the rows; then the matrix of all rows is made once.
TEST(Newton, OfALargeMatrixTakesOneStepOverAllRows) {
  Executor executor(1);
  const plumb::Run run{executor};
  const RandomKey key{4, 0};
  constexpr std::uint32_t kColumns = 42;
  Piece piece;
  piece.features = kColumns;
  for (std::uint64_t i = 0; i < 240'000; ++i) {
    double score = 0.0;
    std::uint64_t bits = key.bits(i);
    for (std::uint32_t j = 0; j < kColumns; ++j, bits = bits * 6364136223846793005u + 1442695040888963407u) {
      const double x = static_cast<double>(bits >> 40) / (1 << 23) - 1.0;
      score += (j % 3 - 1.0) * x / 2;
      piece.values.push(x);
    }
    piece.targets.push_back(key.uniform(300'000 + i) < 1 / (1 + std::exp(-score)) ? 1.0 : 0.0);
    ++piece.rows;
  }
  const DesignMatrix x(Examples({std::move(piece)}, kColumns), true, {}, {}, run);
  ASSERT_GT(x.entries(), 10'000'000u);
  std::vector<double> ridge(x.columns(), 1.0);
  ridge.back() = 0.0;
  Objective f(x, row_loss(Loss::logistic), ridge, run);
  const Solution own = find_solver("newton").minimise(f, std::vector<double>(f.size()), {.iterations = 200});
  EXPECT_LE(own.gap, 1e-6 * own.point.value);
  EXPECT_EQ(own.iterations, 1u);
  const Solution best = find_solver("newton").minimise(f, own.point.w, {.tolerance = 1e-10, .iterations = 200});
  EXPECT_LE(own.point.value - best.point.value, own.gap + 1e-13 * own.point.value);
}

// One row of 200,000 is on the wrong side: most samples have no optimum without a penalty, but all rows together do.
TEST(Newton, TakesNoStartFromASampleWithoutAnOptimum) {
  Executor executor(1);
  const plumb::Run run{executor};
  Piece piece;
  piece.features = 1;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const double x = static_cast<double>(i % 1000) - 499.5;
    piece.values.push(x);
    piece.targets.push_back((x > 0.0) != (i == 77'000) ? 1.0 : 0.0);
    ++piece.rows;
  }
  const DesignMatrix x(Examples({piece}, 1), true, {}, {}, run);
  Objective f(x, row_loss(Loss::logistic), {0.0, 0.0}, run);
  const Solution own = find_solver("newton").minimise(f, {0.0, 0.0}, {.iterations = 200});
  EXPECT_EQ(own.why, StopReason::converged);
  EXPECT_LE(own.gap, 1e-6 * own.point.value);
}

// Enough entries for shards, which run in parallel.
TEST(CoordinateDescent, InShardsHasTheSameBitsForAnyNumberOfThreadsAndTheOptimum) {
  const Sample sample{.rows = 11'000, .features = 250, .sparse = true};
  Problem reference(sample, Loss::logistic, 10.0);
  ASSERT_GT(reference.f().matrix().entries(), 1'000'000u);
  const Solution best = solved(reference, find_solver("newton"), {.tolerance = 1e-9});
  std::vector<double> one;
  for (const unsigned threads : sweep_of({1u, 2u, 3u, 7u})) {
    Problem problem(sample, Loss::logistic, 10.0, threads);
    const Solution own = solved(problem, find_solver("coordinate-descent"), {.tolerance = 1e-4});
    if (one.empty()) one = own.point.w;
    EXPECT_EQ(own.point.w, one) << threads;
    EXPECT_LE(own.gap, 1e-4 * own.point.value);
    EXPECT_LE(own.point.value - best.point.value, own.gap + 1e-13 * own.point.value);
  }
}

// Rows of unit length, a few words of which are in many of them, as in texts.
class Texts {
 public:
  Texts(bool bias, double l2) : x_(drawn(), bias, {}, {}, run_), f_(x_, row_loss(Loss::logistic), ridge(l2), run_) {}
  Objective& f() { return f_; }

 private:
  static Examples drawn() {
    constexpr std::uint32_t kWords = 20'000, kLength = 90;
    const RandomKey key{3, 0};
    Piece piece;
    piece.features = kWords;
    piece.offsets.push_back(0);
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < 12'000; ++i) {
      std::set<std::uint32_t> words;
      while (words.size() < kLength)
        words.insert(static_cast<std::uint32_t>(std::pow(double{kWords}, key.uniform(at++))) - 1);
      double score = 0.0;
      for (const std::uint32_t j : words) {
        piece.index.push_back(j);
        piece.values.push(1 / std::sqrt(double{kLength}));
        score += j % 3 - 1.0;
      }
      piece.offsets.push_back(piece.values.size());
      piece.targets.push_back(key.uniform(at++) < 1 / (1 + std::exp(-score / 4)) ? 1.0 : 0.0);
      ++piece.rows;
    }
    return Examples({std::move(piece)}, kWords);
  }
  std::vector<double> ridge(double l2) const {
    std::vector<double> ridge(x_.columns());
    for (std::size_t j = 0; j < ridge.size(); ++j) ridge[j] = std::ldexp(l2, -2 * x_.exponent(j));
    if (x_.bias()) ridge.back() = 0.0;
    return ridge;
  }
  Executor executor_{1};
  plumb::Run run_{executor_};
  DesignMatrix x_;
  Objective f_;
};

TEST(CoordinateDescent, InShardsTakesFewPassesOverTexts) {
  Texts texts(false, 1.0);
  Objective& f = texts.f();
  ASSERT_GT(f.matrix().entries(), 1'000'000u);
  const Solution own = find_solver("coordinate-descent").minimise(f, std::vector<double>(f.size()), {.iterations = 50});
  EXPECT_LE(own.gap, 1e-6 * own.point.value);
  EXPECT_FALSE(own.ended_by_newton);
  EXPECT_LE(own.iterations, 11u);
}

// A part of a pass is a sample of rows, or a correcting round after it.
TEST(CoordinateDescent, LooksAtASampleOfRowsBeforeItAsksForACertificate) {
  for (const double tolerance : {1e-4, 1e-5, 1e-6}) {
    Texts texts(false, 1.0);
    const Solution own =
        find_solver("coordinate-descent")
            .minimise(texts.f(), std::vector<double>(texts.f().size()), {.tolerance = tolerance, .iterations = 50});
    EXPECT_LE(own.gap, tolerance * own.point.value);
    EXPECT_EQ(own.trace.size(), 1u) << tolerance;  // certificates
    EXPECT_NE(std::fmod(texts.f().passes(), 1.0), 0.0) << tolerance;
  }
}

TEST(CoordinateDescent, TakesFewPassesMoreWithABias) {
  Texts texts(true, 1.0);
  Objective& f = texts.f();
  const Solution own = find_solver("coordinate-descent").minimise(f, std::vector<double>(f.size()), {.iterations = 50});
  EXPECT_LE(own.gap, 1e-6 * own.point.value);
  EXPECT_LE(own.iterations, 16u);
}

// A bias and words that are in most texts are nearly interchangeable.
TEST(Newton, TakesFewPassesOverTextsWithABias) {
  Texts texts(true, 0.01);
  Objective& f = texts.f();
  const Solution own = find_solver("newton").minimise(f, std::vector<double>(f.size()), {.iterations = 50});
  EXPECT_LE(own.gap, 1e-6 * own.point.value);
  EXPECT_LE(f.passes(), 200.0);
}

// Stopped after a pass from a start close to the optimum, it is no worse than that.
TEST(CoordinateDescent, GoesOnFromItsStart) {
  for (const std::size_t classes : {2, 3}) {
    Problem problem({.classes = classes, .sparse = true}, Loss::logistic, 0.1);
    const Solution near = solved(problem, find_solver("newton"), {.tolerance = 1e-3, .iterations = 3});
    const Solution own = find_solver("coordinate-descent").minimise(problem.f(), near.point.w, {.iterations = 1});
    const Solution fresh = solved(problem, find_solver("coordinate-descent"), {.iterations = 1});
    EXPECT_LE(own.point.value, near.point.value * (1 + 1e-12)) << classes;
    EXPECT_LT(own.point.value, fresh.point.value) << classes;
    const Solution best = solved(problem, find_solver("newton"));
    EXPECT_LE(own.point.value - best.point.value, own.gap + 1e-13 * own.point.value) << classes;
  }
}

// One row x = 2, y = 1 without a bias or penalty: the slope at w = 0 is -1/2, so w = rate * (1/2) * 2.
TEST(Sgd, TakesTheStepOfTheTextbook) {
  Executor executor(1);
  const plumb::Run run{executor};
  Piece piece;
  piece.features = 1;
  piece.rows = 1;
  piece.values = {2};
  piece.targets = {1};
  const DesignMatrix x(Examples({piece}, 1), false, {}, {}, run);
  Objective f(x, row_loss(Loss::logistic), {0}, run);
  const Solution own = find_solver("sgd").minimise(f, {0}, {.step = StepRule::fixed, .rate = 0.25, .iterations = 1});
  EXPECT_EQ(std::ldexp(own.point.w[0], -x.exponent(0)), 0.25);
}

// Columns times powers of two change no bit of its steps: weights are divided by them.
TEST(Sgd, OfHugeColumnsOffersNoRateOfZero) {
  Piece piece;
  piece.features = 1;
  for (const double x : {1e200, -1e200, 2e200}) {
    piece.values.push(x);
    piece.targets.push_back(x > 0 ? 1 : 0);
    ++piece.rows;
  }
  Executor executor(1);
  const plumb::Run run{executor};
  const DesignMatrix x(Examples({piece}, 1), true, {}, {}, run);
  Objective f(x, row_loss(Loss::logistic), {0.0, 0.0}, run);
  try {
    find_solver("sgd").minimise(f, {0, 0}, {.iterations = 3});
    FAIL() << "no rate is small enough";
  } catch (const Error& error) {
    EXPECT_EQ(error.hint().find("--rate 0"), std::string::npos) << error.hint();
  }
}

TEST(Sgd, WithAdaptiveRatesDoesNotSeeTheUnitsOfColumns) {
  for (const bool average : {false, true}) {
    Problem plain({.spread = 1.0}, Loss::logistic, 0.0), scaled({.spread = 1024.0}, Loss::logistic, 0.0);
    const SolverOptions options{.iterations = 5, .average = average, .adaptive = true};
    const Solution a = solved(plain, find_solver("sgd"), options), b = solved(scaled, find_solver("sgd"), options);
    EXPECT_EQ(a.point.w, b.point.w);
    EXPECT_EQ(a.point.value, b.point.value);
  }
}

TEST(Sgd, ComesNearerWithAnAverageOrRatesOfItsOwn) {
  const Sample sample{.rows = 5000, .features = 20, .sparse = true};
  Problem reference(sample, Loss::logistic, 1.0);
  const double best = solved(reference, find_solver("newton")).point.value;
  const auto above = [&](bool average, bool adaptive) {
    Problem problem(sample, Loss::logistic, 1.0);
    const SolverOptions options{.iterations = 20, .average = average, .adaptive = adaptive};
    return solved(problem, find_solver("sgd"), options).point.value / best - 1;
  };
  const double last = above(false, false);
  EXPECT_LT(above(true, false), last / 2);
  EXPECT_LT(above(false, true), last / 2);
  EXPECT_LT(above(true, true), last / 2);
}

}  // namespace
}  // namespace plumb::solvers_test
