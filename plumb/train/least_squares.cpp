// Letters: n rows, p features, x a row, y its target, s its weight, w the weights, b the bias, r = y - x.w - b.
// The solver works on u in y = sum_j u_j z_j, where z = (1, (x_j - c_j) 2^-k_j): columns near mean 0 and size 1. Shift
// c and scale k steer the factor alone; residuals are taken of the data as they are. w and b are double-double until
// they are rounded at the end: b = mean y - w.mean x, so digits of w that a double has not got are digits of b.
#include "plumb/train/least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/data/batch.h"
#include "plumb/math/cholesky.h"
#include "plumb/math/double_double.h"
#include "plumb/math/kernels.h"
#include "plumb/train/moments.h"

namespace plumb {
namespace {

using math::DoubleDouble;

// A column is aliased when less than this part of its variance is left once the columns before it are accounted for:
// below it, the rounding errors of the Gram matrix (some 1e-15) would be a visible part of what is left.
constexpr double kRankTolerance = 1e-11;
constexpr double kGapTolerance = 1e-12;  // what "converged" promises of the relative gap
constexpr std::uint64_t kMostPasses = 12;
constexpr double kSettled = 0x1p-58;             // moves this small, relative, change no double but by a tie
constexpr std::uint32_t kMostFeatures = 16'384;  // the Gram matrix of so many takes 2 GiB

// The exponent k with 2^(k-1) <= a < 2^k, or 0 for a = 0.
int exponent_of(double a) {
  int k = 0;
  std::frexp(a, &k);
  return a > 0 ? k : 0;
}

class Solve {
 public:
  Solve(const Examples& examples, bool bias, const Run& run)
      : examples_(examples),
        run_(run),
        p_(examples.features()),
        first_(bias ? 1 : 0),
        moments_(find_moments(examples, run)) {
    check();
    c_.assign(p_, 0.0);
    k_.assign(p_, 0);
    scale_.assign(p_, 1.0);
    for (std::size_t j = 0; j < p_; ++j) {
      // Only a column that is stored in every row may be shifted: the others' zeros are not written down.
      const double mean = moments_.sums()[j] / moments_.weight();
      if (bias && moments_.entries()[j] == moments_.rows() && std::isfinite(mean)) c_[j] = mean;
      k_[j] = exponent_of(moments_.largest()[j]);
      scale_[j] = std::ldexp(1.0, -k_[j]);
    }
    const double mean = moments_.target_sum() / moments_.weight();
    if (bias && std::isfinite(mean)) c_y_ = mean;
    k_y_ = exponent_of(moments_.largest_target());
    scale_y_ = std::ldexp(1.0, -k_y_);
    w_high_.assign(p_, 0.0);
    w_low_.assign(p_, 0.0);
  }

  Fit fit(const FeatureMap& map) {
    factor();
    refine();
    return report(map);
  }

 private:
  // What a pass with given w and b finds, in double-double: (high, low) pairs behind one another.
  //   0..p-1  sum s x_j r     p  sum s r     p+1  sum s r^2     p+2  sum s (y - c_y)     p+3  sum s (y - c_y)^2
  std::size_t width() const { return p_ + 4; }

  void check() {
    if (examples_.size() == 0 || moments_.rows() == 0)
      throw Error(ErrorCode::data, examples_.size() == 0 ? "there are no rows to train on"
                                                         : "every row has weight 0; there is nothing to train on");
    if (moments_.bad_weights() != 0)
      throw Error(ErrorCode::data, "a row has a weight below 0; weights of at least 0 were expected");
    if (p_ > kMostFeatures)
      throw Error(ErrorCode::resources,
                  "least-squares with " + count_text(p_) + " features needs a matrix of " +
                      number_text(8e-9 * static_cast<double>(p_) * static_cast<double>(p_), 3) + " GB; at most " +
                      count_text(kMostFeatures) + " features were expected",
                  "--drop a column with many levels, or name fewer with --features");
  }

  // z of a row: the bias's 1, shifted and scaled x, shifted and scaled y.
  void write_z(const Example& e, Out z) const {
    if (first_ != 0) z[0] = 1.0;
    for (std::size_t i = 0; i < e.x.value.size(); ++i) {
      const std::size_t j = e.x.dense() ? i : e.x.index[i];
      z[first_ + j] = (e.x.value[i] - c_[j]) * scale_[j];
    }
    z[first_ + p_] = (e.target - c_y_) * scale_y_;
  }

  // Gram matrix of z in lower rows, m x m with m = bias + p + 1, its last row being z'y.
  std::vector<double> gram() const {
    const std::size_t m = first_ + p_ + 1;
    std::vector<double> total(m * m);
    const math::Kernels& kernels = math::kernels();
    run_.executor.reduce(examples_.blocks(), std::span<double>(total), [&](std::size_t b, Out out) {
      if (examples_.sparse()) {
        std::vector<std::uint32_t> index(m);
        std::vector<double> value(m);
        examples_.block(b).for_each([&](const Example& e) {
          if (!(e.weight > 0)) return;
          std::size_t n = 0;
          const auto add = [&](std::size_t i, double z) {
            index[n] = static_cast<std::uint32_t>(i);
            value[n++] = z;
          };
          if (first_ != 0) add(0, 1.0);
          for (std::size_t i = 0; i < e.x.value.size(); ++i) {
            const std::size_t j = e.x.dense() ? i : e.x.index[i];
            add(first_ + j, (e.x.value[i] - c_[j]) * scale_[j]);
          }
          add(first_ + p_, (e.target - c_y_) * scale_y_);
          kernels.sparse_gram_add(index.data(), value.data(), n, e.weight, out.data(), m);
        });
        return;
      }
      for_each_batch(
          examples_.block(b), m, [&](const Example& e, Out z) { write_z(e, z); },
          [&](const Batch& batch) {
            kernels.gram_add(batch.x, batch.rows, batch.stride, m, moments_weighted_ ? batch.weights.data() : nullptr,
                             out.data(), m);
          });
    });
    return total;
  }

  void factor() {
    moments_weighted_ = moments_.weighted() != 0;
    const std::vector<double> full = gram();
    const std::size_t m = first_ + p_ + 1, q = m - 1;
    std::vector<double> lower(q * q), right(q), u(q);
    for (std::size_t i = 0; i < q; ++i)
      std::copy_n(full.begin() + static_cast<std::ptrdiff_t>(i * m), i + 1,
                  lower.begin() + static_cast<std::ptrdiff_t>(i * q));
    for (std::size_t i = 0; i < q; ++i) right[i] = full[q * m + i];
    cholesky_.emplace(std::move(lower), q, kRankTolerance);
    cholesky_->solve(right, u);
    for (double& each : u) each = std::ldexp(each, k_y_);
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
      const double by = std::ldexp(u[first_ + j], -k_[j]);
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

  std::vector<DoubleDouble> pass() const {
    const std::size_t n = width();
    std::vector<double> total(2 * n);
    const math::Kernels& kernels = math::kernels();
    run_.executor.reduce(
        examples_.blocks(), std::span<double>(total),
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
            examples_.block(block).for_each([&](const Example& e) {
              if (!(e.weight > 0)) return;
              const std::size_t entries = e.x.index.size();
              const DoubleDouble score =
                  kernels.sparse_dot2(e.x.index.data(), e.x.value.data(), entries, w_high_.data());
              const double low_score = kernels.sparse_dot(e.x.index.data(), e.x.value.data(), entries, w_low_.data());
              const DoubleDouble r = DoubleDouble(e.target) - score - low_score - b_;
              add_row(e.target, e.weight, r);
              for (std::size_t i = 0; i < e.x.index.size(); ++i) add(e.x.index[i], r * e.weight * e.x.value[i]);
            });
            return;
          }
          std::vector<double> r_high, r_low;
          for_each_batch(
              examples_.block(block), p_, [&](const Example& e, Out x) { write_row(e.x, x); },
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

  // One pass over the data: the step u = G^-1 g from the gradient g = z'r, which is exact to some 30 digits, and what
  // it would gain.
  void step(Out u) {
    const std::size_t q = first_ + p_;
    run_.report(Phase::fitting, ++passes_, 0);
    sums_ = pass();
    std::vector<double> g(q);
    if (first_ != 0) g[0] = sums_[p_].high;
    for (std::size_t j = 0; j < p_; ++j) {
      const DoubleDouble centred = first_ != 0 ? sums_[j] - sums_[p_] * c_[j] : sums_[j];
      g[first_ + j] = std::ldexp(centred.high, -k_[j]);
    }
    cholesky_->solve(g, u);
    decrement_ = 0.0;
    for (std::size_t i = 0; i < q; ++i) decrement_ += g[i] * u[i];
  }

  // Newton steps until w and b have settled beyond the last bit of a double, or the steps stop getting shorter; then
  // rounding, and a last pass that judges what is returned.
  void refine() {
    std::vector<double> u(first_ + p_);
    double last = std::numeric_limits<double>::infinity();
    while (passes_ < kMostPasses) {
      step(u);
      if (!std::isfinite(decrement_)) return;
      if (decrement_ >= last / 2) break;
      last = decrement_;
      if (move(u) <= kSettled) break;
    }
    w_low_.assign(p_, 0.0);
    b_ = b_.high;
    step(u);
  }

  Fit report(const FeatureMap& map);

  const Examples& examples_;
  const Run& run_;
  std::size_t p_;
  std::size_t first_;  // 1 with a bias, which comes first: a constant column is then the aliased one
  Moments moments_;
  bool moments_weighted_ = false;
  std::vector<double> c_;
  std::vector<int> k_;
  std::vector<double> scale_;  // 2^-k
  double c_y_ = 0.0;
  int k_y_ = 0;
  double scale_y_ = 1.0;
  std::optional<math::Cholesky> cholesky_;
  std::vector<double> w_high_, w_low_;
  DoubleDouble b_;
  std::vector<DoubleDouble> sums_;  // of the last pass, made with w and b as they are returned
  double decrement_ = 0.0;          // g' G^-1 g: twice what the objective is above its least value
  std::uint64_t passes_ = 0;
};

Fit Solve::report(const FeatureMap& map) {
  if (!std::isfinite(b_.high) ||
      !std::all_of(w_high_.begin(), w_high_.end(), [](double w) { return std::isfinite(w); }) ||
      !std::isfinite(decrement_))
    throw Error(ErrorCode::data, "the numbers are too large to be squared and summed: the weights stopped being finite",
                "divide the largest columns by a power of ten");

  const double squared_error = sums_[p_ + 1].high;
  const DoubleDouble from_mean = sums_[p_ + 3] - sums_[p_ + 2] * sums_[p_ + 2] / DoubleDouble(moments_.weight());
  // Without a bias c_y = 0, and the model to compare with is y = 0, not y = mean.
  const double squared_target = std::max(0.0, first_ != 0 ? from_mean.high : sums_[p_ + 3].high);
  const auto rank = static_cast<double>(cholesky_->rank());
  const double freedom = (moments_weighted_ ? moments_.weight() : moments_.rows()) - rank;

  Record record;
  record.model = "least-squares";
  record.solver = "cholesky";
  record.train_rows = examples_.size();
  record.iterations = passes_;
  record.objective = squared_error / 2;
  record.certificate = {"gap", std::max(0.0, squared_target > 0 ? decrement_ / squared_target : decrement_ / 2)};
  record.converged = record.certificate.value <= kGapTolerance;
  record.fit = {{"residual_sum_of_squares", squared_error}, {"rank", rank}, {"degrees_of_freedom", freedom}};
  if (squared_target > 0) record.fit.emplace_back("r_squared", 1 - squared_error / squared_target);
  record.fit.emplace_back("condition_number", std::sqrt(cholesky_->condition_estimate()));

  std::vector<std::string> warnings;
  const std::vector<bool>& aliased = cholesky_->aliased();
  for (std::uint32_t j = 0; j < p_; ++j) {
    if (!aliased[first_ + j]) continue;
    record.aliased.push_back(j);
    if (record.aliased.size() <= 5)
      warnings.push_back("feature " + in_quotes(map.name(j)) + " has no weight of its own: within rounding it is " +
                         (moments_.largest()[j] == 0 ? "0 in every row"
                                                     : "a sum of multiples of the features before it" +
                                                           std::string(first_ != 0 ? " and the bias" : "")));
  }
  if (record.aliased.size() > 5)
    warnings.push_back("so have " + std::to_string(record.aliased.size() - 5) +
                       " more features (plumb inspect lists them)");

  if (freedom > 0) {
    const double variance = squared_error / freedom;
    record.fit.emplace_back("residual_sd", std::sqrt(variance));
    const std::size_t q = first_ + p_;
    std::vector<double> diagonal(q), a(q), solved(q);
    cholesky_->inverse_diagonal(diagonal);
    record.standard_errors.weights.resize(p_);
    for (std::size_t j = 0; j < p_; ++j) {
      record.standard_errors.weights[j] = std::ldexp(std::sqrt(variance * diagonal[first_ + j]), -k_[j]);
      if (first_ != 0 && !aliased[first_ + j]) a[1 + j] = std::ldexp(-c_[j], -k_[j]);
    }
    if (first_ != 0) {  // b = u_0 - sum_j u_j 2^-k_j c_j = a.u, so its variance is that of a.u
      a[0] = 1.0;
      cholesky_->solve(a, solved);
      double form = 0.0;
      for (std::size_t i = 0; i < q; ++i) form += a[i] * solved[i];
      record.standard_errors.bias = {std::sqrt(variance * std::max(0.0, form))};
    }
  } else {
    warnings.push_back(
        "there are as many weights as rows: the fit passes through every row, and says nothing about errors");
  }

  LinearModel::Parts parts;
  parts.map = map;
  parts.bias = {b_.high};
  parts.weights = Weights::dense(1, static_cast<std::uint32_t>(p_), w_high_);
  return {LinearModel(std::move(parts)), std::move(record), std::move(warnings)};
}

}  // namespace

Fit LeastSquares::train(const Examples& examples, const FeatureMap& map, const Run& run) const {
  return Solve(examples, options_.bias, run).fit(map);
}

}  // namespace plumb
