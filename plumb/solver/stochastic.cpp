#include "plumb/solver/stochastic.h"

#include <algorithm>
#include <cmath>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/solver/certifier.h"
#include "plumb/solver/online.h"

namespace plumb {
namespace {

constexpr double kAdaptiveRate = 0.5;       // by default: the first step of a weight moves a score by about that
constexpr std::size_t kReportRows = 4'096;  // after which it can be stopped

class RowDescent {
 public:
  RowDescent(Objective& f, std::vector<double> start, const SolverOptions& options)
      : f_(f),
        x_(f.matrix()),
        options_(options),
        p_(x_.columns()),
        k_(f.outputs()),
        w_(std::move(start)),
        late_(options.average ? w_.size() : 0),
        squares_(options.adaptive ? w_.size() : 0),
        unit_(p_),
        share_(p_),
        z_(k_),
        slope_(k_),
        curve_(k_) {
    std::vector<double> rows(p_);
    double largest = 0.0, norm = 0.0;  // of |x|^2, in the units of the features; and their mean in those of the matrix
    for (std::size_t i = 0; i < x_.rows(); ++i) {
      double squares = 0.0;
      each(x_.row(i), [&](std::size_t j, double value) {
        const double own = std::ldexp(value, x_.exponent(j));
        squares += own * own;
        norm += value * value / static_cast<double>(x_.rows());
        rows[j] += value != 0.0 ? 1.0 : 0.0;
      });
      largest = std::max(largest, squares * x_.weights()[i]);
    }
    // The largest derivative of a slope, for one class; a loss with corners has the steps of the logistic loss.
    const double bound = f.loss().curve_bound() / (k_ > 1 ? 2.0 : 1.0);
    const double bend = std::isfinite(bound) ? bound : 0.25;
    double l2 = 0.0;
    for (std::size_t j = 0; j < p_; ++j) {
      unit_[j] = options.adaptive ? 1.0 : std::ldexp(1.0, 2 * x_.exponent(j));
      share_[j] = rows[j] > 0.0 ? f.ridge()[j] / rows[j] : 0.0;
      l2 = std::max(l2, std::ldexp(f.ridge()[j], 2 * x_.exponent(j)) / f.total_weight());
    }
    if (options.adaptive)
      rate_ = (options.rate > 0.0 ? options.rate : kAdaptiveRate) / std::sqrt(std::max(norm, 1e-300));
    else
      rate_ = options.rate > 0.0 ? options.rate : 1.0 / (largest * bend + l2);
    safe_rate_ = options.adaptive ? kAdaptiveRate : 1.0 / (largest * bend + l2);
    decay_ = options.adaptive || options.step == StepRule::fixed ? 0.0 : rate_ * l2;
  }

  Solution solve() {
    Solution result;
    result.gap = kInfinity;
    result.point = f_.at(w_);
    for (;; ++result.iterations) {
      if (result.iterations >= options_.iterations) break;
      note_step(f_, result, rate_at_ > 0.0 ? rate_at_ : rate_, options_);
      pass(result.iterations);
      f_.count_passes(2);
      result.point = f_.at(weights());
    }
    result.gap = Certifier(f_, options_.tolerance).gap(result.point);
    note_step(f_, result, rate_at_, options_);
    const bool near = result.gap <= options_.tolerance * result.point.value;
    result.why = near ? StopReason::converged : StopReason::iteration_limit;
    return result;
  }

 private:
  template <class Use>
  static void each(const Row& row, Use&& use) {
    for (std::size_t e = 0; e < row.value.size(); ++e) use(row.index.empty() ? e : row.index[e], row.value[e]);
  }

  void pass(std::uint64_t number) {
    // The first pass only approaches the optimum: its weights are not in the average.
    if (number == 1) {
      std::fill(late_.begin(), late_.end(), 0.0);
      counted_ = 0.0;
    }
    const std::vector<std::uint64_t> order = order_of(options_.order, 0, x_.rows(), f_.run().random, number);
    for (std::size_t t = 0; t < order.size(); ++t) {
      if (t % kReportRows == 0) f_.run().report(Phase::fitting, t, order.size());
      learn(order[t]);
    }
    if (std::all_of(w_.begin(), w_.end(), [](double w) { return std::isfinite(w); })) return;
    const double slower = std::min(options_.rate > 0.0 ? options_.rate / 10 : kInfinity, safe_rate_);
    if (!(slower > 0.0))
      throw Error(ErrorCode::data, "the features are so large that the weights diverge at any rate",
                  "--scale standard brings the features to one scale");
    throw Error(ErrorCode::data,
                "the weights diverged in pass " + count_text(number + 1) + " at the rate " + number_text(rate_, 3) +
                    "; a smaller rate was expected",
                "--rate " + number_text(slower, 2));
  }

  // The loss takes an explicit step, the penalty an implicit one: w <- (w - rate slope) / (1 + rate share), which
  // cannot oscillate at any rate. adaptive: the rate of a weight is divided by the root of the sum of its squared
  // slopes so far, and the columns are in units of their largest number, so that neither units nor how often a feature
  // occurs matter.
  void learn(std::size_t i) {
    const Row row = x_.row(i);
    std::fill(z_.begin(), z_.end(), x_.offsets().empty() ? 0.0 : x_.offsets()[i]);
    each(row, [&](std::size_t j, double value) {
      for (std::size_t k = 0; k < k_; ++k) z_[k] += w_[k * p_ + j] * value;
    });
    f_.loss().value(z_, x_.targets().subspan(i, 1), x_.weights().subspan(i, 1), slope_, curve_);
    rate_at_ = rate_ / (1.0 + decay_ * seen_);
    each(row, [&](std::size_t j, double value) {
      for (std::size_t k = 0; k < k_; ++k) {
        const std::size_t at = k * p_ + j;
        const double slope = slope_[k] * value;
        double rate = rate_at_ * unit_[j];
        if (options_.adaptive) {
          squares_[at] += slope * slope;
          rate = squares_[at] > 0.0 ? rate / std::sqrt(squares_[at]) : 0.0;
        }
        const double next = (w_[at] - rate * slope) / (1.0 + rate * share_[j]);
        if (options_.average) late_[at] += counted_ * (next - w_[at]);
        w_[at] = next;
      }
    });
    seen_ += 1.0;
    counted_ += 1.0;
  }

  // A change made after c of n vectors were counted is missing from c of them: the mean is w - late / n.
  std::vector<double> weights() const {
    std::vector<double> w = w_;
    if (options_.average && counted_ > 0.0 && seen_ > counted_)
      for (std::size_t i = 0; i < w.size(); ++i) w[i] -= late_[i] / counted_;
    return w;
  }

  Objective& f_;
  const DesignMatrix& x_;
  const SolverOptions& options_;
  std::size_t p_, k_;
  std::vector<double> w_;
  std::vector<double> late_;     // see weights()
  std::vector<double> squares_;  // of the slopes so far
  std::vector<double> unit_;     // squared, of each column
  std::vector<double> share_;    // of its penalty, for each row with it
  std::vector<double> z_, slope_, curve_;
  double rate_ = 0.0, decay_ = 0.0;  // at example t = 0, 1, ... it is rate / (1 + decay t), by Bottou
  double rate_at_ = 0.0;
  double safe_rate_ = 0.0;  // in the unit of --rate
  double seen_ = 0.0, counted_ = 0.0;
};

}  // namespace

Solution minimise_by_sgd(Objective& f, std::vector<double> start, const SolverOptions& options) {
  return RowDescent(f, std::move(start), options).solve();
}

}  // namespace plumb
