// Sums of columns and of their squares, and products of many rows with the same weights. Each column has its own lane,
// or lanes are folded as in dot, so that every target adds in the same order.

#if defined(PLUMB_MATH_COLUMN_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_MATH_COLUMN_SUMS_INL_H
#undef PLUMB_MATH_COLUMN_SUMS_INL_H
#else
#define PLUMB_MATH_COLUMN_SUMS_INL_H
#endif

#include "plumb/math/dense-inl.h"
#include "plumb/math/lanes-inl.h"

#include <bit>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace plumb::math {
namespace HWY_NAMESPACE {

// Loads eight numbers.
struct AllEight {
  static constexpr std::size_t step = 1;
  PLUMB_LANES Eight operator()(const double* from) const { return Eight::load(from); }
};

// Loads the first count < 8 numbers and zeros after them, and reads nothing else.
struct FirstOfEight {
  static constexpr std::size_t step = 1;
  std::size_t count;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  Mask<8> mask;
  PLUMB_LANES explicit FirstOfEight(std::size_t n) : count(n) {
    std::size_t i = 0;
    mask = each<Mask<8>>([n, &i]() PLUMB_LANES_ATTR {
      const std::size_t before = Eight::width * i++;
      return hn::FirstN(Eight::D(), n > before ? n - before : 0);
    });
  }
  PLUMB_LANES Eight operator()(const double* from) const {
    std::size_t i = 0;
    return each<Eight>(
        [from, &i](auto m) PLUMB_LANES_ATTR { return hn::MaskedLoad(m, Eight::D(), from + Eight::width * i++); }, mask);
  }
#else
  PLUMB_LANES explicit FirstOfEight(std::size_t n) : count(n) {}
  PLUMB_LANES Eight operator()(const double* from) const { return Eight::load_first(from, count); }
#endif
};

// The first, third, ... of 16 numbers.
struct EvenEight {
  static constexpr std::size_t step = 2;
  PLUMB_LANES Eight operator()(const double* from) const {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    const typename Eight::D d;
    std::size_t i = 0;
    return each<Eight>([d, from, &i]() PLUMB_LANES_ATTR {
      const double* const at = from + 2 * Eight::width * i++;
      return hn::ConcatEven(d, hn::LoadU(d, at + Eight::width), hn::LoadU(d, at));
    });
#else
    double even[8];
    for (std::size_t i = 0; i < 8; ++i) even[i] = from[2 * i];
    return Eight::load(even);
#endif
  }
};

// The same for the first count <= 8 of those, with zeros after them; reads nothing after the last.
struct FirstEvens {
  static constexpr std::size_t step = 2;
  std::size_t count;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  Mask<8> lower, upper;  // of the numbers for the first and the second half of each part
  PLUMB_LANES explicit FirstEvens(std::size_t n) : count(n) {
    const auto masks = [n](std::size_t first) PLUMB_LANES_ATTR {
      std::size_t i = 0;
      return each<Mask<8>>([n, first, &i]() PLUMB_LANES_ATTR {
        const std::size_t before = Eight::width * (2 * i++ + first), end = 2 * n > 0 ? 2 * n - 1 : 0;
        return hn::FirstN(Eight::D(), end > before ? end - before : 0);
      });
    };
    lower = masks(0);
    upper = masks(1);
  }
  PLUMB_LANES Eight operator()(const double* from) const {
    const typename Eight::D d;
    std::size_t i = 0;
    return each<Eight>(
        [d, from, &i](auto low, auto high) PLUMB_LANES_ATTR {
          const double* const at = from + 2 * Eight::width * i++;
          return hn::ConcatEven(d, hn::MaskedLoad(high, d, at + Eight::width), hn::MaskedLoad(low, d, at));
        },
        lower, upper);
  }
#else
  PLUMB_LANES explicit FirstEvens(std::size_t n) : count(n) {}
  PLUMB_LANES Eight operator()(const double* from) const {
    double padded[8];
    for (std::size_t i = 0; i < 8; ++i) padded[i] = i < count ? from[2 * i] : 0.0;
    return Eight::load(padded);
  }
#endif
};

// dot's fold.
PLUMB_LANES double folded(Eight total) {
#if HWY_TARGET == HWY_AVX2
  const auto sum = hn::Add(total.part[0], total.part[1]);  // lanes 0 + 4, 1 + 5, 2 + 6, 3 + 7
  const hn::Half<typename Eight::D> half;
  const auto two = hn::Add(hn::LowerHalf(half, sum), hn::UpperHalf(half, sum));
  return with_one_nan(hn::GetLane(two) + hn::GetLane(hn::UpperHalf(hn::Half<decltype(half)>(), two)));
#else
  return with_one_nan(fold(total));
#endif
}

// A step of dot, for one or four rows.
template <std::size_t rows>
struct RowSums {
  Eight a, b, c, d;

  PLUMB_LANES RowSums() : a(0.0), b(0.0), c(0.0), d(0.0) {}
  template <class Load>
  PLUMB_LANES void add(const Load& load, const double* x, std::size_t stride, const double* w) {
    const Eight weight = load(w);
    a = fma(weight, load(x), a);
    if (rows == 1) return;
    b = fma(weight, load(x + stride), b);
    c = fma(weight, load(x + 2 * stride), c);
    d = fma(weight, load(x + 3 * stride), d);
  }
  PLUMB_LANES void finish(double* out) const {
    out[0] = folded(a);
    if (rows == 1) return;
    out[1] = folded(b);
    out[2] = folded(c);
    out[3] = folded(d);
  }
};

template <std::size_t rows>
PLUMB_LANES void dots_of(const double* x, std::size_t stride, std::size_t p, const double* w, double* out) {
  static_assert(rows == 4 || rows == 1);
  RowSums<rows> sums;
  std::size_t j = 0;
  for (; j + 8 <= p; j += 8) sums.add(AllEight(), x + j, stride, w + j);
  if (j < p) sums.add(FirstOfEight(p - j), x + j, stride, w + j);
  sums.finish(out);
}

// Short consecutive rows are a stream that the machine prefetches, and 4 rows at a time take less time than all at
// once. Each long row is a stream of its own, and sums of one row would wait for each other.
inline void dots(const double* x, std::size_t rows, std::size_t stride, std::size_t p, const double* w,
                 double* out) noexcept {
  constexpr std::size_t long_row = 512;
  std::size_t i = 0;
  for (; i + 4 <= rows && p >= long_row; i += 4) dots_of<4>(x + i * stride, stride, p, w, out + i);
  for (; i < rows; ++i) dots_of<1>(x + i * stride, stride, p, w, out + i);
}

// Eight columns about the same number in twice the precision: errors of differences, sums and products are collected,
// as in dot2. The rest of a square beyond 2 high low is lost: the square of a rounding error.
template <class Load>
PLUMB_LANES void moments2_eight(const Load& load, const double* const* row, std::size_t rows, std::size_t j,
                                std::size_t width, const double* about, double* sums) {
  const Eight centre = Eight::load(about + width + j) - Eight::load(about + j);  // exactly back minus shift
  Pairs<8> first = {Eight::load(sums + j), Eight::load(sums + width + j)};
  Pairs<8> second = {Eight::load(sums + 2 * width + j), Eight::load(sums + 3 * width + j)};
  for (std::size_t i = 0; i < rows; ++i) {
    const Pairs<8> d = two_sum(load(row[i] + Load::step * j), Eight(0.0) - centre);
    const Pairs<8> square = two_product(d.high, d.high);
    const Pairs<8> s = two_sum(first.high, d.high), t = two_sum(second.high, square.high);
    first.high = s.high;
    first.low = first.low + (s.low + d.low);
    second.high = t.high;
    second.low = second.low + (t.low + fma(d.high + d.high, d.low, square.low));
  }
  first.high.store(sums + j);
  first.low.store(sums + width + j);
  second.high.store(sums + 2 * width + j);
  second.low.store(sums + 3 * width + j);
}

// Eight columns. x = about + high + low. Adding M, so large that its last digit is one step of the grid of `about`,
// rounds x to that grid: high is exact, low is exact and at most half a step. Sums of high and of its square are exact
// as long as the latter is below 2^53 squares of a step; that is checked once at the end, since the sum only grows. The
// rest of the square is low (2 high + low).
template <class Load>
PLUMB_LANES bool moments_about_eight(const Load& load, const double* const* row, std::size_t rows, std::size_t j,
                                     std::size_t width, const double* about, double* sums) {
  const Eight shift = Eight::load(about + j), back = Eight::load(about + width + j);
  Eight first = 0.0, first_low = 0.0, second = 0.0, second_low = 0.0;
  for (std::size_t i = 0; i < rows; ++i) {
    const Eight x = load(row[i] + Load::step * j);
    const Eight shifted = x + shift;
    const Eight high = shifted - back, low = x - (shifted - shift);
    first = first + high;
    first_low = first_low + low;
    second = fma(high, high, second);
    second_low = fma(fma(Eight(2.0), high, low), low, second_low);
  }
  double squares[8];
  second.store(squares);
  const double* const most = about + 2 * width + j;
  for (std::size_t c = 0; c < 8; ++c)
    if (!(squares[c] <= most[c])) return false;
  const Pairs<8> s = two_sum(Eight::load(sums + j), first);
  s.high.store(sums + j);
  (Eight::load(sums + width + j) + (s.low + first_low)).store(sums + width + j);
  const Pairs<8> t = two_sum(Eight::load(sums + 2 * width + j), second);
  t.high.store(sums + 2 * width + j);
  (Eight::load(sums + 3 * width + j) + (t.low + second_low)).store(sums + 3 * width + j);
  return true;
}

template <class Load>
PLUMB_LANES void moments_eight(const Load& load, const double* const* row, std::size_t rows, std::size_t j,
                               std::size_t width, const double* about, double* sums, double* plain, double* counted) {
  if (moments_about_eight(load, row, rows, j, width, about, sums))
    counted[j / 8] += static_cast<double>(rows);
  else
    moments2_eight(load, row, rows, j, width, about, plain);
}

// The next rows are prefetched while sums are added, at the rate of use: prefetching all at once would stall.
template <class All, class Some>
PLUMB_LANES void moments_of(const double* const* row, std::size_t rows, std::size_t p, const double* about,
                            double* sums, double* plain, double* counted, const double* next, std::size_t stride) {
  constexpr std::size_t ahead = 32, begun = 64;  // columns: those of a row that are prefetched before it is used
  constexpr std::size_t step = All::step;
  const std::size_t width = (p + 7) / 8 * 8;
  const auto fetch = [&](std::size_t j) PLUMB_LANES_ATTR {
    if (next != nullptr && j < begun)
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t line = 0; line < step; ++line)
          __builtin_prefetch(next + i * stride + step * j + 8 * line, 0, 2);  // into the second-level cache
    // Rows prefetched long ago are only in the second-level cache.
    const std::size_t later = j + (next == nullptr ? 8 : ahead);
    if ((next == nullptr || later >= begun) && later < p)
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t line = 0; line < step; ++line) __builtin_prefetch(row[i] + step * later + 8 * line);
    asm volatile("");  // as in base/fetch.h
  };
  std::size_t j = 0;  // with a step, eight are read up to the number after the last
  for (; j + (step == 1 ? 8 : 9) <= p; j += 8) {
    fetch(j);
    moments_eight(All(), row, rows, j, width, about, sums, plain, counted);
  }
  if (j == p) return;
  fetch(j);
  moments_eight(Some(p - j), row, rows, j, width, about, sums, plain, counted);
}

inline void moments_about_add(const double* const* row, std::size_t step, std::size_t rows, std::size_t p,
                              const double* about, double* sums, double* plain, double* counted, const double* next,
                              std::size_t stride) noexcept {
  if (step == 1)
    moments_of<AllEight, FirstOfEight>(row, rows, p, about, sums, plain, counted, next, stride);
  else
    moments_of<EvenEight, FirstEvens>(row, rows, p, about, sums, plain, counted, next, stride);
}

// a + b with the steps of DoubleDouble.
PLUMB_LANES Pairs<8> sum_of(const Pairs<8>& a, const Pairs<8>& b) {
  const Pairs<8> s = two_sum(a.high, b.high), t = two_sum(a.low, b.low);
  const Pairs<8> v = fast_two_sum(s.high, s.low + t.high);
  return fast_two_sum(v.high, t.low + v.low);
}

template <class Load>
PLUMB_LANES void weighted_moments_eight(const Load& load, const double* row, std::size_t j, Eight weight,
                                        const double* about, double* sums, std::size_t width) {
  const Pairs<8> d = two_sum(load(row + Load::step * j), Eight(0.0) - Eight::load(about + j));
  const Pairs<8> square = two_product(d.high, d.high);
  const auto times_weight = [&](Eight high, Eight low) PLUMB_LANES_ATTR {
    const Pairs<8> product = two_product(high, weight);
    return fast_two_sum(product.high, fma(low, weight, product.low));
  };
  const auto add = [&](double* at, const Pairs<8>& term) PLUMB_LANES_ATTR {
    const Pairs<8> before = {Eight::load(at), Eight::load(at + width)};
    const Pairs<8> sum = sum_of(before, term);
    sum.high.store(at);
    sum.low.store(at + width);
  };
  add(sums + j, times_weight(d.high, d.low));
  add(sums + 2 * width + j, times_weight(square.high, fma(d.high + d.high, d.low, square.low)));
}

template <class All, class Some>
PLUMB_LANES void weighted_moments_of(const double* row, std::size_t p, double weight, const double* about,
                                     double* sums) {
  const std::size_t width = (p + 7) / 8 * 8;
  std::size_t j = 0;  // as in moments_of
  for (; j + (All::step == 1 ? 8 : 9) <= p; j += 8) weighted_moments_eight(All(), row, j, weight, about, sums, width);
  if (j < p) weighted_moments_eight(Some(p - j), row, j, weight, about, sums, width);
}

inline void weighted_moments_add(const double* row, std::size_t step, std::size_t p, double weight, const double* about,
                                 double* sums) noexcept {
  if (step == 1)
    weighted_moments_of<AllEight, FirstOfEight>(row, p, weight, about, sums);
  else
    weighted_moments_of<EvenEight, FirstEvens>(row, p, weight, about, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::math
HWY_AFTER_NAMESPACE();

#endif
