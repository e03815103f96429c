// Letters: n rows, p features, x a row, y its target, s its weight, w the weights, b the bias, r = y - x.w - b; all in
// the units of Moments, powers of two that bring each column, the target and the weights near 1.
// The solver works on u in y = sum_j u_j z_j, where z = (1, x_j - c_j). The shift c steers the factor alone; residuals
// are taken of the data as they are. w and b are double-double until they are rounded at the end: b = mean y - w.mean
// x, so digits of w that a double has not got are digits of b.
#include "plumb/train/normal_equations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/data/batch.h"
#include "plumb/math/double_double.h"
#include "plumb/math/kernels.h"

namespace plumb {
namespace {

using math::DoubleDouble;

// A column is aliased when less than this part of its variance is left once the columns before it are accounted for:
// below it, the rounding errors of the Gram matrix (some 1e-15) would be a visible part of what is left.
constexpr double kRankTolerance = 1e-11;
constexpr std::uint64_t kMostPasses = 12;
constexpr double kSettled = 0x1p-58;  // moves this small, relative, change no double but by a tie

class Solve {
 public:
  Solve(const Examples& examples, bool bias, const Run& run)
      : examples_(examples),
        run_(run),
        p_(examples.features()),
        first_(bias ? 1 : 0),
        moments_(find_moments(examples, run)),
        scale_y_(moments_.target_unit.scale),
        scale_s_(moments_.weight_unit.scale),
        c_(p_),
        w_high_(p_),
        w_low_(p_) {
    for (std::size_t j = 0; j < p_; ++j) {
      scale_.push_back(moments_.unit[j].scale);
      // Only a column that is stored in every row may be shifted: the others' zeros are not written down.
      if (bias && moments_.full[j]) c_[j] = moments_.mean[j];
    }
    if (bias) c_y_ = moments_.target_mean;
  }

  NormalSolution solve() {
    factor();
    refine();
    round();
    const double error = sums_[p_ + 1].high, target = squared_target();
    return {
        std::move(moments_), std::move(*cholesky_), std::move(c_), std::move(w_), bias_, error, solved_error_, target,
        decrement_,          solved_decrement_,     passes_};
  }

 private:
  // What a pass with given w and b finds, in double-double: (high, low) pairs behind one another.
  //   0..p-1  sum s x_j r     p  sum s r     p+1  sum s r^2     p+2  sum s (y - c_y)     p+3  sum s (y - c_y)^2
  std::size_t width() const { return p_ + 4; }

  // fill(x, row) writes a row of numbers; use(batch) takes up to 64 of them, with target and weight in their units.
  template <class Fill, class Use>
  void for_each_scaled_batch(const Block& block, std::size_t width, Fill&& fill, Use&& use) const {
    std::vector<double> y, s;
    for_each_batch(
        block, width, [&](const Example& e, Out row) { fill(e, row); },
        [&](const Batch& batch) {
          y.assign(batch.targets.begin(), batch.targets.end());
          s.assign(batch.weights.begin(), batch.weights.end());
          for (double& each : y) each *= scale_y_;
          for (double& each : s) each *= scale_s_;
          use(Batch{batch.x, batch.rows, batch.stride, In(y), In(s)});
        });
  }

  // Gram matrix of z in lower rows, m x m with m = bias + p + 1, its last row being z'y.
  std::vector<double> gram() const {
    const std::size_t m = first_ + p_ + 1;
    std::vector<double> total(m * m);
    const math::Kernels& kernels = math::kernels();
    // put(place, number) for the bias's 1, the shifted x, the shifted y.
    const auto each_z = [this](const Example& e, auto&& put) {
      if (first_ != 0) put(std::size_t{0}, 1.0);
      for (std::size_t i = 0; i < e.x.value.size(); ++i) {
        const std::size_t j = e.x.dense() ? i : e.x.index[i];
        put(first_ + j, e.x.value[i] * scale_[j] - c_[j]);
      }
      put(first_ + p_, e.target * scale_y_ - c_y_);
    };
    run_.reduce(Phase::fitting, examples_.blocks(), std::span<double>(total), [&](std::size_t b, Out out) {
      if (examples_.sparse()) {
        std::vector<std::uint32_t> index(m);
        std::vector<double> value(m);
        examples_.block(b).for_each([&](const Example& e) {
          if (!(e.weight > 0)) return;
          std::size_t n = 0;
          each_z(e, [&](std::size_t place, double z) {
            index[n] = static_cast<std::uint32_t>(place);
            value[n++] = z;
          });
          kernels.sparse_gram_add(index.data(), value.data(), n, e.weight * scale_s_, out.data(), m);
        });
        return;
      }
      for_each_scaled_batch(
          examples_.block(b), m,
          [&](const Example& e, Out row) { each_z(e, [&](std::size_t place, double z) { row[place] = z; }); },
          [&](const Batch& batch) {
            kernels.gram_add(batch.x, batch.rows, batch.stride, m, moments_.weighted ? batch.weights.data() : nullptr,
                             out.data(), m);
          });
    });
    return total;
  }

  math::Cholesky::Tick tick() const {
    return [this](std::size_t done, std::size_t columns) { run_.report(Phase::fitting, done, columns); };
  }

  void factor() {
    const std::vector<double> full = gram();
    const std::size_t m = first_ + p_ + 1, q = m - 1;
    std::vector<double> lower(q * q), right(q), u(q);
    for (std::size_t i = 0; i < q; ++i)
      std::copy_n(full.begin() + static_cast<std::ptrdiff_t>(i * m), i + 1,
                  lower.begin() + static_cast<std::ptrdiff_t>(i * q));
    for (std::size_t i = 0; i < q; ++i) right[i] = full[q * m + i];
    cholesky_.emplace(std::move(lower), q, kRankTolerance, tick());
    cholesky_->solve(right, u);
    b_ = c_y_;
    move(u);
  }

  // w and b moved by u, which is in the solver's coordinates. Returns the largest move, each relative to what it moved.
  double move(In u) {
    double largest = 0.0;
    DoubleDouble b = b_;
    if (first_ != 0) b = b + u[0];
    double size = std::abs(b.high);  // of the terms of b: it is a difference, and may be small by chance
    for (std::size_t j = 0; j < p_; ++j) {
      const double by = u[first_ + j];
      const DoubleDouble after = DoubleDouble(w_high_[j], w_low_[j]) + by;
      w_high_[j] = after.high;
      w_low_[j] = after.low;
      if (by != 0) largest = std::max(largest, std::abs(by / after.high));
      b = b - math::two_product(by, c_[j]);
      size += std::abs(after.high * c_[j]);
    }
    if (first_ != 0) {
      if (b != b_) largest = std::max(largest, std::abs((b - b_).high) / size);
      b_ = b;
    }
    return largest;
  }

  std::vector<DoubleDouble> pass() const;

  // One pass over the data: the step u = G^-1 g from the gradient g = z'r, which is exact to some 30 digits, and what
  // it would gain.
  void step(Out u) {
    const std::size_t q = first_ + p_;
    ++passes_;
    sums_ = pass();
    std::vector<double> g(q);
    if (first_ != 0) g[0] = sums_[p_].high;
    for (std::size_t j = 0; j < p_; ++j) {
      const DoubleDouble centred = first_ != 0 ? sums_[j] - sums_[p_] * c_[j] : sums_[j];
      g[first_ + j] = centred.high;
    }
    cholesky_->solve(g, u);
    decrement_ = 0.0;
    for (std::size_t i = 0; i < q; ++i) decrement_ += g[i] * u[i];
    decrement_ = std::max(0.0, decrement_);
    if (!std::isfinite(decrement_))
      throw Error(ErrorCode::data, "a number of the data is not finite; the weights cannot be found");
  }

  // Newton steps until w and b have settled beyond the last bit of a double, or the steps stop getting shorter.
  void refine() {
    std::vector<double> u(first_ + p_);
    double last = std::numeric_limits<double>::infinity();
    while (passes_ < kMostPasses) {
      step(u);
      if (decrement_ >= last / 2) break;
      last = decrement_;
      if (move(u) <= kSettled) break;
    }
    solved_decrement_ = decrement_;
    // The last step, taken or not, would gain the decrement: no pass is needed to know the error after it.
    solved_error_ = std::max(0.0, (sums_[p_ + 1] - decrement_).high);
  }

  // To doubles, in the user's units, each to the nearest: a b that made up for the rounding of w would fit a
  // little better, but have fewer correct digits. Then a last pass, which judges what is returned.
  void round() {
    w_.resize(p_);
    bool finite = true;
    for (std::size_t j = 0; j < p_; ++j) {
      const int k = moments_.target_unit.exponent - moments_.unit[j].exponent;
      w_[j] = std::ldexp(w_high_[j], k);
      finite = finite && std::isfinite(w_[j]);
      w_high_[j] = std::ldexp(w_[j], -k);
      w_low_[j] = 0.0;
    }
    bias_ = std::ldexp(b_.high, moments_.target_unit.exponent);
    b_ = std::ldexp(bias_, -moments_.target_unit.exponent);
    std::vector<double> u(first_ + p_);
    if (finite && std::isfinite(bias_)) step(u);
  }

  // Without a bias c_y = 0, and the model to compare with is y = 0, not y = mean. The sum around c_y holds the spread
  // and n times the square of the rounding of c_y; a spread that vanishes beside that is none at all.
  double squared_target() const {
    const DoubleDouble around = sums_[p_ + 3];
    if (first_ == 0) return around.high;
    const DoubleDouble spread = around - sums_[p_ + 2] * sums_[p_ + 2] / DoubleDouble(moments_.weight);
    return spread.high > 0x1p-90 * around.high ? spread.high : 0.0;
  }

  const Examples& examples_;
  const Run& run_;
  std::size_t p_;
  std::size_t first_;  // 1 with a bias, which comes first: a constant column is then the aliased one
  Moments moments_;
  double scale_y_;
  double scale_s_;
  std::vector<double> scale_;
  std::vector<double> c_;
  double c_y_ = 0.0;
  std::optional<math::Cholesky> cholesky_;
  std::vector<double> w_high_, w_low_;
  DoubleDouble b_;
  std::vector<double> w_;  // as returned, in the user's units
  double bias_ = 0.0;
  std::vector<DoubleDouble> sums_;  // of the last pass
  double decrement_ = 0.0;          // g' G^-1 g: twice what the objective is above its least value
  double solved_error_ = 0.0;       // sum s r^2 before w and b were rounded
  double solved_decrement_ = 0.0;   // the same before w and b were rounded
  std::uint64_t passes_ = 0;
};

std::vector<DoubleDouble> Solve::pass() const {
  const std::size_t n = width();
  std::vector<double> total(2 * n);
  const math::Kernels& kernels = math::kernels();
  run_.reduce(
      Phase::fitting, examples_.blocks(), std::span<double>(total),
      [&](std::size_t block, Out out) {
        const Out high = out.first(n), low = out.last(n);
        const auto add = [&](std::size_t i, DoubleDouble value) {
          const DoubleDouble sum = DoubleDouble(high[i], low[i]) + value;
          high[i] = sum.high;
          low[i] = sum.low;
        };
        const auto add_row = [&](double y, double s, DoubleDouble r) {  // all but the products with x
          const DoubleDouble shifted = math::two_sum(y, -c_y_);
          add(p_, r * s);
          add(p_ + 1, r * r * s);
          add(p_ + 2, shifted * s);
          add(p_ + 3, shifted * shifted * s);
        };
        if (examples_.sparse()) {
          std::vector<double> x;
          examples_.block(block).for_each([&](const Example& e) {
            if (!(e.weight > 0)) return;
            const std::size_t entries = e.x.index.size();
            x.resize(entries);
            for (std::size_t i = 0; i < entries; ++i) x[i] = e.x.value[i] * scale_[e.x.index[i]];
            const double y = e.target * scale_y_, s = e.weight * scale_s_;
            const DoubleDouble score = kernels.sparse_dot2(e.x.index.data(), x.data(), entries, w_high_.data());
            const double low_score = kernels.sparse_dot(e.x.index.data(), x.data(), entries, w_low_.data());
            const DoubleDouble r = DoubleDouble(y) - score - low_score - b_;
            add_row(y, s, r);
            for (std::size_t i = 0; i < entries; ++i) add(e.x.index[i], r * s * x[i]);
          });
          return;
        }
        std::vector<double> r_high, r_low;
        for_each_scaled_batch(
            examples_.block(block), p_,
            [&](const Example& e, Out row) {
              write_row(e.x, row);
              for (std::size_t j = 0; j < p_; ++j) row[j] *= scale_[j];
            },
            [&](const Batch& batch) {
              r_high.resize(batch.rows);
              r_low.resize(batch.rows);
              kernels.residuals(batch.x, batch.rows, batch.stride, p_, w_high_.data(), batch.targets.data(),
                                r_high.data(), r_low.data());
              for (std::size_t i = 0; i < batch.rows; ++i) {
                const double low_score = kernels.dot(batch.x + i * batch.stride, w_low_.data(), p_);
                const DoubleDouble r = DoubleDouble(r_high[i], r_low[i]) - low_score - b_;
                const double s = batch.weights[i];
                if (s > 0) add_row(batch.targets[i], s, r);
                const DoubleDouble weighted = r * s;
                r_high[i] = weighted.high;
                r_low[i] = weighted.low;
              }
              kernels.transpose_times_dd_add(batch.x, batch.rows, batch.stride, p_, r_high.data(), r_low.data(),
                                             high.data(), low.data());
            });
      },
      [n](std::span<double> left, std::span<const double> right) {
        for (std::size_t i = 0; i < n; ++i) {
          const DoubleDouble sum = DoubleDouble(left[i], left[n + i]) + DoubleDouble(right[i], right[n + i]);
          left[i] = sum.high;
          left[n + i] = sum.low;
        }
      });
  std::vector<DoubleDouble> sums(n);
  for (std::size_t i = 0; i < n; ++i) sums[i] = {total[i], total[n + i]};
  return sums;
}

}  // namespace

NormalSolution solve_normal_equations(const Examples& examples, bool bias, const Run& run) {
  return Solve(examples, bias, run).solve();
}

}  // namespace plumb
