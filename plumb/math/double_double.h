// A number as the unevaluated sum of two doubles, |low| <= ulp(high) / 2: about 106 bits. Bounds are relative, with
// u = 2^-53, for results that neither overflow nor have a low part that underflows. Sources: Joldes, Muller, Popescu,
// "Tight and rigorous error bounds for basic building blocks of double-word arithmetic", TOMS 44(2), 2017 (JMP).
#pragma once

#include <cmath>
#include <compare>

namespace plumb::math {

struct DoubleDouble {
  double high = 0.0;
  double low = 0.0;

  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double value) : high(value) {}  // implicit: every double is a DoubleDouble, exactly
  constexpr DoubleDouble(double high_part, double low_part) : high(high_part), low(low_part) {}  // already normal

  explicit constexpr operator double() const { return high; }
  constexpr DoubleDouble operator-() const { return {-high, -low}; }

  // Parts are compared in turn: right because both sides are normal.
  friend constexpr bool operator==(const DoubleDouble&, const DoubleDouble&) = default;
  friend constexpr auto operator<=>(const DoubleDouble&, const DoubleDouble&) = default;
};

// a + b exactly (Knuth).
constexpr DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// a + b exactly, if |a| >= |b| or a = 0 (Dekker).
constexpr DoubleDouble fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// a b exactly, unless the low part underflows (|a b| below 2^-969).
inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

// 2 u^2 (JMP algorithm 4).
constexpr DoubleDouble operator+(DoubleDouble a, double b) {
  const DoubleDouble s = two_sum(a.high, b);
  return fast_two_sum(s.high, a.low + s.low);
}
constexpr DoubleDouble operator+(double a, DoubleDouble b) { return b + a; }

// 3 u^2 + 13 u^3, also where the signs differ (JMP algorithm 6).
constexpr DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble s = two_sum(a.high, b.high);
  const DoubleDouble t = two_sum(a.low, b.low);
  const DoubleDouble v = fast_two_sum(s.high, s.low + t.high);
  return fast_two_sum(v.high, t.low + v.low);
}

constexpr DoubleDouble operator-(DoubleDouble a, double b) { return a + -b; }
constexpr DoubleDouble operator-(double a, DoubleDouble b) { return -b + a; }
constexpr DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }

// 2 u^2 (JMP algorithm 9).
inline DoubleDouble operator*(DoubleDouble a, double b) {
  const DoubleDouble p = two_product(a.high, b);
  return fast_two_sum(p.high, std::fma(a.low, b, p.low));
}
inline DoubleDouble operator*(double a, DoubleDouble b) { return b * a; }

// 5 u^2 (JMP algorithm 12).
inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = two_product(a.high, b.high);
  const double cross = std::fma(a.low, b.high, std::fma(a.high, b.low, a.low * b.low));
  return fast_two_sum(p.high, p.low + cross);
}

// 15 u^2 + 56 u^3 (JMP algorithm 17).
inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.high / b.high;
  const DoubleDouble r = b * quotient;
  const double remainder = (a.high - r.high) + (a.low - r.low);
  return fast_two_sum(quotient, remainder / b.high);
}
inline DoubleDouble operator/(DoubleDouble a, double b) { return a / DoubleDouble(b); }
inline DoubleDouble operator/(double a, DoubleDouble b) { return DoubleDouble(a) / b; }

constexpr DoubleDouble& operator+=(DoubleDouble& a, double b) { return a = a + b; }
constexpr DoubleDouble& operator+=(DoubleDouble& a, DoubleDouble b) { return a = a + b; }
constexpr DoubleDouble& operator-=(DoubleDouble& a, double b) { return a = a - b; }
constexpr DoubleDouble& operator-=(DoubleDouble& a, DoubleDouble b) { return a = a - b; }
inline DoubleDouble& operator*=(DoubleDouble& a, double b) { return a = a * b; }
inline DoubleDouble& operator*=(DoubleDouble& a, DoubleDouble b) { return a = a * b; }
inline DoubleDouble& operator/=(DoubleDouble& a, double b) { return a = a / b; }
inline DoubleDouble& operator/=(DoubleDouble& a, DoubleDouble b) { return a = a / b; }

// 25/8 u^2; NaN below 0. One Newton step on the rounded root (Lefevre, Louvet, Muller, Picot, Rideau, "Accurate
// calculation of Euclidean norms using double-word arithmetic", TOMS 49(1), 2023, algorithm 8).
inline DoubleDouble sqrt(DoubleDouble a) {
  if (a.high == 0.0) return a.high;
  const double root = std::sqrt(a.high);
  const double remainder = a.low + std::fma(-root, root, a.high);
  return fast_two_sum(root, remainder / (2.0 * root));
}

constexpr DoubleDouble abs(DoubleDouble a) { return a.high < 0.0 ? -a : a; }

// sum += a b, off by at most 4 u^2 (|sum| + |a b|). The kernels use these very steps (dense-inl.h: accumulate).
inline void accumulate(DoubleDouble& sum, double a, double b) {
  const DoubleDouble p = two_product(a, b);
  const DoubleDouble s = two_sum(sum.high, p.high);
  sum = fast_two_sum(s.high, sum.low + (s.low + p.low));
}

}  // namespace plumb::math
