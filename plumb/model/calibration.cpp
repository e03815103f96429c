#include "plumb/model/calibration.h"

#include <algorithm>
#include <cmath>

#include "plumb/math/special.h"

namespace plumb {

double Calibration::bent(double score) const noexcept {
  if (bend == 0.0) return score;
  return std::copysign(math::log1p(bend * std::abs(score)) / bend, score);
}

double Calibration::log_odds(double score) const noexcept {
  if (scores.empty() || std::isinf(score)) return slope * bent(score) + offset;
  const auto above = static_cast<std::size_t>(std::upper_bound(scores.begin(), scores.end(), score) - scores.begin());
  const std::size_t below = above == 0 ? 0 : above - 1, next = std::min(above, scores.size() - 1);
  double p = probabilities[below];
  if (next > below) {
    const double part = (score - scores[below]) / (scores[next] - scores[below]);
    p = std::min(p + part * (probabilities[next] - p), probabilities[next]);
  }
  return math::log(p / (1.0 - p));
}

const char* Calibration::fault() const noexcept {
  if (!std::isfinite(slope) || !(slope > 0) || !std::isfinite(offset) || !std::isfinite(bend) || bend < 0)
    return "the calibration is out of range";
  if (scores.size() != probabilities.size()) return "there is not one probability per knot of the calibration";
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!std::isfinite(scores[i]) || (i > 0 && !(scores[i] > scores[i - 1])))
      return "the knots of the calibration do not ascend";
    if (!(probabilities[i] > 0.0 && probabilities[i] < 1.0) || (i > 0 && probabilities[i] < probabilities[i - 1]))
      return "the probabilities of the calibration do not ascend between 0 and 1";
  }
  return nullptr;
}

}  // namespace plumb
