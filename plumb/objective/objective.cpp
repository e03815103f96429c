#include "plumb/objective/objective.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/dense.h"
#include "plumb/math/double_double.h"

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
  if (std::all_of(d.begin(), d.end(), [](double each) { return each == 0.0; })) return z;
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

Objective::Point Objective::at(std::vector<double> w) {
  Point point = scored(std::move(w));
  renew(point);
  return point;
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
  double penalty = 0.0;
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t j = 0; j < x_.columns(); ++j) {
      const double pull = ridge_[j] * point.w[c * x_.columns() + j];
      point.gradient[c * x_.columns() + j] += pull;
      penalty += pull * point.w[c * x_.columns() + j];
    }
  point.value = point.loss + penalty / 2;
  expect_finite(point);
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
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t j = 0; j < p; ++j) full[(c * p + j) * (q + 1)] += ridge_[j];
  ++passes_;
  return full;
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
