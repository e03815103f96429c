#pragma once

#include <string_view>

#include "plumb/objective/scalar_loss.h"

namespace plumb {

// Twice the squared loss: 2 (s - y)^2 / 2.
struct RecipeLoss {
  static constexpr std::string_view kName = "recipe";
  static constexpr bool kNumbers = true;
  static double value(double s, double y) noexcept { return (s - y) * (s - y); }
  static double slope(double s, double y) noexcept { return 2.0 * (s - y); }
  static double curve(double, double) noexcept { return 2.0; }
  static double conjugate(double u, double y) noexcept { return u * (u / 4.0 + y); }
  static constexpr double curve_bound() noexcept { return 2.0; }
};

}  // namespace plumb
