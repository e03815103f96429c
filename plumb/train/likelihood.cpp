// Firth's slope: the derivative of log det I / 2 is sum_i h_i (1/2 - p_i) x_i with the leverages h_i = s_i D_i x_i'
// I^-1 x_i and D = p (1 - p), since dD/dz = D (1 - 2 p). With h fixed it is the slope of rows with h_i more trials,
// half of them successes, whose second derivative, sum_i (1 + h_i) s_i D_i x_i x_i', takes the place of that of F.
// Steps converge linearly, at a rate of how much h changes; where a row alone decides a weight, h is 1 and stays so.
#include "plumb/train/likelihood.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/dense.h"
#include "plumb/math/kernels.h"
#include "plumb/math/special.h"

namespace plumb {
namespace {

constexpr double kInformationPivot = 1e-13;     // a smaller share of a column is rounding
constexpr double kLikelihoodEnd = 1e-24;        // of 1 + |F|: a decrement that rounding allows at most
constexpr double kLikelihoodConverged = 1e-16;  // ... and one that is enough
constexpr double kNoComparison = 1e-12;         // ... and one from which values differ by rounding alone: full steps
constexpr int kMostHalvings = 60;

// Eight rows at a time, each number's lanes next to each other, as in EightRows.
class Whitening {
 public:
  Whitening(const std::vector<double>& root, std::size_t q) : root_(root), q_(q), z_(8 * q) {}

  void clear() { std::fill(z_.begin(), z_.end(), 0.0); }
  void put(std::size_t column, std::size_t lane, double value) { z_[8 * column + lane] = value; }
  void distances(Out out) {
    const math::Kernels& kernels = math::kernels();
    double sum[8] = {};
    for (std::size_t i = 0, row = 0; i < q_; row += q_ - i, ++i) {
      const double diagonal = root_[row];
      double* const z = &z_[8 * i];
      if (!(diagonal > 0.0)) continue;
      for (std::size_t lane = 0; lane < 8; ++lane) {
        z[lane] /= diagonal;
        sum[lane] += z[lane] * z[lane];
      }
      kernels.eliminate8(root_.data() + row + 1, q_ - i - 1, z, z + 8);
    }
    std::copy(sum, sum + out.size(), out.begin());
  }

 private:
  const std::vector<double>& root_;
  std::size_t q_;
  std::vector<double> z_;
};

}  // namespace

std::vector<double> row_distances(const DesignMatrix& x, const std::vector<double>& root, const Run& run) {
  x.lay_out(run);
  std::vector<double> found(x.rows());
  run.executor.for_each(x.blocks(), [&](std::size_t b) {
    Whitening eight(root, x.columns());
    const std::size_t end = x.block_begin(b) + x.block_size(b);
    for (std::size_t begin = x.block_begin(b); begin < end; begin += 8) {
      const std::size_t count = std::min<std::size_t>(8, end - begin);
      eight.clear();
      for (std::size_t lane = 0; lane < count; ++lane) {
        const Row row = x.row(begin + lane);
        for (std::size_t e = 0; e < row.value.size(); ++e)
          eight.put(row.index.empty() ? e : row.index[e], lane, row.value[e]);
      }
      eight.distances(Out(found).subspan(begin, count));
    }
  });
  return found;
}

Likelihood::Likelihood(Objective& f, bool firth, std::vector<bool> aside)
    : f_(f), firth_(firth), aside_(std::move(aside)) {
  aside_.resize(f.size());
}

math::Cholesky Likelihood::factor(std::vector<double> hessian, const std::vector<bool>& held) const {
  for (std::size_t i = 0; i < f_.size(); ++i)
    if (aside_[i] || (!held.empty() && held[i])) hessian[i * (f_.size() + 1)] = 0.0;
  return math::Cholesky(std::move(hessian), f_.size(), kInformationPivot);
}

Likelihood::Found Likelihood::at(std::vector<double> w) {
  Found found;
  found.point = f_.at(std::move(w), &found.hessian);
  found.value = found.point.value;
  if (!firth_) return found;
  const DesignMatrix& x = f_.matrix();
  const math::Cholesky whole = factor(found.hessian, {});
  const std::vector<double> root = whole.packed_root();
  for (std::size_t i = 0, row = 0; i < f_.size(); row += f_.size() - i, ++i) {
    if (aside_[i]) continue;
    if (!(root[row] > 0.0)) {  // so far out that a column has no curvature left
      found.value = kInfinity;
      return found;
    }
    found.value -= math::log(root[row]);
  }
  const std::vector<double> distance = row_distances(x, root, f_.run());
  std::vector<double> curve(x.rows()), slope(x.rows());
  f_.loss().diagonal(found.point.curve, x.weights(), curve);
  for (std::size_t i = 0; i < slope.size(); ++i) {
    const double h = distance[i] * curve[i];
    slope[i] = found.point.slope[i] - h * (0.5 - math::sigmoid(found.point.z[i]));
    curve[i] *= 1.0 + h;
  }
  x.transpose_times(slope, 1, found.point.gradient, f_.run());
  found.steps_by = x.gram(curve, f_.run());
  return found;
}

Likelihood::Found Likelihood::minimise(std::vector<double> start, const Held& held, std::uint64_t most_steps) {
  const std::size_t q = f_.size();
  Found found = at(std::move(start));
  if (!std::isfinite(found.value))
    throw Error(ErrorCode::data, "the information matrix of the fit has no factor: its columns are nearly collinear",
                "plumb train with --drop of a feature that says the same");
  double best = kInfinity;
  int since_best = 0;
  for (;; ++found.steps) {
    f_.run().report(Phase::fitting, found.steps, 0);
    const math::Cholesky own = factor(firth_ ? found.steps_by : found.hessian, held.weights);
    std::vector<double> d(q);
    own.solve(found.point.gradient, d);
    if (!held.form.empty()) {  // d is moved along I^-1 a until a'd = 0
      std::vector<double> pull(q);
      own.solve(held.form, pull);
      const double across = math::dot(held.form, pull);
      found.multiplier = across > 0.0 ? math::dot(held.form, d) / across : 0.0;
      math::axpy(-found.multiplier, pull, d);
    }
    found.decrement = math::dot(found.point.gradient, d);
    const double scale = 1.0 + std::abs(found.value);
    found.converged = found.decrement <= kLikelihoodConverged * scale;
    if (found.decrement < best / 2) {
      best = found.decrement;
      since_best = 0;
    } else if (found.converged && ++since_best == 3) {
      return found;
    }
    if (found.decrement <= kLikelihoodEnd * scale || found.steps >= most_steps) return found;
    Found next;
    double t = 1.0;
    for (int halvings = 0;; ++halvings, t /= 2) {
      if (halvings == kMostHalvings) return found;
      std::vector<double> w = found.point.w;
      math::axpy(-t, d, w);
      try {
        next = at(std::move(w));
      } catch (const Error& error) {  // scores too large for a number
        if (error.code() != ErrorCode::data) throw;
        continue;
      }
      if (next.value <= found.value || (found.decrement <= kNoComparison * scale && std::isfinite(next.value))) break;
    }
    next.steps = found.steps;
    next.multiplier = found.multiplier;
    found = std::move(next);
  }
}

}  // namespace plumb
