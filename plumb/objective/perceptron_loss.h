#pragma once

#include <cmath>
#include <string_view>

#include "plumb/objective/scalar_loss.h"

namespace plumb {

// max(0, -m): a row on the wrong side, or on the boundary, moves the weights by y x, as the perceptron's rule says.
struct PerceptronLoss {
  static constexpr std::string_view kName = "perceptron";
  static double value(double s, double y) noexcept { return std::fmax(0.0, -y * s); }
  static double slope(double s, double y) noexcept { return y * s <= 0.0 ? -y : 0.0; }
  static double conjugate(double u, double y) noexcept {
    const double a = -y * u;
    return a >= 0.0 && a <= 1.0 ? 0.0 : kInfinity;
  }
  static constexpr double slope_bound() noexcept { return 1.0; }
};

}  // namespace plumb
