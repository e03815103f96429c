// Least squares along a path of penalties from sums over the rows alone.
#include <algorithm>
#include <cmath>
#include <utility>

#include "plumb/math/dense.h"
#include "plumb/solver/coordinate_descent.h"
#include "plumb/solver/lasso_path.h"

namespace plumb {
namespace {

constexpr std::size_t kMostDense = 4096, kMostSparse = 1024;  // columns: 128 MB, and less where rows are sparse
constexpr double kSumsTolerance = 1e-3;                       // of the model's minimum, the first time
constexpr int kMostTries = 12;
constexpr double kSumsRounding = 1e-9;  // as in a gap from rows
constexpr double kNoSpread = 1e-12;     // of a column's squares: what is left beside the bias is rounding

// G and the bias eliminated, with a ridge that changes; d is w itself.
class SumsModel final : public QuadraticModel {
 public:
  SumsModel(const SquareSums& sums, const std::vector<std::size_t>& needless)
      : p_(sums.columns), gram_(sums.gram), product_(sums.product) {
    d_.resize(p_);
    curve_.resize(p_);
    diagonal_.resize(p_);
    for (std::size_t j = 0; j < p_; ++j) {
      const double whole = gram_[j * p_ + j];
      diagonal_[j] = j < needless.size() && needless[j] != j ? 0.0 : whole;
      if (!sums.free_bias) continue;
      diagonal_[j] -= sums.sum[j] * (sums.sum[j] / sums.weight);
      if (!(diagonal_[j] > kNoSpread * whole)) diagonal_[j] = 0.0;
    }
    if (sums.free_bias)
      for (std::size_t j = 0; j < p_; ++j) {
        math::axpy(-sums.sum[j] / sums.weight, sums.sum, Out(gram_).subspan(j * p_, p_));
        product_[j] -= sums.sum[j] * (sums.target / sums.weight);
      }
    slope_.assign(p_, 0.0);
    renew();
  }
  void set_ridge(std::vector<double> ridge) {
    ridge_ = std::move(ridge);
    for (std::size_t j = 0; j < p_; ++j) curve_[j] = diagonal_[j] > 0.0 ? diagonal_[j] + ridge_[j] : 0.0;
  }
  // X'(Xw - y) from the start, without the rounding errors of many steps.
  void renew() {
    for (std::size_t j = 0; j < p_; ++j) slope_[j] = -product_[j];
    for (std::size_t j = 0; j < p_; ++j)
      if (d_[j] != 0.0) math::axpy(d_[j], row(j), slope_);
  }
  In products() const noexcept { return slope_; }  // X'u at the slopes u of the rows
  In target_products() const noexcept { return product_; }

  double slope(std::size_t i) const override { return slope_[i] + ridge_[i] * d_[i]; }
  void move(std::size_t i, double to) override {
    const double step = to - d_[i];
    d_[i] = to;
    math::axpy(step, row(i), slope_);
  }
  void times(std::span<const std::uint32_t> some, In p, Out product) override {
    room_.assign(p_, 0.0);
    for (const std::uint32_t i : some) math::axpy(p[i], row(i), room_);
    for (const std::uint32_t i : some) product[i] = room_[i] + ridge_[i] * p[i];
  }

 private:
  In row(std::size_t j) const noexcept { return In(gram_).subspan(j * p_, p_); }

  std::size_t p_;
  std::vector<double> gram_, product_, diagonal_, ridge_, slope_, room_;
};

class SumsPath final : public PathFollower {
 public:
  SumsPath(const SquareSums& sums, const SquareMeans& about, PathUnits units, const SolverOptions& options)
      : sums_(sums),
        about_(about),
        units_(std::move(units)),
        options_(options),
        model_(sums, units_.needless),
        zero_(sums.columns) {
    const double centred = sums.free_bias ? sums.target * (sums.target / sums.weight) : 0.0;
    squared_target_ = std::max(0.0, sums.squared_target - centred);
    units_.ridge.resize(sums.columns);
    units_.lasso.resize(sums.columns);
    units_.fixed_ridge.resize(sums.columns);
  }

  PathFit null() override {
    std::vector<double> beyond(sums_.columns);
    for (std::size_t j = 0; j < beyond.size(); ++j) beyond[j] = 1e200 * units_.lasso[j];
    return solve(units_.fixed_ridge, beyond);
  }
  double largest() const override {
    double most = 0.0;
    const In v = model_.products();
    for (std::size_t j = 0; j < v.size(); ++j)
      if (units_.lasso[j] > 0.0 && model_.curve(j) > 0.0) most = std::max(most, std::abs(v[j]) / units_.lasso[j]);
    return most;
  }
  PathFit at(const PathPenalty& penalty) override {
    std::vector<double> ridge = units_.fixed_ridge, lasso = units_.lasso;
    for (std::size_t j = 0; j < ridge.size(); ++j) {
      ridge[j] += penalty.l2 * units_.ridge[j];
      lasso[j] *= penalty.l1;
    }
    return solve(std::move(ridge), lasso);
  }

 private:
  PathFit solve(std::vector<double> ridge, In lasso) {
    model_.set_ridge(ridge);
    PathFit fit;
    double tolerance = kSumsTolerance;
    for (int tries = 0; tries < kMostTries; ++tries, tolerance *= 0.1) {
      fit.iterations += descend(model_, zero_, lasso, {.tolerance = tolerance});
      model_.renew();
      measure(fit, ridge, lasso);
      if (fit.gap <= options_.tolerance * fit.value) break;
    }
    fit.w.assign(model_.d().begin(), model_.d().end());
    if (sums_.free_bias) {
      double bias = about_.target + sums_.target / sums_.weight;
      for (std::size_t j = 0; j < sums_.columns; ++j)
        bias -= fit.w[j] * (about_.column[j] + sums_.sum[j] / sums_.weight);
      fit.w.push_back(bias);
    }
    return fit;
  }

  // The loss is (y'y + w.(v - X'y)) / 2; slopes shrunk by c are off by (1 - c)^2 of it.
  void measure(PathFit& fit, In ridge, In lasso) const {
    const In w = model_.d(), v = model_.products(), q = model_.target_products();
    double sum = squared_target_, penalty = 0.0;
    for (std::size_t j = 0; j < w.size(); ++j) {
      sum += w[j] * (v[j] - q[j]);
      penalty += ridge[j] * w[j] * w[j] / 2 + (w[j] != 0.0 ? lasso[j] * std::abs(w[j]) : 0.0);
    }
    fit.loss = std::max(0.0, sum / 2);
    fit.value = fit.loss + penalty;
    const Shrinkage found = shrinkage(v, ridge, lasso);
    const auto gap = [&](double c) {
      return (1 - c) * (1 - c) * fit.loss + penalty_gap(w, v, ridge, lasso, {}, c, kSumsRounding * sums_.weight);
    };
    fit.gap = std::min(gap(found.factor), fit.value);
    if (!found.required && found.factor < 1.0) fit.gap = std::min(fit.gap, gap(1.0));
  }

  const SquareSums& sums_;
  const SquareMeans& about_;
  PathUnits units_;
  SolverOptions options_;
  SumsModel model_;
  std::vector<double> zero_;
  double squared_target_;
};

}  // namespace

bool worth_square_sums(const DesignMatrix& x) { return x.columns() <= (x.sparse() ? kMostSparse : kMostDense); }

SquareMeans square_means(const DesignMatrix& x, bool free_bias, const Run& run) {
  SquareMeans means{std::vector<double>(x.columns()), 0.0};
  if (!free_bias) return means;
  x.transpose_times(x.weights(), 1, means.column, run);
  const double weight = math::sum(x.weights());
  for (double& each : means.column) each /= weight;
  means.column.pop_back();
  for (std::size_t i = 0; i < x.rows(); ++i)
    means.target += x.weights()[i] * (x.targets()[i] - (x.offsets().empty() ? 0.0 : x.offsets()[i])) / weight;
  return means;
}

SquareSums square_sums(const DesignMatrix& x, const SquareMeans& about, bool free_bias, const Run& run) {
  const std::size_t all = x.columns(), p = all - (free_bias ? 1 : 0), n = x.rows();
  SquareSums sums{
      .columns = p, .free_bias = free_bias, .weight = math::sum(x.weights()), .sum = {}, .product = {}, .gram = {}};
  std::vector<double> y(n), column(all);
  for (std::size_t i = 0; i < n; ++i) {
    const double each = x.targets()[i] - (x.offsets().empty() ? 0.0 : x.offsets()[i]) - about.target;
    y[i] = x.weights()[i] * each;
    sums.target += y[i];
    sums.squared_target += y[i] * each;
  }
  x.transpose_times(y, 1, column, run);
  const std::vector<double> gram = x.gram(x.weights(), run);
  sums.product.assign(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(p));
  sums.gram.resize(p * p);
  for (std::size_t j = 0; j < p; ++j)
    for (std::size_t k = 0; k <= j; ++k) sums.gram[j * p + k] = sums.gram[k * p + j] = gram[j * all + k];
  if (!free_bias) return sums;
  sums.sum.resize(p);
  const In m = about.column;
  for (std::size_t j = 0; j < p; ++j) {
    const double own = gram[p * all + j];  // the row of the bias: sums of s x_j
    sums.sum[j] = own - sums.weight * m[j];
    sums.product[j] -= m[j] * sums.target;
  }
  for (std::size_t j = 0; j < p; ++j)
    for (std::size_t k = 0; k < p; ++k) sums.gram[j * p + k] -= m[k] * gram[p * all + j] + m[j] * sums.sum[k];
  return sums;
}

void SquareSums::add(const SquareSums& other, double times) {
  weight += times * other.weight;
  squared_target += times * other.squared_target;
  target += times * other.target;
  math::axpy(times, other.sum, sum);
  math::axpy(times, other.product, product);
  math::axpy(times, other.gram, gram);
}

double SquareSums::squared_error(In w, In mean, double target_mean) const {
  std::vector<std::uint32_t> some;
  for (std::uint32_t j = 0; j < columns; ++j)
    if (w[j] != 0.0) some.push_back(j);
  double bias = free_bias ? w[columns] - target_mean : 0.0;  // of centred columns and targets
  double total = squared_target;
  for (const std::uint32_t j : some) {
    if (free_bias) bias += w[j] * mean[j];
    double along = 0.0;
    for (const std::uint32_t k : some) along += gram[std::size_t{j} * columns + k] * w[k];
    total += w[j] * (along - 2 * product[j]);
  }
  if (!free_bias) return std::max(0.0, total);
  double score = 0.0;
  for (const std::uint32_t j : some) score += w[j] * sum[j];
  return std::max(0.0, total + bias * (bias * weight + 2 * score - 2 * target));
}

std::unique_ptr<PathFollower> follow_sums(const SquareSums& sums, const SquareMeans& about, PathUnits units,
                                          const SolverOptions& options) {
  return std::make_unique<SumsPath>(sums, about, std::move(units), options);
}

}  // namespace plumb
