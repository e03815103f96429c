// Fits with an L1 penalty against a second solver, plain coordinate descent in long double, and the properties of
// their optimum.
#include "plumb/solver/proximal_newton.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumb/base/random.h"
#include "plumb/base/testing.h"
#include "plumb/solver/newton.h"

namespace plumb::proximal_newton_test {
namespace {

struct Sample {
  std::size_t rows = 120, features = 12;
  Loss loss = Loss::squared;
  double l1 = 1.0, l2 = 0.0;
  bool sparse = false, bias = true, offset = false;
  double common = 0.0;   // part that all columns share
  double far = 0.0;      // distance of the columns from 0
  std::size_t free = 0;  // of the columns, the first ones, have no penalty
  unsigned threads = 1;
  std::uint64_t seed = 1;
};

class Case {
 public:
  explicit Case(const Sample& sample)
      : executor_(sample.threads),
        run_{executor_},
        x_(draw(sample), sample.bias, offset_of(sample), {}, run_),
        f_(x_, row_loss(sample.loss), penalty(sample.l2, sample, 2), run_) {
    f_.set_lasso(penalty(sample.l1, sample, 1));
  }
  Objective& f() { return f_; }
  const DesignMatrix& x() const { return x_; }
  Solution solve(double tolerance = 1e-11) {
    return minimise_by_proximal_newton(f_, std::vector<double>(x_.columns()),
                                       {.tolerance = tolerance, .iterations = 200});
  }

 private:
  static std::optional<std::uint32_t> offset_of(const Sample& sample) {
    if (!sample.offset) return {};
    return static_cast<std::uint32_t>(sample.features - 1);
  }
  static Examples draw(const Sample& sample) {
    const RandomKey key{sample.seed, 7};
    std::uint64_t at = 0;
    Piece piece;
    piece.features = static_cast<std::uint32_t>(sample.features);
    if (sample.sparse) piece.offsets.push_back(0);
    for (std::size_t i = 0; i < sample.rows; ++i) {
      const double common = sample.common * (2 * key.uniform(at++) - 1);
      double score = 0.3;
      for (std::uint32_t j = 0; j < sample.features; ++j) {
        double x = 2 * key.uniform(at++) - 1 + common;
        const bool left_out = sample.sparse && key.uniform(at++) < 0.7;
        if (left_out) continue;
        score += (j % 4 == 0 ? 1.5 : j % 4 == 1 ? -0.4 : 0.0) * x;
        x += sample.far;
        if (sample.sparse) piece.index.push_back(j);
        piece.values.push(x * (j % 3 == 2 ? 10.0 : 1.0));
      }
      if (sample.sparse) piece.offsets.push_back(piece.values.size());
      const double noise = key.uniform(at++);
      const bool classes = sample.loss == Loss::logistic || sample.loss == Loss::squared_hinge;
      piece.targets.push_back(classes                        ? (noise < 1 / (1 + std::exp(-2 * score)) ? 1.0 : 0.0)
                              : sample.loss == Loss::poisson ? std::floor(std::exp(0.5 * score) + 2 * noise)
                                                             : score + noise - 0.5);
      piece.weights.push_back(i % 3 == 0 ? 2.0 : i % 3 == 1 ? 1.0 : 0.5);
      ++piece.rows;
    }
    return Examples({piece}, static_cast<std::uint32_t>(sample.features));
  }
  // In the units of the features.
  std::vector<double> penalty(double strength, const Sample& sample, int power) const {
    std::vector<double> all(x_.columns());
    for (std::size_t j = sample.free; j < sample.features; ++j) all[j] = std::ldexp(strength, -power * x_.exponent(j));
    return all;
  }
  Executor executor_;
  Run run_;
  DesignMatrix x_;
  Objective f_;
};

// F at w, and the least value that cyclic coordinate descent finds: each weight by a one-dimensional proximal Newton
// step with a bound on the curvature that halves until F decreases. Nothing is shared with the solver but the losses.
class Reference {
 public:
  Reference(const Objective& f, const DesignMatrix& x) : f_(f), n_(x.rows()), p_(x.columns()), z_(n_) {
    columns_.assign(p_, std::vector<long double>(n_));
    for (std::size_t i = 0; i < n_; ++i) {
      const Row row = x.row(i);
      for (std::size_t t = 0; t < row.value.size(); ++t) columns_[row.dense() ? t : row.index[t]][i] = row.value[t];
      z_[i] = x.offsets().empty() ? 0.0 : x.offsets()[i];
    }
    w_.assign(p_, 0.0L);
    y_ = x.targets();
    s_ = x.weights();
  }
  long double least() {
    long double before = value();
    for (int round = 0; round < 20000; ++round) {
      for (std::size_t j = 0; j < p_; ++j) step(j);
      const long double now = value();
      if (before - now <= 1e-15L * now && round % 5 == 4) return now;
      if (round % 5 == 4) before = now;
    }
    return value();
  }

 private:
  template <class Use>
  auto with(Use&& use) const {
    return with_loss(*f_.loss().kind(), use);
  }
  long double value() const {
    long double sum = 0.0L;
    with([&](const auto& loss) {
      for (std::size_t i = 0; i < n_; ++i) sum += s_[i] * value_of(loss, z_[i], target(loss, y_[i]));
      return 0;
    });
    for (std::size_t j = 0; j < p_; ++j) sum += f_.ridge()[j] * w_[j] * w_[j] / 2 + f_.lasso()[j] * std::abs(w_[j]);
    return sum;
  }
  // In long double for the loss whose formula is short; others as they are.
  template <class L>
  static long double value_of(const L& loss, long double z, long double y) {
    if constexpr (std::is_same_v<L, SquaredLoss>) return (z - y) * (z - y) / 2;
    if constexpr (std::is_same_v<L, LogisticLoss>) return std::log1p(std::exp(-std::abs(z))) + std::max(0.0L, -y * z);
    if constexpr (std::is_same_v<L, SquaredHingeLoss>) {
      const long double m = std::max(0.0L, 1 - y * z);
      return m * m;
    }
    return loss.value(static_cast<double>(z), static_cast<double>(y));
  }
  template <class L>
  static double target(const L&, double y) {
    return takes_numbers<L>() ? y : y == 0.0 ? -1.0 : 1.0;
  }
  void step(std::size_t j) {
    const std::vector<long double>& x = columns_[j];
    long double g = f_.ridge()[j] * w_[j], h = f_.ridge()[j];
    with([&](const auto& loss) {
      using L = std::remove_cvref_t<decltype(loss)>;
      if constexpr (CurvedLoss<L>)
        for (std::size_t i = 0; i < n_; ++i) {
          g += s_[i] * x[i] * loss.slope(static_cast<double>(z_[i]), target(loss, y_[i]));
          h += s_[i] * x[i] * x[i] * std::max(1e-3, loss.curve(static_cast<double>(z_[i]), target(loss, y_[i])));
        }
      return 0;
    });
    if (!(h > 0.0L)) return;
    const long double before = value(), l = f_.lasso()[j], old = w_[j];
    for (int tries = 0; tries < 60; ++tries, h *= 2) {
      const long double pull = h * old - g;
      const long double to = pull > l ? (pull - l) / h : pull < -l ? (pull + l) / h : 0.0L;
      if (to == old) return;
      move(j, to);
      if (value() <= before) return;
      move(j, old);
    }
  }
  void move(std::size_t j, long double to) {
    for (std::size_t i = 0; i < n_; ++i) z_[i] += (to - w_[j]) * columns_[j][i];
    w_[j] = to;
  }

  const Objective& f_;
  std::size_t n_, p_;
  std::vector<std::vector<long double>> columns_;
  std::vector<long double> z_, w_;
  In y_, s_;
};

constexpr Loss kLosses[] = {Loss::squared, Loss::logistic, Loss::squared_hinge, Loss::poisson, Loss::huber};

TEST(ProximalNewton, FindsTheLeastValueThatCoordinateDescentFinds) {
  const RandomKey key{3, 0};
  std::uint64_t at = 0;
  for (std::uint64_t k = 0; k < sweep_size(std::uint64_t{200}); ++k) {
    const Sample sample{.rows = static_cast<std::size_t>(20 + key.uniform(at++) * 60),
                        .features = static_cast<std::size_t>(3 + key.uniform(at++) * 12),
                        .loss = kLosses[k % 5],
                        .l1 = std::exp(3 - 6 * key.uniform(at++)),
                        .l2 = k % 3 == 0 ? std::exp(2 - 6 * key.uniform(at++)) : 0.0,
                        .sparse = k % 2 == 0,
                        .bias = k % 4 != 0,
                        .offset = k % 7 == 0,
                        .common = k % 6 == 0 ? 2.0 : 0.0,
                        .seed = k};
    Case own(sample);
    const Solution solution = own.solve();
    EXPECT_LE(solution.gap, 1e-11 * solution.point.value) << k;
    const long double least = Reference(own.f(), own.x()).least();
    EXPECT_LE(std::abs(solution.point.value - static_cast<double>(least)), 1e-9 * static_cast<double>(least))
        << k << " " << name_of(sample.loss);
  }
}

TEST(ProximalNewton, MeetsTheOptimalityConditionsWithExactZeros) {
  for (const Loss loss : kLosses)
    for (const bool sparse : {false, true})
      for (const double far : {0.0, 30.0}) {
        Case own({.rows = 300,
                  .features = 30,
                  .loss = loss,
                  .l1 = 8.0,
                  .sparse = sparse,
                  .far = sparse                  ? 0.0
                         : loss == Loss::poisson ? far / 10
                                                 : far});
        const Solution found = own.solve();
        EXPECT_EQ(found.why, StopReason::converged)
            << name_of(loss) << sparse << far << " " << found.gap / found.point.value;
        std::size_t zeros = 0;
        for (std::size_t j = 0; j + 1 < own.x().columns(); ++j) {
          const double w = found.point.w[j], l = own.f().lasso()[j], g = found.point.gradient[j];
          if (w == 0.0) ++zeros;
          EXPECT_LE(std::abs(w == 0.0 ? std::max(0.0, std::abs(g) - l) : g + std::copysign(l, w)), 1e-4 * l)
              << name_of(loss) << " " << j;
        }
        EXPECT_GT(zeros, 3u);
        EXPECT_LT(zeros, 29u);
      }
}

TEST(ProximalNewton, HasAllWeightsZeroFromTheLargestGradientOn) {
  for (const Loss loss : kLosses) {
    Case null({.loss = loss, .l1 = 1e9});
    const Solution none = null.solve();
    double most = 0.0;  // in the units of the features, in which the penalty is the same for all
    for (std::size_t j = 0; j + 1 < null.x().columns(); ++j) {
      EXPECT_EQ(none.point.w[j], 0.0);
      most = std::max(most, std::ldexp(std::abs(none.point.gradient[j]), null.x().exponent(j)));
    }
    Case above({.loss = loss, .l1 = most * (1 + 1e-9)}), below({.loss = loss, .l1 = most * (1 - 1e-3)});
    std::size_t some = 0;
    const Solution a = above.solve(), b = below.solve();
    for (std::size_t j = 0; j + 1 < null.x().columns(); ++j) {
      EXPECT_EQ(a.point.w[j], 0.0) << name_of(loss);
      some += b.point.w[j] != 0.0 ? 1 : 0;
    }
    EXPECT_EQ(some, 1u) << name_of(loss);
  }
}

TEST(ProximalNewton, LeavesConstantColumnsCopiesAndSecondLevelsWithoutAWeight) {
  Piece piece;
  piece.features = 6;
  const RandomKey key{11, 0};
  for (std::uint64_t i = 0; i < 60; ++i) {
    const double a = key.uniform(2 * i), b = key.uniform(2 * i + 1), level = key.uniform(1000 + i) < 0.4 ? 1.0 : 0.0;
    for (const double each : {3.5, a, b, a, level, 1 - level}) piece.values.push(each);
    piece.targets.push_back(2 * a - b + level);
    ++piece.rows;
  }
  Executor executor(1);
  const plumb::Run run{executor};
  for (const bool bias : {true, false}) {
    const DesignMatrix x(Examples({piece}, 6), bias, {}, {}, run);
    Objective f(x, row_loss(Loss::squared), std::vector<double>(x.columns()), run);
    std::vector<double> lasso(x.columns());
    for (std::size_t j = 0; j < 6; ++j) lasso[j] = std::ldexp(0.1, -x.exponent(j));
    f.set_lasso(lasso);
    const std::vector<std::size_t> needless = needless_columns(f);
    if (!bias) {
      EXPECT_EQ(needless, (std::vector<std::size_t>{0, 1, 2, 1, 4, 5}));
      continue;
    }
    EXPECT_EQ(needless, (std::vector<std::size_t>{kConstantColumn, 1, 2, 1, 4, 4 | kMirrored, 6}));
    const Solution found =
        minimise_by_proximal_newton(f, std::vector<double>(7), {.tolerance = 1e-12, .iterations = 100});
    for (const std::size_t j : {0, 3, 5}) EXPECT_EQ(found.point.w[static_cast<std::size_t>(j)], 0.0);
    EXPECT_GT(found.point.w[1], 0.5);
    EXPECT_GT(found.point.w[4], 0.5);
    EXPECT_EQ(found.why, StopReason::converged);
  }
}

TEST(ProximalNewton, CertifiesColumnsWithoutAPenaltyAndCorrelatedOnes) {
  for (const Loss loss : kLosses)
    for (const std::size_t free : {0, 3}) {
      Case own({.rows = 400,
                .features = 40,
                .loss = loss,
                .l1 = 0.5,
                .common = loss == Loss::poisson ? 1.0 : 3.0,
                .free = free});
      const Solution found = own.solve(1e-10);
      EXPECT_EQ(found.why, StopReason::converged) << name_of(loss) << free << " " << found.gap / found.point.value;
      EXPECT_LE(found.iterations, 40u) << name_of(loss);
    }
}

// No step of one class alone, nor of one weight, finds less: the conditions of a convex optimum.
TEST(ProximalNewton, MeetsThemForEveryClassOfSoftmax) {
  for (const bool sparse : {false, true})
    for (const bool reference : {false, true})
      for (const double l2 : {0.0, 0.5}) {
        Executor executor(1);
        const plumb::Run run{executor};
        Piece piece;
        piece.features = 6;
        if (sparse) piece.offsets.push_back(0);
        const RandomKey key{5, 0};
        std::uint64_t at = 0;
        for (std::size_t i = 0; i < 240; ++i, ++piece.rows) {
          double score = 0.0;
          for (std::uint32_t j = 0; j < 6; ++j) {
            const double x = 2 * key.uniform(at++) - 1;
            if (sparse && key.uniform(at++) < 0.5) continue;
            score += j < 3 ? (j + 1.0) * x : 0.0;
            piece.values.push(x);
            if (sparse) piece.index.push_back(j);
          }
          if (sparse) piece.offsets.push_back(piece.values.size());
          piece.targets.push_back(std::floor(3.999 / (1 + std::exp(-score - key.uniform(at++)))));
          piece.weights.push_back(i % 2 == 0 ? 1.0 : 2.0);
        }
        const DesignMatrix x(Examples({piece}, 6), true, {}, {}, run);
        std::vector<double> ridge(7, l2), lasso(7, 4.0);
        ridge[6] = lasso[6] = 0.0;
        Objective f(x, softmax_loss(reference ? 3 : 4, reference), ridge, run);
        f.set_lasso(lasso);
        const Solution found =
            minimise_by_proximal_newton(f, std::vector<double>(f.size()), {.tolerance = 1e-10, .iterations = 100});
        EXPECT_EQ(found.why, StopReason::converged) << found.gap / found.point.value;
        std::size_t zeros = 0;
        for (std::size_t i = 0; i < f.size(); ++i) {
          const double w = found.point.w[i], l = lasso[i % 7], g = found.point.gradient[i];
          zeros += w == 0.0 ? 1 : 0;
          EXPECT_LE(std::abs(w == 0.0 ? std::max(0.0, std::abs(g) - l) : g + std::copysign(l, w)), 1e-3);
        }
        EXPECT_GT(zeros, 5u);
        EXPECT_LT(zeros, 20u);
      }
}

TEST(ProximalNewton, HasTheSameBitsForAnyNumberOfThreads) {
  for (const bool sparse : {false, true}) {
    std::vector<double> one;
    for (const unsigned threads : {1u, 2u, 7u}) {
      Case own({.rows = 9000, .features = 20, .loss = Loss::logistic, .l1 = 3.0, .sparse = sparse, .threads = threads});
      const Solution found = own.solve(1e-8);
      if (one.empty()) one = found.point.w;
      EXPECT_EQ(found.point.w, one) << threads;
    }
  }
}

}  // namespace
}  // namespace plumb::proximal_newton_test
