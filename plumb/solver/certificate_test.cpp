// The promise of every certificate: the true optimality gap is not above it. The truth is Newton's method in
// double-double arithmetic, to about 30 digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "plumb/base/random.h"
#include "plumb/base/testing.h"
#include "plumb/math/double_double.h"
#include "plumb/solver/solver.h"

namespace plumb::certificate_test {
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

// The problem. `outputs` weight vectors, each with the bias last; classes are 0, 1, ..., and with a reference the last
// has none.
struct Sample {
  Loss loss = Loss::logistic;
  std::size_t outputs = 1;
  bool reference = false;
  std::vector<std::vector<double>> x = {};  // with the 1 of the bias last
  std::vector<double> y = {};
  std::vector<double> s = {};
  std::vector<double> ridge = {};

  std::size_t classes() const { return outputs == 1 ? 2 : outputs + (reference ? 1 : 0); }
  std::unique_ptr<RowLoss> row() const { return outputs == 1 ? row_loss(loss) : softmax_loss(outputs, reference); }
};

// Columns in units from 1 to `spread`. The penalty of the bias is 0, or that of all.
Sample draw(std::uint64_t seed, Sample sample, bool penalised, bool penalised_bias, double spread) {
  const RandomKey key{seed, 99};
  std::uint64_t at = 0;
  const std::size_t p = 1 + key.below(at++, 4), n = (penalised ? 12 : 60) + key.below(at++, 40);
  const double l2 = std::pow(10.0, 6 * key.uniform(at++) - 4);
  const std::size_t classes = sample.classes();
  std::vector<double> unit;
  for (std::size_t j = 0; j < p; ++j) unit.push_back(std::pow(spread, static_cast<double>(j) / 3));
  for (std::size_t i = 0; i < n; ++i) {
    sample.x.emplace_back();
    double score = 0;
    for (std::size_t j = 0; j < p; ++j) {
      const double x = 2 * key.uniform(at++) - 1;
      score += x;
      sample.x[i].push_back(unit[j] * (x + 0.3));
    }
    sample.x[i].push_back(1.0);
    const double chance = 1 / (1 + std::exp(-2 * score)), u = key.uniform(at++);
    sample.y.push_back(classes == 2 ? (u < chance ? 1 : 0)
                                    : std::floor(static_cast<double>(classes) * std::min(0.999, (u + chance) / 2)));
    sample.s.push_back(0.5 + key.uniform(at++));
  }
  for (std::size_t c = 0; c < classes; ++c) sample.y[c] = static_cast<double>(c);
  sample.ridge.assign(p, penalised ? l2 : 0);
  sample.ridge.push_back(penalised && penalised_bias ? l2 : 0);
  return sample;
}

// For one row of weight 1: the loss, and on request its slopes and second derivatives in the scores.
Real row_value(const Sample& sample, const std::vector<Real>& z, double y, std::vector<Real>* slope,
               std::vector<std::vector<Real>>* curve) {
  const std::size_t k = sample.outputs;
  if (k == 1) {
    const double sign = y == 0.0 ? -1.0 : 1.0;
    const Real m = z[0] * sign;
    if (sample.loss == Loss::logistic) {
      const Real e = exponential(-abs(m));
      if (slope != nullptr) {
        (*slope)[0] = (m < 0.0 ? Real(1.0) : e) / (1.0 + e) * -sign;
        (*curve)[0][0] = e / ((1.0 + e) * (1.0 + e));
      }
      return log_one_plus(e) + (m < 0.0 ? -m : Real(0.0));
    }
    const Real lack = m < 1.0 ? 1.0 - m : Real(0.0);
    if (sample.loss == Loss::hinge) return lack;
    if (slope != nullptr) {
      (*slope)[0] = lack * (-2.0 * sign);
      (*curve)[0][0] = m < 1.0 ? 2.0 : 0.0;
    }
    return lack * lack;
  }
  Real top = sample.reference ? Real(0.0) : z[0], sum = 0;
  for (const Real& each : z) top = top < each ? each : top;
  std::vector<Real> p(k);
  for (std::size_t c = 0; c < k; ++c) sum += p[c] = exponential(z[c] - top);
  if (sample.reference) sum += exponential(-top);
  const auto own = static_cast<std::size_t>(y);
  if (slope != nullptr)
    for (std::size_t a = 0; a < k; ++a) {
      (*slope)[a] = p[a] / sum - (a == own ? 1.0 : 0.0);
      for (std::size_t b = 0; b < k; ++b)
        (*curve)[a][b] = (a == b ? p[a] / sum : Real(0.0)) - p[a] / sum * (p[b] / sum);
    }
  return log_one_plus(sum - 1.0) + top - (own < k ? z[own] : Real(0.0));
}

std::vector<Real> scores(const Sample& sample, const std::vector<Real>& w, std::size_t i) {
  const std::size_t q = sample.ridge.size();
  std::vector<Real> z(sample.outputs);
  for (std::size_t c = 0; c < sample.outputs; ++c)
    for (std::size_t j = 0; j < q; ++j) z[c] += w[c * q + j] * sample.x[i][j];
  return z;
}

Real value_at(const Sample& sample, const std::vector<Real>& w) {
  Real sum = 0;
  for (std::size_t i = 0; i < sample.x.size(); ++i)
    sum += row_value(sample, scores(sample, w, i), sample.y[i], nullptr, nullptr) * sample.s[i];
  for (std::size_t at = 0; at < w.size(); ++at) sum += w[at] * w[at] * (sample.ridge[at % sample.ridge.size()] / 2);
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

// For a loss with a curvature.
Real least_value(const Sample& sample) {
  const std::size_t q = sample.ridge.size(), k = sample.outputs, size = q * k;
  std::vector<Real> w(size);
  Real best = value_at(sample, w);
  for (int step = 0; step < 200; ++step) {
    std::vector<Real> g(size), slope(k);
    std::vector<std::vector<Real>> h(size, std::vector<Real>(size)), curve(k, std::vector<Real>(k));
    for (std::size_t i = 0; i < sample.x.size(); ++i) {
      row_value(sample, scores(sample, w, i), sample.y[i], &slope, &curve);
      const auto x = [&](std::size_t at) { return sample.x[i][at % q] * sample.s[i]; };
      for (std::size_t a = 0; a < size; ++a) {
        g[a] += slope[a / q] * x(a);
        for (std::size_t b = 0; b < size; ++b) h[a][b] += curve[a / q][b / q] * x(a) * sample.x[i][b % q];
      }
    }
    for (std::size_t a = 0; a < size; ++a) {
      g[a] += w[a] * sample.ridge[a % q];
      h[a][a] += sample.ridge[a % q] + (sample.loss == Loss::squared_hinge ? 1e-25 : 0.0);  // separable, perhaps
    }
    const std::vector<Real> d = solved(h, g);
    std::vector<Real> next(size);
    Real value = best;
    for (double t = 1; t > 1e-6; t /= 2) {
      for (std::size_t a = 0; a < size; ++a) next[a] = w[a] - d[a] * t;
      value = value_at(sample, next);
      if (value <= best) break;
    }
    if (!(value < best)) return best;
    best = value;
    w = next;
  }
  return best;
}

DesignMatrix matrix_of(const Sample& sample, bool sparse, const plumb::Run& run) {
  Piece piece;
  const std::size_t p = sample.ridge.size() - 1;
  piece.features = static_cast<std::uint32_t>(p);
  piece.rows = sample.x.size();
  if (sparse) piece.offsets.push_back(0);
  for (std::size_t i = 0; i < sample.x.size(); ++i) {
    for (std::uint32_t j = 0; j < p; ++j) {
      piece.values.push(sample.x[i][j]);
      if (sparse) piece.index.push_back(j);
    }
    if (sparse) piece.offsets.push_back(piece.values.size());
    piece.targets.push_back(sample.y[i]);
    piece.weights.push_back(sample.s[i]);
  }
  return DesignMatrix(Examples({piece}, piece.features), true, {}, {}, run);
}

std::vector<Real> in_own_units(const Objective::Point& point, const DesignMatrix& x) {
  std::vector<Real> w;
  for (std::size_t at = 0; at < point.w.size(); ++at)
    w.push_back(std::ldexp(point.w[at], -x.exponent(at % x.columns())));
  return w;
}

// Every applicable solver, after few steps and many. Without curvature the minimum is the best value that any of them
// reached: lower bounds must not exceed it. `newtons` counts the fits of Newton's method that converged.
std::size_t check(const Sample& sample, bool sparse, std::uint64_t seed, std::size_t* newtons = nullptr) {
  Executor executor(1);
  const plumb::Run run{executor};
  const DesignMatrix x = matrix_of(sample, sparse, run);
  std::vector<double> ridge = sample.ridge;
  for (std::size_t j = 0; j + 1 < ridge.size(); ++j) ridge[j] = std::ldexp(ridge[j], -2 * x.exponent(j));
  struct End {
    std::string_view solver;
    std::uint64_t steps;
    Real value;
    double gap;
  };
  std::vector<End> ends;
  Real least = kInfinity;
  for (const SolverEntry& solver : solver_list())
    for (const std::uint64_t steps : {1u, 3u, 50u}) {
      Objective f(x, sample.row(), ridge, run);
      if (!solver.lacks(f).empty()) continue;
      const Solution own = solver.minimise(f, std::vector<double>(f.size()), {.iterations = steps});
      ends.push_back({solver.name, steps, value_at(sample, in_own_units(own.point, x)), own.gap});
      least = ends.back().value < least ? ends.back().value : least;
      if (newtons != nullptr && solver.name == "newton" && steps == 50 && own.gap <= 1e-6 * own.point.value) ++*newtons;
    }
  if (sample.loss != Loss::hinge) {
    const Real truth = least_value(sample);
    least = truth < least ? truth : least;
  }
  for (const End& end : ends)  // the value itself is only known to the rounding of its sum
    EXPECT_LE(static_cast<double>(end.value - least), end.gap + 1e-15 * end.value.high)
        << end.solver << " after " << end.steps << ", sample " << seed << ", "
        << EnumNames<Loss>::names[static_cast<std::size_t>(sample.loss)] << ", outputs " << sample.outputs << ", ridge "
        << sample.ridge[0];
  return static_cast<std::size_t>(
      std::count_if(ends.begin(), ends.end(), [](const End& end) { return std::isfinite(end.gap); }));
}

TEST(Certificates, AreNeverBelowTheTrueDistanceFromTheOptimum) {
  const std::uint64_t fits = std::getenv("PLUMB_FULL") != nullptr ? 1000 : sweep_size<std::uint64_t>(100);
  std::size_t proved = 0;
  for (std::uint64_t seed = 1; seed <= fits; ++seed) proved += check(draw(seed, {}, true, false, 1.0), false, seed);
  EXPECT_GE(proved, fits * solver_list().size());
}

// Every loss, two classes and three, with a penalty and without, dense and sparse rows, equal and different units.
TEST(Certificates, OfEveryLossAreNeverBelowTheTrueDistance) {
  const std::uint64_t fits =
      std::getenv("PLUMB_FULL") != nullptr ? 1000 : std::max<std::uint64_t>(12, sweep_size<std::uint64_t>(60));
  std::size_t proved = 0;
  for (std::uint64_t seed = 1; seed <= fits; ++seed) {
    const bool penalised = seed % 2 == 0, sparse = seed % 3 == 0;
    const double spread = seed % 5 == 0 ? 1e4 : 1.0;
    for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared_hinge})
      proved += check(draw(seed, {.loss = loss}, penalised, false, spread), sparse, seed);
    // Without a reference unpenalised weights are not determined, and Newton's matrix is singular.
    if (penalised) proved += check(draw(seed, {.outputs = 3}, true, true, spread), sparse, seed);
    proved += check(draw(seed, {.outputs = 2, .reference = true}, penalised, false, spread), sparse, seed);
  }
  EXPECT_GE(proved, fits * 10);
}

// A penalty that is treated as 0 still counts in the certificate: beside a column that is a sum of others but for
// rounding, and has no weight of its own, the optimum fits that rounding.
TEST(Certificates, OfAPenaltyThatIsTakenAsNoneAreOfTheObjectiveWithIt) {
  std::size_t converged = 0;
  for (std::uint64_t seed = 1; seed <= sweep_size<std::uint64_t>(60); ++seed) {
    Sample sample = draw(seed, {}, false, false, 1.0);
    const RandomKey key{seed, 7};
    const double l2 = std::pow(10.0, -24.5 - static_cast<double>(seed % 6));
    const bool twice = seed % 3 == 0;
    std::uint64_t at = 0;
    for (std::vector<double>& x : sample.x) {
      const double bias = x.back(), next = 2 * key.uniform(at++) - 1;
      x.back() = next;
      x.push_back(twice ? x[0] : x[0] + 0.7 * next);
      x.push_back(bias);
    }
    sample.ridge.assign(sample.x[0].size(), l2);
    sample.ridge.back() = 0.0;
    Executor executor(1);
    const plumb::Run run{executor};
    const DesignMatrix x = matrix_of(sample, false, run);
    std::vector<double> slight = sample.ridge;
    for (std::size_t j = 0; j + 1 < slight.size(); ++j) slight[j] = std::ldexp(slight[j], -2 * x.exponent(j));
    const Real least = least_value(sample);
    for (const SolverEntry& solver : solver_list())
      for (const std::uint64_t steps : {3u, 50u}) {
        Objective f(x, sample.row(), std::vector<double>(slight.size()), run);
        f.neglect(slight);
        if (!solver.lacks(f).empty()) continue;
        const Solution own = solver.minimise(f, std::vector<double>(f.size()), {.iterations = steps});
        const Real value = value_at(sample, in_own_units(own.point, x));
        EXPECT_LE(static_cast<double>(value - least), own.gap + 1e-15 * value.high)
            << solver.name << " after " << steps << ", sample " << seed << ", l2 " << l2;
        converged += own.gap <= 1e-6 * own.point.value ? 1 : 0;
      }
  }
  EXPECT_GT(converged, sweep_size<std::uint64_t>(60) / 2);
}

// A column that differs from a combination of others by a part of 1e-4 to 1e-12, and columns of 1e9 +- 1: sums of
// doubles cannot tell them apart, and lose both the optimum and the distance from it.
TEST(Certificates, OfNearlyDependentColumnsAreNeverBelowTheTrueDistance) {
  const std::uint64_t fits =
      std::getenv("PLUMB_FULL") != nullptr ? 1000 : std::max<std::uint64_t>(18, sweep_size<std::uint64_t>(60));
  std::size_t proved = 0, newtons = 0;
  for (std::uint64_t seed = 1; seed <= fits; ++seed) {
    const std::size_t outputs = seed % 4 == 0 ? 2 : 1;
    const Loss loss = outputs == 1 && seed % 5 == 0 ? Loss::squared_hinge : Loss::logistic;
    Sample sample = draw(seed, {.loss = loss, .outputs = outputs, .reference = outputs > 1}, false, false, 1.0);
    const RandomKey key{seed, 8};
    std::uint64_t at = 0;
    const double part = std::pow(10.0, -4.0 - static_cast<double>(seed % 9));
    for (std::vector<double>& x : sample.x) {
      const double bias = x.back(), next = 2 * key.uniform(at++) - 1;
      x.back() = seed % 3 == 0 ? 1e9 + std::round(20 * next) : x[0] + part * next;
      x.push_back(bias);
    }
    sample.ridge.push_back(0.0);
    proved += check(sample, seed % 7 == 0, seed, &newtons);
  }
  EXPECT_GE(proved, fits);
  EXPECT_EQ(newtons, fits) << "fits of Newton's method that reached their tolerance";
}

// Nearly no penalty on classes that a hyperplane almost separates: probabilities that underflow, and a reference whose
// share is the rounding error of 1. The optimum exists, so it must be proved.
TEST(Certificates, AreHadWhereProbabilitiesUnderflow) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    for (const bool reference : {false, true}) {
      Sample sample = draw(seed, {.outputs = reference ? 2u : 3u, .reference = reference}, true, false, 100.0);
      for (std::size_t i = 3; i < sample.x.size(); ++i) {  // three rows are in random places
        sample.y[i] = static_cast<double>(i % 3);
        sample.x[i][0] = 10.0 * static_cast<double>(i % 3) + sample.x[i][0] / 10;
      }
      for (std::size_t j = 0; j + 1 < sample.ridge.size(); ++j) sample.ridge[j] = seed % 2 == 0 ? 1e-6 : 1e-3;
      Executor executor(1);
      const plumb::Run run{executor};
      const DesignMatrix x = matrix_of(sample, false, run);
      std::vector<double> ridge = sample.ridge;
      for (std::size_t j = 0; j + 1 < ridge.size(); ++j) ridge[j] = std::ldexp(ridge[j], -2 * x.exponent(j));
      for (const char* name : {"newton", "coordinate-descent"}) {
        Objective f(x, sample.row(), ridge, run);
        const SolverEntry& solver = find_solver(name);
        if (!solver.lacks(f).empty()) continue;
        const Solution own = solver.minimise(f, std::vector<double>(f.size()), {.iterations = solver.iterations});
        EXPECT_LE(own.gap, 1e-6 * own.point.value) << name << ", sample " << seed << ", reference " << reference;
      }
    }
}

}  // namespace
}  // namespace plumb::certificate_test
