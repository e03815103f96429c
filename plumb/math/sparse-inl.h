// Kernels over one sparse row: value_t at column index_t, n of them. A gather is no faster than eight loads on the
// machines we know, so most are plain loops; the target provides the fused multiply-add as one instruction.

#if defined(PLUMB_MATH_SPARSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_MATH_SPARSE_INL_H
#undef PLUMB_MATH_SPARSE_INL_H
#else
#define PLUMB_MATH_SPARSE_INL_H
#endif

#include "plumb/math/dense-inl.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace plumb::math {
namespace HWY_NAMESPACE {

// Eight lanes as separate variables: an array would go through memory.
struct SparseLanes {
  double a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;

  // add(t, lane): adds the t-th of eight terms.
  template <class Add>
  PLUMB_LANES void add_eight(Add add) {
    add(0, a);
    add(1, b);
    add(2, c);
    add(3, d);
    add(4, e);
    add(5, f);
    add(6, g);
    add(7, h);
  }

  // The last n < 8 terms, and the sum of all lanes.
  template <class Add>
  PLUMB_LANES double finish(std::size_t n, Add add) {
    if (n > 0) add(0, a);
    if (n > 1) add(1, b);
    if (n > 2) add(2, c);
    if (n > 3) add(3, d);
    if (n > 4) add(4, e);
    if (n > 5) add(5, f);
    if (n > 6) add(6, g);
    const double lane[8] = {a, b, c, d, e, f, g, h};
    return with_one_nan(fold(lane));
  }
};

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
PLUMB_LANES __m128d two_values(const double* value) { return _mm_loadu_pd(value); }
PLUMB_LANES __m128d two_values(const float* value) {
  return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(value))));
}
PLUMB_LANES __m128d two_values(const std::uint8_t* value) {
  std::uint16_t two;
  std::memcpy(&two, value, sizeof two);
  return _mm_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(two)));
}
PLUMB_LANES __m128d two_weights(const std::uint32_t* index, const double* w) {
  return _mm_loadh_pd(_mm_load_sd(w + index[0]), w + index[1]);
}

// SparseLanes, two to a register: a quarter fewer instructions than eight variables, and when weights come from the
// second-level cache, instructions are the bottleneck.
struct PairedLanes {
  __m128d ab, cd, ef, gh;

  PLUMB_LANES PairedLanes() : ab(_mm_setzero_pd()), cd(ab), ef(ab), gh(ab) {}

  // add(t, sum): adds terms t and t + 1 to the sums of two lanes. For n terms, except the last n % 8.
  template <class Add>
  PLUMB_LANES void add_eights(std::size_t n, Add add) {
    for (std::size_t t = 0; t + 8 <= n; t += 8) {
      ab = add(t, ab);
      cd = add(t + 2, cd);
      ef = add(t + 4, ef);
      gh = add(t + 6, gh);
    }
  }
  // add_one(t, sum): adds term t to the first of two lanes; the other stays.
  template <class Add, class AddOne>
  PLUMB_LANES double finish(std::size_t n, Add add, AddOne add_one) {
    const std::size_t t = n / 8 * 8, left = n % 8;
    if (left >= 2) ab = add(t, ab);
    if (left >= 4) cd = add(t + 2, cd);
    if (left >= 6) ef = add(t + 4, ef);
    if (left == 1) ab = add_one(t, ab);
    if (left == 3) cd = add_one(t + 2, cd);
    if (left == 5) ef = add_one(t + 4, ef);
    if (left == 7) gh = add_one(t + 6, gh);
    return with_one_nan(folded());
  }
  PLUMB_LANES double folded() const {
    const __m128d both = _mm_add_pd(_mm_add_pd(ab, ef), _mm_add_pd(cd, gh));
    return _mm_cvtsd_f64(_mm_add_sd(both, _mm_unpackhi_pd(both, both)));
  }
};
#endif

// Lanes by position in the row: the t-th value goes to lane t % 8. A float or a byte is converted exactly to double.
template <class Value>
inline double sparse_dot(const std::uint32_t* index, const Value* value, std::size_t n, const double* w) noexcept {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  const auto two = [&](std::size_t t, __m128d sum)
                       PLUMB_LANES_ATTR { return _mm_fmadd_pd(two_values(value + t), two_weights(index + t, w), sum); };
  const auto one = [&](std::size_t t, __m128d sum) PLUMB_LANES_ATTR {
    const __m128d x = _mm_set_sd(static_cast<double>(value[t]));
    return _mm_move_sd(sum, _mm_fmadd_sd(x, _mm_load_sd(w + index[t]), sum));
  };
  PairedLanes lanes;
  lanes.add_eights(n, two);
  return lanes.finish(n, two, one);
#else
  SparseLanes lanes;
  const auto add = [&](std::size_t t, double& lane)
                       PLUMB_LANES_ATTR { lane = std::fma(static_cast<double>(value[t]), w[index[t]], lane); };
  for (; n >= 8; n -= 8, index += 8, value += 8) {
    lanes.add_eight(add);
  }
  return lanes.finish(n, add);
#endif
}

// sparse_dot of entries that are 256 column + value; n is a multiple of 8. The weights that it read are kept, so that a
// following step need not look them up again.
inline double count_dot(const std::uint32_t* entries, std::size_t n, const double* w, double* kept) noexcept {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  const __m128i low = _mm_set1_epi32(255);
  PairedLanes lanes;
  lanes.add_eights(n, [&](std::size_t t, __m128d sum) PLUMB_LANES_ATTR {
    const __m128i two = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(entries + t));
    const __m128d weights = _mm_loadh_pd(_mm_load_sd(w + (entries[t] >> 8)), w + (entries[t + 1] >> 8));
    _mm_storeu_pd(kept + t, weights);
    return _mm_fmadd_pd(_mm_cvtepi32_pd(_mm_and_si128(two, low)), weights, sum);
  });
  return with_one_nan(lanes.folded());
#else
  SparseLanes lanes;
  const auto add = [&](std::size_t t, double& lane) PLUMB_LANES_ATTR {
    kept[t] = w[entries[t] >> 8];
    lane = std::fma(static_cast<double>(entries[t] & 255), kept[t], lane);
  };
  for (; n >= 8; n -= 8, entries += 8, kept += 8) {
    lanes.add_eight(add);
  }
  return lanes.finish(0, [](std::size_t, double&) {});
#endif
}

// sparse_axpy of the same, from the weights that count_dot kept. A column occurs only once, unless its values are 0.
inline void count_axpy(double a, const std::uint32_t* entries, std::size_t n, const double* kept, double* y) noexcept {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  const __m128i low = _mm_set1_epi32(255);
  const __m128d step = _mm_set1_pd(a);
  for (std::size_t t = 0; t < n; t += 2) {
    const __m128i two = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(entries + t));
    const __m128d moved = _mm_fmadd_pd(step, _mm_cvtepi32_pd(_mm_and_si128(two, low)), _mm_loadu_pd(kept + t));
    _mm_storel_pd(y + (entries[t] >> 8), moved);
    _mm_storeh_pd(y + (entries[t + 1] >> 8), moved);
  }
#else
  for (std::size_t t = 0; t < n; ++t) y[entries[t] >> 8] = std::fma(a, static_cast<double>(entries[t] & 255), kept[t]);
#endif
}

// sparse_dot of values that are all 1.
PLUMB_LANES double sum_of_weights(const std::uint32_t* index, std::size_t n, const double* w) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  const auto two = [&](std::size_t t, __m128d sum)
                       PLUMB_LANES_ATTR { return _mm_add_pd(sum, two_weights(index + t, w)); };
  const auto one = [&](std::size_t t, __m128d sum)
                       PLUMB_LANES_ATTR { return _mm_add_sd(sum, _mm_load_sd(w + index[t])); };
  PairedLanes lanes;
  lanes.add_eights(n, two);
  return lanes.finish(n, two, one);
#else
  SparseLanes lanes;
  const auto add = [&](std::size_t t, double& lane) PLUMB_LANES_ATTR { lane += w[index[t]]; };
  for (; n >= 8; n -= 8, index += 8) {
    lanes.add_eight(add);
  }
  return lanes.finish(n, add);
#endif
}
inline double sparse_sum(const std::uint32_t* index, std::size_t n, const double* w) noexcept {
  return sum_of_weights(index, n, w);
}

// For consecutive rows; prefetches some lines ahead, at addresses that need not be valid.
inline void sparse_sums(const std::uint32_t* index, const std::uint64_t* offsets, std::size_t rows, const double* w,
                        double* out) noexcept {
  constexpr std::size_t ahead = 768, line = 16;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::uint32_t* const row = index + offsets[r];
    const std::size_t n = offsets[r + 1] - offsets[r];
    for (std::size_t t = 0; t < n; t += line) __builtin_prefetch(row + ahead + t);
    out[r] = sum_of_weights(row, n, w);
  }
}

inline IndexRange index_range(const std::uint32_t* index, std::size_t n) noexcept {
  const hn::CappedTag<std::uint32_t, 8> tag;
  constexpr std::size_t width = hn::MaxLanes(tag), parts = 4;  // so that no term waits for the last
  auto a = hn::Set(tag, IndexRange().least), b = a, c = a, d = a;
  auto e = hn::Zero(tag), f = e, g = e, h = e;
  std::size_t t = 0;
  for (; t + parts * width <= n; t += parts * width) {
    const auto i = hn::LoadU(tag, index + t), j = hn::LoadU(tag, index + t + width);
    const auto k = hn::LoadU(tag, index + t + 2 * width), l = hn::LoadU(tag, index + t + 3 * width);
    a = hn::Min(a, i);
    b = hn::Min(b, j);
    c = hn::Min(c, k);
    d = hn::Min(d, l);
    e = hn::Max(e, i);
    f = hn::Max(f, j);
    g = hn::Max(g, k);
    h = hn::Max(h, l);
  }
  std::uint32_t least[width], most[width];
  hn::StoreU(hn::Min(hn::Min(a, b), hn::Min(c, d)), tag, least);
  hn::StoreU(hn::Max(hn::Max(e, f), hn::Max(g, h)), tag, most);
  IndexRange range;
  const auto add = [&](std::uint32_t low, std::uint32_t high) {
    range.least = low < range.least ? low : range.least;
    range.most = high > range.most ? high : range.most;
  };
  for (std::size_t lane = 0; lane < width; ++lane) add(least[lane], most[lane]);
  for (; t < n; ++t) add(index[t], index[t]);
  return range;
}

inline DoubleDouble sparse_dot2(const std::uint32_t* index, const double* value, std::size_t n,
                                const double* w) noexcept {
  Pairs<8> total = {0.0, 0.0};
  double gathered[8];
  std::size_t t = 0;
  for (; t + 8 <= n; t += 8) {
    for (std::size_t l = 0; l < 8; ++l) gathered[l] = w[index[t + l]];
    add_product(total, Eight::load(value + t), Eight::load(gathered));
  }
  if (t < n) {
    for (std::size_t l = 0; l < 8; ++l) gathered[l] = t + l < n ? w[index[t + l]] : 0.0;
    add_product(total, Eight::load_first(value + t, n - t), Eight::load(gathered));
  }
  return fold(total);
}

template <class Value>
inline void sparse_axpy(double a, const std::uint32_t* index, const Value* value, std::size_t n, double* y) noexcept {
  for (std::size_t t = 0; t < n; ++t) y[index[t]] = std::fma(a, double{value[t]}, y[index[t]]);
}

// Registers of floats: eight outputs are one register, or two of four, or eight of one.
using FloatsTag = hn::CappedTag<float, 8>;
using FloatsOf = hn::Vec<FloatsTag>;
constexpr std::size_t kFloats = hn::MaxLanes(FloatsTag());
constexpr std::size_t kEntriesAhead = 8;  // whose weights are prefetched

PLUMB_LANES FloatsOf fused(FloatsOf a, FloatsOf b, FloatsOf c) {
#if HWY_NATIVE_FMA
  return hn::MulAdd(a, b, c);
#else
  static_assert(kFloats == 1);
  return hn::Set(FloatsTag(), std::fma(hn::GetLane(a), hn::GetLane(b), hn::GetLane(c)));
#endif
}

// `eights` times eight outputs at once.
template <std::size_t eights>
PLUMB_LANES void sparse_dots_of(const SparseEntry* row, std::size_t n, const float* w, std::size_t width, float* out) {
  constexpr std::size_t parts = eights * 8 / kFloats;
  const FloatsTag tag;
  FloatsOf sum[parts];
  for (std::size_t k = 0; k < parts; ++k) sum[k] = hn::Zero(tag);
  for (std::size_t t = 0; t < n; ++t) {
    if (t + kEntriesAhead < n) {
      const float* const later = w + row[t + kEntriesAhead].column * width;
      for (std::size_t k = 0; k < eights * 8; k += 16) __builtin_prefetch(later + k);
    }
    const float* const from = w + row[t].column * width;
    const FloatsOf value = hn::Set(tag, row[t].value);
    for (std::size_t k = 0; k < parts; ++k) sum[k] = fused(value, hn::LoadU(tag, from + k * kFloats), sum[k]);
  }
  for (std::size_t k = 0; k < parts; ++k) hn::StoreU(sum[k], tag, out + k * kFloats);
}

template <std::size_t eights>
PLUMB_LANES void sparse_axpys_of(const float* a, const SparseEntry* row, std::size_t n, std::size_t width, float* y) {
  constexpr std::size_t parts = eights * 8 / kFloats;
  const FloatsTag tag;
  FloatsOf step[parts];
  for (std::size_t k = 0; k < parts; ++k) step[k] = hn::LoadU(tag, a + k * kFloats);
  for (std::size_t t = 0; t < n; ++t) {
    float* const to = y + row[t].column * width;
    const FloatsOf value = hn::Set(tag, row[t].value);
    for (std::size_t k = 0; k < parts; ++k)
      hn::StoreU(fused(step[k], value, hn::LoadU(tag, to + k * kFloats)), tag, to + k * kFloats);
  }
}

inline void sparse_dots(const SparseEntry* row, std::size_t n, const float* w, std::size_t width, float* out) noexcept {
  std::size_t k = 0;
  for (; k + 32 <= width; k += 32) sparse_dots_of<4>(row, n, w + k, width, out + k);
  if (k + 24 <= width) return sparse_dots_of<3>(row, n, w + k, width, out + k);
  if (k + 16 <= width) return sparse_dots_of<2>(row, n, w + k, width, out + k);
  if (k + 8 <= width) sparse_dots_of<1>(row, n, w + k, width, out + k);
}

inline void sparse_axpys(const float* a, const SparseEntry* row, std::size_t n, std::size_t width, float* y) noexcept {
  std::size_t k = 0;
  for (; k + 32 <= width; k += 32) sparse_axpys_of<4>(a + k, row, n, width, y + k);
  if (k + 24 <= width) return sparse_axpys_of<3>(a + k, row, n, width, y + k);
  if (k + 16 <= width) return sparse_axpys_of<2>(a + k, row, n, width, y + k);
  if (k + 8 <= width) sparse_axpys_of<1>(a + k, row, n, width, y + k);
}

// gram_add of one row, zeros left out: the same bits, since each step ends at +0 instead of -0 (gram-inl.h).
inline void sparse_gram_add(const std::uint32_t* index, const double* value, std::size_t n, double weight, double* gram,
                            std::size_t gram_stride) noexcept {
  for (std::size_t t = 0; t < n; ++t) {
    double* row = gram + index[t] * gram_stride;
    const double s = weight * value[t];
    for (std::size_t u = 0; u <= t; ++u) row[index[u]] = std::fma(s, value[u], row[index[u]]) + 0.0;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::math
HWY_AFTER_NAMESPACE();

#endif
