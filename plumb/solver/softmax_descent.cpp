// The weights of class k are w_jk = (1 / ridge_j) sum_i s_i (1[y_i = k] - p_ik) x_ij, where p_i are numbers >= 0 that
// sum to 1: at the optimum the probabilities of the row. Columns are divided by the root of their penalty, so that all
// penalties are 1. The best p_i, given the others, is the softmax of the resulting scores z:
//   z + t softmax(z) = m + t p,   t = s |x_i|^2,
// m the scores and p the numbers before. The left side is the gradient of |z|^2 / 2 + t log sum exp z, which is convex,
// and its derivative I + t (diag q - q q') is a diagonal plus a rank-one matrix: a Newton step costs no more than the
// softmax does. An unpenalised bias is b = c + r e as in dual_descent.cpp, with e_k = sum_i s_i (1[y_i = k] - p_ik).
//
// Weights of a column are adjacent, in floats: a row reads one run of memory for each of its entries.
#include "plumb/solver/softmax_descent.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "plumb/base/unset.h"
#include "plumb/math/special.h"
#include "plumb/solver/dual_passes.h"
#include "plumb/solver/packed_rows.h"

namespace plumb {
namespace {

constexpr int kMostTrials = 40;
constexpr double kLeastPrecision = 1e-7;  // of scores in single precision
constexpr double kEnough = 0.1;           // share of the first residual that is left: the next pass does the rest

// The equation above for one row, and its current state.
class RowStep {
 public:
  explicit RowStep(std::size_t classes)
      : m(classes), q(classes), goal_(classes), z_(classes), tried_(classes), residual_(classes), direction_(classes) {}

  std::vector<double> m, q;  // scores; at the end their softmax

  // q, and minus the log of the probability of class y.
  double start(std::size_t y) {
    const double log_sum = softmax_of(m);
    return log_sum - m[y];
  }

  // From q = softmax(m): Newton's method, with shorter steps if a whole one leads away.
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

// Uninitialised floats, aligned to a cache line, so that a column is in as few lines as possible.
class Lines {
 public:
  Lines() = default;
  explicit Lines(std::size_t size) : room_(size + kLine), size_(size) {
    constexpr std::size_t kBytes = kLine * sizeof(float);
    first_ = (kBytes - reinterpret_cast<std::uintptr_t>(room_.data()) % kBytes) % kBytes / sizeof(float);
  }
  std::span<float> numbers() { return {room_.data() + first_, size_}; }
  std::span<const float> numbers() const { return {room_.data() + first_, size_}; }
  float& operator[](std::size_t i) { return room_[first_ + i]; }
  float operator[](std::size_t i) const { return room_[first_ + i]; }

 private:
  static constexpr std::size_t kLine = 16;  // floats

  UnsetVector<float> room_;
  std::size_t size_ = 0;
  std::size_t first_ = 0;
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
        p_(x_.rows() * classes_) {
    std::ranges::fill(v_.numbers(), 0.0f);
    if (x_.entries() > rows_.kCheap) {
      shards_ = 2;
      other_ = Lines(x_.columns() * width_);
    }
    for (std::size_t r = 0; r < rows_.size(); ++r) p_[r * classes_ + label(r)] = 1.0f;
  }

 private:
  static constexpr std::size_t kColumnRun = 4096;  // columns

  // The weights of a shard during a round, and its results.
  struct Shard {
    Shard(std::size_t classes, std::size_t width, std::span<float> own, const std::vector<double>& sums)
        : v(own), sum(sums), row(classes), scores(width), change(width) {}
    std::span<float> v;
    std::vector<double> sum;  // e
    Seen seen{0.0, 0.0};
    RowStep row;
    std::vector<float> scores, change;
  };

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
      // The others' part, so that the slopes of a row sum to 0.
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

  // Every row once. For a large matrix two shards run in parallel on their own weights, as in DualDescent::pass, for
  // the whole pass, because there are many weights. Each treats its rows as twice as long, and moves its weights by
  // twice as much as its duals, so that the mean of both belongs to the duals of both: the bound of CoCoA+, which never
  // overshoots. On texts of 20 classes that takes fewer passes than one shard does.
  Seen pass(std::uint64_t number) override {
    const std::vector<std::uint64_t> order = rows_.order(f_.run(), number);
    Seen seen{0.0, 0.0};
    const std::size_t rounds = shards_ > 1 ? 1 : 1 + x_.rows() / kBlockRows;
    for (std::size_t round = 0; round < rounds; ++round) {
      const auto part = std::span(order).subspan(order.size() * round / rounds,
                                                 order.size() * (round + 1) / rounds - order.size() * round / rounds);
      std::vector<Shard> shards;
      shards.emplace_back(classes_, width_, v_.numbers(), sum_);
      if (shards_ > 1) {
        shards.emplace_back(classes_, width_, other_.numbers(), sum_);
        for_each_run([&](const float* v, float* other, std::size_t size) { std::copy_n(v, size, other); });
      }
      f_.run().for_each(Phase::fitting, shards_, [&](std::size_t k) {
        rows_.visit(part, k, shards_, [&](std::size_t r) { meet(shards[k], r); });
      });
      sum_ = shards[0].sum;
      if (shards_ > 1) {
        for (std::size_t k = 0; k < classes_; ++k) sum_[k] = (sum_[k] + shards[1].sum[k]) / 2;
        for_each_run([&](float* v, const float* other, std::size_t size) {
          for (std::size_t i = 0; i < size; ++i) v[i] = (v[i] + other[i]) / 2;
        });
      }
      for (const Shard& shard : shards) {
        seen.off += shard.seen.off;
        seen.value += shard.seen.value;
      }
    }
    seen.value += half_square();
    // A tenth of the rows' violation, as if all had a curvature of 1/4.
    precision_ = std::clamp(0.1 * std::sqrt(8 * seen.off / f_.total_weight()), kLeastPrecision, precision_);
    for (std::size_t k = 0; k < classes_; ++k) centre_[k] += pull_ * sum_[k];
    return seen;
  }

  // use(v, other, size) for runs of the weights of both shards, in parallel.
  template <class Use>
  void for_each_run(Use&& use) {
    f_.run().for_each(Phase::fitting, runs(), [&](std::size_t run) {
      const std::size_t begin = run * kColumnRun * width_;
      use(v_.numbers().data() + begin, other_.numbers().data() + begin,
          std::min(kColumnRun * width_, v_.numbers().size() - begin));
    });
  }
  std::size_t runs() const { return (x_.columns() + kColumnRun - 1) / kColumnRun; }

  // |v|^2 / 2
  double half_square() const {
    double sum[1] = {};
    const std::span<const float> v = v_.numbers();
    f_.run().reduce(Phase::fitting, runs(), sum, [&](std::size_t run, Out out) {
      const std::size_t begin = run * kColumnRun * width_, size = std::min(kColumnRun * width_, v.size() - begin);
      double lane[math::kOutputStep] = {};  // for the classes of a column, padded with zeros
      for (std::size_t i = begin; i < begin + size; i += math::kOutputStep)
        for (std::size_t k = 0; k < math::kOutputStep; ++k)
          lane[k] += static_cast<double>(v[i + k]) * static_cast<double>(v[i + k]);
      for (const double each : lane) out[0] += each / 2;
    });
    return sum[0];
  }

  void meet(Shard& shard, std::size_t r) {
    const std::uint64_t i = rows_.source(r);
    const double s = x_.weights()[i], stretched = s * static_cast<double>(shards_);
    const double t = stretched * (rows_.norm(r) + pull_);
    const std::span<float> p = std::span(p_).subspan(r * classes_, classes_);
    RowStep& row = shard.row;
    math::sparse_dots(rows_.row(r), shard.v.data(), shard.scores);
    for (std::size_t k = 0; k < classes_; ++k)
      row.m[k] = static_cast<double>(shard.scores[k]) + centre_[k] + pull_ * shard.sum[k];
    shard.seen.value += s * row.start(label(r));
    double off = 0.0;
    for (std::size_t k = 0; k < classes_; ++k) {
      const double q = row.q[k], d = q - static_cast<double>(p[k]);
      off += d == 0.0 ? 0.0 : d * d / (q + static_cast<double>(p[k]));  // about the divergence of p from q
    }
    shard.seen.off += s * off;
    if (off <= precision_ * precision_ / 8) return;
    row.solve(t, p, precision_);
    for (std::size_t k = 0; k < classes_; ++k) {
      const auto q = static_cast<float>(row.q[k]);
      shard.change[k] = static_cast<float>(stretched * (static_cast<double>(p[k]) - static_cast<double>(q)));
      shard.sum[k] += static_cast<double>(shard.change[k]);
      p[k] = q;
    }
    math::sparse_axpys(shard.change, rows_.row(r), shard.v.data());
  }

  std::size_t classes_;
  std::size_t width_;  // classes, with padding zeros
  std::vector<double> share_;
  PackedRows<float> rows_;
  double pull_;                 // r
  std::vector<double> centre_;  // c
  std::vector<double> sum_;     // e
  double precision_ = 1e-2;
  Lines v_;  // in the order of rows_: the classes of a column are adjacent
  std::vector<float> p_;
  std::size_t shards_ = 1;
  Lines other_;  // the weights of the second shard, if there is one
};

}  // namespace

Solution minimise_by_softmax_descent(Objective& f, std::vector<double> start, const SolverOptions& options) {
  return SoftmaxDescent(f, options).solve(std::move(start));
}

}  // namespace plumb
