#include "plumb/solver/line_search.h"

#include <algorithm>
#include <cmath>

#include "plumb/math/dense.h"

namespace plumb {

// F is convex along d, so its slope increases: between a step where it is negative and one where it is positive lies
// the minimum. The slopes decide, not the values, which near the optimum differ only by rounding.
double line_search(const Objective& f, const Objective::Point& point, In d, In zd, double first, double precision,
                   const Objective::Along* there) {
  constexpr int kTrials = 60;
  const double slope = math::dot(point.gradient, d);
  if (!(slope < 0.0)) return 0.0;
  const double noise = 0x1p-49 * std::abs(point.value);
  double low = 0.0, low_slope = slope, high = 0.0, high_slope = 0.0, t = first;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Objective::Along here = trial == 0 && there != nullptr ? *there : f.along(point, d, zd, t);
    const bool falls = here.value <= point.value + noise;
    if (falls && std::abs(here.slope) <= precision * -slope) return t;
    if (!std::isfinite(here.value) || here.slope > 0.0 || !falls) {
      high = t;
      high_slope = std::isfinite(here.slope) ? here.slope : 0.0;
    } else {
      low = t;
      low_slope = here.slope;
    }
    if (high == 0.0) {
      t *= 4.0;
      if (t > 1e18) return low;
      continue;
    }
    // Where the line between the two slopes is 0, kept away from both ends.
    double share = high_slope > 0.0 ? low_slope / (low_slope - high_slope) : 0.5;
    share = std::clamp(share, 0.1, 0.9);
    t = low + share * (high - low);
    if (high - low <= 1e-15 * high) break;
  }
  return low;
}

}  // namespace plumb
