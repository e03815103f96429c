#pragma once

#include <cmath>
#include <string_view>

#include "plumb/objective/scalar_loss.h"

namespace plumb {

// log(1 + e^-m), for the probability 1 / (1 + e^-m) that the model gives the class of the row.
struct LogisticLoss {
  static constexpr std::string_view kName = "logistic";
  static constexpr bool kProbabilistic = true;
  static double value(double s, double y) noexcept { return math::log1p_exp(-y * s); }
  static double slope(double s, double y) noexcept { return -y * math::sigmoid(-y * s); }
  // sigma(m) sigma(-m), from one exponential: 1 - sigma would lose all digits for large m.
  static double curve(double s, double) noexcept {
    const double e = math::exp(-std::abs(s));
    return e / ((1.0 + e) * (1.0 + e));
  }
  static constexpr double curve_bound() noexcept { return 0.25; }
  static constexpr double slope_bound() noexcept { return 1.0; }
  // a log a + (1 - a) log(1 - a) with a = -y u in [0, 1]
  static double conjugate(double u, double y) noexcept {
    const double a = -y * u;
    if (!(a >= 0.0 && a <= 1.0)) return kInfinity;
    return (a > 0.0 ? a * math::log(a) : 0.0) + (a < 1.0 ? (1.0 - a) * math::log1p(-a) : 0.0);
  }

  // The contribution to the gap of a row met at this margin, to second order; u is the logit of a / weight.
  static double dual_gap(const DualRow& row, double margin, double weight) noexcept {
    const double off = margin + row.u;
    return std::fmin(row.a * (1.0 - row.a / weight) * off * off / 2, weight * std::abs(off));
  }
  static double dual_off(const DualRow& before, const DualRow&, double margin, double weight) noexcept {
    return before.a > 0.0 ? dual_gap(before, margin, weight) : weight * math::log1p_exp(-margin);
  }
  // The root u of A (a(u) - a) + margin + u = 0 with a(u) = weight / (1 + e^-u): Newton's method in a bracket. a(u) is
  // known at its start.
  static void dual_step(DualRow& row, double margin, double norm, double weight, double precision) noexcept {
    const double start = row.a;
    double residual = margin + row.u;
    if (std::abs(residual) <= precision && start > 0.0) return;
    double low = -margin - norm * (weight - start), high = -margin + norm * start, u = row.u, a = start;
    if (start > 0.0) {
      (residual > 0.0 ? high : low) = u;
      u -= residual / (1.0 + norm * start * (1.0 - start / weight));
    }
    for (int trial = 0;; ++trial) {
      if (!(u > low && u < high)) u = (low + high) / 2;
      const double e = math::exp(-std::abs(u));
      a = weight * ((u >= 0.0 ? 1.0 : e) / (1.0 + e));
      residual = norm * (a - start) + margin + u;
      if (std::abs(residual) <= precision / 10 || low == high || trial == 49) break;
      (residual > 0.0 ? high : low) = u;
      u -= residual / (1.0 + norm * weight * e / ((1.0 + e) * (1.0 + e)));
    }
    row.a = a;
    row.u = u;
  }
};

}  // namespace plumb
