// Notation: z the score, D the curvature of one copy of the row, q = |U^-T x|^2, h = s D q its leverage.
#include "plumb/infer/likelihood_diagnostics.h"

#include <cmath>
#include <limits>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/infer/refits.h"
#include "plumb/math/special.h"
#include "plumb/train/firth.h"
#include "plumb/train/leverages.h"

namespace plumb {

RowDiagnostics likelihood_diagnostics(const Trained& fit, const Examples& examples, const Run& run) {
  if (fit.curvature->outputs > 1)
    throw Error(ErrorCode::usage, "--diagnostics are of one score a row, and three labels or more have several",
                "--classes with two of the labels");
  expect_diagnostics_memory(examples, run);
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  Refits refits(fit, examples, find_number(fit.record, kFirthLikelihood) != nullptr, run);
  const DesignMatrix& x = refits.matrix();
  const Objective::Point& point = refits.best().point;
  const bool counts = refits.loss().numbers();
  const auto rank = static_cast<double>(refits.factor().rank());
  const std::vector<double> distance = row_distances(x, refits.factor().packed_root(), run);
  std::vector<double> curvature(x.rows());
  refits.loss().diagonal(point.curve, x.weights(), curvature);
  const auto mean = [&](double z) { return counts ? math::exp(z) : math::sigmoid(z); };
  RowDiagnostics all;
  for (std::size_t b = 0; b < examples.blocks(); ++b)
    examples.block(b).for_each([&](const Example& e) {
      if (e.weight > 0.0) all.number.push_back(e.number);
    });
  double press = 0.0;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const double s = x.weights()[i], z = point.z[i], y = x.targets()[i];
    // Of the optimum of the likelihood itself: Firth's point keeps the slopes of the rows.
    const double residual = -point.slope[i] / s, d = curvature[i] / s, h = curvature[i] * distance[i];
    const double one[] = {1.0};
    const double deviance = 2 * refits.loss().value(In(&z, 1), In(&y, 1), one);
    const double room = 1.0 - h, copy = 1.0 - std::min(h, h / s);
    const bool alone = room <= kLeverageOne;
    const double signed_deviance = std::copysign(std::sqrt(std::max(0.0, deviance)), residual);
    all.actual.push_back(y);
    all.weight.push_back(s);
    all.fitted.push_back(mean(z));
    all.residual.push_back(residual);
    all.deviance.push_back(signed_deviance);
    all.leverage.push_back(h);
    all.standardised.push_back(alone ? kMissing : signed_deviance / std::sqrt(copy));
    all.cook.push_back(alone || !(d > 0.0) ? kMissing : s * residual * residual / d * h / (room * room * rank));
    all.left_out.push_back(alone ? kMissing : mean(z - distance[i] * s * residual / room));
    if (!alone) press += s * (y - all.left_out.back()) * (y - all.left_out.back());
  }
  all.press = press;
  return all;
}

}  // namespace plumb
