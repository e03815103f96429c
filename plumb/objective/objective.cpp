#include "plumb/objective/objective.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/dense.h"
#include "plumb/math/gram_rows.h"
#include "plumb/math/pair_sums.h"

namespace plumb {
namespace {

// One triangle of a pair of outputs into its places among all.
void put_pair(const std::vector<double>& gram, std::size_t p, std::size_t a, std::size_t b, std::size_t outputs,
              std::vector<double>& full) {
  const std::size_t q = outputs * p;
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      full[(a * p + i) * q + b * p + j] = gram[i * p + j];
      if (a != b) full[(a * p + j) * q + b * p + i] = gram[i * p + j];
    }
}

}  // namespace

Objective::Objective(const DesignMatrix& x, std::unique_ptr<RowLoss> loss, std::vector<double> ridge, const Run& run)
    : x_(x), loss_(std::move(loss)), ridge_(std::move(ridge)), run_(run) {
  total_weight_ = math::sum(x_.weights());
  count_penalised();
}

void Objective::count_penalised() {
  const auto has = [&](std::size_t j) { return ridge_[j] > 0.0 || (!lasso_.empty() && lasso_[j] > 0.0); };
  const std::size_t features = x_.columns() - (x_.bias() ? 1 : 0);
  penalised_ = true;
  for (std::size_t j = 0; j < features; ++j) penalised_ = penalised_ && has(j);
  free_bias_ = x_.bias() && !has(features);
}

void Objective::set_lasso(std::vector<double> lasso) {
  lasso_ = std::move(lasso);
  count_penalised();
}

void Objective::set_ridge(std::vector<double> ridge) {
  ridge_ = std::move(ridge);
  count_penalised();
}

void Objective::repenalise(Point& point, In ridge_before) const {
  for (std::size_t i = 0; i < point.w.size(); ++i) point.gradient[i] -= ridge_before[i % x_.columns()] * point.w[i];
  add_penalty(point);
}

double Objective::lasso_of(In w) const noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < w.size() && !lasso_.empty(); ++i) sum += lasso_[i % x_.columns()] * std::abs(w[i]);
  return sum;
}

double Objective::sum_blocks(const std::function<double(std::size_t, std::size_t)>& sum) const {
  std::array<double, 1> total{};
  run_.reduce(Phase::fitting, x_.blocks(), total,
              [&](std::size_t b, Out out) { out[0] = sum(x_.block_begin(b), x_.block_size(b)); });
  return total[0];
}

std::vector<double> Objective::scores(In d) {
  std::vector<double> z(x_.rows() * outputs());
  if (math::is_zero(d)) return z;
  if (exact_)
    exact_times(x_, d, outputs(), z, run_);
  else
    x_.times(d, outputs(), z, run_);
  ++passes_;
  return z;
}

void Objective::transpose_times(In r, Out g) {
  if (exact_)
    exact_transpose_times(x_, r, outputs(), g, run_);
  else
    x_.transpose_times(r, outputs(), g, run_);
  ++passes_;
}

MadeUp Objective::made_up(std::size_t j) const {
  if (made_up_.empty()) made_up_ = made_up_columns(x_, run_);
  return made_up_[j];
}

Objective::Point Objective::scored(std::vector<double> w) {
  Point point;
  point.w = std::move(w);
  point.z = scores(point.w);
  if (!x_.offsets().empty())
    for (std::size_t i = 0; i < x_.rows(); ++i)
      for (std::size_t k = 0; k < outputs(); ++k) point.z[i * outputs() + k] += x_.offsets()[i];
  return point;
}

bool Objective::reads_once() const noexcept {
  return !exact_ && !x_.sparse() && outputs() == 1 && x_.columns() <= math::GramRows::kMostColumns;
}

Objective::Point Objective::at(std::vector<double> w, std::vector<double>* curvature) {
  Point point;
  if (reads_once()) {
    point.w = std::move(w);
    read_rows(point.w, x_.offsets(), point, nullptr, nullptr, curvature);
    expect_finite(point);
    return point;
  }
  point = scored(std::move(w));
  renew(point);
  if (curvature != nullptr) *curvature = hessian(point);
  return point;
}

// Scores are those `before`, if any, plus X v; the rest of the point follows from them. A landing comes `from` a point
// whose slopes and curvature give its dual slopes.
void Objective::read_rows(In v, In before, Point& point, Landing* landing, const Point* from,
                          std::vector<double>* curvature) {
  const math::Kernels& kernels = math::kernels();
  const std::size_t p = x_.columns(), n = x_.rows();
  const bool dual = landing != nullptr && !landing->below.empty();
  point.z.resize(n);
  point.slope.resize(n);
  point.curve.resize(n);
  // Loss, slope along v, gradient, the two sums of dual slopes, and the curvature.
  constexpr std::size_t kGradient = 2;
  const std::size_t below = kGradient + p, above = below + (dual ? p : 0), gram = above + (dual ? p : 0);
  std::vector<double> total(gram + (curvature != nullptr ? p * p : 0));
  const std::vector<double> ones(p, 1.0), zeros(p);
  run_.reduce(Phase::fitting, x_.blocks(), total, [&](std::size_t b, Out out) {
    std::optional<math::GramRows> sums;
    if (curvature != nullptr) sums.emplace(p, true);
    x_.for_each_chunk(b, [&](std::size_t i, std::size_t count, const double* rows) {
      const auto part = [&](auto& all) { return Out(all).subspan(i, count); };
      const In y = x_.targets().subspan(i, count), s = x_.weights().subspan(i, count);
      const Out z = part(point.z), slope = part(point.slope), curve = part(point.curve);
      for (std::size_t t = 0; t < count; ++t) {
        const double product = kernels.dot(rows + t * p, v.data(), p);
        if (landing != nullptr) landing->zd[i + t] = product;
        z[t] = before.empty() ? product : before[i + t] + product;
      }
      out[0] += loss_->value(z, y, s, slope, curve);
      kernels.transpose_times_add(rows, count, p, p, slope.data(), out.data() + kGradient);
      if (landing != nullptr) out[1] += kernels.dot(slope.data(), landing->zd.data() + i, count);
      double own[DesignMatrix::kChunkRows], other[DesignMatrix::kChunkRows];
      if (dual) {
        const Out u = part(landing->dual);
        loss_->curve_times(In(from->curve).subspan(i, count), s, part(landing->zd), u);
        for (std::size_t t = 0; t < count; ++t) u[t] += from->slope[i + t];
        loss_->mend(y, s, u);
        for (std::size_t t = 0; t < count; ++t) {
          own[t] = std::min(u[t], 0.0);
          other[t] = std::max(u[t], 0.0);
        }
        kernels.transpose_times_add(rows, count, p, p, own, out.data() + below);
        kernels.transpose_times_add(rows, count, p, p, other, out.data() + above);
      }
      if (!sums) return;
      loss_->entry(curve, s, 0, 0, Out(own, count));
      sums->add(rows, count, ones.data(), zeros.data(), p, nullptr, own);
    });
    if (!sums) return;
    sums->flush();
    for (std::size_t j = 0; j < p; ++j)
      for (std::size_t k = 0; k <= j; ++k) out[gram + j * p + k] = sums->sum(j, k);
  });
  passes_ += (math::is_zero(v) ? 0 : 1) + 1 + (dual ? 1 : 0) + (curvature != nullptr ? 1 : 0);  // products, of one pass
  const In found = total;
  point.loss = found[0];
  point.gradient.assign(found.begin() + kGradient, found.begin() + static_cast<std::ptrdiff_t>(below));
  add_penalty(point);
  if (landing != nullptr) landing->along = {0.0, found[1]};
  if (dual) {
    landing->below.assign(found.begin() + static_cast<std::ptrdiff_t>(below),
                          found.begin() + static_cast<std::ptrdiff_t>(above));
    landing->above.assign(found.begin() + static_cast<std::ptrdiff_t>(above),
                          found.begin() + static_cast<std::ptrdiff_t>(gram));
  }
  if (curvature == nullptr) return;
  curvature->assign(found.begin() + static_cast<std::ptrdiff_t>(gram), found.end());
  add_ridge(*curvature);
}

Objective::Point Objective::valued(std::vector<double> w) {
  const std::size_t k = outputs(), p = x_.columns();
  Point point = scored(std::move(w));
  point.loss = sum_blocks([&](std::size_t begin, std::size_t count) {
    return loss_->value(In(point.z).subspan(begin * k, count * k), x_.targets().subspan(begin, count),
                        x_.weights().subspan(begin, count));
  });
  double penalty = 0.0;
  for (std::size_t i = 0; i < point.w.size(); ++i) penalty += ridge_[i % p] * point.w[i] * point.w[i];
  point.value = point.loss + penalty / 2 + lasso_of(point.w);
  expect_finite(point);
  return point;
}

void Objective::expect_finite(const Point& point) {
  if (!std::isfinite(point.value))
    throw Error(ErrorCode::data, "the loss is too large for a number: scores or weights of rows are beyond all bounds",
                "--scale standard brings the features to one scale");
}

void Objective::move(Point& point, In d, In zd, double t) {
  math::axpy(t, d, point.w);
  if (exact_)
    point = scored(std::move(point.w));
  else
    math::axpy(t, zd, point.z);
  renew(point);
}

void Objective::renew(Point& point) {
  fill(point);
  expect_finite(point);
}

void Objective::fill(Point& point) {
  const std::size_t k = outputs();
  point.slope.resize(point.z.size());
  point.curve.resize(point.z.size());
  point.gradient.resize(size());
  point.loss = sum_blocks([&](std::size_t begin, std::size_t count) {
    return loss_->value(In(point.z).subspan(begin * k, count * k), x_.targets().subspan(begin, count),
                        x_.weights().subspan(begin, count), Out(point.slope).subspan(begin * k, count * k),
                        Out(point.curve).subspan(begin * k, count * k));
  });
  transpose_times(point.slope, point.gradient);
  add_penalty(point);
}

void Objective::add_penalty(Point& point) const {
  double penalty = 0.0;
  for (std::size_t c = 0; c < outputs(); ++c)
    for (std::size_t j = 0; j < x_.columns(); ++j) {
      const double pull = ridge_[j] * point.w[c * x_.columns() + j];
      point.gradient[c * x_.columns() + j] += pull;
      penalty += pull * point.w[c * x_.columns() + j];
    }
  point.value = point.loss + penalty / 2 + lasso_of(point.w);
}

double Objective::value_of_zero() const {
  const std::size_t k = outputs();
  return sum_blocks([&](std::size_t begin, std::size_t count) {
    std::vector<double> z(count * k);
    if (!x_.offsets().empty())
      for (std::size_t i = 0; i < z.size(); ++i) z[i] = x_.offsets()[begin + i / k];
    return loss_->value(z, x_.targets().subspan(begin, count), x_.weights().subspan(begin, count));
  });
}

Objective::Landing Objective::land(const Point& point, In d, Beside beside) {
  Landing landing;
  Point& next = landing.point;
  next.w = point.w;
  math::axpy(1.0, d, next.w);
  if (!reads_once()) {
    landing.zd = scores(d);
    if (exact_) {
      next = scored(std::move(next.w));
    } else {
      next.z = point.z;
      math::axpy(1.0, landing.zd, next.z);
    }
    if (beside == Beside::dual) landing.dual = newton_slopes(point, landing.zd);
    fill(next);
    landing.along.slope = math::dot(next.slope, landing.zd);
    if (beside == Beside::hessian) landing.hessian = hessian(next);
  } else {
    landing.zd.resize(x_.rows());
    if (beside == Beside::dual) {
      landing.dual.resize(x_.rows());
      landing.below.resize(size());
    }
    read_rows(d, point.z, next, &landing, &point, beside == Beside::hessian ? &landing.hessian : nullptr);
  }
  for (std::size_t i = 0; i < d.size(); ++i) landing.along.slope += ridge_[i % x_.columns()] * next.w[i] * d[i];
  landing.along.value = next.value;
  return landing;
}

Objective::Along Objective::along(const Point& point, In d, In zd, double t) const {
  const std::size_t k = outputs();
  std::array<double, 2> total{};
  run_.reduce(Phase::fitting, x_.blocks(), total, [&](std::size_t b, Out out) {
    const std::size_t begin = x_.block_begin(b) * k, count = x_.block_size(b) * k;
    std::vector<double> z(point.z.begin() + static_cast<std::ptrdiff_t>(begin),
                          point.z.begin() + static_cast<std::ptrdiff_t>(begin + count));
    std::vector<double> slope(count), curve(count);
    math::axpy(t, zd.subspan(begin, count), z);
    out[0] = loss_->value(z, x_.targets().subspan(begin / k, count / k), x_.weights().subspan(begin / k, count / k),
                          slope, curve);
    out[1] = math::dot(slope, zd.subspan(begin, count));
  });
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t j = 0; j < x_.columns(); ++j) {
      const std::size_t place = c * x_.columns() + j;
      const double w = point.w[place] + t * d[place];
      total[0] += ridge_[j] * w * w / 2;
      if (!lasso_.empty()) total[0] += lasso_[j] * std::abs(w);
      total[1] += ridge_[j] * w * d[place];
    }
  return {total[0], total[1]};
}

void Objective::hessian_times(const Point& point, In v, Out product, std::vector<double>& xv) {
  const std::size_t k = outputs();
  xv = scores(v);
  std::vector<double> t(xv.size());
  run_.for_each(Phase::fitting, x_.blocks(), [&](std::size_t b) {
    const std::size_t begin = x_.block_begin(b), count = x_.block_size(b);
    loss_->curve_times(In(point.curve).subspan(begin * k, count * k), x_.weights().subspan(begin, count),
                       In(xv).subspan(begin * k, count * k), Out(t).subspan(begin * k, count * k));
  });
  transpose_times(t, product);
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t j = 0; j < x_.columns(); ++j) product[c * x_.columns() + j] += ridge_[j] * v[c * x_.columns() + j];
}

std::vector<double> Objective::hessian_diagonal(const Point& point) {
  const std::size_t k = outputs(), n = x_.rows();
  std::vector<double> all(n * k), own(n), diagonal(size());
  loss_->diagonal(point.curve, x_.weights(), all);
  for (std::size_t c = 0; c < k; ++c) {
    for (std::size_t i = 0; i < n; ++i) own[i] = all[i * k + c];
    const Out part = Out(diagonal).subspan(c * x_.columns(), x_.columns());
    x_.squares(own, part, run_);
    for (std::size_t j = 0; j < x_.columns(); ++j) part[j] += ridge_[j];
  }
  ++passes_;
  return diagonal;
}

std::vector<double> Objective::hessian(const Point& point) {
  const std::size_t k = outputs(), p = x_.columns(), q = size();
  std::vector<double> own(x_.rows()), full(q * q);
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      loss_->entry(point.curve, x_.weights(), a, b, own);
      put_pair(x_.gram(own, run_), p, a, b, k, full);
    }
  add_ridge(full);
  ++passes_;
  return full;
}

ExactGram Objective::exact_hessian(const Point& point) {
  const std::size_t k = outputs(), p = x_.columns(), q = size();
  std::vector<double> own(x_.rows());
  ExactGram full{std::vector<double>(q * q), std::vector<double>(q * q)};
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      loss_->entry(point.curve, x_.weights(), a, b, own);
      const ExactGram gram = exact_gram(x_, own, run_);
      put_pair(gram.high, p, a, b, k, full.high);
      put_pair(gram.low, p, a, b, k, full.low);
    }
  const math::PairSums sums(full.high, full.low);
  for (std::size_t i = 0; i < q; ++i) sums.add(i * (q + 1), ridge_[i % p]);
  ++passes_;
  return full;
}

void Objective::add_ridge(Out hessian) const {
  const std::size_t q = size();
  for (std::size_t i = 0; i < q; ++i) hessian[i * (q + 1)] += ridge_[i % x_.columns()];
}

}  // namespace plumb
