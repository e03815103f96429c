#include "plumb/math/power.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace plumb::math {
namespace {

constexpr double kPowerInfinity = std::numeric_limits<double>::infinity();
constexpr double kPowerNaN = std::numeric_limits<double>::quiet_NaN();

constexpr DoubleDouble ln2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr DoubleDouble inverse_ln2{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
constexpr DoubleDouble inverse_ln10{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
constexpr DoubleDouble third{0x1.5555555555555p-2, 0x1.5555555555555p-56};
constexpr DoubleDouble fifth{0x1.999999999999ap-3, -0x1.999999999999ap-57};
constexpr DoubleDouble seventh{0x1.2492492492492p-3, 0x1.2492492492492p-57};

double power_of_two(int k) { return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52); }

// e^t for |t| < 1000. t = k ln 2 + r; e^r = 1 + r + ... + r^4/24 in double-double, then r^5 p(r) in double: 2^-64.
double power_exp(DoubleDouble t) {
  const double k = std::nearbyint(t.high * inverse_ln2.high);
  const DoubleDouble r = t - ln2 * k;
  const double x = r.high;
  double p = 0.0;  // x/5 + x^2/(5 6) + ...
  for (const double c : {1.0 / 17, 1.0 / 16, 1.0 / 15, 1.0 / 14, 1.0 / 13, 1.0 / 12, 1.0 / 11, 1.0 / 10, 1.0 / 9,
                         1.0 / 8, 1.0 / 7, 1.0 / 6, 1.0 / 5})
    p = std::fma(p, x * c, x * c);
  DoubleDouble sum = r * 0.25 + r * (0.25 * p);
  sum = r * third + r * third * sum;
  sum = r * 0.5 + r * 0.5 * sum;
  sum = r + r * sum;
  sum = sum + 1.0;
  const int whole = static_cast<int>(k);
  const int half = whole / 2;  // in two steps, of which only the last can round (to a subnormal) or overflow
  return sum.high * power_of_two(half) * power_of_two(whole - half);
}

}  // namespace

// x = 2^k m, m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(s) with s = (m - 1) / (m + 1), |s| < 0.172, as the series
// 2 s (1 + z/3 + z^2/5 + z^3/7 + z^4 p(z)), z = s^2; p is below 2^-22 of the whole, so a double is enough for it.
DoubleDouble precise_log(double x) noexcept {
  int k = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    k = -54;
  }
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;  // bits of sqrt(1/2)
  const std::uint64_t moved = std::bit_cast<std::uint64_t>(x) + (0x3ff0000000000000 - root_half);
  k += static_cast<int>(moved >> 52) - 1023;
  const double m = std::bit_cast<double>((moved & 0x000fffffffffffff) + root_half);
  const DoubleDouble s = DoubleDouble(m - 1.0) / two_sum(m, 1.0);  // m - 1 is exact
  const DoubleDouble square = s * s;
  const double z = square.high;
  double p = 0.0;
  for (const double c : {1.0 / 31, 1.0 / 29, 1.0 / 27, 1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15,
                         1.0 / 13, 1.0 / 11, 1.0 / 9})
    p = std::fma(p, z, c);
  DoubleDouble sum = square * p + seventh;
  sum = square * sum + fifth;
  sum = square * sum + third;
  sum = square * sum + 1.0;
  return ln2 * static_cast<double>(k) + s * sum * 2.0;
}

double log2(double x) noexcept {
  if (!(x > 0.0 && x < kPowerInfinity)) return x == 0.0 ? -kPowerInfinity : x == kPowerInfinity ? x : kPowerNaN;
  return (precise_log(x) * inverse_ln2).high;
}

double log10(double x) noexcept {
  if (!(x > 0.0 && x < kPowerInfinity)) return x == 0.0 ? -kPowerInfinity : x == kPowerInfinity ? x : kPowerNaN;
  return (precise_log(x) * inverse_ln10).high;
}

double power(double x, double y) noexcept {
  if (!std::isfinite(x) || !std::isfinite(y)) return kPowerNaN;
  if (y == 0.0) return 1.0;
  double sign = 1.0;
  if (std::signbit(x)) {
    const bool whole = std::trunc(y) == y;
    if (!whole && x != 0.0) return kPowerNaN;
    if (whole && std::fmod(y, 2.0) != 0.0) sign = -1.0;
  }
  if (x == 0.0) return sign * (y > 0.0 ? 0.0 : kPowerInfinity);
  const DoubleDouble log_x = precise_log(std::fabs(x));
  const double rough = log_x.high * y;
  if (rough > 710.0) return sign * kPowerInfinity;
  if (rough < -746.0) return sign * 0.0;
  return sign * power_exp(log_x * y);
}

}  // namespace plumb::math
