// With w = R^-1 X'a for R = diag(ridge) the scores are z = G a, G = X R^-1 X', and the optimum is where a = -slope(z).
// A Newton step solves (I + C G) d = -(a + slope) with the second derivatives C of the losses: conjugate gradients for
// the primal step R^-1 X'd, preconditioned by R, whose vectors are kept as what X' is multiplied with. They need one
// product with G a step. It goes column by column: x_j' t, divided by the ridge, is added to the scores of the same
// rows at once, so that the entries of a column are read once, and nothing of the length of the columns is written.
//
// The dual point of a step is slope + C zd, the slopes of the linearised losses: what it misses of R w is X' times the
// residual r of the step, so that the gap is that of the losses and r'G r / 2, and costs no pass.
//
// Products are in single precision: they give directions and tell when to check. The check computes weights, scores,
// value and gap from the matrix.
#include "plumb/solver/row_newton.h"

#include <algorithm>
#include <cmath>

#include "plumb/math/dense.h"

namespace plumb {
namespace {

constexpr double kSinglePrecision = 1e-9;  // least tolerance that it serves
constexpr std::size_t kShards = 4;  // of the columns: each adds to scores of its own
constexpr std::size_t kMostSteps = 200;
constexpr std::uint64_t kMostNewtonSteps = 40;
constexpr std::size_t kAhead = 8;  // entries whose row is asked for before it is needed

// X column by column, and G times vectors of `outputs` numbers a row, padded to `width`.
class ColumnProduct {
 public:
  ColumnProduct(const DesignMatrix& x, In ridge, std::size_t outputs)
      : rows_(x.rows()),
        outputs_(outputs),
        width_((outputs + 3) / 4 * 4),
        begin_(x.columns() + 1),
        scale_(x.columns()) {
    for (std::size_t j = 0; j < scale_.size(); ++j) scale_[j] = static_cast<float>(1.0 / ridge[j]);
    for (std::size_t i = 0; i < rows_; ++i)
      for (const std::uint32_t j : x.row(i).index) ++begin_[j + 1];
    for (std::size_t j = 0; j < scale_.size(); ++j) begin_[j + 1] += begin_[j];
    entries_.resize(begin_.back());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t i = 0; i < rows_; ++i) {
      const Row row = x.row(i);
      for (std::size_t k = 0; k < row.index.size(); ++k)
        entries_[next[row.index[k]]++] = {static_cast<std::uint32_t>(i), static_cast<float>(row.value[k])};
    }
    shard_.push_back(0);
    for (std::size_t j = 1; j < scale_.size(); ++j)
      if (begin_[j] >= shard_.size() * entries_.size() / kShards && shard_.size() < kShards) shard_.push_back(j);
    shard_.push_back(scale_.size());
    sums_.assign(shard_.size() - 1, std::vector<float>(rows_ * width_));
    in_.resize(rows_ * width_);
  }

  // out = G t
  void times(In t, Out out, const Run& run) {
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t k = 0; k < outputs_; ++k) in_[i * width_ + k] = static_cast<float>(t[i * outputs_ + k]);
    run.for_each(Phase::fitting, sums_.size(), [&](std::size_t shard) {
      std::fill(sums_[shard].begin(), sums_[shard].end(), 0.0f);
      switch (width_ / 4) {
        case 1: return add<1>(shard);
        case 2: return add<2>(shard);
        case 3: return add<3>(shard);
        case 4: return add<4>(shard);
        case 5: return add<5>(shard);
        case 6: return add<6>(shard);
        default: return add_any(shard);
      }
    });
    run.for_each(Phase::fitting, (rows_ + kBlockRows - 1) / kBlockRows, [&](std::size_t b) {
      for (std::size_t i = b * kBlockRows, end = std::min<std::size_t>(i + kBlockRows, rows_); i < end; ++i)
        for (std::size_t k = 0; k < outputs_; ++k) {
          double sum = 0.0;
          for (const std::vector<float>& each : sums_) sum += each[i * width_ + k];
          out[i * outputs_ + k] = sum;
        }
    });
  }

 private:
  struct Entry {
    std::uint32_t row;
    float value;
  };
  // Four outputs, which every machine of today has in a register.
  using Four = float __attribute__((vector_size(16), aligned(4), may_alias));

  template <std::size_t n>
  void add(std::size_t shard) {
    const float* const in = in_.data();
    float* const out = sums_[shard].data();
    for (std::size_t j = shard_[shard]; j < shard_[shard + 1]; ++j) {
      const Entry* const first = entries_.data() + begin_[j];
      const Entry* const last = entries_.data() + begin_[j + 1];
      Four sum[n] = {};
      for (const Entry* e = first; e < last; ++e) {
        if (e + kAhead < last) {
          __builtin_prefetch(in + e[kAhead].row * (4 * n));
          if constexpr (n > 4) __builtin_prefetch(in + e[kAhead].row * (4 * n) + 4 * n - 1);
        }
        const Four* const t = reinterpret_cast<const Four*>(in + e->row * (4 * n));
        for (std::size_t k = 0; k < n; ++k) sum[k] += e->value * t[k];
      }
      for (std::size_t k = 0; k < n; ++k) sum[k] *= scale_[j];
      for (const Entry* e = first; e < last; ++e) {
        if (e + kAhead < last) {
          __builtin_prefetch(out + e[kAhead].row * (4 * n), 1);
          if constexpr (n > 4) __builtin_prefetch(out + e[kAhead].row * (4 * n) + 4 * n - 1, 1);
        }
        Four* const z = reinterpret_cast<Four*>(out + e->row * (4 * n));
        for (std::size_t k = 0; k < n; ++k) z[k] += e->value * sum[k];
      }
    }
  }
  void add_any(std::size_t shard) {
    std::vector<float> sum(width_);
    for (std::size_t j = shard_[shard]; j < shard_[shard + 1]; ++j) {
      std::fill(sum.begin(), sum.end(), 0.0f);
      for (std::size_t e = begin_[j]; e < begin_[j + 1]; ++e)
        for (std::size_t k = 0; k < width_; ++k) sum[k] += entries_[e].value * in_[entries_[e].row * width_ + k];
      for (std::size_t k = 0; k < width_; ++k) sum[k] *= scale_[j];
      for (std::size_t e = begin_[j]; e < begin_[j + 1]; ++e)
        for (std::size_t k = 0; k < width_; ++k)
          sums_[shard][entries_[e].row * width_ + k] += entries_[e].value * sum[k];
    }
  }

  std::size_t rows_, outputs_, width_;
  std::vector<std::size_t> begin_;
  std::vector<float> scale_;  // 1 / ridge
  std::vector<Entry> entries_;
  std::vector<std::size_t> shard_;  // columns, cut
  std::vector<std::vector<float>> sums_;
  std::vector<float> in_;
};

class RowNewton {
 public:
  RowNewton(Objective& f, const SolverOptions& options)
      : f_(f),
        options_(options),
        x_(f.matrix()),
        k_(f.outputs()),
        n_(x_.rows() * k_),
        product_(x_, f.ridge(), k_),
        a_(n_),
        z_(n_),
        slope_(n_),
        curve_(n_),
        dual_(n_) {
    for (std::size_t i = 0; i < x_.rows() && !x_.offsets().empty(); ++i)
      for (std::size_t k = 0; k < k_; ++k) z_[i * k_ + k] = x_.offsets()[i];
  }

  Solution solve() {
    Solution result;
    result.gap = kInfinity;
    value_ = loss(z_, slope_, curve_);
    for (;;) {
      step();
      ++result.iterations;
      const bool near = left_ <= options_.tolerance * value_;
      if (near || stuck_ || result.iterations >= std::min(options_.iterations, kMostNewtonSteps)) {
        check(result);
        if (result.gap <= options_.tolerance * result.point.value) return result;
        if (stuck_ || result.iterations >= std::min(options_.iterations, kMostNewtonSteps) || ++failed_ > 2) {
          result.why = StopReason::no_progress;
          return result;
        }
      } else if (options_.on_step) {
        result.point.w = weights();
        result.point.value = value_;
        note_step(f_, result, 1.0, options_);
      }
    }
  }

 private:
  // The sum of the losses, with slopes and curves.
  double loss(In z, Out slope, Out curve) const {
    std::vector<double> parts(x_.blocks());
    f_.run().for_each(Phase::fitting, x_.blocks(), [&](std::size_t b) {
      const std::size_t begin = x_.block_begin(b), count = x_.block_size(b);
      parts[b] = f_.loss().value(z.subspan(begin * k_, count * k_), x_.targets().subspan(begin, count),
                                 x_.weights().subspan(begin, count), slope.subspan(begin * k_, count * k_),
                                 curve.subspan(begin * k_, count * k_));
    });
    double sum = 0.0;
    for (const double part : parts) sum += part;
    return sum;
  }
  void curve_times(In t, Out out) const {
    f_.run().for_each(Phase::fitting, x_.blocks(), [&](std::size_t b) {
      const std::size_t begin = x_.block_begin(b), count = x_.block_size(b);
      f_.loss().curve_times(In(curve_).subspan(begin * k_, count * k_), x_.weights().subspan(begin, count),
                            t.subspan(begin * k_, count * k_), out.subspan(begin * k_, count * k_));
    });
  }
  void g_times(In t, Out out) {
    product_.times(t, out, f_.run());
    f_.count_passes(2);
  }

  void step() {
    std::vector<double> rest(n_), direction, own(n_), t(n_), product(n_), d(n_), zd(n_);
    for (std::size_t i = 0; i < n_; ++i) rest[i] = -(a_[i] + slope_[i]);
    direction = rest;
    g_times(rest, own);  // G rest
    std::vector<double> scores = own;  // G direction
    double rho = math::dot(rest, own);
    // The quadratic model's own progress ends the loop, as in newton_system.cpp; so does a residual that no gap shows.
    const double share = std::min(0.5, std::sqrt(std::sqrt(rho / (1.0 + value_))));
    double model = 0.0;
    for (std::size_t step = 1; step <= kMostSteps && rho > 0.3 * options_.tolerance * value_; ++step) {
      curve_times(scores, t);
      for (std::size_t i = 0; i < n_; ++i) product[i] = direction[i] + t[i];
      const double curvature = math::dot(scores, product);
      if (!(curvature > 0.0)) break;
      const double alpha = rho / curvature;
      math::axpy(alpha, direction, d);
      math::axpy(alpha, scores, zd);
      math::axpy(-alpha, product, rest);
      g_times(t, product);
      for (std::size_t i = 0; i < n_; ++i) own[i] -= alpha * (scores[i] + product[i]);
      const double next = math::dot(rest, own), beta = next / rho;
      model += alpha * rho;
      if (!(next > 0.0) || static_cast<double>(step) * alpha * rho <= share * model) break;
      for (std::size_t i = 0; i < n_; ++i) {
        direction[i] = rest[i] + beta * direction[i];
        scores[i] = own[i] + beta * scores[i];
      }
      rho = next;
    }
    curve_times(zd, t);
    take(d, zd, t, math::dot(rest, own) / 2);
  }

  // As far as pays. Slopes of the linearised losses are the dual point; what they miss of the weights is `rest`.
  void take(In d, In zd, In bent, double rest) {
    std::vector<double> z(n_), a(n_), slope(n_), curve(n_);
    for (double share = 1.0; share > 1e-4; share /= 2) {
      for (std::size_t i = 0; i < n_; ++i) {
        a[i] = a_[i] + share * d[i];
        z[i] = z_[i] + share * zd[i];
      }
      const double value = loss(z, slope, curve) + penalty(a, z);
      if (!(value <= value_)) continue;
      for (std::size_t i = 0; i < n_; ++i) dual_[i] = slope_[i] + bent[i];
      value_ = value;
      a_.swap(a);
      z_.swap(z);
      slope_.swap(slope);
      curve_.swap(curve);
      left_ = rest;
      for (std::size_t b = 0; b < x_.blocks(); ++b) {
        const std::size_t begin = x_.block_begin(b), count = x_.block_size(b);
        left_ += f_.loss().excess(In(z_).subspan(begin * k_, count * k_), x_.targets().subspan(begin, count),
                                  x_.weights().subspan(begin, count), In(dual_).subspan(begin * k_, count * k_));
      }
      return;
    }
    stuck_ = true;
  }

  // w' R w / 2 = a' G a / 2, where z = G a + the offset.
  double penalty(In a, In z) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < x_.rows(); ++i) {
      const double offset = x_.offsets().empty() ? 0.0 : x_.offsets()[i];
      for (std::size_t k = 0; k < k_; ++k) sum += a[i * k_ + k] * (z[i * k_ + k] - offset);
    }
    return sum / 2;
  }

  std::vector<double> weights() {
    const std::size_t p = x_.columns();
    std::vector<double> w(p * k_);
    x_.transpose_times(a_, k_, w, f_.run());
    f_.count_passes(1);
    for (std::size_t k = 0; k < k_; ++k)
      for (std::size_t j = 0; j < p; ++j) w[k * p + j] /= f_.ridge()[j];
    return w;
  }

  void check(Solution& result) {
    result.point = f_.valued(weights());
    result.gap = f_.gap(result.point, dual_, {});
    note_step(f_, result, 1.0, options_);
  }

  Objective& f_;
  const SolverOptions& options_;
  const DesignMatrix& x_;
  std::size_t k_, n_;
  ColumnProduct product_;
  std::vector<double> a_, z_, slope_, curve_, dual_;
  double value_ = 0.0, left_ = kInfinity;
  bool stuck_ = false;
  int failed_ = 0;
};

}  // namespace

bool suits_row_newton(const Objective& f, const SolverOptions& options) {
  const DesignMatrix& x = f.matrix();
  return x.sparse() && f.loss().curved() && f.outputs() > 1 && f.penalised() && !f.free_bias() &&
         options.step == StepRule::line_search && options.stop == StopRule::gap &&
         options.tolerance >= kSinglePrecision && x.rows() <= 4 * x.columns();
}

Solution minimise_in_row_space(Objective& f, const SolverOptions& options) { return RowNewton(f, options).solve(); }

}  // namespace plumb
