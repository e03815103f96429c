// The factor in double-double: U'U = A as in cholesky.cpp, row by row, each row's effect on all later ones at once.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/math/cholesky.h"
#include "plumb/math/double_double.h"

namespace plumb::math {

Cholesky::Cholesky(std::vector<double> gram_high, std::vector<double> gram_low, std::size_t p, Limits limits,
                   const Tick& tick, const Kernels& kernels)
    : kernels_(&kernels),
      p_(p),
      u_(std::move(gram_high)),
      root_(p),
      low_(std::move(gram_low)),
      root_low_(p),
      scale_(p),
      share_left_(p),
      aliased_(p) {
  if (u_.size() != p * p || low_.size() != p * p) {
    throw Error(ErrorCode::internal, "Cholesky: the parts of the matrix have " + std::to_string(u_.size()) + " and " +
                                         std::to_string(low_.size()) + " numbers; " + std::to_string(p) +
                                         " columns need " + std::to_string(p * p));
  }
  scale_matrix();
  eliminate_exactly(limits, tick);
}

void Cholesky::eliminate_exactly(const Limits& limits, const Tick& tick) {
  for (std::size_t j = 1; j < p_; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      u_[i * p_ + j] = u_[j * p_ + i];
      low_[i * p_ + j] = low_[j * p_ + i];
    }
  }
  for (std::size_t i = 0; i < p_; ++i) {
    if (tick) tick(i, p_);
    double* const high = &u_[i * p_];
    double* const low = &low_[i * p_];
    const DoubleDouble left(high[i], low[i]);
    const double whole = root_[i];
    aliased_[i] = is_aliased(i, left.high, whole, limits);
    const DoubleDouble root = aliased_[i] ? DoubleDouble() : sqrt(left);
    root_[i] = root.high;
    root_low_[i] = root.low;
    for (std::size_t k = i + 1; k < p_; ++k) {
      const DoubleDouble u = aliased_[i] ? DoubleDouble() : DoubleDouble(high[k], low[k]) / root;
      high[k] = u.high;
      low[k] = u.low;
    }
    for (std::size_t j = i + 1; j < p_ && !aliased_[i]; ++j) {
      const DoubleDouble minus(-high[j], -low[j]);
      double* const later = &u_[j * p_];
      double* const later_low = &low_[j * p_];
      for (std::size_t k = j; k < p_; ++k) {
        const DoubleDouble rest = DoubleDouble(later[k], later_low[k]) + minus * DoubleDouble(high[k], low[k]);
        later[k] = rest.high;
        later_low[k] = rest.low;
      }
    }
  }
}

std::vector<double> Cholesky::packed_root_low() const {
  std::vector<double> packed;
  if (!exact()) return packed;
  packed.reserve(p_ * (p_ + 1) / 2);
  for (std::size_t i = 0; i < p_; ++i) {
    packed.push_back(root_low_[i] / scale_[i]);
    for (std::size_t j = i + 1; j < p_; ++j) packed.push_back(aliased_[j] ? 0.0 : low_[i * p_ + j] / scale_[j]);
  }
  return packed;
}

// |z|^2 with U'z = a, where a is 0 before `first`.
double Cholesky::exact_inverse_form(In a, std::size_t first) const {
  std::vector<DoubleDouble> z(p_);
  for (std::size_t i = first; i < p_; ++i) z[i] = aliased_[i] ? 0.0 : scale_[i] * a[i];
  DoubleDouble total;
  for (std::size_t i = first; i < p_; ++i) {
    if (aliased_[i]) continue;
    const DoubleDouble each = z[i] / DoubleDouble(root_[i], root_low_[i]);
    if (each.high == 0.0) continue;
    total += each * each;
    const double* const high = &u_[i * p_];
    const double* const low = &low_[i * p_];
    for (std::size_t k = i + 1; k < p_; ++k) z[k] -= each * DoubleDouble(high[k], low[k]);
  }
  return total.high;
}

}  // namespace plumb::math
