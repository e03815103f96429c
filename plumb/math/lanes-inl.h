// n doubles as one value, in as many registers as the target needs; for n = 8: 1 x 8 (AVX-512), 2 x 4 (AVX2), 4 x 2
// (NEON), 8 x 1 (scalar). Algorithms are written once, over Doubles, so every target does the same operations in the
// same order; each is correctly rounded (IEEE 754, to nearest, no flush to zero), so the bits are the same as well.

// Included once per target, hence not #pragma once: Highway flips HWY_TARGET_TOGGLE between targets.
#if defined(PLUMB_MATH_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_MATH_LANES_INL_H
#undef PLUMB_MATH_LANES_INL_H
#else
#define PLUMB_MATH_LANES_INL_H
#endif

#include "plumb/math/double_double.h"

#include <hwy/highway.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

// The undefined-behaviour sanitizer would check every reference between registers, and compile for minutes.
#ifndef PLUMB_LANES
#define PLUMB_LANES_ATTR HWY_ATTR __attribute__((no_sanitize("undefined")))
#define PLUMB_LANES HWY_INLINE __attribute__((no_sanitize("undefined")))
#endif

HWY_BEFORE_NAMESPACE();
namespace plumb::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <std::size_t i, class Op, class... A>
PLUMB_LANES auto on_part(Op op, const A&... a) {
  return op(a.part[i]...);
}
template <class Result, std::size_t... i, class Op, class... A>
PLUMB_LANES Result on_parts(std::index_sequence<i...>, Op op, const A&... a) {
  Result result;
  ((result.part[i] = on_part<i>(op, a...)), ...);
  return result;
}
// op on each register in turn. Expanded instead of a loop, so that the parts need no memory.
template <class Result, class Op, class... A>
PLUMB_LANES Result each(Op op, const A&... a) {
  return on_parts<Result>(std::make_index_sequence<Result::parts>(), op, a...);
}

// Copies are written out as well: g++ 12 copies an array of registers through memory. Nor may constructors be
// defaulted: made outside this namespace, they would lack the target's attribute.
template <class T, std::size_t... i>
PLUMB_LANES void copy_parts(std::index_sequence<i...>, const T& from, T& to) {
  ((to.part[i] = from.part[i]), ...);
}
template <class T>
PLUMB_LANES void copy_parts(const T& from, T& to) {
  copy_parts(std::make_index_sequence<T::parts>(), from, to);
}

template <std::size_t n>
struct Mask {
  using D = hn::CappedTag<double, n>;
  static constexpr std::size_t parts = n / hn::MaxLanes(D());
  hn::Mask<D> part[parts];

  PLUMB_LANES Mask() {}
  PLUMB_LANES Mask(const Mask& other) { copy_parts(other, *this); }
  PLUMB_LANES Mask& operator=(const Mask& other) {
    copy_parts(other, *this);
    return *this;
  }
};

// The bits of n doubles.
template <std::size_t n>
struct Bits {
  using D = hn::CappedTag<std::uint64_t, n>;
  static constexpr std::size_t parts = n / hn::MaxLanes(D());
  hn::Vec<D> part[parts];

  PLUMB_LANES Bits() {}
  PLUMB_LANES Bits(const Bits& other) { copy_parts(other, *this); }
  PLUMB_LANES Bits& operator=(const Bits& other) {
    copy_parts(other, *this);
    return *this;
  }
  PLUMB_LANES Bits(std::uint64_t value) {
    *this = each<Bits>([value]() PLUMB_LANES_ATTR { return hn::Set(D(), value); });
  }

  friend PLUMB_LANES Bits operator+(Bits a, Bits b) {
    return each<Bits>([](auto x, auto y) PLUMB_LANES_ATTR { return hn::Add(x, y); }, a, b);
  }
  friend PLUMB_LANES Bits operator-(Bits a, Bits b) {
    return each<Bits>([](auto x, auto y) PLUMB_LANES_ATTR { return hn::Sub(x, y); }, a, b);
  }
  friend PLUMB_LANES Bits operator&(Bits a, Bits b) {
    return each<Bits>([](auto x, auto y) PLUMB_LANES_ATTR { return hn::And(x, y); }, a, b);
  }
  friend PLUMB_LANES Bits operator|(Bits a, Bits b) {
    return each<Bits>([](auto x, auto y) PLUMB_LANES_ATTR { return hn::Or(x, y); }, a, b);
  }
};

template <std::size_t n>
struct Doubles {
  using D = hn::CappedTag<double, n>;
  static constexpr std::size_t width = hn::MaxLanes(D());
  static constexpr std::size_t parts = n / width;
  hn::Vec<D> part[parts];

  PLUMB_LANES Doubles() {}
  PLUMB_LANES Doubles(const Doubles& other) { copy_parts(other, *this); }
  PLUMB_LANES Doubles& operator=(const Doubles& other) {
    copy_parts(other, *this);
    return *this;
  }
  PLUMB_LANES Doubles(double value) {  // implicit: formulas mix lanes and constants
    *this = each<Doubles>([value]() PLUMB_LANES_ATTR { return hn::Set(D(), value); });
  }

  static PLUMB_LANES Doubles load(const double* from) {
    std::size_t i = 0;
    return each<Doubles>([from, &i]() PLUMB_LANES_ATTR { return hn::LoadU(D(), from + width * i++); });
  }
  // The first count < n numbers, then fill.
  static PLUMB_LANES Doubles load_first(const double* from, std::size_t count, double fill = 0.0) {
    double padded[n];
    for (std::size_t i = 0; i < n; ++i) padded[i] = i < count ? from[i] : fill;
    return load(padded);
  }
  PLUMB_LANES void store(double* to) const { store(to, std::make_index_sequence<parts>()); }

  friend PLUMB_LANES Doubles operator+(Doubles a, Doubles b) {
    return each<Doubles>([](auto x, auto y) PLUMB_LANES_ATTR { return hn::Add(x, y); }, a, b);
  }
  friend PLUMB_LANES Doubles operator-(Doubles a, Doubles b) {
    return each<Doubles>([](auto x, auto y) PLUMB_LANES_ATTR { return hn::Sub(x, y); }, a, b);
  }
  friend PLUMB_LANES Doubles operator*(Doubles a, Doubles b) {
    return each<Doubles>([](auto x, auto y) PLUMB_LANES_ATTR { return hn::Mul(x, y); }, a, b);
  }
  friend PLUMB_LANES Doubles operator/(Doubles a, Doubles b) {
    return each<Doubles>([](auto x, auto y) PLUMB_LANES_ATTR { return hn::Div(x, y); }, a, b);
  }
  friend PLUMB_LANES Doubles operator-(Doubles a) {
    return each<Doubles>([](auto x) PLUMB_LANES_ATTR { return hn::Neg(x); }, a);
  }
  friend PLUMB_LANES Mask<n> operator<(Doubles a, Doubles b) {
    return each<Mask<n>>([](auto x, auto y) PLUMB_LANES_ATTR { return hn::Lt(x, y); }, a, b);
  }
  friend PLUMB_LANES Mask<n> operator>(Doubles a, Doubles b) { return b < a; }
  friend PLUMB_LANES Mask<n> operator==(Doubles a, Doubles b) {
    return each<Mask<n>>([](auto x, auto y) PLUMB_LANES_ATTR { return hn::Eq(x, y); }, a, b);
  }
  friend PLUMB_LANES Doubles abs(Doubles a) {
    return each<Doubles>([](auto x) PLUMB_LANES_ATTR { return hn::Abs(x); }, a);
  }
  friend PLUMB_LANES Doubles select(Mask<n> mask, Doubles yes, Doubles no) {
    return each<Doubles>([](auto m, auto x, auto y) PLUMB_LANES_ATTR { return hn::IfThenElse(m, x, y); }, mask, yes,
                         no);
  }
  // a b + c with one rounding. Highway rounds twice if the hardware has no such instruction; libm then does it.
  friend PLUMB_LANES Doubles fma(Doubles a, Doubles b, Doubles c) {
#if HWY_NATIVE_FMA
    return each<Doubles>([](auto x, auto y, auto z) PLUMB_LANES_ATTR { return hn::MulAdd(x, y, z); }, a, b, c);
#else
    static_assert(width == 1);
    return each<Doubles>(
        [](auto x, auto y, auto z)
            PLUMB_LANES_ATTR { return hn::Set(D(), std::fma(hn::GetLane(x), hn::GetLane(y), hn::GetLane(z))); },
        a, b, c);
#endif
  }

 private:
  template <std::size_t... i>
  PLUMB_LANES void store(double* to, std::index_sequence<i...>) const {
    (hn::StoreU(part[i], D(), to + width * i), ...);
  }
};

using Eight = Doubles<8>;

template <std::size_t n>
PLUMB_LANES Bits<n> bits(Doubles<n> a) {
  return each<Bits<n>>([](auto x) PLUMB_LANES_ATTR { return hn::BitCast(typename Bits<n>::D(), x); }, a);
}
template <std::size_t n>
PLUMB_LANES Doubles<n> from_bits(Bits<n> a) {
  return each<Doubles<n>>([](auto x) PLUMB_LANES_ATTR { return hn::BitCast(typename Doubles<n>::D(), x); }, a);
}
template <int count, std::size_t n>
PLUMB_LANES Bits<n> shift_left(Bits<n> a) {
  return each<Bits<n>>([](auto x) PLUMB_LANES_ATTR { return hn::ShiftLeft<count>(x); }, a);
}
template <int count, std::size_t n>
PLUMB_LANES Bits<n> shift_right(Bits<n> a) {
  return each<Bits<n>>([](auto x) PLUMB_LANES_ATTR { return hn::ShiftRight<count>(x); }, a);
}

// THE order of every sum over elements: element i belongs to lane i % 8, lanes start at +0 and are folded by this tree.
template <class T>
PLUMB_LANES T fold(const T (&lane)[8]) {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}
PLUMB_LANES double fold(Eight sum) {
  double lane[8];
  sum.store(lane);
  return fold(lane);
}

// Targets disagree on the sign and payload of a NaN that they create or propagate: results have this one,
// 0x7ff8000000000000.
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <std::size_t n>
PLUMB_LANES Doubles<n> with_one_nan(Doubles<n> y) {
  return select(y == y, y, not_a_number);
}
PLUMB_LANES double with_one_nan(double y) { return y == y ? y : not_a_number; }

// n double-doubles; steps and bounds as in double_double.h.
template <std::size_t n>
struct Pairs {
  Doubles<n> high;
  Doubles<n> low;
};

template <std::size_t n>
PLUMB_LANES Pairs<n> two_sum(Doubles<n> a, Doubles<n> b) {
  const Doubles<n> sum = a + b;
  const Doubles<n> b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}
template <std::size_t n>
PLUMB_LANES Pairs<n> fast_two_sum(Doubles<n> a, Doubles<n> b) {
  const Doubles<n> sum = a + b;
  return {sum, b - (sum - a)};
}
template <std::size_t n>
PLUMB_LANES Pairs<n> two_product(Doubles<n> a, Doubles<n> b) {
  const Doubles<n> product = a * b;
  return {product, fma(a, b, -product)};
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::math
HWY_AFTER_NAMESPACE();

#endif
