// Payne and Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsletter 18(1), 1983: only the bits of 2/pi
// that affect x 2/pi modulo 4 matter, so a window of 192 bits is multiplied by the 53 bits of x as integers. The double
// nearest to a multiple of pi/2 is 2^-61 of a quarter turn away from it; 128 bits of the fraction are kept.
#include "plumb/math/trig.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace plumb::math {
namespace {

using WideAngle = unsigned __int128;

// A word of zeros, then 2/pi = 0.1010001011111... in 1216 bits: enough for the largest double.
constexpr std::uint64_t two_over_pi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

constexpr DoubleDouble half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr double quarter_pi = half_pi.high / 2.0;

// 64 bits that begin at bit `start` of the table.
std::uint64_t word_at(unsigned start) {
  const unsigned word = start / 64;
  const unsigned shift = start % 64;
  return shift == 0 ? two_over_pi[word] : two_over_pi[word] << shift | two_over_pi[word + 1] >> (64 - shift);
}

// The sum of the two halves of a fraction of 128 bits below 1/2, as two doubles. Both conversions are exact: the parts
// have 53 bits, and the rest is below 2^-104 of the whole.
DoubleDouble from_fraction(WideAngle fraction) {
  if (fraction == 0) return 0.0;
  const auto top = static_cast<std::uint64_t>(fraction >> 64);
  const int zeros = top != 0 ? std::countl_zero(top) : 64 + std::countl_zero(static_cast<std::uint64_t>(fraction));
  const WideAngle normal = fraction << zeros;
  const auto high = static_cast<double>(static_cast<std::uint64_t>(normal >> 75));
  const auto low = static_cast<double>(static_cast<std::uint64_t>(normal >> 22) & ((std::uint64_t{1} << 53) - 1));
  const double unit = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - zeros - 53) << 52);
  return fast_two_sum(high * unit, low * unit * 0x1p-53);
}

// sin(r) = r + r^3 s(r^2), by Taylor's series to r^17: 2^-62 is left out at pi/4.
double sin_near_zero(DoubleDouble r) {
  const double z = r.high * r.high;
  double s = 1.0 / 355687428096000;
  for (const double c :
       {-1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6})
    s = std::fma(s, z, c);
  return r.high + std::fma(r.high * z, s, r.low * (1.0 - 0.5 * z));
}

// cos(r) = 1 - r^2/2 + r^4 c(r^2), by Taylor's series to r^18, where 1 - r^2/2 is summed in two doubles.
double cos_near_zero(DoubleDouble r) {
  const DoubleDouble square = two_product(r.high, r.high);
  const double z = square.high;
  double c = -1.0 / 6402373705728000;
  for (const double next :
       {1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24})
    c = std::fma(c, z, next);
  const DoubleDouble first = fast_two_sum(1.0, -0.5 * z);
  const double rest = std::fma(z * z, c, std::fma(-0.5, square.low, -r.high * r.low));
  return first.high + (first.low + rest);
}

double sin_or_cos(const QuarterTurns& turns, unsigned shift) {
  const unsigned q = turns.q + shift;
  const double value = q % 2 == 0 ? sin_near_zero(turns.r) : cos_near_zero(turns.r);
  return q % 4 < 2 ? value : -value;
}

}  // namespace

QuarterTurns quarter_turns(double x) noexcept {
  if (std::fabs(x) <= quarter_pi) return {0, x};
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1075;  // |x| = m 2^exponent, exponent from -53 on
  const std::uint64_t m = (bits & 0x000fffffffffffff) | 0x0010000000000000;
  // Bit i of 2/pi is worth m 2^(exponent - i) quarter turns, a multiple of 4 up to i = exponent - 2. The window begins
  // with the next bit, so the low 192 bits of its product with m are turns modulo 4, in units of 2^-190.
  const auto start = static_cast<unsigned>(exponent + 62);
  const WideAngle low = WideAngle{m} * word_at(start + 128);
  const WideAngle middle = WideAngle{m} * word_at(start + 64) + static_cast<std::uint64_t>(low >> 64);
  const std::uint64_t high = m * word_at(start) + static_cast<std::uint64_t>(middle >> 64);
  unsigned q = static_cast<unsigned>(high >> 62);
  // The fraction: 190 bits, of which 128 behind its leading zeros are kept. From 1/2 up, it is counted from above.
  WideAngle fraction = WideAngle{high << 2 | static_cast<std::uint64_t>(middle) >> 62} << 64 |
                       (static_cast<std::uint64_t>(middle) << 2 | static_cast<std::uint64_t>(low) >> 62);
  const bool above = fraction >> 127 != 0;
  if (above) {
    fraction = ~fraction;  // 1 - fraction, up to one unit of 2^-128
    ++q;
  }
  DoubleDouble r = from_fraction(fraction) * half_pi;
  if (above) r = -r;
  return x < 0.0 ? QuarterTurns{(4 - q % 4) % 4, -r} : QuarterTurns{q % 4, r};
}

double sin(double x) noexcept {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  if (std::fabs(x) < 0x1p-27) return x;  // x^3/6 is below half an ulp; keeps -0
  return sin_or_cos(quarter_turns(x), 0);
}

double cos(double x) noexcept {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  return sin_or_cos(quarter_turns(x), 1);
}

}  // namespace plumb::math
