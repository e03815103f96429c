// Notation, in the units of the features: f_ij = x_ij - low_j >= 0, and 1 for the bias; f#_i their sum, C its largest.
// seen_jk = sum_i s_i f_ij [y_i = k] is that of the data, expected_jk = sum_i s_i p_ik f_ij that of the model. A weight
// grows by the d with
//   GIS   expected e^(C d) + l2 (w + d) = seen
//   IIS   sum_i s_i p_ik f_ij e^(d f#_i) + l2 (w + d) = seen
// Left sides increase with d, so Newton's method from the right finds the root.
#include "plumb/solver/scaling.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "plumb/math/special.h"
#include "plumb/solver/certifier.h"
#include "plumb/solver/newton.h"

namespace plumb {
namespace {

constexpr double kFloor = -30.0;  // for a weight whose feature never occurs with its class: e^-30 is 1e-13

std::vector<double> lowest(const DesignMatrix& x) {
  std::vector<double> low(x.columns());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const Row row = x.row(i);
    for (std::size_t k = 0; k < row.value.size(); ++k) {
      const std::size_t j = row.index.empty() ? k : row.index[k];
      low[j] = std::min(low[j], std::ldexp(row.value[k], x.exponent(j)));
    }
  }
  return low;
}

class Scaling {
 public:
  Scaling(Objective& f, std::vector<double> start, const SolverOptions& options)
      : f_(f),
        x_(f.matrix()),
        options_(options),
        low_(lowest(x_)),
        p_(x_.columns()),
        k_(f.outputs()),
        sum_(x_.rows()),
        seen_(f.size()) {
    double shift = 0.0;
    for (const double low : low_) shift -= low;
    for (std::size_t i = 0; i < x_.rows(); ++i) {
      sum_[i] = shift;
      each(i, [&](std::size_t, double value) { sum_[i] += value; });
      largest_ = std::max(largest_, sum_[i]);
      const auto own = k_ == 1 ? (x_.targets()[i] == 0.0 ? k_ : 0) : static_cast<std::size_t>(x_.targets()[i]);
      if (own == k_) continue;
      for (std::size_t j = 0; j < p_; ++j) seen_[own * p_ + j] -= x_.weights()[i] * low_[j];
      each(i, [&](std::size_t j, double value) { seen_[own * p_ + j] += x_.weights()[i] * value; });
    }
    result_.point = f.at(std::move(start));
  }

  // step(expected, w) computes the changes of all weights.
  Solution solve(
      const std::function<std::vector<double>(const std::vector<double>&, const std::vector<double>&)>& step) {
    Certifier certifier(f_, options_.tolerance);
    result_.gap = kInfinity;
    std::uint64_t next = 8;
    for (;; ++result_.iterations) {
      if (result_.iterations >= next || result_.iterations >= options_.iterations) {
        result_.gap = certifier.gap(result_.point);
        next *= 2;
      }
      note_step(f_, result_, largest_ > 0.0 ? 1.0 / largest_ : 0.0, options_);
      if (result_.gap <= options_.tolerance * result_.point.value) return std::move(result_);
      if (result_.iterations >= options_.iterations) {
        result_.why = StopReason::iteration_limit;
        return std::move(result_);
      }
      move(step(expected(), weights()));
    }
  }

  // The model's expectation is the observed sum plus the slope of the loss.
  std::vector<double> expected() const {
    std::vector<double> result = seen_;
    for (std::size_t c = 0; c < k_; ++c) {
      double total = 0.0;
      for (std::size_t i = 0; i < x_.rows(); ++i) total += result_.point.slope[i * k_ + c];
      for (std::size_t j = 0; j < p_; ++j) {
        const std::size_t at = c * p_ + j;
        const double slope = result_.point.gradient[at] - f_.ridge()[j] * result_.point.w[at];
        result[at] = std::max(0.0, seen_[at] + std::ldexp(slope, x_.exponent(j)) - low_[j] * total);
      }
    }
    return result;
  }

  std::vector<double> by_gis(const std::vector<double>& expected, const std::vector<double>& w) const {
    std::vector<double> change(w.size());
    for (std::size_t at = 0; at < w.size(); ++at)
      change[at] = root(at, w[at], [&](double d) {
        const double e = expected[at] * math::exp(largest_ * d);
        return std::pair(e, largest_ * e);
      });
    return change;
  }

  // One column of one class at a time would read the rows too often; all are solved in parallel.
  std::vector<double> by_iis(const std::vector<double>& w) const {
    constexpr int kRounds = 6;
    std::vector<double> change(w.size()), value(w.size()), slope(w.size());
    for (int round = 0; round < kRounds; ++round) {
      std::fill(value.begin(), value.end(), 0.0);
      std::fill(slope.begin(), slope.end(), 0.0);
      std::vector<double> f(p_);
      for (std::size_t i = 0; i < x_.rows(); ++i) {
        for (std::size_t j = 0; j < p_; ++j) f[j] = -low_[j];
        each(i, [&](std::size_t j, double own) { f[j] += own; });
        for (std::size_t c = 0; c < k_; ++c) {
          const bool is = k_ == 1 ? x_.targets()[i] != 0.0 : x_.targets()[i] == static_cast<double>(c);
          const double mass = result_.point.slope[i * k_ + c] + (is ? x_.weights()[i] : 0.0);
          for (std::size_t j = 0; j < p_; ++j) {
            if (f[j] == 0.0) continue;
            const double e = mass * f[j] * math::exp(change[c * p_ + j] * sum_[i]);
            value[c * p_ + j] += e;
            slope[c * p_ + j] += e * sum_[i];
          }
        }
      }
      for (std::size_t at = 0; at < w.size(); ++at) {
        const double l2 = strength(at);
        const double rise = slope[at] + l2, off = value[at] + l2 * (w[at] + change[at]) - seen_[at];
        if (rise > 0.0) change[at] = std::max(kFloor - w[at], change[at] - std::clamp(off / rise, -1.0, 1.0));
      }
    }
    return change;
  }

  std::vector<double> weights() const {
    std::vector<double> w(result_.point.w);
    for (std::size_t at = 0; at < w.size(); ++at) w[at] = std::ldexp(w[at], -x_.exponent(at % p_));
    return w;
  }

 private:
  template <class Use>
  void each(std::size_t i, Use&& use) const {
    const Row row = x_.row(i);
    for (std::size_t k = 0; k < row.value.size(); ++k) {
      const std::size_t j = row.index.empty() ? k : row.index[k];
      use(j, std::ldexp(row.value[k], x_.exponent(j)));
    }
  }
  double strength(std::size_t at) const { return std::ldexp(f_.ridge()[at % p_], 2 * x_.exponent(at % p_)); }

  template <class Left>
  double root(std::size_t at, double w, Left&& left) const {
    const double l2 = strength(at);
    double d = 0.0;
    for (int trial = 0; trial < 50; ++trial) {
      const auto [value, slope] = left(d);
      const double off = value + l2 * (w + d) - seen_[at], rise = slope + l2;
      if (!(rise > 0.0)) return 0.0;
      const double change = std::clamp(off / rise, -1.0 / largest_, 1.0 / largest_);
      d -= change;
      if (std::abs(change) <= 1e-15 * (1.0 / largest_ + std::abs(d))) break;
    }
    return std::max(d, kFloor - w);
  }

  // A shifted feature adds -w low to every score, which the bias compensates.
  void move(const std::vector<double>& change) {
    std::vector<double> d(change);
    for (std::size_t c = 0; c < k_; ++c)
      for (std::size_t j = 0; j < p_; ++j) {
        if (low_[j] != 0.0) d[c * p_ + p_ - 1] -= change[c * p_ + j] * low_[j];
        d[c * p_ + j] = std::ldexp(d[c * p_ + j], x_.exponent(j));
      }
    std::vector<double> w = std::move(result_.point.w);
    for (std::size_t at = 0; at < w.size(); ++at) w[at] += d[at];
    result_.point = f_.at(std::move(w));
  }

  Objective& f_;
  const DesignMatrix& x_;
  const SolverOptions& options_;
  std::vector<double> low_;
  std::size_t p_, k_;
  std::vector<double> sum_;  // f#
  double largest_ = 0.0;     // C
  std::vector<double> seen_;
  Solution result_;
};

}  // namespace

std::string lacks_for_scaling(const Objective& f) {
  const std::vector<double> low = lowest(f.matrix());
  if (!f.free_bias() && std::any_of(low.begin(), low.end(), [](double each) { return each < 0.0; }))
    return "features of at least 0, or a bias without penalty";
  return f.loss().probabilistic() ? "" : "a loss of probabilities";
}

Solution minimise_by_gis(Objective& f, std::vector<double> start, const SolverOptions& options) {
  Scaling scaling(f, std::move(start), options);
  return scaling.solve([&](const auto& expected, const auto& w) { return scaling.by_gis(expected, w); });
}

Solution minimise_by_iis(Objective& f, std::vector<double> start, const SolverOptions& options) {
  Scaling scaling(f, std::move(start), options);
  return scaling.solve([&](const auto&, const auto& w) { return scaling.by_iis(w); });
}

}  // namespace plumb
