#include "plumb/feature/product.h"

#include <cmath>
#include <limits>

#include "plumb/math/double_double.h"

namespace plumb {
namespace {

using math::DoubleDouble;

// Between these a product of two doubles neither overflows nor loses bits of its low part.
constexpr double kLeast = 0x1p-900, kMost = 0x1p900;

// The number m 2^exponent with 1/2 <= |m| < 1: no product of doubles is out of its range.
struct Scaled {
  DoubleDouble m = 0.5;
  std::int64_t exponent = 1;

  void times(double x) noexcept {
    int of_x = 0, of_m = 0;
    m = m * std::frexp(x, &of_x);
    std::frexp(m.high, &of_m);
    m = {std::ldexp(m.high, -of_m), std::ldexp(m.low, -of_m)};
    exponent += of_x + of_m;
  }

  double rounded() const noexcept {
    constexpr int kGrid = 1074;  // subnormal numbers are multiples of 2^-1074
    if (exponent > 1024) return std::copysign(std::numeric_limits<double>::infinity(), m.high);
    if (exponent > -1022) return std::ldexp(m.high, static_cast<int>(exponent));
    if (exponent < -kGrid) return std::copysign(0.0, m.high);
    // m.high is already rounded once. Rounding it again to the grid errs only if it lies halfway between two points of
    // the grid and m.low says on which side the number is.
    const double steps = std::ldexp(m.high, static_cast<int>(exponent) + kGrid);
    double nearest = std::nearbyint(steps);
    const double above = steps - nearest;
    if (above == 0.5 && m.low > 0.0) nearest += 1.0;
    if (above == -0.5 && m.low < 0.0) nearest -= 1.0;
    return std::ldexp(nearest, -kGrid);
  }
};

double scaled_product_of(std::span<const PowerOf> factors) noexcept {
  Scaled product;
  for (const PowerOf& factor : factors)
    for (std::uint32_t k = 0; k < factor.power; ++k) product.times(factor.base);
  return product.rounded();
}

bool safe(double x) noexcept { return std::abs(x) >= kLeast && std::abs(x) <= kMost; }

}  // namespace

double product_of(std::span<const PowerOf> factors) noexcept { return exact_product_of(factors).high; }

DoubleDouble exact_product_of(std::span<const PowerOf> factors) noexcept {
  DoubleDouble value(factors.front().base);
  if (factors.size() == 1 && factors.front().power == 1) return value;
  for (const PowerOf& factor : factors)
    if (factor.base == 0.0) return 0.0;
  if (!safe(value.high)) return scaled_product_of(factors);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (std::uint32_t k = i == 0 ? 1 : 0; k < factors[i].power; ++k) {
      value = value * factors[i].base;
      if (!safe(value.high)) return scaled_product_of(factors);
    }
  }
  return value;
}

}  // namespace plumb
