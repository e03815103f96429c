// exp, expm1, log, log1p over lanes: reduce to a short interval, evaluate one polynomial, and sum the significant parts
// in two doubles, which keeps the error near the half ulp of the last rounding. No tables, no branches, no integer
// conversions.

#if defined(PLUMB_MATH_SPECIAL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_MATH_SPECIAL_INL_H
#undef PLUMB_MATH_SPECIAL_INL_H
#else
#define PLUMB_MATH_SPECIAL_INL_H
#endif

#include "plumb/math/dense-inl.h"
#include "plumb/math/lanes-inl.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace plumb::math {
namespace HWY_NAMESPACE {

constexpr double infinity = std::numeric_limits<double>::infinity();

// c[0] + c[1] x + ..., odd and even powers apart: half the latency of Horner's rule.
template <std::size_t n, std::size_t count>
PLUMB_LANES Doubles<n> polynomial(Doubles<n> x, const double (&c)[count]) {
  static_assert(count % 2 == 0);
  const Doubles<n> square = x * x;
  Doubles<n> even = c[count - 2];
  Doubles<n> odd = c[count - 1];
  for (std::size_t i = count - 2; i > 0; i -= 2) {
    even = fma(even, square, c[i - 2]);
    odd = fma(odd, square, c[i - 1]);
  }
  return fma(odd, x, even);
}

// 1.5 * 2^52: a double near it has ulp 1, so adding it rounds to an integer, which is then in the low bits.
constexpr double shifter = 0x1.8p52;
constexpr std::uint64_t shifter_bits = 0x4338000000000000;

// 2^k from the integer k in two's complement, -1023 < k < 1024.
template <std::size_t n>
PLUMB_LANES Doubles<n> power_of_two(Bits<n> k) {
  return from_bits(shift_left<52>(k + std::uint64_t{1023}));
}

// e^x = 2^k (1 + q), the sum q known to about 2^-60 of itself.
template <std::size_t n>
struct ExpParts {
  Bits<n> k;
  Pairs<n> q;
};

// For |x| < 2000. k = x / ln 2 rounded, r = x - k ln 2 in two doubles, q = r + r^2/2 + r^3 c(r), where the first two
// terms are summed exactly. t is exact: a multiple of 2^-54 (as |x| > 0.34 where k is not 0) and below 1/2.
template <std::size_t n>
PLUMB_LANES ExpParts<n> exp_parts(Doubles<n> x) {
  constexpr double c[] = {// minimax.py: 2^-58.5 of q
                          0x1.5555555555556p-3,  0x1.5555555555556p-5,  0x1.11111111109b3p-7,  0x1.6c16c16c15dc6p-10,
                          0x1.a01a01a7c437ap-13, 0x1.a01a01a9366e0p-16, 0x1.71de0dae0c207p-19, 0x1.27e4d4d34ac97p-22,
                          0x1.af38aa6742517p-26, 0x1.1f7f28f2c00ddp-29};
  constexpr double inverse_ln2 = 0x1.71547652b82fep+0;
  constexpr double ln2_high = 0x1.62e42fefa39efp-1;
  constexpr double ln2_low = 0x1.abc9e3b39803fp-56;

  const Doubles<n> shifted = fma(x, inverse_ln2, shifter);
  const Doubles<n> k = shifted - shifter;
  const Doubles<n> t = fma(k, -ln2_high, x);
  const Doubles<n> r = fma(k, -ln2_low, t);
  const Doubles<n> r_low = fma(k, -ln2_low, t - r);
  const Pairs<n> square = two_product(r, r);
  const Pairs<n> q = fast_two_sum(r, 0.5 * square.high);
  const Doubles<n> cubic = r * square.high * polynomial(r, c);
  const Doubles<n> rest = fma(0.5, square.low, r_low) + fma(r, r_low, cubic);
  return {bits(shifted) - shifter_bits, {q.high, q.low + rest}};
}

// y 2^k in two steps, of which only the last can round (to a subnormal) or overflow.
template <std::size_t n>
PLUMB_LANES Doubles<n> scale_by_power(Doubles<n> y, Bits<n> k) {
  const Bits<n> half = shift_right<1>(k + std::uint64_t{2048}) - std::uint64_t{1024};
  return y * power_of_two(half) * power_of_two(k - half);
}

template <std::size_t n>
PLUMB_LANES Doubles<n> clamp(Doubles<n> x, double low, double high) {
  return select(x > high, high, select(x < low, low, x));
}

template <std::size_t n>
PLUMB_LANES Doubles<n> exp(Doubles<n> x) {
  const ExpParts<n> e = exp_parts(clamp(x, -746.0, 710.0));  // goes to 0 and inf by itself
  const Pairs<n> y = fast_two_sum(Doubles<n>(1.0), e.q.high);
  return with_one_nan(scale_by_power(y.high + (y.low + e.q.low), e.k));
}

// e^x - 1 = 2^k ((1 - 2^-k) + q), which is q if k is 0. From -40 down it is -1 to the last bit; from 60 up, 2^-k is
// negligible.
template <std::size_t n>
PLUMB_LANES Doubles<n> expm1(Doubles<n> x) {
  const ExpParts<n> e = exp_parts(clamp(x, -40.0, 710.0));
  const Pairs<n> y = fast_two_sum(Doubles<n>(1.0), e.q.high);
  const Doubles<n> one = select(x > 60.0, 0.0, power_of_two(Bits<n>(0) - e.k));
  const Pairs<n> z = two_sum(y.high, -one);
  const Doubles<n> far = scale_by_power(z.high + (z.low + (y.low + e.q.low)), e.k);
  const Doubles<n> result = select(abs(x) < 0.34, e.q.high + e.q.low, far);
  return with_one_nan(select(x == 0.0, x, result));  // keeps -0
}

// k ln 2 + log(1 + f), f = f_high + f_low, 1 + f within [sqrt(1/2), sqrt(2)], k an integer in a double.
// log(1 + f) = 2 atanh(s) = 2 s + s^3 P(s^2) with s = f / (2 + f), the quotient in two doubles from one division.
template <std::size_t n>
PLUMB_LANES Doubles<n> log_from_parts(Doubles<n> k, Doubles<n> f_high, Doubles<n> f_low) {
  constexpr double c[] = {// minimax.py: 2^-60.7 of 2 atanh(s)
                          0x1.5555555555555p-1, 0x1.9999999999a39p-2, 0x1.2492492476903p-2, 0x1.c71c7201ba536p-3,
                          0x1.745cf8df6358ap-3, 0x1.3b1c3ca52f871p-3, 0x1.0fbde04500d58p-3, 0x1.0c0a8c61893a8p-3};
  constexpr double ln2_high = 0x1.62e42fefa0000p-1;  // short enough for k ln2_high to be exact
  constexpr double ln2_low = 0x1.cf79abc9e3b3ap-40;

  const Pairs<n> d = fast_two_sum(Doubles<n>(2.0), f_high);
  const Doubles<n> inverse = 1.0 / d.high;
  const Doubles<n> s = f_high * inverse;
  const Doubles<n> remainder = fma(-s, d.high, f_high) + fma(-s, d.low + f_low, f_low);
  const Doubles<n> s_low = remainder * inverse;
  const Doubles<n> z = s * s;
  const Doubles<n> cubic = s * z * polynomial(z, c);
  const Pairs<n> sum = fast_two_sum(k * ln2_high, 2.0 * s);  // |k ln 2| is 0 or above |2 s|
  return sum.high + (sum.low + (fma(k, ln2_low, 2.0 * s_low) + cubic));
}

// x = 2^k m with m in [sqrt(1/2), sqrt(2)), x positive and normal.
template <std::size_t n>
struct LogParts {
  Bits<n> biased_k;  // k + 1023
  Doubles<n> k;
  Doubles<n> m;
};

template <std::size_t n>
PLUMB_LANES LogParts<n> log_parts(Doubles<n> x) {
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;  // bits of sqrt(1/2)
  constexpr std::uint64_t one = 0x3ff0000000000000;
  const Bits<n> moved = bits(x) + (one - root_half);
  const Bits<n> k = shift_right<52>(moved);
  const Bits<n> m = (moved & std::uint64_t{0x000fffffffffffff}) + root_half;
  return {k, from_bits(k | std::uint64_t{0x4330000000000000}) - (0x1p52 + 1023.0), from_bits(m)};  // 2^52 has ulp 1
}

template <std::size_t n>
PLUMB_LANES Doubles<n> log(Doubles<n> x) {
  const Mask<n> subnormal = x < 0x1p-1022;
  const LogParts<n> p = log_parts(select(subnormal, x * 0x1p54, x));
  Doubles<n> y = log_from_parts(select(subnormal, p.k - 54.0, p.k), p.m - 1.0, Doubles<n>(0.0));
  y = select(x < infinity, y, x);
  y = select(x == 0.0, -infinity, y);
  return with_one_nan(select(x < 0.0, not_a_number, y));
}

// log(1 + x) where 1 + x is u + u_low exactly. While k is 0, f is x itself, so nothing is lost near 0.
template <std::size_t n>
PLUMB_LANES Doubles<n> log1p(Doubles<n> x) {
  const Pairs<n> u = two_sum(Doubles<n>(1.0), x);
  const LogParts<n> p = log_parts(u.high);
  const Mask<n> near = p.k == 0.0;
  // 2^-k, for k below 60; u_low adds nothing to a larger u.
  const Doubles<n> scaled_low = select(x < 0x1p60, u.low * power_of_two(std::uint64_t{1023} - p.biased_k), 0.0);
  Doubles<n> y = log_from_parts(p.k, select(near, x, p.m - 1.0), select(near, 0.0, scaled_low));
  y = select(abs(x) < 0x1p-54, x, y);  // x - x^2/2 rounds to x; half of a subnormal x would not be exact; keeps -0
  y = select(x < infinity, y, x);
  y = select(x == -1.0, -infinity, y);
  return with_one_nan(select(x < -1.0, not_a_number, y));
}

template <std::size_t n>
PLUMB_LANES Doubles<n> sigmoid(Doubles<n> t) {
  const Doubles<n> e = exp(-abs(t));
  return with_one_nan(select(t < 0.0, e, 1.0) / (1.0 + e));
}

template <std::size_t n>
PLUMB_LANES Doubles<n> log1p_exp(Doubles<n> t) {
  return with_one_nan(select(t > 0.0, t, 0.0) + log1p(exp(-abs(t))));
}

template <std::size_t n>
PLUMB_LANES Doubles<n> log_sigmoid(Doubles<n> t) {
  return with_one_nan(select(t < 0.0, t, 0.0) - log1p(exp(-abs(t))));
}

// clang-format off
struct Exp { template <class V> static PLUMB_LANES V of(V x) { return exp(x); } };
struct Expm1 { template <class V> static PLUMB_LANES V of(V x) { return expm1(x); } };
struct Log { template <class V> static PLUMB_LANES V of(V x) { return log(x); } };
struct Log1p { template <class V> static PLUMB_LANES V of(V x) { return log1p(x); } };
struct Sigmoid { template <class V> static PLUMB_LANES V of(V t) { return sigmoid(t); } };
struct LogSigmoid { template <class V> static PLUMB_LANES V of(V t) { return log_sigmoid(t); } };
struct Log1pExp { template <class V> static PLUMB_LANES V of(V t) { return log1p_exp(t); } };
// clang-format on

// Eight at a time keeps the units busy if a register holds several; if it holds one it would only add code.
constexpr std::size_t at_once = Eight::width == 1 ? 1 : 8;

// n must be a multiple of at_once. Not inlined: this is the only copy of F's code for arrays.
template <class F>
HWY_NOINLINE void for_multiple(const double* x, double* y, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; i += at_once) F::of(Doubles<at_once>::load(x + i)).store(y + i);
}
template <class F>
void for_many(const double* x, double* y, std::size_t n) noexcept {
  const std::size_t left = n % at_once;
  const std::size_t whole = n - left;
  for_multiple<F>(x, y, whole);
  if (left == 0) return;
  double last[at_once] = {};
  std::copy_n(x + whole, left, last);
  for_multiple<F>(last, last, at_once);
  std::copy_n(last, left, y + whole);
}
template <class F>
double for_one(double x) noexcept {
  double y;
  F::of(Doubles<1>(x)).store(&y);
  return y;
}

// max x_i; -inf for none, NaN if one is NaN.
inline double largest(const double* x, std::size_t n) noexcept {
  Eight largest = -infinity;
  Eight nan_seen = 0.0;
  const auto take = [&](Eight v) PLUMB_LANES_ATTR {
    largest = select(v > largest, v, largest);
    nan_seen = select(v == v, nan_seen, 1.0);
  };
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) take(Eight::load(x + i));
  if (i < n) take(Eight::load_first(x + i, n - i, -infinity));
  double lane[8];
  nan_seen.store(lane);
  for (const double seen : lane) {
    if (seen != 0.0) return not_a_number;
  }
  largest.store(lane);
  double result = -infinity;
  for (const double each : lane) result = each > result ? each : result;
  return result;
}

inline double log_sum_exp(const double* x, std::size_t n) noexcept {
  const double shift = largest(x, n);
  if (!(shift < infinity) || shift == -infinity) return shift;
  constexpr std::size_t room = 256;
  double e[room];
  Eight total = 0.0;
  for (std::size_t begin = 0; begin < n; begin += room) {
    const std::size_t count = std::min(room, n - begin);
    const std::size_t padded = (count + 7) / 8 * 8;
    for (std::size_t i = 0; i < padded; ++i) e[i] = i < count ? x[begin + i] - shift : -infinity;
    for_multiple<Exp>(e, e, padded);
    for (std::size_t i = 0; i < padded; i += 8) total = total + Eight::load(e + i);
  }
  return shift + for_one<Log>(fold(total));
}

// All three share e^-|t|.
inline void odds_losses(const double* odds, const double* targets, double* loss, double* brier, double* confidence,
                        std::size_t n) noexcept {
  const auto take = [](const double* from, const double* target, double* log_loss, double* square,
                       double* sure) PLUMB_LANES_ATTR {
    using Lanes = Doubles<at_once>;
    const Lanes t = Lanes::load(from), label = Lanes::load(target), none = 0.0;
    const Lanes one = select(label == 1.0, 1.0, none), nought = select(label == 0.0, 1.0, none);
    const Lanes e = exp(-abs(t)), sum = 1.0 + e, likelier = 1.0 / sum, other = e / sum;
    const Lanes own = (2.0 * one - 1.0) * t;
    with_one_nan(log1p(e) - select(own > 0.0, 0.0, own)).store(log_loss);
    const Lanes off = select(t > 0.0, other, likelier) - nought, beside = select(t < 0.0, other, likelier) - one;
    with_one_nan(0.5 * (off * off + beside * beside)).store(square);
    with_one_nan(likelier).store(sure);
  };
  std::size_t i = 0;
  for (; i + at_once <= n; i += at_once) take(odds + i, targets + i, loss + i, brier + i, confidence + i);
  if (i == n) return;
  double last[2][at_once] = {}, found[3][at_once];
  std::copy_n(odds + i, n - i, last[0]);
  std::copy_n(targets + i, n - i, last[1]);
  take(last[0], last[1], found[0], found[1], found[2]);
  std::copy_n(found[0], n - i, loss + i);
  std::copy_n(found[1], n - i, brier + i);
  std::copy_n(found[2], n - i, confidence + i);
}

inline void softmax(const double* x, double* y, std::size_t n) noexcept {
  const double shift = largest(x, n);
  for (std::size_t i = 0; i < n; ++i) y[i] = x[i] - shift;
  for_many<Exp>(y, y, n);
  const double total = sum(y, n);
  for (std::size_t i = 0; i < n; ++i) y[i] = with_one_nan(y[i] / total);
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::math
HWY_AFTER_NAMESPACE();

#endif
