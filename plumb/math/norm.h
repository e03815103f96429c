// The length of a vector whose squares may overflow or underflow.
#pragma once

#include <algorithm>
#include <cmath>

#include "plumb/math/dense.h"

namespace plumb::math {

// |x|, relative error at most (n + 8) / 2 units, as long as |x| is a normal double. The usual way if no significant
// square was lost.
inline double norm(In x) {
  const double square = dot(x, x);
  if (square > 1e-250 && square < 1e300) return std::sqrt(square);
  double largest = 0.0;
  for (const double each : x) largest = std::max(largest, std::abs(each));
  if (!(largest > 0.0) || !std::isfinite(largest)) return largest;
  double sum = 0.0;
  for (const double each : x) sum += (each / largest) * (each / largest);
  return largest * std::sqrt(sum);
}

}  // namespace plumb::math
