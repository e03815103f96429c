// A product of whole powers, rounded once: only the result has to be in the range of doubles, not what lies on the way.
#pragma once

#include <cstdint>
#include <span>

#include "plumb/math/double_double.h"

namespace plumb {

struct PowerOf {
  double base = 1.0;
  std::uint32_t power = 1;
};

// The double nearest to the product, but for an error of 2^-105 of it at each multiplication; infinite if it is beyond
// the largest double, zero or subnormal if it is that small. At least one factor; bases are finite.
double product_of(std::span<const PowerOf> factors) noexcept;
// The same before it is rounded: high is product_of(factors), low what rounding took away; low is 0 where the product,
// or one on the way, is beyond 2^900 or below 2^-900.
math::DoubleDouble exact_product_of(std::span<const PowerOf> factors) noexcept;

}  // namespace plumb
