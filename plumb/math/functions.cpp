#include "plumb/math/functions.h"

#include <cmath>
#include <limits>

#include "plumb/math/double_double.h"
#include "plumb/math/special.h"
#include "plumb/math/trig.h"

namespace plumb::math {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kHalfPi = 1.57079632679489655800e+00;
constexpr double kHalfPiLow = 6.12323399573676603587e-17;
constexpr double kLog2 = 0.6931471805599453;
constexpr double kExpIsAll = 22.0;  // from here on e^-x is nothing beside e^x

// 2 / sqrt(pi)
constexpr DoubleDouble kTwoOverRootPi{1.1283791670955126, 1.533545961316588e-17};

}  // namespace

double tan(double x) noexcept { return sin(x) / cos(x); }

// After fdlibm (Sun Microsystems, 1993): the argument is moved near 0 by the arc tangents of 0.5, 1, 1.5 and infinity.
double atan(double x) noexcept {
  constexpr double high[] = {4.63647609000806093515e-01, 7.85398163397448278999e-01, 9.82793723247329054082e-01,
                             kHalfPi};
  constexpr double low[] = {2.26987774529616870924e-17, 3.06161699786838301793e-17, 1.39033110312309984516e-17,
                            kHalfPiLow};
  constexpr double a[] = {3.33333333333329318027e-01,  -1.99999999998764832476e-01, 1.42857142725034663711e-01,
                          -1.11111104054623557880e-01, 9.09088713343650656196e-02,  -7.69187620504482999495e-02,
                          6.66107313738753120669e-02,  -5.83357013379057348645e-02, 4.97687799461593236017e-02,
                          -3.65315727442169155270e-02, 1.62858201153657823623e-02};
  if (std::isnan(x)) return x;
  double y = std::fabs(x);
  int id = -1;
  if (y >= 2.4375) {
    id = 3;
    y = -1.0 / y;
  } else if (y >= 1.1875) {
    id = 2;
    y = (y - 1.5) / (1.0 + 1.5 * y);
  } else if (y >= 0.6875) {
    id = 1;
    y = (y - 1.0) / (y + 1.0);
  } else if (y >= 0.4375) {
    id = 0;
    y = (2.0 * y - 1.0) / (2.0 + y);
  }
  const double z = y * y, w = z * z;
  const double odd = z * (a[0] + w * (a[2] + w * (a[4] + w * (a[6] + w * (a[8] + w * a[10])))));
  const double even = w * (a[1] + w * (a[3] + w * (a[5] + w * (a[7] + w * a[9]))));
  const double value = id < 0 ? y - y * (odd + even) : high[id] - ((y * (odd + even) - low[id]) - y);
  return std::copysign(value, x);
}

double asin(double x) noexcept {
  return std::fabs(x) == 1.0 ? x * kHalfPi : atan(x / std::sqrt((1.0 - x) * (1.0 + x)));
}

double acos(double x) noexcept { return 2.0 * atan(std::sqrt((1.0 - x) / (1.0 + x))); }

double sinh(double x) noexcept {
  const double y = std::fabs(x);
  double value = y;
  if (y < kExpIsAll) {
    const double t = expm1(y);
    value = y < 1.0 ? 0.5 * (2.0 * t - t * t / (t + 1.0)) : 0.5 * (t + t / (t + 1.0));
  } else {
    const double root = exp(0.5 * y);  // e^y may be too large where half of it is not
    value = 0.5 * root * root;
  }
  return std::copysign(value, x);
}

double cosh(double x) noexcept {
  const double y = std::fabs(x);
  if (y < 0.5 * kLog2) {
    const double t = expm1(y), w = 1.0 + t;
    return 1.0 + t * t / (w + w);
  }
  if (y < kExpIsAll) {
    const double t = exp(y);
    return 0.5 * t + 0.5 / t;
  }
  const double root = exp(0.5 * y);
  return 0.5 * root * root;
}

double tanh(double x) noexcept {
  const double y = std::fabs(x);
  double value = y;
  if (y >= kExpIsAll) {
    value = 1.0;
  } else if (y >= 1.0) {
    value = 1.0 - 2.0 / (expm1(2.0 * y) + 2.0);
  } else {
    const double t = expm1(-2.0 * y);
    value = -t / (t + 2.0);
  }
  return std::copysign(value, x);
}

// 2/sqrt(pi) e^(-x^2) (x + 2/3 x^3 + 4/15 x^5 + ...): all terms have one sign, so nothing cancels (Abramowitz and
// Stegun 7.1.6).
double erf(double x) noexcept {
  constexpr double kOneFrom = 6.0;  // 1 - erf(6) is 2e-17
  constexpr double kLinear = 1e-10;
  const double y = std::fabs(x);
  if (std::isnan(x) || x == 0.0) return x;
  if (y >= kOneFrom) return std::copysign(1.0, x);
  if (y < kLinear) return static_cast<double>(kTwoOverRootPi * x);
  const DoubleDouble square = two_product(y, y);
  DoubleDouble term(y), sum(y);
  for (double odd = 3.0; term.high > sum.high * 0x1p-60; odd += 2.0) {
    term = term * (2.0 * square.high) / odd + DoubleDouble(term.high * (2.0 * square.low) / odd);
    sum = sum + term;
  }
  const DoubleDouble bell = DoubleDouble(exp(-square.high)) * (DoubleDouble(1.0) - square.low);
  return std::copysign(static_cast<double>(kTwoOverRootPi * sum * bell), x);
}

// A first guess by logarithms, and a step of Newton's with the cube in double-double.
double cbrt(double x) noexcept {
  if (x == 0.0 || !std::isfinite(x)) return x;
  const double size = std::fabs(x);
  const double scale = size < 0x1p-600 ? 0x1p900 : size > 0x1p600 ? 0x1p-600 : 1.0;  // cubes of 2^300 and 2^-200
  const double unscale = scale > 1.0 ? 0x1p-300 : scale < 1.0 ? 0x1p200 : 1.0;
  const double y = size * scale;
  double root = exp(log(y) / 3.0);
  const DoubleDouble cube = two_product(root, root) * root;
  root -= static_cast<double>(cube - y) / (3.0 * root * root);
  return std::copysign(root * unscale, x);
}

}  // namespace plumb::math
