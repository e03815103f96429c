// A product of whole powers, rounded once: only the result must be in the range of doubles, not the intermediate
// products.
#pragma once

#include <cstdint>
#include <span>

#include "plumb/math/double_double.h"

namespace plumb {

struct PowerOf {
  double base = 1.0;
  std::uint32_t power = 1;
};

// The double nearest to the product, except for an error of 2^-105 of it at each multiplication; infinite if it is
// beyond the largest double, zero or subnormal if it is that small. At least one factor; bases are finite.
double product_of(std::span<const PowerOf> factors) noexcept;
// The same before it is rounded: high is product_of(factors), low the rounding error; low is 0 if the product, or an
// intermediate one, is beyond 2^900 or below 2^-900.
math::DoubleDouble exact_product_of(std::span<const PowerOf> factors) noexcept;

}  // namespace plumb
