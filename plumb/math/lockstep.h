// Eight fits in parallel: their weights of a column are adjacent, eight numbers for each. docs/solvers.md says what
// they are for. The same bits on every machine, and a lane's bits do not depend on the other lanes.
#pragma once

#include "plumb/base/span.h"
#include "plumb/math/kernels.h"
#include "plumb/math/sparse.h"

#include <cassert>
#include <cstddef>
#include <span>

namespace plumb::math {

constexpr std::size_t kLanes = 8;

// out_k = sum_t value_t w[8 column_t + k], in single precision.
inline void lockstep_dots(std::span<const SparseEntry> row, const float* w, float* out) noexcept {
  kernels().lockstep_dots(row.data(), row.size(), w, out);
}
// The same in doubles.
inline void lockstep_dots(Indices index, In value, const double* w, double* out) noexcept {
  assert(index.size() == value.size());
  kernels().lockstep_dots_exact(index.data(), value.data(), index.size(), w, out);
}
// y[8 index_t + k] = fma(value_t, a_k, y[8 index_t + k]).
inline void lockstep_axpys(const double* a, Indices index, In value, double* y) noexcept {
  assert(index.size() == value.size());
  kernels().lockstep_axpys_exact(a, index.data(), value.data(), index.size(), y);
}

// One step of dual coordinate descent on a row with weight s, in each wanted lane k (1, otherwise 0): u_k becomes the
// root of norm (a(u) - a_k) + margin_k + u = 0, where a(u) = s / (1 + e^-u), to a tenth of its precision, and a_k
// becomes a(u_k); a lane that is within its precision is not changed. Requires a_k = a(u_k) before. change_k: the
// change of a_k, not written if false is returned, because no lane moved. off_k is increased by about the row's
// distance from the optimum: a (1 - a / s) (margin + u)^2 / 2, or s |margin + u| if that is less.
inline bool lockstep_logistic(const double* margin, double norm, double s, const double* precision,
                              const double* wanted, double* a, double* u, double* change, double* off) noexcept {
  return kernels().lockstep_logistic(margin, norm, s, precision, wanted, a, u, change, off);
}

}  // namespace plumb::math
