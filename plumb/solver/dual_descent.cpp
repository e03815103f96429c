// The weights are w_j = (1 / ridge_j) sum_i a_i y_i x_ij, one dual number a_i >= 0 a row. Columns are divided by the
// root of their penalty first, so that all penalties are 1: then v = sum_i a_i y_i x_i, and w_j = v_j / root. A bias
// without penalty asks for e = sum_i a_i y_i = 0. It is b = c + r e, as if it had a penalty 1/r towards c; after every
// pass c becomes b (the proximal point method), and e goes to 0.
#include "plumb/solver/dual_descent.h"

#include <algorithm>
#include <cmath>

#include "plumb/math/dense.h"
#include "plumb/math/kernels.h"
#include "plumb/math/special.h"
#include "plumb/solver/newton.h"

namespace plumb {
namespace {

constexpr std::uint64_t kPatience = 12;  // passes, in which the gap should ...
constexpr double kSlow = 0.1;            // ... fall to this share at least

constexpr std::size_t kCheap = 1'000'000;  // entries of a matrix whose passes cost next to nothing

enum class Form { logistic, hinge, squared_hinge };

// Told by their slopes at a score of 0 and far above: the solver sees no names.
Form form_of(const RowLoss& loss) {
  const double z[] = {0.0}, y[] = {1.0}, s[] = {1.0};
  double slope[1], curve[1];
  loss.value(z, y, s, slope, curve);
  return slope[0] == -0.5 ? Form::logistic : slope[0] == -1.0 ? Form::hinge : Form::squared_hinge;
}

class DualDescent {
 public:
  DualDescent(Objective& f, const SolverOptions& options)
      : f_(f),
        options_(options),
        x_(f.matrix()),
        form_(form_of(f.loss())),
        share_(x_.columns()),
        v_(x_.columns()),
        norm_(x_.rows()),
        a_(x_.rows()),
        u_(x_.rows()) {
    for (std::size_t j = 0; j < share_.size(); ++j)
      share_[j] = f.ridge()[j] > 0.0 ? 1.0 / std::sqrt(f.ridge()[j]) : 0.0;
    values_.reserve(x_.entries());
    double mean = 0.0;
    for (std::size_t i = 0; i < x_.rows(); ++i) {
      const Row row = x_.row(i);
      for (std::size_t k = 0; k < row.value.size(); ++k) {
        values_.push_back(row.value[k] * share_[row.index.empty() ? k : row.index[k]]);
        norm_[i] += values_.back() * values_.back();
      }
      mean += norm_[i] / static_cast<double>(x_.rows());
    }
    if (f.free_bias()) {
      pull_ = std::max(mean, 1e-3);
      for (double& each : norm_) each += pull_;
    }
    // Logistic duals start near 0, where their slope is steep but finite; u is the logit of a / s.
    if (form_ == Form::logistic) {
      constexpr double kStart = 1e-3;
      for (std::size_t i = 0; i < x_.rows(); ++i) {
        a_[i] = kStart * x_.weights()[i];
        u_[i] = std::log(kStart / (1.0 - kStart));
      }
      for (std::size_t i = 0; i < x_.rows(); ++i) add(i, row(i), a_[i]);
    }
  }

  Solution solve() {
    Solution result;
    result.gap = kInfinity;
    double before = kInfinity;  // the gap kPatience passes ago
    for (;;) {
      if (result.iterations < 3 || result.iterations % 3 == 0 || result.iterations >= options_.iterations) {
        if (!worth_a_check(result.iterations)) {
          advance(result);
          continue;
        }
        check(result);
        if (result.gap <= options_.tolerance * result.point.value) return result;
        if (result.iterations >= options_.iterations) {
          result.why = StopReason::iteration_limit;
          return result;
        }
        if (result.iterations % kPatience == 0 && result.iterations > 0) {
          if (f_.loss().curved() && !(result.gap < kSlow * before)) return finish_by_newton(std::move(result));
          before = result.gap;
        }
      }
      advance(result);
    }
  }

 private:
  void advance(Solution& result) {
    epoch(result.iterations++);
    f_.count_passes(2);
    centre_ += pull_ * sum_;
  }

  // A check takes four passes. Where passes are dear one is spent on whether it can succeed: but for the balance of the
  // bias the gap is what the duals are off from the slopes.
  bool worth_a_check(std::uint64_t passes) {
    if (x_.entries() <= kCheap || passes == 0 || passes % kPatience == 0 || passes >= options_.iterations) return true;
    std::vector<double> w(v_.size()), slopes(x_.rows());
    double penalty = 0.0;
    for (std::size_t j = 0; j < w.size(); ++j) {
      w[j] = v_[j] * share_[j];
      penalty += v_[j] * v_[j] / 2;
    }
    if (f_.free_bias()) w.back() = centre_ + pull_ * sum_;
    std::vector<double> z = f_.scores(w);
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (!x_.offsets().empty()) z[i] += x_.offsets()[i];
      slopes[i] = -sign(i) * a_[i];
    }
    const double value = f_.loss().value(z, x_.targets(), x_.weights()) + penalty;
    return f_.loss().excess(z, x_.targets(), x_.weights(), slopes) <= options_.tolerance * value;
  }

  // Few columns in unlike units, or a weak penalty, couple all rows; from here second-order steps end sooner.
  Solution finish_by_newton(Solution result) {
    SolverOptions options = options_;
    if (options_.on_step)
      options.on_step = [this, before = result.iterations](const Solution& so_far) {
        Solution counted = so_far;
        counted.iterations += before;
        counted.trace.back().iteration += before;
        options_.on_step(counted);
      };
    Solution end = minimise_by_newton(f_, std::move(result.point.w), options);
    end.iterations += result.iterations;
    for (SolverStep& step : end.trace) step.iteration += result.iterations;
    end.trace.insert(end.trace.begin(), result.trace.begin(), result.trace.end());
    return end;
  }

  double sign(std::size_t i) const { return x_.targets()[i] == 0.0 ? -1.0 : 1.0; }
  Row row(std::size_t i) const {
    const Row own = x_.row(i);
    return {own.index, In(values_).subspan(x_.row_begin(i), own.value.size())};
  }
  double score(const Row& x) const {
    const double own = x.index.empty() ? kernels_.dot(x.value.data(), v_.data(), x.value.size())
                                       : kernels_.sparse_dot(x.index.data(), x.value.data(), x.index.size(), v_.data());
    return own + centre_ + pull_ * sum_;
  }
  // a_i grows by `change`.
  void add(std::size_t i, const Row& x, double change) {
    const double step = sign(i) * change;
    if (x.index.empty())
      kernels_.axpy(step, x.value.data(), v_.data(), x.value.size());
    else
      kernels_.sparse_axpy(step, x.index.data(), x.value.data(), x.index.size(), v_.data());
    sum_ += step;
  }

  void epoch(std::uint64_t number) {
    f_.run().report(Phase::fitting, number, options_.iterations);
    const std::vector<std::uint64_t> order = f_.run().random.with_stream(Stream::order, number).shuffled(x_.rows());
    std::size_t moved = 0;
    for (const std::uint64_t i : order) {
      const double offset = x_.offsets().empty() ? 0.0 : x_.offsets()[i];
      const Row own = row(i);
      const double margin = sign(i) * (score(own) + offset);
      const double before = a_[i];
      if (form_ == Form::logistic)
        moved += logistic_step(i, margin) ? 1 : 0;
      else
        hinge_step(i, margin);
      if (a_[i] != before) add(i, own, a_[i] - before);
    }
    if (form_ == Form::logistic && moved <= x_.rows() / 10) precision_ = std::max(1e-10, precision_ / 10);
  }

  // The root u of A (a(u) - a) + margin + u = 0 with a(u) = s / (1 + e^-u): Newton's method in a bracket.
  bool logistic_step(std::size_t i, double margin) {
    if (std::abs(margin + u_[i]) <= precision_) return false;
    const double s = x_.weights()[i], start = a_[i];
    double low = -margin - norm_[i] * (s - start), high = -margin + norm_[i] * start, u = u_[i], a = start;
    for (int trial = 0; trial < 50; ++trial) {
      if (!(u > low && u < high)) u = (low + high) / 2;
      const double e = math::exp(-std::abs(u));
      a = s * ((u >= 0.0 ? 1.0 : e) / (1.0 + e));
      const double residual = norm_[i] * (a - start) + margin + u;
      if (std::abs(residual) <= precision_ / 10 || low == high) break;
      (residual > 0.0 ? high : low) = u;
      u -= residual / (1.0 + norm_[i] * s * e / ((1.0 + e) * (1.0 + e)));
    }
    const double e = math::exp(-std::abs(u));
    a_[i] = s * ((u >= 0.0 ? 1.0 : e) / (1.0 + e));
    u_[i] = u;
    return true;
  }

  // The gradient of the dual is margin - 1, plus a / (2 s) for the squared hinge, which has no upper end.
  void hinge_step(std::size_t i, double margin) {
    const double s = x_.weights()[i], extra = form_ == Form::hinge ? 0.0 : 1.0 / (2.0 * s);
    const double slope = margin - 1.0 + extra * a_[i], curve = norm_[i] + extra;
    if (curve <= 0.0) {  // a row of zeros
      a_[i] = form_ == Form::hinge ? s : a_[i];
      return;
    }
    a_[i] = std::max(0.0, a_[i] - slope / curve);
    if (form_ == Form::hinge) a_[i] = std::min(a_[i], s);
  }

  // The weights of the duals as they are, without what rounding added up.
  void check(Solution& result) {
    std::vector<double> slopes(x_.rows());
    sum_ = 0.0;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      slopes[i] = -sign(i) * a_[i];
      sum_ -= slopes[i];
    }
    x_.transpose_times(slopes, 1, v_, f_.run());
    std::vector<double> w(v_.size());
    for (std::size_t j = 0; j < w.size(); ++j) {
      v_[j] *= -share_[j];
      w[j] = v_[j] * share_[j];
    }
    if (f_.free_bias()) w.back() = centre_ + pull_ * sum_;
    result.point = f_.at(std::move(w));
    result.gap = f_.gap(result.point, std::move(slopes), {});
    note_step(f_, result, 1.0, options_);
  }

  Objective& f_;
  const SolverOptions& options_;
  const DesignMatrix& x_;
  const math::Kernels& kernels_ = math::kernels();
  Form form_;
  double pull_ = 0.0;    // r
  double centre_ = 0.0;  // c
  double sum_ = 0.0;     // e
  double precision_ = 1e-2;
  std::vector<double> share_;   // 1 / root of the penalty of each column; 0 without one
  std::vector<double> values_;  // of the matrix, row after row
  std::vector<double> v_, norm_, a_, u_;
};

}  // namespace

Solution minimise_by_dual_descent(Objective& f, std::vector<double>, const SolverOptions& options) {
  return DualDescent(f, options).solve();
}

}  // namespace plumb
