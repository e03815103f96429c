// The promise of every certificate: the true distance from the optimum is not above it. The truth is Newton's method in
// double-double arithmetic, to about 30 digits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "plumb/base/random.h"
#include "plumb/math/double_double.h"
#include "plumb/solver/solver.h"

namespace plumb {
namespace {

using Real = math::DoubleDouble;

// e^x for x <= 0, to about 28 digits: x = k log 2 + r, and e^r = (e^(r / 1024))^1024 by Taylor's series.
Real exponential(Real x) {
  constexpr Real kLog2{0.6931471805599453, 2.3190468138462996e-17};
  const double k = std::round(x.high / kLog2.high);
  if (k < -1000) return 0.0;
  const Real r = (x - kLog2 * k) * 0x1p-10;
  Real sum = 1.0, term = 1.0;
  for (int n = 1; n <= 10; ++n) {
    term = term * r / static_cast<double>(n);
    sum += term;
  }
  for (int n = 0; n < 10; ++n) sum = sum * sum;
  return sum * std::ldexp(1.0, static_cast<int>(k));
}

// log(1 + e): one Newton step from the double, y + (1 + e) e^-y - 1, whose error is squared.
Real log_one_plus(Real e) {
  const double y = std::log1p(e.high);
  return ((1.0 + e) * exponential(-y) - 1.0) + y;
}

TEST(Truth, KnowsExponentialsAndLogarithmsBeyondDoubles) {
  // e^-1 and log 2 to 32 digits, each as two doubles.
  const Real inverse_e{0.36787944117144233, -1.2428753672788363e-17}, log_2{0.6931471805599453, 2.3190468138462996e-17};
  EXPECT_LE(std::abs((exponential(-1.0) - inverse_e).high), 1e-28);
  EXPECT_LE(std::abs((log_one_plus(1.0) - log_2).high), 1e-28);
  for (const double x : {-1e-5, -0.3, -7.0, -40.0}) {
    const Real e = exponential(x), square = exponential(2 * x);
    EXPECT_LE(std::abs((e * e / square - 1.0).high), 1e-27) << x;
  }
}

struct Sample {
  std::vector<std::vector<double>> x;  // with the 1 of the bias last
  std::vector<double> y;               // -1 or 1
  std::vector<double> s;
  std::vector<double> ridge;
};

Sample draw(std::uint64_t seed) {
  const RandomKey key{seed, 99};
  std::uint64_t at = 0;
  const std::size_t p = 1 + key.below(at++, 4), n = 12 + key.below(at++, 40);
  const double l2 = std::pow(10.0, 6 * key.uniform(at++) - 4);
  Sample sample;
  for (std::size_t i = 0; i < n; ++i) {
    sample.x.emplace_back();
    double score = 0;
    for (std::size_t j = 0; j < p; ++j) {
      const double x = 2 * key.uniform(at++) - 1;
      score += x;
      sample.x[i].push_back(x + 0.3);
    }
    sample.x[i].push_back(1.0);
    sample.y.push_back(key.uniform(at++) < 1 / (1 + std::exp(-2 * score)) ? 1 : -1);
    sample.s.push_back(0.5 + key.uniform(at++));
  }
  sample.y[0] = 1;
  sample.y[1] = -1;
  sample.ridge.assign(p, l2);
  sample.ridge.push_back(0);
  return sample;
}

Real value_at(const Sample& sample, const std::vector<Real>& w) {
  Real sum = 0;
  for (std::size_t i = 0; i < sample.x.size(); ++i) {
    Real z = 0;
    for (std::size_t j = 0; j < w.size(); ++j) z += w[j] * sample.x[i][j];
    const Real m = z * sample.y[i];
    sum += (log_one_plus(exponential(-abs(m))) + (m < 0.0 ? -m : Real(0.0))) * sample.s[i];
  }
  for (std::size_t j = 0; j < w.size(); ++j) sum += w[j] * w[j] * (sample.ridge[j] / 2);
  return sum;
}

std::vector<Real> solved(std::vector<std::vector<Real>> a, std::vector<Real> b) {
  const std::size_t q = b.size();
  for (std::size_t c = 0; c < q; ++c)
    for (std::size_t r = c + 1; r < q; ++r) {
      const Real factor = a[r][c] / a[c][c];
      for (std::size_t k = c; k < q; ++k) a[r][k] -= factor * a[c][k];
      b[r] -= factor * b[c];
    }
  for (std::size_t c = q; c-- > 0;) {
    for (std::size_t k = c + 1; k < q; ++k) b[c] -= a[c][k] * b[k];
    b[c] /= a[c][c];
  }
  return b;
}

Real least_value(const Sample& sample) {
  const std::size_t q = sample.ridge.size();
  std::vector<Real> w(q);
  Real best = value_at(sample, w);
  for (int step = 0; step < 200; ++step) {
    std::vector<Real> g(q);
    std::vector<std::vector<Real>> h(q, std::vector<Real>(q));
    for (std::size_t i = 0; i < sample.x.size(); ++i) {
      Real z = 0;
      for (std::size_t j = 0; j < q; ++j) z += w[j] * sample.x[i][j];
      const Real m = z * sample.y[i], e = exponential(-abs(m));
      const Real slope = (m < 0.0 ? Real(1.0) : e) / (1.0 + e) * (-sample.y[i] * sample.s[i]);
      const Real curve = e / ((1.0 + e) * (1.0 + e)) * sample.s[i];
      for (std::size_t j = 0; j < q; ++j) {
        g[j] += slope * sample.x[i][j];
        for (std::size_t k = 0; k < q; ++k) h[j][k] += curve * sample.x[i][j] * sample.x[i][k];
      }
    }
    for (std::size_t j = 0; j < q; ++j) {
      g[j] += w[j] * sample.ridge[j];
      h[j][j] += sample.ridge[j];
    }
    const std::vector<Real> d = solved(h, g);
    double t = 1;
    std::vector<Real> next(q);
    Real value = best;
    for (; t > 1e-6; t /= 2) {
      for (std::size_t j = 0; j < q; ++j) next[j] = w[j] - d[j] * t;
      value = value_at(sample, next);
      if (value <= best) break;
    }
    if (!(value < best)) return best;
    best = value;
    w = next;
  }
  return best;
}

TEST(Certificates, AreNeverBelowTheTrueDistanceFromTheOptimum) {
  const std::uint64_t fits = std::getenv("PLUMB_FULL") != nullptr ? 1000 : 100;
  Executor executor(1);
  const plumb::Run run{executor};
  std::size_t proved = 0;
  for (std::uint64_t seed = 1; seed <= fits; ++seed) {
    const Sample sample = draw(seed);
    Piece piece;
    const std::size_t p = sample.ridge.size() - 1;
    piece.features = static_cast<std::uint32_t>(p);
    piece.rows = sample.x.size();
    for (std::size_t i = 0; i < sample.x.size(); ++i) {
      for (std::size_t j = 0; j < p; ++j) piece.values.push(sample.x[i][j]);
      piece.targets.push_back(sample.y[i] > 0 ? 1 : 0);
      piece.weights.push_back(sample.s[i]);
    }
    const DesignMatrix x(Examples({piece}, piece.features), true, {}, {}, run);
    std::vector<double> ridge = sample.ridge;
    for (std::size_t j = 0; j < p; ++j) ridge[j] = std::ldexp(ridge[j], -2 * x.exponent(j));
    const Real least = least_value(sample);
    for (const SolverEntry& solver : solver_list())
      for (const std::uint64_t steps : {1u, 3u, 50u}) {
        Objective f(x, row_loss(Loss::logistic), ridge, run);
        const Solution own = solver.minimise(f, std::vector<double>(f.size()), {.iterations = steps});
        std::vector<Real> w(own.point.w.begin(), own.point.w.end());
        for (std::size_t j = 0; j < p; ++j) w[j] = std::ldexp(own.point.w[j], -x.exponent(j));
        const auto distance = static_cast<double>(value_at(sample, w) - least);
        if (std::isfinite(own.gap)) ++proved;
        // The value itself is only known to the rounding of its sum.
        EXPECT_LE(distance, own.gap + 1e-16 * least.high) << solver.name << " after " << steps << ", sample " << seed;
      }
  }
  EXPECT_GE(proved, fits * solver_list().size());
}

}  // namespace
}  // namespace plumb
