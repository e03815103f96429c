// Blocks of columns, right-looking: the rows of U for a block, then its effect on all later columns by gram_add, where
// nearly all of the work is done.
#include "plumb/math/cholesky.h"

#include "plumb/base/error.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

namespace plumb::math {
namespace {

// The 1-norm of a symmetric operator, from below, in a few products (Higham, "FORTRAN codes for estimating the
// one-norm", TOMS 14(4), 1988, algorithm 4.1). `apply` replaces its argument by the operator times it; entries not
// `kept` stay 0.
double norm_estimate(const std::vector<bool>& aliased, std::size_t rank, const std::function<void(Out)>& apply) {
  const std::size_t p = aliased.size();
  std::vector<double> x(p), y(p), sign(p);
  const auto norm = [](const std::vector<double>& v) {
    double total = 0.0;
    for (const double each : v) total += std::fabs(each);
    return total;
  };
  for (std::size_t j = 0; j < p; ++j) x[j] = aliased[j] ? 0.0 : 1.0 / static_cast<double>(rank);
  double estimate = 0.0;
  for (int round = 0; round < 5; ++round) {
    y = x;
    apply(y);
    const double found = norm(y);
    if (round > 0 && found <= estimate) break;
    estimate = found;
    for (std::size_t j = 0; j < p; ++j) sign[j] = aliased[j] ? 0.0 : std::copysign(1.0, y[j]);
    apply(sign);  // the gradient of ||B x|| at x
    double along = 0.0;
    std::size_t steepest = 0;
    for (std::size_t j = 0; j < p; ++j) {
      along += sign[j] * x[j];
      if (std::fabs(sign[j]) > std::fabs(sign[steepest])) steepest = j;
    }
    if (std::fabs(sign[steepest]) <= along) break;
    std::fill(x.begin(), x.end(), 0.0);
    x[steepest] = 1.0;
  }
  double term = 1.0;  // a vector of alternating signs, for operators that deceive the search above
  std::size_t seen = 0;
  for (std::size_t j = 0; j < p; ++j) {
    if (aliased[j]) {
      y[j] = 0.0;
      continue;
    }
    y[j] = term * (1.0 + static_cast<double>(seen) / static_cast<double>(std::max<std::size_t>(1, rank - 1)));
    term = -term;
    ++seen;
  }
  apply(y);
  return std::max(estimate, 2.0 * norm(y) / (3.0 * static_cast<double>(rank)));
}

}  // namespace

Cholesky::Cholesky(std::vector<double> gram_lower, std::size_t p, Limits limits, const Tick& tick,
                   const Kernels& kernels)
    : kernels_(&kernels), p_(p), u_(std::move(gram_lower)), root_(p), scale_(p), share_left_(p), aliased_(p) {
  if (u_.size() != p * p) {
    throw Error(ErrorCode::internal, "Cholesky: the matrix has " + std::to_string(u_.size()) + " numbers; " +
                                         std::to_string(p) + " columns need " + std::to_string(p * p));
  }
  scale_matrix();
  constexpr std::size_t block = 64;
  for (std::size_t begin = 0; begin < p; begin += block) {
    if (tick) tick(begin, p);
    eliminate(begin, std::min(p, begin + block), limits);
  }
}

bool Cholesky::is_aliased(std::size_t i, double left, double whole, const Limits& limits) {
  if (whole > 0.0) share_left_[i] = left / whole;
  constexpr double suspicious = 1e-3;  // if more is left, w cannot be large enough to matter
  bool aliased = !(whole > 0.0 && left > limits.tolerance * whole) || rank_ >= limits.rank;
  if (!aliased && limits.noise > 0.0 && left < suspicious * whole) {
    double size = 1.0;  // 1 + |w|^2, with U w = u_i on the columns before i
    std::vector<double> w(i);
    for (std::size_t k = i; k-- > 0;) {
      if (aliased_[k]) continue;
      const double* const row = &u_[k * p_];
      w[k] = (row[i] - kernels_->dot(row + k + 1, w.data() + k + 1, i - k - 1)) / root_[k];
      size += w[k] * w[k];
    }
    aliased = !(left > limits.noise * size * whole);
  }
  if (!aliased) ++rank_;
  return aliased;
}

// scale_j^2 A_jj in [1/2, 2). Powers of two are exact, except for underflow.
void Cholesky::scale_matrix() {
  for (std::size_t j = 0; j < p_; ++j) {
    int exponent = 0;
    const double diagonal = u_[j * p_ + j];
    if (diagonal > 0.0 && std::isfinite(diagonal)) std::frexp(diagonal, &exponent);
    scale_[j] = std::ldexp(1.0, -(exponent >> 1));
    double* const row = &u_[j * p_];
    for (std::size_t k = 0; k <= j; ++k) {
      if (!std::isfinite(row[k])) {
        throw Error(ErrorCode::data,
                    "the Gram matrix holds a number that is not finite, at row " + std::to_string(j + 1) + ", column " +
                        std::to_string(k + 1),
                    "look for infinite or very large values in these two columns");
      }
      row[k] *= scale_[j] * scale_[k];
      if (exact()) low_[j * p_ + k] *= scale_[j] * scale_[k];
    }
    root_[j] = row[j];
  }
}

// Columns begin .. end: their rows of U by the textbook recurrence, u_ij = (A_ij - sum_t u_ti u_tj) / u_ii, then the
// update of the columns after `end`: A_jk - sum_i u_ij u_ik is gram_add of those rows with weight -1.
void Cholesky::eliminate(std::size_t begin, std::size_t end, const Limits& limits) {
  for (std::size_t j = begin + 1; j < p_; ++j) {
    for (std::size_t i = begin; i < std::min(j, end); ++i) u_[i * p_ + j] = u_[j * p_ + i];
  }
  for (std::size_t i = begin; i < end; ++i) {
    double* const row = &u_[i * p_];
    double left = row[i];
    for (std::size_t t = begin; t < i; ++t) {
      const double u = u_[t * p_ + i];
      if (u == 0.0) continue;  // always so where t is aliased
      left = std::fma(-u, u, left);
      kernels_->axpy(-u, &u_[t * p_] + i + 1, row + i + 1, p_ - i - 1);
    }
    const double whole = root_[i];
    aliased_[i] = is_aliased(i, left, whole, limits);
    root_[i] = aliased_[i] ? 0.0 : std::sqrt(left);
    if (aliased_[i]) {
      std::fill(row + i + 1, row + p_, 0.0);
    } else {
      kernels_->scale(1.0 / root_[i], row + i + 1, p_ - i - 1);
    }
  }
  if (end == p_) return;
  const std::vector<double> minus_one(end - begin, -1.0);
  kernels_->gram_add(&u_[begin * p_] + end, end - begin, p_, p_ - end, minus_one.data(), u_.data() + end * p_ + end,
                     p_);
}

// U'z = x, then U x = z, by rows of U.
void Cholesky::solve_scaled(Out x) const noexcept {
  for (std::size_t i = 0; i < p_; ++i) {
    x[i] = aliased_[i] ? 0.0 : x[i] / root_[i];
    if (x[i] != 0.0) kernels_->axpy(-x[i], u_.data() + i * p_ + i + 1, x.data() + i + 1, p_ - i - 1);
  }
  for (std::size_t i = p_; i-- > 0;) {
    if (aliased_[i]) continue;
    x[i] = (x[i] - kernels_->dot(u_.data() + i * p_ + i + 1, x.data() + i + 1, p_ - i - 1)) / root_[i];
  }
}

// x becomes U'(U x) on the kept columns.
void Cholesky::multiply_scaled(Out x) const noexcept {
  for (std::size_t i = 0; i < p_; ++i) {
    if (aliased_[i]) continue;
    x[i] = root_[i] * x[i] + kernels_->dot(u_.data() + i * p_ + i + 1, x.data() + i + 1, p_ - i - 1);
  }
  for (std::size_t i = p_; i-- > 0;) {
    const double t = x[i];
    x[i] = root_[i] * t;
    if (!aliased_[i]) kernels_->axpy(t, u_.data() + i * p_ + i + 1, x.data() + i + 1, p_ - i - 1);
  }
  for (std::size_t i = 0; i < p_; ++i) {
    if (aliased_[i]) x[i] = 0.0;
  }
}

void Cholesky::solve(In b, Out x) const noexcept {
  assert(b.size() == p_ && x.size() == p_);
  for (std::size_t i = 0; i < p_; ++i) x[i] = aliased_[i] ? 0.0 : scale_[i] * b[i];
  solve_scaled(x);
  for (std::size_t i = 0; i < p_; ++i) x[i] *= scale_[i];
}

// (A^-1)_jj = ||z||^2 with U'z = e_j; eight right-hand sides e_j share one pass over U.
void Cholesky::inverse_diagonal(Out diagonal, const Tick& tick) const {
  assert(diagonal.size() == p_);
  std::vector<double> b;
  if (exact()) {
    b.assign(p_, 0.0);
    for (std::size_t j = 0; j < p_; ++j) {
      if (tick) tick(j, p_);
      b[j] = 1.0;
      diagonal[j] = aliased_[j] ? 0.0 : exact_inverse_form(b, j);
      b[j] = 0.0;
    }
    return;
  }
  for (std::size_t begin = 0; begin < p_; begin += 8) {
    if (tick) tick(begin, p_);
    const std::size_t count = std::min<std::size_t>(8, p_ - begin);
    b.assign((p_ - begin) * 8, 0.0);
    for (std::size_t t = 0; t < count; ++t) b[t * 8 + t] = 1.0;
    double total[8] = {};
    for (std::size_t i = begin; i < p_; ++i) {
      if (aliased_[i]) continue;
      double* const z = &b[(i - begin) * 8];
      for (std::size_t t = 0; t < 8; ++t) {
        z[t] /= root_[i];
        total[t] += z[t] * z[t];
      }
      kernels_->eliminate8(u_.data() + i * p_ + i + 1, p_ - i - 1, z, z + 8);
    }
    for (std::size_t t = 0; t < count; ++t) {
      const double s = scale_[begin + t];
      diagonal[begin + t] = aliased_[begin + t] ? 0.0 : total[t] * s * s;
    }
  }
}

double Cholesky::inverse_form(In a) const {
  assert(a.size() == p_);
  if (exact()) return exact_inverse_form(a, 0);
  std::vector<double> x(p_);
  double total = 0.0;
  for (std::size_t i = 0; i < p_; ++i) x[i] = aliased_[i] ? 0.0 : scale_[i] * a[i];
  for (std::size_t i = 0; i < p_; ++i) {
    if (aliased_[i]) continue;
    x[i] /= root_[i];
    total += x[i] * x[i];
    kernels_->axpy(-x[i], u_.data() + i * p_ + i + 1, x.data() + i + 1, p_ - i - 1);
  }
  return total;
}

double Cholesky::form(In x) const {
  assert(x.size() == p_);
  std::vector<double> scaled(p_);
  double total = 0.0;
  for (std::size_t i = 0; i < p_; ++i) scaled[i] = aliased_[i] ? 0.0 : x[i] / scale_[i];
  for (std::size_t i = 0; i < p_; ++i) {
    if (aliased_[i]) continue;
    const double each =
        root_[i] * scaled[i] + kernels_->dot(u_.data() + i * p_ + i + 1, scaled.data() + i + 1, p_ - i - 1);
    total += each * each;
  }
  return total;
}

// U d = u_j, whose numbers above the diagonal stay when its column is set aside.
void Cholesky::combination(std::size_t j, Out d) const {
  assert(d.size() == p_ && aliased_[j]);
  std::fill(d.begin(), d.end(), 0.0);
  for (std::size_t i = j; i-- > 0;) {
    if (aliased_[i]) continue;
    const double* const row = u_.data() + i * p_;
    d[i] = (row[j] - kernels_->dot(row + i + 1, d.data() + i + 1, j - i - 1)) / root_[i];
  }
  for (std::size_t i = 0; i < j; ++i) d[i] *= scale_[i] / scale_[j];
}

std::vector<double> Cholesky::packed_root() const {
  std::vector<double> packed;
  packed.reserve(p_ * (p_ + 1) / 2);
  for (std::size_t i = 0; i < p_; ++i) {
    packed.push_back(root_[i] / scale_[i]);
    for (std::size_t j = i + 1; j < p_; ++j) packed.push_back(aliased_[j] ? 0.0 : u_[i * p_ + j] / scale_[j]);
  }
  return packed;
}

double Cholesky::condition_estimate() const {
  if (rank_ == 0) return 1.0;
  return norm_estimate(aliased_, rank_, [this](Out x) { multiply_scaled(x); }) *
         norm_estimate(aliased_, rank_, [this](Out x) { solve_scaled(x); });
}

}  // namespace plumb::math
