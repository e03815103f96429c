#include "plumb/train/lost_in_saving.h"

#include <cmath>
#include <utility>

#include "plumb/math/dense.h"

namespace plumb {

// A loss increases by at most its slope times the move and half its curvature times the square, or its largest slope
// times the move.
double lost_in_bias(const DesignMatrix& x, const RowLoss& loss, const Objective::Point& point) {
  if (!x.centred()) return 0.0;
  const std::size_t p = x.columns();
  const double weight = math::sum(x.weights());
  double curvature = loss.curve_bound() * weight;
  if (loss.curved() && !std::isfinite(curvature)) {
    std::vector<double> diagonal(point.z.size());
    loss.diagonal(point.curve, x.weights(), diagonal);
    curvature = 2.0 * math::sum(diagonal);
  }
  double lost = 0.0;
  for (std::size_t begin = 0; begin < point.w.size(); begin += p) {
    const std::vector<double> own = x.in_units(In(point.w).subspan(begin, p));
    double size = std::abs(own.back());
    for (std::size_t j = 0; j + 1 < p; ++j) size += std::abs(own[j] * x.shift(j));
    const double moved = 0x1p-52 * size;
    lost += std::isfinite(curvature) ? moved * (std::abs(point.gradient[begin + p - 1]) + curvature / 2 * moved)
                                     : weight * moved * loss.slope_bound();
  }
  return lost;
}

double exact_value(const DesignMatrix& x, std::unique_ptr<RowLoss> loss, std::vector<double> ridge,
                   std::vector<double> w, const Run& run) {
  Objective f(x, std::move(loss), std::move(ridge), run);
  f.be_exact();
  return f.valued(std::move(w)).value;
}

}  // namespace plumb
