#pragma once

#include <cmath>
#include <string_view>

#include "plumb/objective/scalar_loss.h"

namespace plumb {

// max(0, 1 - m)
struct HingeLoss {
  static constexpr std::string_view kName = "hinge";
  static double value(double s, double y) noexcept { return std::fmax(0.0, 1.0 - y * s); }
  static double slope(double s, double y) noexcept { return y * s < 1.0 ? -y : 0.0; }
  static double conjugate(double u, double y) noexcept {
    const double a = -y * u;
    return a >= 0.0 && a <= 1.0 ? -a : kInfinity;
  }
  static constexpr double slope_bound() noexcept { return 1.0; }
  static double dual_off(const DualRow& before, const DualRow& after, double margin, double) noexcept {
    return std::abs(after.a - before.a) * std::abs(1.0 - margin);
  }
  // The slope of the dual is margin - 1; a row of zeros has no margin to gain.
  static void dual_step(DualRow& row, double margin, double norm, double weight, double) noexcept {
    row.a = norm > 0.0 ? std::fmin(std::fmax(0.0, row.a - (margin - 1.0) / norm), weight) : weight;
  }
};

}  // namespace plumb
