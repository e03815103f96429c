#include "plumb/objective/objective.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/dense.h"
#include "plumb/math/double_double.h"
#include "plumb/math/gram_rows.h"

namespace plumb {
namespace {

// A remainder beside the sum of the weights that rounding explains: columns hold numbers below 1.
constexpr double kRounding = 1e-9;

}  // namespace

Objective::Objective(const DesignMatrix& x, std::unique_ptr<RowLoss> loss, std::vector<double> ridge, const Run& run)
    : x_(x), loss_(std::move(loss)), ridge_(std::move(ridge)), run_(run) {
  const std::size_t features = x_.columns() - (x_.bias() ? 1 : 0);
  for (std::size_t j = 0; j < features; ++j) penalised_ = penalised_ && ridge_[j] > 0.0;
  free_bias_ = x_.bias() && ridge_.back() == 0.0;
  total_weight_ = math::sum(x_.weights());
}

template <class Sum>
double Objective::sum_blocks(Sum&& sum) const {
  std::array<double, 1> total{};
  run_.reduce(Phase::fitting, x_.blocks(), total,
              [&](std::size_t b, Out out) { out[0] = sum(x_.block_begin(b), x_.block_size(b)); });
  return total[0];
}

std::vector<double> Objective::scores(In d) {
  std::vector<double> z(x_.rows() * outputs());
  if (math::is_zero(d)) return z;
  x_.times(d, outputs(), z, run_);
  ++passes_;
  return z;
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
  return !x_.sparse() && outputs() == 1 && x_.columns() <= math::GramRows::kMostColumns;
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

// Scores are those `before`, if any, and X v; the rest of the point follows from them. A landing comes `from` a point
// whose slopes and curvature its dual slopes are made of.
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
  passes_ +=
      (math::is_zero(v) ? 0 : 1) + 1 + (dual ? 1 : 0) + (curvature != nullptr ? 1 : 0);  // products, of one reading
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
  point.value = point.loss + penalty / 2;
  expect_finite(point);
  return point;
}

void Objective::expect_finite(const Point& point) {
  if (!std::isfinite(point.value))
    throw Error(ErrorCode::data, "the loss is too large for a number: scores or weights of rows are beyond all bounds",
                "--scale standard puts the features into one range");
}

void Objective::move(Point& point, In d, In zd, double t) {
  math::axpy(t, d, point.w);
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
  x_.transpose_times(point.slope, k, point.gradient, run_);
  ++passes_;
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
  point.value = point.loss + penalty / 2;
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
    next.z = point.z;
    math::axpy(1.0, landing.zd, next.z);
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
  x_.transpose_times(t, k, product, run_);
  ++passes_;
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
      const std::vector<double> gram = x_.gram(own, run_);
      for (std::size_t i = 0; i < p; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
          full[(a * p + i) * q + b * p + j] = gram[i * p + j];
          if (a != b) full[(a * p + j) * q + b * p + i] = gram[i * p + j];
        }
    }
  add_ridge(full);
  ++passes_;
  return full;
}

void Objective::add_ridge(Out hessian) const {
  const std::size_t q = size();
  for (std::size_t i = 0; i < q; ++i) hessian[i * (q + 1)] += ridge_[i % x_.columns()];
}

std::vector<double> Objective::newton_slopes(const Point& point, In zd) const {
  std::vector<double> u(point.slope.size());
  loss_->curve_times(point.curve, x_.weights(), zd, u);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] += point.slope[i];
  return u;
}

// Slopes of one class pull the bias up, those of the other down. The larger sum is scaled down to the smaller: a slope
// that is nearer to 0 is a slope still.
void Objective::balance(Out u) const {
  if (outputs() > 1) return balance_classes(u);
  double up = 0.0, down = 0.0;
  for (const double each : u) (each < 0.0 ? up : down) += std::abs(each);
  if (up == down) return;
  const double factor = up > down ? down / up : up / down;
  for (double& each : u)
    if ((each < 0.0) == (up > down)) each *= factor;
}

// u_ik is what class k has of row i beyond its label, as p_ik = u_ik + s_i 1[y_i = k] says, and every class should have
// as much as there are labels of it. A few rounds of proportions, which are what moving the biases would do, leave
// little; the rest is taken from the classes with too much, of every row alike, and given to those with too little.
void Objective::balance_classes(Out u) const {
  constexpr int kRounds = 10;
  const std::size_t k = outputs(), n = x_.rows(), classes = k + (loss_->reference() ? 1 : 0);
  if (!loss_->probabilistic()) return;
  std::vector<double> labels(classes), excess(classes);
  for (std::size_t i = 0; i < n; ++i) labels[static_cast<std::size_t>(x_.targets()[i])] += x_.weights()[i];
  const auto measure = [&] {
    std::fill(excess.begin(), excess.end(), 0.0);
    double most = 0.0, sum = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < k; ++c) excess[c] += u[i * k + c];
    for (std::size_t c = 0; c < k; ++c) sum += excess[c];
    if (classes > k) excess[k] = -sum;
    for (const double each : excess) most = std::max(most, std::abs(each));
    return most;
  };
  // p_i becomes share(p_i), and its sum stays the weight of the row.
  const auto change = [&](auto&& share) {
    std::vector<double> p(classes);
    for (std::size_t i = 0; i < n; ++i) {
      const auto y = static_cast<std::size_t>(x_.targets()[i]);
      double rest = x_.weights()[i];
      for (std::size_t c = 0; c < k; ++c) rest -= p[c] = u[i * k + c] + (c == y ? x_.weights()[i] : 0.0);
      if (classes > k) p[k] = std::max(0.0, rest);
      share(p);
      double sum = 0.0, others = 0.0;
      for (const double each : p) sum += each;
      if (!(sum > 0.0)) continue;
      for (std::size_t c = 0; c < classes; ++c) {
        const double part = p[c] / sum * x_.weights()[i];
        if (c != y) others += part;
        if (c != y && c < k) u[i * k + c] = part;
      }
      if (y < k) u[i * k + y] = -others;
    }
  };
  double most = measure();
  for (int round = 0; round < kRounds && most > 1e-12 * total_weight_; ++round) {
    change([&](std::vector<double>& p) {
      for (std::size_t c = 0; c < classes; ++c)
        if (labels[c] + excess[c] > 0.0) p[c] *= labels[c] / (labels[c] + excess[c]);
    });
    most = measure();
  }
  for (int last = 0; last < 2 && most > 0.0; ++last) {  // the second time for what rounding left
    double wanted = 0.0;
    for (const double each : excess) wanted += std::max(0.0, -each);
    if (!(wanted > 0.0)) return;
    change([&](std::vector<double>& p) {
      double taken = 0.0;
      for (std::size_t c = 0; c < classes; ++c)
        if (excess[c] > 0.0) {
          const double part = p[c] * (excess[c] / (labels[c] + excess[c]));
          p[c] -= part;
          taken += part;
        }
      for (std::size_t c = 0; c < classes; ++c)
        if (excess[c] < 0.0) p[c] += taken * (-excess[c] / wanted);
    });
    most = measure();
  }
}

double Objective::gap(Landing& landing, In reach) {
  if (landing.below.empty()) return gap(landing.point, std::move(landing.dual), reach);
  std::vector<double> v(size());
  double less = 1.0, more = 1.0;  // factors of the slopes below and above 0, as balance() has them
  if (free_bias_) {
    const double up = -landing.below.back(), down = landing.above.back();
    (up > down ? less : more) = up > down ? down / up : down > up ? up / down : 1.0;
    for (double& each : landing.dual) each *= each < 0.0 ? less : more;
  }
  for (std::size_t j = 0; j < v.size(); ++j) v[j] = less * landing.below[j] + more * landing.above[j];
  return gap(landing.point, landing.dual, v, reach);
}

double Objective::gap(const Point& point, std::vector<double> u, In reach) {
  const std::size_t k = outputs();
  loss_->mend(x_.targets(), x_.weights(), u);
  if (free_bias_) balance(u);
  std::vector<double> v(size());
  x_.transpose_times(u, k, v, run_);
  ++passes_;
  return gap(point, u, v, reach);
}

// X'u of these columns, rounded once.
void Objective::add_exactly(In u, const std::vector<bool>& columns, Out v) const {
  const std::size_t k = outputs(), p = x_.columns();
  std::vector<math::DoubleDouble> sums(v.size());
  for (std::size_t i = 0; i < x_.rows(); ++i) {
    const Row row = x_.row(i);
    for (std::size_t t = 0; t < row.value.size(); ++t) {
      const std::size_t j = row.dense() ? t : row.index[t];
      for (std::size_t c = 0; columns[j] && c < k; ++c)
        sums[c * p + j] += math::two_product(row.value[t], u[i * k + c]);
    }
  }
  for (std::size_t at = 0; at < v.size(); ++at)
    if (columns[at % p]) v[at] = static_cast<double>(sums[at]);
}

// A column that others add up to but for rounding is not moved, of any class, which says nothing of how far its optimum
// is: what holds the weights then is the slight penalty alone.
bool Objective::held_by_slight(In reach) const {
  const std::size_t k = outputs(), p = x_.columns();
  for (std::size_t j = 0; j < p && !slight_.empty() && !reach.empty(); ++j) {
    bool moved = !(slight_[j] > 0.0);
    for (std::size_t c = 0; c < k; ++c) moved = moved || reach[c * p + j] != 0.0;
    if (!moved) return true;
  }
  return false;
}

double Objective::gap(const Point& point, In u, In v, In reach) const {
  const std::size_t k = outputs(), p = x_.columns();
  double total = sum_blocks([&](std::size_t begin, std::size_t count) {
    return loss_->excess(In(point.z).subspan(begin * k, count * k), x_.targets().subspan(begin, count),
                         x_.weights().subspan(begin, count), u.subspan(begin * k, count * k));
  });
  const bool held = held_by_slight(reach);
  double further = 0.0;
  std::vector<double> exact;
  if (held) {
    exact.assign(v.begin(), v.end());
    std::vector<bool> free(p);
    for (std::size_t j = 0; j < p; ++j) free[j] = ridge_[j] == 0.0;
    add_exactly(u, free, exact);
    for (std::size_t at = 0; at < exact.size(); ++at) {
      const double r = slight_[at % p], most = std::abs(exact[at]) + r * std::abs(point.w[at]);
      if (r > 0.0) total += most * (most / (2 * r));
    }
    // F(w) - min F is at least r |w - w*|^2 / 2, and what has no penalty at all moves with the rest.
    for (std::size_t j = 0; j < p; ++j)
      if (slight_[j] > 0.0) further = std::max(further, std::sqrt(2 * total / slight_[j]));
  }
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t j = 0; j < p; ++j) {
      const double w = point.w[c * p + j], g = (held ? exact[c * p + j] : v[c * p + j]) + ridge_[j] * w;
      const double slight = slight_.empty() ? 0.0 : slight_[j];
      if (ridge_[j] > 0.0) {
        total += g * (g / (2 * ridge_[j]));
      } else {
        if (std::abs(g) > kRounding * total_weight_) return point.value;
        if (held && slight > 0.0) continue;
        const double far = reach.empty() ? std::abs(w) + 1.0 : std::abs(reach[c * p + j]) + further;
        total += 2 * std::abs(g) * far + w * (slight * w) / 2;
      }
    }
  return total <= point.value ? total : point.value;  // neither loss nor penalty is below 0
}

}  // namespace plumb
