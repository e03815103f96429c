#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include "plumb/objective/scalar_loss.h"

namespace plumb {

// scale (1 + H((y - s) / scale)), where H(z) is z^2 up to the threshold and 2 threshold |z| - threshold^2 beyond it:
// jointly convex in the score and the scale. docs/huber.md.
struct HuberLoss {
  static constexpr std::string_view kName = "huber";
  static constexpr bool kNumbers = true;
  static constexpr LossModel kModel{.meaning = "robust linear regression (Huber's loss)",
                                    .distribution = "centre of y given x",
                                    .scoring = "Huber's loss, with the scale fitted",
                                    .strengths = "outliers in the target have limited influence",
                                    .weaknesses = "rows with extreme features still have influence"};

  double threshold = 1.345;  // in units of the scale
  double scale = 1.0;

  template <class O, class Add>
  static void add_options(Add&& add) {
    add(option("huber", static_cast<double O::*>(&HuberLoss::threshold),
               "residuals beyond this many scales have linear instead of squared loss")
            .value("T")
            .in({1.001, {}}));
  }

  double value(double s, double y) const noexcept {
    const double r = std::abs(y - s);
    return scale + (r <= threshold * scale ? r * (r / scale) : threshold * (2.0 * r - threshold * scale));
  }
  double slope(double s, double y) const noexcept { return 2.0 * std::clamp((s - y) / scale, -threshold, threshold); }
  double curve(double s, double y) const noexcept { return std::abs(y - s) <= threshold * scale ? 2.0 / scale : 0.0; }
  double curve_bound() const noexcept { return 2.0 / scale; }
  double slope_bound() const noexcept { return 2.0 * threshold; }
  double conjugate(double u, double y) const noexcept {
    return std::abs(u) <= 2.0 * threshold * (1.0 + 1e-15) ? u * y + scale * dual_room(u) : kInfinity;
  }
  double nearest_slope(double u, double) const noexcept { return std::clamp(u, -2.0 * threshold, 2.0 * threshold); }
  double scale_slope(double s, double y) const noexcept { return -dual_room(slope(s, y)); }
  static double dual_room(double u) noexcept { return u * (u / 4.0) - 1.0; }
};

}  // namespace plumb
