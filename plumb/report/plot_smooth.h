// A smooth curve through a cloud of points, for eyes: lowess (Cleveland, 1979, Robust Locally Weighted Regression and
// Smoothing Scatterplots, JASA 74). At each of some places a line is fitted to the nearest points, weighted by (1 -
// |d|^3)^3; then again with less weight for points far from the curve, by (1 - (r / 6 median|r|)^2)^2.
#pragma once

#include <vector>

#include "plumb/base/span.h"

namespace plumb {

struct SmoothCurve {
  std::vector<double> x;  // ascending
  std::vector<double> y;
};

// `span` is the share of the points that each line is fitted to. Points that are not finite are left out. No curve from
// fewer than 8 different x: it would follow the noise. More than 4000 points are replaced by means of neighbours.
SmoothCurve smooth_curve(In x, In y, double span = 2.0 / 3.0);

}  // namespace plumb
