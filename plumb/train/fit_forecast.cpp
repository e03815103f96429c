#include "plumb/train/fit_forecast.h"

#include <algorithm>
#include <cmath>

#include "plumb/math/special.h"

namespace plumb {
namespace {

// The progress from `first` down to `last`, as a share of that down to `end`.
double way(double first, double last, double end) {
  if (!(first > end) || !(last < first)) return first > end ? 0.0 : 1.0;
  return std::min(1.0, math::log(first / std::max(last, end)) / math::log(first / end));
}

}  // namespace

double FitForecast::part(const SolverStep& step) {
  const double scale = std::max(std::abs(step.loss), 1e-300), wanted = std::clamp(tolerance_, 1e-15, 0.5);
  double found = 0.0;
  if (std::isfinite(step.gap) && step.gap > 0.0) {
    if (first_gap_ == 0.0) {
      first_gap_ = std::max(step.gap / scale, wanted);
      part_at_first_gap_ = std::min(part_, 0.9);
    }
    found = part_at_first_gap_ + (1.0 - part_at_first_gap_) * way(first_gap_, step.gap / scale, wanted);
  } else if (first_gap_ == 0.0 && step.gradient_norm > 0.0) {
    const double square = step.gradient_norm * step.gradient_norm;
    if (first_gradient_ == 0.0) first_gradient_ = square;
    found = way(first_gradient_, square, wanted * first_gradient_);
  } else if (first_gap_ == 0.0 && any_ && last_loss_ > step.loss) {
    const double gain = (last_loss_ - step.loss) / scale;
    if (first_gain_ == 0.0) first_gain_ = std::max(gain, wanted);
    found = way(first_gain_, gain, wanted);
  }
  if (iterations_ > 0) found = std::max(found, static_cast<double>(step.iteration) / static_cast<double>(iterations_));
  any_ = true;
  last_loss_ = step.loss;
  // The last step is not finished yet.
  return part_ = std::clamp(std::min(found, 0.999), part_, 1.0);
}

}  // namespace plumb
