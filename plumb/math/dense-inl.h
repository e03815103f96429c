// Kernels over dense arrays and rows. x_ij is x[i * stride + j]: row i of `rows`, column j of p. Sums over elements use
// eight lanes and fold (lanes-inl.h); sums over rows are taken in row order, element by element, so that a run of rows
// may be cut into calls anywhere.

#if defined(PLUMB_MATH_DENSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_MATH_DENSE_INL_H
#undef PLUMB_MATH_DENSE_INL_H
#else
#define PLUMB_MATH_DENSE_INL_H
#endif

#include "plumb/math/lanes-inl.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace plumb::math {
namespace HWY_NAMESPACE {

inline double sum(const double* x, std::size_t n) noexcept {
  Eight total = 0.0;
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) total = total + Eight::load(x + i);
  double lane[8];
  total.store(lane);
  for (std::size_t l = 0; i < n; ++i, ++l) lane[l] += x[i];
  return with_one_nan(fold(lane));
}

inline double dot(const double* a, const double* b, std::size_t n) noexcept {
  Eight total = 0.0;
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) total = fma(Eight::load(a + i), Eight::load(b + i), total);
  double lane[8];
  total.store(lane);
  for (std::size_t l = 0; i < n; ++i, ++l) lane[l] = std::fma(a[i], b[i], lane[l]);
  return with_one_nan(fold(lane));
}

// One lane of dot2: products and sums leave exact errors, which a second sum collects (Ogita, Rump, Oishi, "Accurate
// sum and dot product", SISC 26(6), 2005, algorithm 5.3). Unlike accumulate, no step waits for the one before.
PLUMB_LANES void add_product(Pairs<8>& total, Eight a, Eight b) {
  const Pairs<8> p = two_product(a, b);
  const Pairs<8> s = two_sum(total.high, p.high);
  total.high = s.high;
  total.low = total.low + (s.low + p.low);
}

PLUMB_LANES DoubleDouble fold(const Pairs<8>& total) {
  double high[8];
  double low[8];
  total.high.store(high);
  total.low.store(low);
  DoubleDouble lane[8];
  for (std::size_t l = 0; l < 8; ++l) lane[l] = math::two_sum(high[l], low[l]);
  const DoubleDouble result = fold(lane);
  return {with_one_nan(result.high), with_one_nan(result.low)};
}

inline DoubleDouble dot2(const double* a, const double* b, std::size_t n) noexcept {
  Pairs<8> total = {0.0, 0.0};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) add_product(total, Eight::load(a + i), Eight::load(b + i));
  if (i < n) add_product(total, Eight::load_first(a + i, n - i), Eight::load_first(b + i, n - i));
  return fold(total);
}

inline void axpy(double a, const double* x, double* y, std::size_t n) noexcept {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) fma(Eight(a), Eight::load(x + i), Eight::load(y + i)).store(y + i);
  for (; i < n; ++i) y[i] = std::fma(a, x[i], y[i]);
}

inline void scale(double a, double* y, std::size_t n) noexcept {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) (Eight(a) * Eight::load(y + i)).store(y + i);
  for (; i < n; ++i) y[i] = a * y[i];
}

inline void scale_shift(const double* x, const double* scale, const double* shift, double* y, std::size_t n) noexcept {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) (Eight::load(x + i) * Eight::load(scale + i) - Eight::load(shift + i)).store(y + i);
  for (; i < n; ++i) y[i] = x[i] * scale[i] - shift[i];
}

inline void eliminate8(const double* u, std::size_t n, const double* z, double* b) noexcept {
  const Eight minus_z = -Eight::load(z);
  for (std::size_t j = 0; j < n; ++j) fma(u[j], minus_z, Eight::load(b + 8 * j)).store(b + 8 * j);
}

// A product and a sum as in DoubleDouble, in lanes.
inline void eliminate8_dd(const double* u_high, const double* u_low, std::size_t n, const double* z_high,
                          const double* z_low, double* b_high, double* b_low) noexcept {
  const Eight high = -Eight::load(z_high), low = -Eight::load(z_low);
  for (std::size_t j = 0; j < n; ++j) {
    const Eight u = u_high[j], rest = u_low[j];
    const Pairs<8> p = two_product(u, high);
    const Pairs<8> product = fast_two_sum(p.high, p.low + fma(rest, high, fma(u, low, rest * low)));
    const Pairs<8> s = two_sum(Eight::load(b_high + 8 * j), product.high);
    const Pairs<8> t = two_sum(Eight::load(b_low + 8 * j), product.low);
    const Pairs<8> v = fast_two_sum(s.high, s.low + t.high);
    const Pairs<8> sum = fast_two_sum(v.high, t.low + v.low);
    sum.high.store(b_high + 8 * j);
    sum.low.store(b_low + 8 * j);
  }
}

// Four rows per sweep over the columns: out is read and written once for all of them.
inline void transpose_times_add(const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* r,
                                double* out) noexcept {
  std::size_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    const double* row = x + i * stride;
    const Eight r0 = r[i], r1 = r[i + 1], r2 = r[i + 2], r3 = r[i + 3];
    std::size_t j = 0;
    for (; j + 8 <= p; j += 8) {
      Eight total = fma(r0, Eight::load(row + j), Eight::load(out + j));
      total = fma(r1, Eight::load(row + stride + j), total);
      total = fma(r2, Eight::load(row + 2 * stride + j), total);
      fma(r3, Eight::load(row + 3 * stride + j), total).store(out + j);
    }
    for (; j < p; ++j) {
      for (std::size_t t = 0; t < 4; ++t) out[j] = std::fma(r[i + t], row[t * stride + j], out[j]);
    }
  }
  for (; i < rows; ++i) axpy(r[i], x + i * stride, out, p);
}

// (high, low) += x (r_high + r_low), the product as DoubleDouble times double, the sum as accumulate.
template <std::size_t n>
PLUMB_LANES void accumulate(Pairs<n>& total, Doubles<n> x, Doubles<n> r_high, Doubles<n> r_low) {
  const Doubles<n> product = x * r_high;
  const Doubles<n> product_low = fma(x, r_low, fma(x, r_high, -product));
  const Pairs<n> s = two_sum(total.high, product);
  const Pairs<n> sum = fast_two_sum(s.high, total.low + (s.low + product_low));
  total.high = sum.high;
  total.low = sum.low;
}

// n columns at once.
template <std::size_t n>
PLUMB_LANES void transpose_times_dd_columns(const double* x, std::size_t rows, std::size_t stride, const double* r_high,
                                            const double* r_low, double* out_high, double* out_low) {
  Pairs<n> total = {Doubles<n>::load(out_high), Doubles<n>::load(out_low)};
  for (std::size_t i = 0; i < rows; ++i) {
    accumulate<n>(total, Doubles<n>::load(x + i * stride), r_high[i], r_low[i]);
  }
  total.high.store(out_high);
  total.low.store(out_low);
}

inline void transpose_times_dd_add(const double* x, std::size_t rows, std::size_t stride, std::size_t p,
                                   const double* r_high, const double* r_low, double* out_high,
                                   double* out_low) noexcept {
  constexpr std::size_t block = 16;  // rows whose lines stay in the first-level cache during a sweep over the columns
  for (std::size_t begin = 0; begin < rows; begin += block) {
    const std::size_t count = std::min(block, rows - begin);
    const double* const high = r_high + begin;
    const double* const low = r_low + begin;
    const double* const first = x + begin * stride;
    std::size_t j = 0;
    for (; j + 16 <= p; j += 16) {  // a step is long, so two eights run in parallel
      transpose_times_dd_columns<16>(first + j, count, stride, high, low, out_high + j, out_low + j);
    }
    for (; j + 8 <= p; j += 8) {
      transpose_times_dd_columns<8>(first + j, count, stride, high, low, out_high + j, out_low + j);
    }
    if (j == p) continue;
    const std::size_t left = p - j;
    double copy[8 * block] = {}, copy_high[8] = {}, copy_low[8] = {};
    for (std::size_t i = 0; i < count; ++i) std::copy_n(first + i * stride + j, left, copy + 8 * i);
    std::copy_n(out_high + j, left, copy_high);
    std::copy_n(out_low + j, left, copy_low);
    transpose_times_dd_columns<8>(copy, count, 8, high, low, copy_high, copy_low);
    std::copy_n(copy_high, left, out_high + j);
    std::copy_n(copy_low, left, out_low + j);
  }
}

// Up to six outputs at once, so that no step waits for the one before and each eight of b is loaded once for all of
// them; as separate variables, which need no memory.
template <std::size_t count>
PLUMB_LANES void times8_some(const double* a, std::size_t n, const double* b, double* out) {
  static_assert(count >= 1 && count <= 6);
  Eight s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0, s4 = 0.0, s5 = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    const Eight column = Eight::load(b + 8 * j);
    s0 = fma(Eight(a[j]), column, s0);
    if (count > 1) s1 = fma(Eight(a[n + j]), column, s1);
    if (count > 2) s2 = fma(Eight(a[2 * n + j]), column, s2);
    if (count > 3) s3 = fma(Eight(a[3 * n + j]), column, s3);
    if (count > 4) s4 = fma(Eight(a[4 * n + j]), column, s4);
    if (count > 5) s5 = fma(Eight(a[5 * n + j]), column, s5);
  }
  s0.store(out);
  if (count > 1) s1.store(out + 8);
  if (count > 2) s2.store(out + 16);
  if (count > 3) s3.store(out + 24);
  if (count > 4) s4.store(out + 32);
  if (count > 5) s5.store(out + 40);
}

inline void times8(const double* a, std::size_t rows, std::size_t n, const double* b, double* out) noexcept {
  std::size_t r = 0;
  for (; r + 6 <= rows; r += 6) times8_some<6>(a + r * n, n, b, out + 8 * r);
  const double* const rest = a + r * n;
  double* const to = out + 8 * r;
  switch (rows - r) {
    case 5: return times8_some<5>(rest, n, b, to);
    case 4: return times8_some<4>(rest, n, b, to);
    case 3: return times8_some<3>(rest, n, b, to);
    case 2: return times8_some<2>(rest, n, b, to);
    case 1: return times8_some<1>(rest, n, b, to);
    default: return;
  }
}

inline void left_out8(const double* s, const double* y, const double* h, const double* fitted, const double* leverage,
                      std::size_t n, double* sums) noexcept {
  const Eight weight = Eight::load(s), target = Eight::load(y), base = Eight::load(h), zero = 0.0;
  for (std::size_t i = 0; i < 8 * n; i += 8) {
    const Eight error = target - Eight::load(fitted + i);
    const Eight rest = Eight(1.0) - weight * (base + Eight::load(leverage + i));
    const Mask<8> has = rest > Eight(1e-10);
    const Eight over = Eight(1.0) / select(has, rest, 1.0), left_out = error * over;
    const Eight square = select(has, weight * (left_out * left_out), zero);
    (Eight::load(sums + i) + square).store(sums + i);
    (Eight::load(sums + 8 * n + i) + weight * error * error).store(sums + 8 * n + i);
    select(has, Eight::load(sums + 16 * n + i), 1.0).store(sums + 16 * n + i);
    (Eight::load(sums + 24 * n + i) + square * over).store(sums + 24 * n + i);
  }
}

// Numbers j to j + 7 of 8 rows, by column: turned[8 c + t] is number j + c of row t.
PLUMB_LANES void turn(const double* const (&row)[8], std::size_t j, double* turned) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  const typename Doubles<4>::D d;
  for (std::size_t t = 0; t < 8; t += 4) {
    for (std::size_t c = 0; c < 8; c += 4) {
      const auto a = hn::LoadU(d, row[t] + j + c), b = hn::LoadU(d, row[t + 1] + j + c);
      const auto e = hn::LoadU(d, row[t + 2] + j + c), f = hn::LoadU(d, row[t + 3] + j + c);
      const auto ab_even = hn::InterleaveLower(d, a, b), ab_odd = hn::InterleaveUpper(d, a, b);
      const auto ef_even = hn::InterleaveLower(d, e, f), ef_odd = hn::InterleaveUpper(d, e, f);
      hn::StoreU(hn::ConcatLowerLower(d, ef_even, ab_even), d, turned + 8 * c + t);
      hn::StoreU(hn::ConcatLowerLower(d, ef_odd, ab_odd), d, turned + 8 * c + 8 + t);
      hn::StoreU(hn::ConcatUpperUpper(d, ef_even, ab_even), d, turned + 8 * c + 16 + t);
      hn::StoreU(hn::ConcatUpperUpper(d, ef_odd, ab_odd), d, turned + 8 * c + 24 + t);
    }
  }
#else
  for (std::size_t t = 0; t < 8; ++t)
    for (std::size_t c = 0; c < 8; ++c) turned[8 * c + t] = row[t][j + c];
#endif
}

// Eight rows in parallel, a column at a time, so that no lanes need to be folded.
inline void residuals(const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* w_high,
                      const double* w_low, DoubleDouble bias, const double* y, double* r_high, double* r_low) noexcept {
  for (std::size_t i = 0; i < rows; i += 8) {
    const std::size_t count = std::min<std::size_t>(8, rows - i);
    const double* row[8];
    for (std::size_t t = 0; t < 8; ++t) row[t] = x + (i + std::min(t, count - 1)) * stride;
    Pairs<8> r = two_sum(count == 8 ? Eight::load(y + i) : Eight::load_first(y + i, count), Eight(-bias.high));
    r.low = r.low - bias.low;
    for (std::size_t j = 0; j < p; j += 8) {
      const std::size_t columns = std::min<std::size_t>(8, p - j);
      alignas(64) double turned[64];
      if (columns == 8) {
        for (std::size_t t = 0; t < 8; ++t) __builtin_prefetch(row[t] + 8 * stride + j);  // need not be valid
        turn(row, j, turned);
      } else {
        for (std::size_t t = 0; t < 8; ++t)
          for (std::size_t c = 0; c < columns; ++c) turned[8 * c + t] = row[t][j + c];
      }
      for (std::size_t c = 0; c < columns; ++c) {
        const Eight column = Eight::load(turned + 8 * c);
        const Eight product = column * Eight(w_high[j + c]);
        const Eight product_low = fma(column, w_low[j + c], fma(column, w_high[j + c], -product));
        const Pairs<8> s = two_sum(r.high, -product);
        r.high = s.high;
        r.low = r.low + (s.low - product_low);
      }
    }
    const Pairs<8> sum = two_sum(r.high, r.low);
    double high[8], low[8];
    with_one_nan(sum.high).store(high);
    with_one_nan(sum.low).store(low);
    std::copy_n(high, count, r_high + i);
    std::copy_n(low, count, r_low + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::math
HWY_AFTER_NAMESPACE();

#endif
