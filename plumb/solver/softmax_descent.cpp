// The weights of class k are w_jk = (1 / ridge_j) sum_i s_i (1[y_i = k] - p_ik) x_ij, where p_i are numbers >= 0 that
// sum to 1: at the optimum the probabilities of the row. Columns are divided by the root of their penalty, so that all
// penalties are 1. The best p_i, others as they are, is the softmax of the scores z that come of it:
//   z + t softmax(z) = m + t p,   t = s |x_i|^2,
// m the scores and p the numbers before. The left is the slope of |z|^2 / 2 + t log sum exp z, which is convex, and its
// derivative I + t (diag q - q q') is a diagonal and a product: a Newton step costs no more than the softmax does.
// A bias without penalty is b = c + r e as in dual_descent.cpp, with e_k = sum_i s_i (1[y_i = k] - p_ik).
//
// Weights of a column lie side by side, in floats: a row reads one run of memory for each of its entries.
#include "plumb/solver/softmax_descent.h"

#include <algorithm>
#include <cmath>

#include "plumb/math/special.h"
#include "plumb/solver/dual_passes.h"
#include "plumb/solver/packed_rows.h"

namespace plumb {
namespace {

constexpr int kMostTrials = 40;
constexpr double kLeastPrecision = 1e-7;  // of scores in single precision
constexpr double kEnough = 0.1;           // share of the first residual that is left: the next pass does the rest

// The equation above for one row, and where it is now.
class RowStep {
 public:
  explicit RowStep(std::size_t classes)
      : m(classes), q(classes), goal_(classes), z_(classes), tried_(classes), residual_(classes), direction_(classes) {}

  std::vector<double> m, q;  // scores; their softmax, in the end that of z

  // q, and minus the log of the probability of class y.
  double start(std::size_t y) {
    const double log_sum = softmax_of(m);
    return log_sum - m[y];
  }

  // From q = softmax(m): Newton's method, with shorter steps where a whole one leads away.
  void solve(double t, std::span<const float> p, double precision) {
    const std::size_t n = m.size();
    double size = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      goal_[k] = m[k] + t * static_cast<double>(p[k]);
      residual_[k] = t * (q[k] - static_cast<double>(p[k]));
      size += residual_[k] * residual_[k];
    }
    z_ = m;
    const double enough = std::max(precision * precision, kEnough * kEnough * size);
    for (int trial = 0; trial < kMostTrials && size > enough;) {
      find_direction(t);
      for (double step = 1.0;; step /= 2) {
        ++trial;
        for (std::size_t k = 0; k < n; ++k) tried_[k] = z_[k] - step * direction_[k];
        softmax_of(tried_);
        double after = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
          residual_[k] = tried_[k] + t * q[k] - goal_[k];
          after += residual_[k] * residual_[k];
        }
        if (after < size || trial >= kMostTrials) {
          size = after;
          break;
        }
      }
      z_.swap(tried_);
    }
  }

 private:
  // q = softmax(z); the log of the sum of e^z.
  double softmax_of(In z) {
    const double most = *std::max_element(z.begin(), z.end());
    for (std::size_t k = 0; k < z.size(); ++k) q[k] = z[k] - most;
    math::exp(q, q);
    double sum = 0.0;
    for (const double each : q) sum += each;
    for (double& each : q) each /= sum;
    return most + math::log(sum);
  }

  // (diag(1 + t q) - t q q')^-1 residual, by Sherman and Morrison; 1 - sum t q^2 / (1 + t q) = sum q / (1 + t q).
  void find_direction(double t) {
    double dot = 0.0, rest = 0.0;
    for (std::size_t k = 0; k < q.size(); ++k) {
      const double share = 1.0 / (1.0 + t * q[k]);
      direction_[k] = residual_[k] * share;
      dot += q[k] * direction_[k];
      rest += q[k] * share;
    }
    const double factor = t * dot / rest;
    for (std::size_t k = 0; k < q.size(); ++k) direction_[k] += factor * q[k] / (1.0 + t * q[k]);
  }

  std::vector<double> goal_, z_, tried_, residual_, direction_;
};

class SoftmaxDescent : public DualPasses {
 public:
  SoftmaxDescent(Objective& f, const SolverOptions& options)
      : DualPasses(f, options),
        classes_(f.outputs()),
        width_((classes_ + math::kOutputStep - 1) / math::kOutputStep * math::kOutputStep),
        share_(shares(f)),
        rows_(x_, share_, f.run()),
        pull_(pull(f, rows_.mean_norm())),
        centre_(classes_),
        sum_(classes_),
        v_(x_.columns() * width_),
        p_(x_.rows() * classes_),
        row_(classes_),
        scores_(width_),
        change_(width_) {
    for (std::size_t r = 0; r < rows_.size(); ++r) p_[r * classes_ + label(r)] = 1.0f;
  }

 private:
  std::size_t label(std::size_t r) const { return static_cast<std::size_t>(x_.targets()[rows_.source(r)]); }

  std::vector<double> weights() const override {
    const std::size_t p = x_.columns();
    std::vector<double> w(f_.size());
    for (std::size_t j = 0; j < p; ++j)
      for (std::size_t k = 0; k < classes_; ++k)
        w[k * p + j] = static_cast<double>(v_[rows_.place(j) * width_ + k]) * share_[j];
    if (f_.free_bias())
      for (std::size_t k = 0; k < classes_; ++k) w[k * p + p - 1] = centre_[k] + pull_ * sum_[k];
    return w;
  }

  std::vector<double> slopes() const override {
    std::vector<double> u(x_.rows() * classes_);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const std::uint64_t i = rows_.source(r);
      double sum = 0.0;
      for (std::size_t k = 0; k < classes_; ++k) sum += static_cast<double>(p_[r * classes_ + k]);
      for (std::size_t k = 0; k < classes_; ++k)
        u[i * classes_ + k] = x_.weights()[i] * (static_cast<double>(p_[r * classes_ + k]) / sum);
      // What the others have, so that the slopes of a row sum to 0.
      double others = 0.0;
      for (std::size_t k = 0; k < classes_; ++k)
        if (k != label(r)) others += u[i * classes_ + k];
      u[i * classes_ + label(r)] = -others;
    }
    return u;
  }

  void begin(In slopes, In) override {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const std::uint64_t i = rows_.source(r);
      for (std::size_t k = 0; k < classes_; ++k)
        p_[r * classes_ + k] =
            static_cast<float>(std::max(0.0, slopes[i * classes_ + k] / x_.weights()[i] + (k == label(r) ? 1.0 : 0.0)));
    }
  }

  void renew(In sums) override {
    const std::size_t p = x_.columns();
    for (std::size_t j = 0; j < p; ++j)
      for (std::size_t k = 0; k < classes_; ++k)
        v_[rows_.place(j) * width_ + k] = static_cast<float>(-sums[k * p + j] * share_[j]);
    if (f_.free_bias())
      for (std::size_t k = 0; k < classes_; ++k) sum_[k] = -sums[k * p + p - 1];  // the column of ones
  }

  void move_biases(In w) override {
    const std::size_t p = x_.columns();
    for (std::size_t k = 0; k < classes_; ++k) centre_[k] = w[k * p + p - 1] - pull_ * sum_[k];
  }

  Seen pass(std::uint64_t number) override {
    const std::vector<std::uint64_t> order = rows_.order(f_.run(), number);
    Seen seen{0.0, 0.0};
    const std::size_t rounds = 1 + x_.rows() / kBlockRows;
    for (std::size_t round = 0; round < rounds; ++round) {
      const auto part = std::span(order).subspan(order.size() * round / rounds,
                                                 order.size() * (round + 1) / rounds - order.size() * round / rounds);
      f_.run().for_each(Phase::fitting, 1,
                        [&](std::size_t) { rows_.visit(part, 0, 1, [&](std::size_t r) { meet(r, seen); }); });
    }
    for (const float each : v_) seen.value += static_cast<double>(each) * static_cast<double>(each) / 2;
    // A tenth of what rows are off by, as if all had a curvature of 1/4.
    precision_ = std::clamp(0.1 * std::sqrt(8 * seen.off / f_.total_weight()), kLeastPrecision, precision_);
    for (std::size_t k = 0; k < classes_; ++k) centre_[k] += pull_ * sum_[k];
    return seen;
  }

  void meet(std::size_t r, Seen& seen) {
    const std::uint64_t i = rows_.source(r);
    const double s = x_.weights()[i], t = s * (rows_.norm(r) + pull_);
    const std::span<float> p = std::span(p_).subspan(r * classes_, classes_);
    math::sparse_dots(rows_.row(r), v_.data(), scores_);
    for (std::size_t k = 0; k < classes_; ++k)
      row_.m[k] = static_cast<double>(scores_[k]) + centre_[k] + pull_ * sum_[k];
    seen.value += s * row_.start(label(r));
    double off = 0.0;
    for (std::size_t k = 0; k < classes_; ++k) {
      const double q = row_.q[k], d = q - static_cast<double>(p[k]);
      off += d == 0.0 ? 0.0 : d * d / (q + static_cast<double>(p[k]));  // about the divergence of p from q
    }
    seen.off += s * off;
    if (off <= precision_ * precision_ / 8) return;
    row_.solve(t, p, precision_);
    for (std::size_t k = 0; k < classes_; ++k) {
      const auto q = static_cast<float>(row_.q[k]);
      change_[k] = static_cast<float>(s * (static_cast<double>(p[k]) - static_cast<double>(q)));
      sum_[k] += static_cast<double>(change_[k]);
      p[k] = q;
    }
    math::sparse_axpys(change_, rows_.row(r), v_.data());
  }

  std::size_t classes_;
  std::size_t width_;  // classes, and zeros behind them
  std::vector<double> share_;
  PackedRows<float> rows_;
  double pull_;                 // r
  std::vector<double> centre_;  // c
  std::vector<double> sum_;     // e
  double precision_ = 1e-2;
  std::vector<float> v_;  // in the order of rows_: the classes of a column side by side
  std::vector<float> p_;
  RowStep row_;
  std::vector<float> scores_, change_;
};

}  // namespace

Solution minimise_by_softmax_descent(Objective& f, std::vector<double> start, const SolverOptions& options) {
  return SoftmaxDescent(f, options).solve(std::move(start));
}

}  // namespace plumb
