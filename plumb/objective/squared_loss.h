#pragma once

#include <string_view>

#include "plumb/objective/scalar_loss.h"

namespace plumb {

// (s - y)^2 / 2, for any y
struct SquaredLoss {
  static constexpr std::string_view kName = "squared";
  static constexpr bool kNumbers = true;
  static double value(double s, double y) noexcept { return (s - y) * (s - y) / 2.0; }
  static double slope(double s, double y) noexcept { return s - y; }
  static double curve(double, double) noexcept { return 1.0; }
  // value + conjugate - u s, written without cancellation.
  static double excess(double s, double y, double u) noexcept { return (s - y - u) * (s - y - u) / 2.0; }
  static double conjugate(double u, double y) noexcept { return u * (u / 2.0 + y); }
  static constexpr double curve_bound() noexcept { return 1.0; }
};

}  // namespace plumb
