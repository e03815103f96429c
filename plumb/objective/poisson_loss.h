#pragma once

#include <cmath>
#include <string_view>

#include "plumb/objective/scalar_loss.h"

namespace plumb {

// Half the deviance of a count y with mean e^s: e^s - y s + y log y - y, which is 0 where e^s = y. docs/poisson.md.
struct PoissonLoss {
  static constexpr std::string_view kName = "poisson";
  static constexpr bool kNumbers = true;
  static constexpr double kLeastTarget = 0.0;
  static constexpr LossModel kModel{.meaning = "Poisson regression for counts",
                                    .log_link = true,
                                    .distribution = "P(y | x), Poisson",
                                    .scoring = "Poisson deviance + penalty",
                                    .strengths = "rates and counts; exposure by --offset",
                                    .weaknesses = "variance is taken to be the mean"};

  static double value(double s, double y) noexcept { return divergence(y, s); }
  static double slope(double s, double y) noexcept { return math::exp(s) - y; }
  static double curve(double s, double) noexcept { return math::exp(s); }
  // With t = u + y, a mean: t log t - t - (y log y - y).
  static double conjugate(double u, double y) noexcept {
    const double t = u + y;
    if (!(t >= 0.0)) return kInfinity;
    return (t > 0.0 ? t * math::log(t) - t : 0.0) - (y > 0.0 ? y * math::log(y) - y : 0.0);
  }
  static double nearest_slope(double u, double y) noexcept { return std::fmax(u, -y); }
  // value + conjugate - u s, written without cancellation: the divergence of t from e^s.
  static double excess(double s, double y, double u) noexcept {
    const double t = u + y;
    return t >= 0.0 ? divergence(t, s) : kInfinity;
  }

  // The score of a constant fit to counts of this mean.
  static double first_score(double mean) noexcept { return mean > 0.0 ? math::log(mean) : 0.0; }

 private:
  // t log(t / e^s) - t + e^s = t (e^d - 1 - d) with d = s - log t; never negative.
  static double divergence(double t, double s) noexcept {
    if (!(t > 0.0)) return math::exp(s);
    const double d = s - math::log(t);
    if (std::abs(d) < 1e-3) return t * d * d * (0.5 + d * (1.0 / 6.0 + d / 24.0));
    return t * std::fmax(0.0, math::expm1(d) - d);
  }
};

}  // namespace plumb
