// exp, log and functions of them for logistic models. Each gives the same bits from its one-number form, from its array
// form at any length and position, and on every machine: no call to the system's libm, whose last bits vary. A result
// that is NaN is always 0x7ff8000000000000. Arrays may be unaligned, y may be x itself, sizes must agree.
#pragma once

#include "plumb/base/span.h"
#include "plumb/math/kernels.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace plumb::math {

// Within 1 ulp of the exact value over the whole range. The worst of 15 million arguments each, against MPFR: exp 0.75
// (0.54 if the result is not subnormal), expm1 0.60, log 0.55, log1p 0.57 ulp.
inline double exp(double x) noexcept { return kernels().exp.one(x); }
inline double expm1(double x) noexcept { return kernels().expm1.one(x); }
inline double log(double x) noexcept { return kernels().log.one(x); }      // -inf at +-0, NaN below
inline double log1p(double x) noexcept { return kernels().log1p.one(x); }  // -inf at -1, NaN below

// 1 / (1 + e^-t). exp is taken of -|t| alone, so it cannot overflow. Within 3 ulp.
inline double sigmoid(double t) noexcept { return kernels().sigmoid.one(t); }

// log(1 + e^t) = max(t, 0) + log1p(e^-|t|), also called softplus. Within 3 ulp.
inline double log1p_exp(double t) noexcept { return kernels().log1p_exp.one(t); }

// log(sigmoid(t)) = -log1p_exp(-t). Within 3 ulp.
inline double log_sigmoid(double t) noexcept { return kernels().log_sigmoid.one(t); }

namespace detail {
inline void map(const Kernels::Function& function, In x, Out y) noexcept {
  assert(x.size() == y.size());
  function.many(x.data(), y.data(), x.size());
}
}  // namespace detail

inline void exp(In x, Out y) noexcept { detail::map(kernels().exp, x, y); }
inline void expm1(In x, Out y) noexcept { detail::map(kernels().expm1, x, y); }
inline void log(In x, Out y) noexcept { detail::map(kernels().log, x, y); }
inline void log1p(In x, Out y) noexcept { detail::map(kernels().log1p, x, y); }
inline void sigmoid(In t, Out y) noexcept { detail::map(kernels().sigmoid, t, y); }
inline void log1p_exp(In t, Out y) noexcept { detail::map(kernels().log1p_exp, t, y); }
inline void log_sigmoid(In t, Out y) noexcept { detail::map(kernels().log_sigmoid, t, y); }

// log(sum e^x_i), shifted by the largest so that it overflows only if the result does. -inf for no numbers and if all
// are -inf; +inf if one is; NaN if one is NaN.
inline double log_sum_exp(In x) noexcept { return kernels().log_sum_exp(x.data(), x.size()); }

// Losses of log-odds t of label 1 against label 0, if the target is one of them: -log_sigmoid(t) or -log_sigmoid(-t),
// the squared distance of the probability from the target, and the probability of the more likely label. For another
// target the first is that of 0, and the second is half the sum of squares of both probabilities.
inline void odds_losses(In odds, In targets, Out loss, Out brier, Out confidence) noexcept {
  assert(odds.size() == targets.size() && odds.size() == loss.size() && odds.size() == brier.size() &&
         odds.size() == confidence.size());
  kernels().odds_losses(odds.data(), targets.data(), loss.data(), brier.data(), confidence.data(), odds.size());
}

// y_i = e^x_i / sum e^x_j. NaN throughout if an x_i is NaN or +inf, or if all are -inf: there the quotient is
// undefined.
inline void softmax(In x, Out y) noexcept {
  assert(x.size() == y.size());
  kernels().softmax(x.data(), y.data(), x.size());
}

// sqrt(a^2 + b^2) without overflow: the larger is divided out. The last bits of std::hypot are those of the C library.
inline double length(double a, double b) noexcept {
  const double most = std::max(std::abs(a), std::abs(b));
  if (most == 0.0 || !std::isfinite(most)) return most;
  const double x = a / most, y = b / most;
  return most * std::sqrt(x * x + y * y);
}

}  // namespace plumb::math
