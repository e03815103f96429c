// Row i lacks l = 1 - y z of its margin. With t, v > 0 the hinge is the least t such that t - v = l, and its dual
// variable a lies between 0 and s. The optimum has
//   r w = X' y a    t - v = l    a v = 0    (s - a) t = 0
// and Newton's method is used on these equations with a mean product m > 0 instead of both zeros, which decreases from
// step to step (Mehrotra's predictor and corrector). Eliminating all but dw leaves (r + X' q X) dw = ..., a matrix of
// the same form as that of any loss with a curvature. A row of weight s has products s times as large, like s rows.
#include "plumb/solver/interior_point.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "plumb/math/cholesky.h"
#include "plumb/math/dense.h"

namespace plumb {
namespace {

constexpr double kAliased = 1e-15;         // share of a column that the earlier ones leave, hidden by rounding
constexpr std::size_t kMostDirect = 2048;  // columns whose matrix is factored
constexpr std::size_t kMostSteps = 1000;   // of conjugate gradients, with more columns
constexpr double kLastDigits = 1e-10;      // relative gap: a few steps more than the tolerance needs
constexpr double kInside = 0.995;          // share of the way to where the first number would be 0
constexpr double kNearCorner = 10.0;       // a score, of a margin of 1
constexpr int kPatience = 15;              // steps without a smaller gap

class InteriorPoint {
 public:
  InteriorPoint(Objective& f, std::vector<double> start, const SolverOptions& options)
      : f_(f), x_(f.matrix()), options_(options), n_(x_.rows()), y_(n_), a_(n_), t_(n_), v_(n_), q_(n_) {
    result_.point = f.at(std::vector<double>(f.size()));
    // Scores far from the margin lead slowly along the edges of the interior: such a start is not used.
    if (std::any_of(start.begin(), start.end(), [](double w) { return w != 0.0; })) {
      Objective::Point given = f.at(std::move(start));
      const bool near =
          std::all_of(given.z.begin(), given.z.end(), [](double z) { return std::abs(z) <= kNearCorner; });
      if (near && given.value < result_.point.value) result_.point = std::move(given);
    }
    // Both products of a row are equal at the start: s t v / (t + v).
    for (std::size_t i = 0; i < n_; ++i) {
      y_[i] = x_.targets()[i] == 0.0 ? -1.0 : 1.0;
      t_[i] = std::max(lack(i), 0.0) + 1.0;
      v_[i] = t_[i] - lack(i);
      a_[i] = x_.weights()[i] * (t_[i] / (t_[i] + v_[i]));
    }
  }

  Solution solve() {
    const bool last_digits = options_.tolerance <= SolverOptions().tolerance;
    const double goal = last_digits ? std::min(options_.tolerance, kLastDigits) : options_.tolerance;
    Solution best;
    best.gap = kInfinity;
    double step = 0.0, least_mean = kInfinity;
    for (int idle = 0, waited = 0;; ++result_.iterations) {
      std::vector<double> u(n_);
      for (std::size_t i = 0; i < n_; ++i) u[i] = -y_[i] * a_[i];
      result_.gap = f_.gap(result_.point, std::move(u), {});
      scale_to_margin();
      note_step(f_, result_, step, options_);
      // The gap has no meaning before the equations of the weights hold; until then products and steps show the
      // progress.
      const bool onwards = result_.gap < best.gap / 2 || mean_ < 0.9 * least_mean || step > 0.5;
      idle = onwards ? 0 : idle + 1;
      least_mean = std::min(least_mean, mean_);
      const bool better = best.gap == kInfinity || result_.gap < best.gap;
      if (better) best = result_;
      const bool enough = best.gap <= options_.tolerance * best.point.value;
      waited = enough && !better ? waited + 1 : 0;
      const bool done = best.gap <= goal * best.point.value || waited > 2;
      if (done || result_.iterations >= options_.iterations || idle > kPatience || (step > 0.0 && step < 1e-10)) {
        best.why = enough                                      ? StopReason::converged
                   : result_.iterations >= options_.iterations ? StopReason::iteration_limit
                                                               : StopReason::no_progress;
        best.iterations = result_.iterations;
        best.trace = std::move(result_.trace);
        return best;
      }
      step = advance();
    }
  }

 private:
  double lack(std::size_t i) const { return 1.0 - y_[i] * result_.point.z[i]; }

  // Nothing keeps unpenalised weights from a loss of exactly 0, if a hyperplane separates the rows.
  void scale_to_margin() {
    const In ridge = f_.ridge();
    if (!x_.offsets().empty() || std::any_of(ridge.begin(), ridge.end(), [](double r) { return r > 0.0; })) return;
    double least = kInfinity;
    for (std::size_t i = 0; i < n_; ++i) least = std::min(least, y_[i] * result_.point.z[i]);
    if (!(least > 0.5 && least < 1.0)) return;
    std::vector<double> w = result_.point.w;
    math::scale((1.0 + 1e-9) / least, w);
    Objective::Point scaled = f_.at(std::move(w));
    if (scaled.value > 0.0) return;
    result_.point = std::move(scaled);
    result_.gap = 0.0;
  }

  struct Direction {
    std::vector<double> w, z, a, t, v;
  };

  // `av` and `st`: the wanted changes of the products a v and (s - a) t.
  Direction direction(In residual, const std::optional<math::Cholesky>& factor, In av, In st) {
    std::vector<double> c(n_), pull(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      const double rest = x_.weights()[i] - a_[i];
      c[i] = (lack(i) - t_[i] + v_[i]) - st[i] / rest + av[i] / a_[i];
      pull[i] = y_[i] * q_[i] * c[i];
    }
    std::vector<double> right(x_.columns());
    x_.transpose_times(pull, 1, right, f_.run());
    f_.count_passes(1);
    for (std::size_t j = 0; j < right.size(); ++j) right[j] -= residual[j];
    Direction d;
    d.w = factor ? solved_directly(*factor, right) : solved_iteratively(right);
    d.z = f_.scores(d.w);
    d.a.resize(n_);
    d.t.resize(n_);
    d.v.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      const double rest = x_.weights()[i] - a_[i];
      d.a[i] = q_[i] * (c[i] - y_[i] * d.z[i]);
      d.t[i] = (st[i] + t_[i] * d.a[i]) / rest;
      d.v[i] = (av[i] - v_[i] * d.a[i]) / a_[i];
    }
    return d;
  }

  // (r + X' q X) d
  std::vector<double> times(In d) {
    std::vector<double> z = f_.scores(d), product(d.size());
    for (std::size_t i = 0; i < n_; ++i) z[i] *= q_[i];
    x_.transpose_times(z, 1, product, f_.run());
    f_.count_passes(1);
    for (std::size_t j = 0; j < d.size(); ++j) product[j] += f_.ridge()[j] * d[j];
    return product;
  }

  // One refinement removes the rounding errors of a matrix with such different numbers.
  std::vector<double> solved_directly(const math::Cholesky& factor, const std::vector<double>& right) {
    std::vector<double> d(right.size()), r = right;
    factor.solve(right, d);
    math::axpy(-1.0, times(d), r);
    factor.solve(r, r);
    math::axpy(1.0, r, d);
    return d;
  }

  std::vector<double> solved_iteratively(const std::vector<double>& right) {
    std::vector<double> inverse(right.size());
    x_.squares(q_, inverse, f_.run());
    f_.count_passes(1);
    for (std::size_t j = 0; j < inverse.size(); ++j) {
      const double entry = inverse[j] + f_.ridge()[j];
      inverse[j] = entry > 0.0 ? 1.0 / entry : 0.0;
    }
    const auto applied = [&](const std::vector<double>& r) {
      std::vector<double> y(r.size());
      for (std::size_t j = 0; j < r.size(); ++j) y[j] = inverse[j] * r[j];
      return y;
    };
    std::vector<double> d(right.size()), r = right, p = applied(r);
    double rho = math::dot(r, p);
    const double first = rho;
    for (std::size_t step = 0; step < kMostSteps && rho > 1e-16 * first; ++step) {
      const std::vector<double> product = times(p);
      const double curvature = math::dot(p, product);
      if (!(curvature > 0.0)) break;
      math::axpy(rho / curvature, p, d);
      math::axpy(-rho / curvature, product, r);
      const std::vector<double> y = applied(r);
      const double next = math::dot(r, y);
      math::scale(next / rho, p);
      math::axpy(1.0, y, p);
      rho = next;
    }
    return d;
  }

  // How far all numbers stay positive.
  double reach(const Direction& d) const {
    double most = kInfinity;
    const auto bound = [&](double number, double change) {
      if (change < 0.0) most = std::min(most, -number / change);
    };
    for (std::size_t i = 0; i < n_; ++i) {
      bound(a_[i], d.a[i]);
      bound(x_.weights()[i] - a_[i], -d.a[i]);
      bound(t_[i], d.t[i]);
      bound(v_[i], d.v[i]);
    }
    return most;
  }

  // The mean product after a step of this length along d, for a row of weight 1.
  double mean_product(const Direction& d, double step) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < n_; ++i)
      sum += (a_[i] + step * d.a[i]) * (v_[i] + step * d.v[i]) +
             (x_.weights()[i] - a_[i] - step * d.a[i]) * (t_[i] + step * d.t[i]);
    return sum / (2 * f_.total_weight());
  }

  // The step it took.
  double advance() {
    const std::size_t p = x_.columns();
    std::vector<double> pull(n_), residual(p), av(n_), st(n_);
    double mean = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double rest = x_.weights()[i] - a_[i];
      q_[i] = 1.0 / (v_[i] / a_[i] + t_[i] / rest);
      pull[i] = -y_[i] * a_[i];
      av[i] = -a_[i] * v_[i];
      st[i] = -rest * t_[i];
      mean -= av[i] + st[i];
    }
    mean /= 2 * f_.total_weight();
    mean_ = mean;
    x_.transpose_times(pull, 1, residual, f_.run());
    f_.count_passes(1);
    for (std::size_t j = 0; j < p; ++j) residual[j] += f_.ridge()[j] * result_.point.w[j];
    std::optional<math::Cholesky> factor;
    if (p <= kMostDirect) {
      std::vector<double> gram = x_.gram(q_, f_.run());
      f_.count_passes(1);
      for (std::size_t j = 0; j < p; ++j) gram[j * (p + 1)] += f_.ridge()[j];
      factor.emplace(std::move(gram), p, kAliased);
    }
    const Direction first = direction(residual, factor, av, st);
    const double left = mean_product(first, std::min(1.0, reach(first)));
    const double share = std::pow(std::clamp(left / mean, 0.0, 1.0), 3);
    for (std::size_t i = 0; i < n_; ++i) {
      const double wanted = share * mean * x_.weights()[i];
      av[i] += wanted - first.a[i] * first.v[i];
      st[i] += wanted + first.a[i] * first.t[i];
    }
    const Direction d = direction(residual, factor, av, st);
    const double step = std::min(1.0, kInside * reach(d));
    f_.move(result_.point, d.w, d.z, step);
    for (std::size_t i = 0; i < n_; ++i) {
      a_[i] = std::clamp(a_[i] + step * d.a[i], 1e-300, std::nextafter(x_.weights()[i], 0.0));
      t_[i] = std::max(t_[i] + step * d.t[i], 1e-300);
      v_[i] = std::max(v_[i] + step * d.v[i], 1e-300);
    }
    return step;
  }

  Objective& f_;
  const DesignMatrix& x_;
  const SolverOptions& options_;
  std::size_t n_;
  std::vector<double> y_, a_, t_, v_, q_;
  double mean_ = kInfinity;  // product, before the last step
  Solution result_;
};

}  // namespace

Solution minimise_by_interior_point(Objective& f, std::vector<double> start, const SolverOptions& options) {
  return InteriorPoint(f, std::move(start), options).solve();
}

}  // namespace plumb
