// A number as the sum of three doubles, each below the last digit of the one before: about 159 bits. For sums whose
// difference has far fewer digits, such as a sum of squares minus the square of a sum.
#pragma once

#include "plumb/math/double_double.h"

namespace plumb::math {

struct TripleDouble {
  double high = 0.0, middle = 0.0, low = 0.0;

  constexpr TripleDouble() = default;
  constexpr TripleDouble(double value) : high(value) {}  // implicit, as both are exact
  constexpr TripleDouble(DoubleDouble value) : high(value.high), middle(value.low) {}
  // Three numbers that need not be in order.
  static constexpr TripleDouble sum_of(double a, double b, double c);

  constexpr DoubleDouble rounded() const { return {high, middle}; }
  constexpr TripleDouble operator-() const {
    TripleDouble negative;
    negative.high = -high;
    negative.middle = -middle;
    negative.low = -low;
    return negative;
  }
  friend constexpr bool operator==(const TripleDouble&, const TripleDouble&) = default;
};

// Off by 2^-157 of the larger of a and b: errors of the first two parts are carried over, that of the last is lost.
constexpr TripleDouble& operator+=(TripleDouble& a, double b) {
  const DoubleDouble s = two_sum(a.high, b), t = two_sum(a.middle, s.low);
  const DoubleDouble last = two_sum(t.high, a.low + t.low), first = two_sum(s.high, last.high);
  const DoubleDouble rest = two_sum(first.low, last.low);
  a.high = first.high;
  a.middle = rest.high;
  a.low = rest.low;
  return a;
}
constexpr TripleDouble& operator+=(TripleDouble& a, DoubleDouble b) {
  a += b.low;
  return a += b.high;
}
constexpr TripleDouble& operator+=(TripleDouble& a, TripleDouble b) {  // by value: b may be a
  a += b.low;
  a += b.middle;
  return a += b.high;
}

constexpr TripleDouble TripleDouble::sum_of(double a, double b, double c) {
  TripleDouble sum = c;
  sum += b;
  return sum += a;
}

// sum += a b: products of doubles are exact, those of more parts are off by 2^-157 of themselves.
inline void accumulate(TripleDouble& sum, double a, double b) { sum += two_product(a, b); }
inline void accumulate(TripleDouble& sum, DoubleDouble a, double b) {
  accumulate(sum, a.low, b);
  accumulate(sum, a.high, b);
}
inline void accumulate(TripleDouble& sum, const TripleDouble& a, double b) {
  accumulate(sum, a.low, b);
  accumulate(sum, a.rounded(), b);
}

inline TripleDouble operator*(const TripleDouble& a, double b) {
  TripleDouble product;
  accumulate(product, a, b);
  return product;
}

// Squares about the mean, sum w (x - m)^2 = Q - m F - m (F - m W) - (F - m W)^2 / W, of the sums F = sum w x, Q = sum w
// x^2 and W = sum w above 0, for the double m next to F / W. What is subtracted from Q is exact, so the error is that
// of Q and m F, 2^-155 of them, plus rounding.
inline double spread_of(const TripleDouble& first, const TripleDouble& second, DoubleDouble weight) {
  const double mean = first.high / weight.high;
  TripleDouble off = first, spread = second;
  accumulate(off, weight, -mean);
  accumulate(spread, first, -mean);
  accumulate(spread, off, -mean);
  return static_cast<double>(spread.rounded() - off.rounded() * off.rounded() / weight);
}

}  // namespace plumb::math
