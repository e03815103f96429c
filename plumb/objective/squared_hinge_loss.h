#pragma once

#include <cmath>
#include <string_view>

#include "plumb/objective/scalar_loss.h"

namespace plumb {

// max(0, 1 - m)^2
struct SquaredHingeLoss {
  static constexpr std::string_view kName = "squared-hinge";
  static double value(double s, double y) noexcept {
    const double short_of = std::fmax(0.0, 1.0 - y * s);
    return short_of * short_of;
  }
  static double slope(double s, double y) noexcept { return -2.0 * y * std::fmax(0.0, 1.0 - y * s); }
  static double curve(double s, double y) noexcept { return y * s < 1.0 ? 2.0 : 0.0; }
  static double conjugate(double u, double y) noexcept {
    const double a = -y * u;
    return a >= 0.0 ? a * (a / 4.0 - 1.0) : kInfinity;
  }
  static constexpr double curve_bound() noexcept { return 2.0; }
  static double dual_off(const DualRow& before, const DualRow& after, double margin, double) noexcept {
    return std::abs(after.a - before.a) * std::abs(1.0 - margin);
  }
  // The slope of the dual is margin - 1 + a / (2 weight); a has no upper bound.
  static void dual_step(DualRow& row, double margin, double norm, double weight, double) noexcept {
    const double extra = 1.0 / (2.0 * weight);
    row.a = std::fmax(0.0, row.a - (margin - 1.0 + extra * row.a) / (norm + extra));
  }
};

}  // namespace plumb
