// Kernels for eight fits in parallel, one in each lane: a column has eight adjacent weights, so that an entry is read
// once for all fits. Lanes never interact: the result of one fit does not depend on the others.

#if defined(PLUMB_MATH_LOCKSTEP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_MATH_LOCKSTEP_INL_H
#undef PLUMB_MATH_LOCKSTEP_INL_H
#else
#define PLUMB_MATH_LOCKSTEP_INL_H
#endif

#include "plumb/math/sparse-inl.h"
#include "plumb/math/special-inl.h"

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace plumb::math {
namespace HWY_NAMESPACE {

// The t-th entry goes to sum t % 4, so that the multiply-adds do not wait for each other.
inline void lockstep_dots(const SparseEntry* row, std::size_t n, const float* w, float* out) noexcept {
  constexpr std::size_t parts = 8 / kFloats, chains = 4;
  const FloatsTag tag;
  FloatsOf sum[chains][parts];
  for (std::size_t c = 0; c < chains; ++c)
    for (std::size_t k = 0; k < parts; ++k) sum[c][k] = hn::Zero(tag);
  const auto add = [&](std::size_t t, FloatsOf(&into)[parts]) PLUMB_LANES_ATTR {
    const float* const from = w + std::size_t{row[t].column} * 8;
    const FloatsOf value = hn::Set(tag, row[t].value);
    for (std::size_t k = 0; k < parts; ++k) into[k] = fused(value, hn::LoadU(tag, from + k * kFloats), into[k]);
  };
  std::size_t t = 0;
  for (; t + chains <= n; t += chains) {
    add(t, sum[0]);
    add(t + 1, sum[1]);
    add(t + 2, sum[2]);
    add(t + 3, sum[3]);
  }
  if (t < n) add(t, sum[0]);
  if (t + 1 < n) add(t + 1, sum[1]);
  if (t + 2 < n) add(t + 2, sum[2]);
  for (std::size_t k = 0; k < parts; ++k)
    hn::StoreU(hn::Add(hn::Add(sum[0][k], sum[1][k]), hn::Add(sum[2][k], sum[3][k])), tag, out + k * kFloats);
}

inline void lockstep_dots_exact(const std::uint32_t* index, const double* value, std::size_t n, const double* w,
                                double* out) noexcept {
  Eight even = 0.0, odd = 0.0;
  std::size_t t = 0;
  for (; t + 2 <= n; t += 2) {
    even = fma(value[t], Eight::load(w + std::size_t{index[t]} * 8), even);
    odd = fma(value[t + 1], Eight::load(w + std::size_t{index[t + 1]} * 8), odd);
  }
  if (t < n) even = fma(value[t], Eight::load(w + std::size_t{index[t]} * 8), even);
  (even + odd).store(out);
}

inline void lockstep_axpys_exact(const double* a, const std::uint32_t* index, const double* value, std::size_t n,
                                 double* y) noexcept {
  const Eight step = Eight::load(a);
  for (std::size_t t = 0; t < n; ++t) {
    double* const to = y + std::size_t{index[t]} * 8;
    fma(value[t], step, Eight::load(to)).store(to);
  }
}

PLUMB_LANES bool any(Mask<8> mask) {
  bool found = false;
  for (std::size_t i = 0; i < Mask<8>::parts; ++i) found = found || !hn::AllFalse(Mask<8>::D(), mask.part[i]);
  return found;
}
PLUMB_LANES Mask<8> both(Mask<8> a, Mask<8> b) {
  return each<Mask<8>>([](auto x, auto y) PLUMB_LANES_ATTR { return hn::And(x, y); }, a, b);
}

// The root u of norm (a(u) - a) + margin + u = 0 with a(u) = s / (1 + e^-u), by Newton's method in a bracket, for the
// wanted lanes that are off by more than their precision. A lane that has reached its root stays there.
inline bool lockstep_logistic(const double* margins, double norm, double s, const double* precisions,
                              const double* wanted, double* as, double* us, double* change, double* off) noexcept {
  constexpr int kMostTrials = 50;
  const Eight margin = Eight::load(margins), start = Eight::load(as), before = Eight::load(us);
  const Eight precision = Eight::load(precisions), live = Eight::load(wanted);
  const Eight curve = start * (1.0 - start / s);
  Eight residual = margin + before;
  const Eight size = abs(residual);
  const Eight half = 0.5 * curve * residual * residual, far = s * size;
  fma(live, select(half < far, half, far), Eight::load(off)).store(off);
  Mask<8> going = both(size > precision, live > 0.0);
  if (!any(going)) return false;
  const Eight enough = precision * 0.1;
  Eight low = -margin - norm * (s - start), high = -margin + norm * start, a = start, u = before;
  high = select(residual > 0.0, before, high);
  low = select(residual > 0.0, low, before);
  Eight next = before - residual / (1.0 + norm * curve);
  for (int trial = 0; trial < kMostTrials; ++trial) {
    next = select(both(next > low, next < high), next, 0.5 * (low + high));
    const Eight e = exp(-abs(next)), one = 1.0 + e, share = s / one;
    const Eight here = select(next < 0.0, e * share, share);
    residual = norm * (here - start) + margin + next;
    a = select(going, here, a);
    u = select(going, next, u);
    going = both(going, both(abs(residual) > enough, low < high));
    if (!any(going)) break;
    high = select(residual > 0.0, next, high);
    low = select(residual > 0.0, low, next);
    next = next - residual / (1.0 + norm * (e * share / one));
  }
  a.store(as);
  u.store(us);
  (a - start).store(change);
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::math
HWY_AFTER_NAMESPACE();

#endif
