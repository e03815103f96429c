// A power of two as unit. Dividing by it changes no digit, and sums of squares of the quotients neither overflow nor
// underflow.
#pragma once

#include <algorithm>
#include <cmath>

namespace plumb::math {

struct Unit {
  int exponent = 0;    // k
  double scale = 1.0;  // 2^-k
};

// For numbers of at most this size: 2^(k-1) <= largest < 2^k, but k is at least -1022, because 2^1023 is the last power
// of two. 1 if nothing is above 0.
inline Unit unit_of(double largest) noexcept {
  if (!(largest > 0)) return {};
  int k = 0;
  std::frexp(largest, &k);
  k = std::max(k, -1022);
  return {k, std::ldexp(1.0, -k)};
}

}  // namespace plumb::math
