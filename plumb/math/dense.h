// Sums over dense arrays and dense rows. The same bits on every machine, at any alignment. The sums over elements (sum,
// dot, dot2) use eight lanes folded in one fixed tree; the sums over rows (gram_add, transpose_times_add) go in row
// order, so that cutting a run of rows into several calls changes no bit. Only the payload of a NaN is not guaranteed.
#pragma once

#include "plumb/base/span.h"
#include "plumb/math/double_double.h"
#include "plumb/math/kernels.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace plumb::math {

inline double sum(In x) noexcept { return kernels().sum(x.data(), x.size()); }

inline double dot(In a, In b) noexcept {
  assert(a.size() == b.size());
  return kernels().dot(a.data(), b.data(), a.size());
}

// a.b as if computed in twice the precision: off by at most 2^-104 |a.b| + (n + 8)^2 2^-106 sum |a_i b_i|, for finite
// numbers whose products neither overflow nor fall below 2^-969.
inline DoubleDouble dot2(In a, In b) noexcept {
  assert(a.size() == b.size());
  return kernels().dot2(a.data(), b.data(), a.size());
}

// y_i = fma(a, x_i, y_i).
inline void axpy(double a, In x, Out y) noexcept {
  assert(x.size() == y.size());
  kernels().axpy(a, x.data(), y.data(), x.size());
}

// y_i = a y_i.
inline void scale(double a, Out y) noexcept { kernels().scale(a, y.data(), y.size()); }

inline bool is_zero(In x) noexcept {
  return std::all_of(x.begin(), x.end(), [](double each) { return each == 0.0; });
}

// Below, x_ij is x[i * stride + j] for i < rows, j < p, with stride >= p.

// Adds sum_i s_i x_i x_i' to the lower triangle of the p by p matrix gram, row-major: for j >= k, at gram[j * p + k],
//   gram_jk = fma(s_i x_ij, x_ik, gram_jk)   for i = 0, 1, 2, ...
// with s_i x_ij rounded first, s_i = weight[i], or 1 if weight is nullptr. The part above the diagonal is not touched.
// A zero is left as +0. Uses about 42 KiB of stack.
inline void gram_add(const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* weight_or_null,
                     double* gram) noexcept {
  kernels().gram_add(x, rows, stride, p, weight_or_null, gram, p);
}

// out_j = fma(r_i, x_ij, out_j) for i = 0, 1, 2, ...: adds X'r.
inline void transpose_times_add(const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* r,
                                double* out) noexcept {
  kernels().transpose_times_add(x, rows, stride, p, r, out);
}

// The same in double-double: out_j += x_ij r_i for i = 0, 1, 2, ..., each step off by at most
// 2^-103 (|out_j| + |x_ij r_i|). r and out are given as their high and low parts.
inline void transpose_times_dd_add(const double* x, std::size_t rows, std::size_t stride, std::size_t p,
                                   const double* r_high, const double* r_low, double* out_high,
                                   double* out_low) noexcept {
  kernels().transpose_times_dd_add(x, rows, stride, p, r_high, r_low, out_high, out_low);
}

// r_i = y_i - bias - x_i.w in double-double, column after column: off by at most
// 2^-104 |r_i| + (p + 2)^2 2^-106 (|y_i| + |bias| + sum_j |x_ij w_j|).
inline void residuals(const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* w_high,
                      const double* w_low, DoubleDouble bias, const double* y, double* r_high, double* r_low) noexcept {
  kernels().residuals(x, rows, stride, p, w_high, w_low, bias, y, r_high, r_low);
}

// out_r = sum_j a_rj b_j, eight numbers each, fused, for j = 0, 1, 2, ...: a is rows by n, b is n by 8, out is rows
// by 8.
inline void times8(const double* a, std::size_t rows, std::size_t n, const double* b, double* out) noexcept {
  kernels().times8(a, rows, n, b, out);
}

// Eight rows in parallel, of weight s, target y and leverage h / s, whose fits differ: `fitted` and `leverage`, which
// is added to h / s, are n by 8. With errors e = y - fitted, 1 - h = 1 - s (h + leverage) and left-out errors f = e /
// (1 - h), adds to the sums, 4 by n by 8: s f^2, s e^2, and s f^2 / (1 - h); the third of the four becomes 1 where 1 -
// h is 1e-10 or less, and nothing is then added to the first and the last.
inline void left_out8(In s, In y, In h, In fitted, In leverage, Out sums) noexcept {
  assert(s.size() == 8 && y.size() == 8 && h.size() == 8 && leverage.size() == fitted.size());
  assert(sums.size() == 4 * fitted.size());
  kernels().left_out8(s.data(), y.data(), h.data(), fitted.data(), leverage.data(), fitted.size() / 8, sums.data());
}

}  // namespace plumb::math
