#include "plumb/evaluate/calibration.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/math/special.h"

namespace plumb {
namespace {

constexpr int kMostSteps = 60;
constexpr double kLeastProbability = 1e-15;
constexpr std::size_t kEnoughScores = 4'000'000;  // to fit one number to

double mean_of(const std::vector<double>& losses, const std::vector<double>& weights) {
  double sum = 0.0, total = 0.0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    sum += weights[i] * losses[i];
    total += weights[i];
  }
  return total > 0.0 ? sum / total : 0.0;
}

struct Targets {
  double low = 0.0, high = 1.0;
};

// The summed loss of a sigmoid, of scores divided by `unit`.
double sigmoid_loss(In scores, const std::vector<bool>& positive, In weights, Targets towards, double unit,
                    const Sigmoid& at) {
  double loss = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double f = at.slope * (scores[i] / unit) + at.offset;
    loss += weights[i] * (math::log1p_exp(f) - (positive[i] ? towards.high : towards.low) * f);
  }
  return loss;
}

// The scores of a row that softmax turns into its probabilities.
void logits_of(const PredictedClasses& rows, std::uint64_t row, std::vector<double>& logits) {
  const std::size_t width = rows.scores_per_row();
  for (std::size_t k = 0; k < width; ++k) {
    const double score = rows.scores[row * width + k];
    logits[k] = rows.probable ? math::log(std::max(score, 1e-300)) : score;
  }
}

}  // namespace

// Newton's method with halved steps; the loss is convex in both numbers.
Sigmoid fit_sigmoid(In scores, const std::vector<bool>& positive, In weights) {
  double above = 0.0, below = 0.0, unit = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    (positive[i] ? above : below) += weights[i];
    unit = std::max(unit, std::abs(scores[i]));
  }
  if (unit == 0.0 || !std::isfinite(unit)) unit = 1.0;
  const Targets towards{1.0 / (below + 2.0), (above + 1.0) / (above + 2.0)};
  Sigmoid at{0.0, math::log((above + 1.0) / (below + 1.0))};
  double loss = sigmoid_loss(scores, positive, weights, towards, unit, at);
  for (int step = 0; step < kMostSteps; ++step) {
    double g0 = 0.0, g1 = 0.0, h00 = 1e-12, h01 = 0.0, h11 = 1e-12;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double x = scores[i] / unit, p = math::sigmoid(at.slope * x + at.offset);
      const double d = weights[i] * (p - (positive[i] ? towards.high : towards.low)), c = weights[i] * p * (1.0 - p);
      g0 += d * x;
      g1 += d;
      h00 += c * x * x;
      h01 += c * x;
      h11 += c;
    }
    const double det = h00 * h11 - h01 * h01;
    if (!(det > 0.0)) break;
    const double d0 = -(h11 * g0 - h01 * g1) / det, d1 = -(h00 * g1 - h01 * g0) / det;
    const double slope = g0 * d0 + g1 * d1;
    if (!(slope < -1e-12 * (1.0 + loss))) break;
    double length = 1.0;
    Sigmoid next = at;
    double found = loss;
    for (; length > 1e-10; length /= 2) {
      next = {at.slope + length * d0, at.offset + length * d1};
      found = sigmoid_loss(scores, positive, weights, towards, unit, next);
      if (found <= loss + 1e-4 * length * slope) break;
    }
    if (!(found < loss)) break;
    at = next;
    loss = found;
  }
  return {at.slope / unit, at.offset};
}

// The loss is convex in the scale: its derivative is the mean score of the softmax minus that of the true class.
double fit_temperature(In scores, std::size_t classes, const std::vector<std::uint32_t>& actual, In weights) {
  double unit = 0.0;
  for (const double score : scores)
    if (std::isfinite(score)) unit = std::max(unit, std::abs(score));
  if (unit == 0.0) return 1.0;
  const std::size_t every = 1 + scores.size() / kEnoughScores;
  const auto derivative = [&](double scale) {
    double sum = 0.0;
    for (std::size_t i = 0; i < actual.size(); i += every) {
      const double* const row = scores.data() + i * classes;
      if (actual[i] >= classes || !std::isfinite(row[actual[i]])) continue;
      const double top = *std::max_element(row, row + classes);
      double total = 0.0, mean = 0.0;
      for (std::size_t k = 0; k < classes; ++k) {
        if (!std::isfinite(row[k])) continue;
        const double e = math::exp(scale * (row[k] - top));
        total += e;
        mean += e * (row[k] - top);
      }
      sum += weights[i] * (mean / total - (row[actual[i]] - top));
    }
    return sum;
  };
  // Bisection of its logarithm, from where scores hardly differ to where they decide.
  double low = math::log(1e-4 / unit), high = math::log(1e4 / unit);
  if (derivative(math::exp(high)) <= 0.0) return math::exp(high);
  if (derivative(math::exp(low)) >= 0.0) return math::exp(low);
  for (int step = 0; step < 30; ++step) {
    const double middle = (low + high) / 2;
    (derivative(math::exp(middle)) > 0.0 ? high : low) = middle;
  }
  return math::exp((low + high) / 2);
}

std::vector<double> calibrated_log_losses(const PredictedClasses& rows) {
  std::vector<double> losses;
  const std::size_t width = rows.scores_per_row();
  if (rows.scores.size() != rows.rows() * width || rows.rows() == 0) return losses;
  losses.reserve(rows.rows());
  if (width == 1) {
    std::vector<bool> positive;
    for (const std::uint32_t label : rows.actual) positive.push_back(label == 1);
    const Sigmoid found = fit_sigmoid(rows.scores, positive, rows.weight);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const double f = found.slope * rows.scores[i] + found.offset;
      losses.push_back(std::min(math::log1p_exp(positive[i] ? -f : f), -math::log(kLeastProbability)));
    }
  } else {
    std::vector<double> logits(rows.scores.size());
    std::vector<double> row(width);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      logits_of(rows, i, row);
      std::copy(row.begin(), row.end(), logits.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
    const double scale = fit_temperature(logits, width, rows.actual, rows.weight);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const double* const own = logits.data() + i * width;
      const double top = *std::max_element(own, own + width);
      double total = 0.0;
      for (std::size_t k = 0; k < width; ++k) total += math::exp(scale * (own[k] - top));
      const double p = rows.actual[i] < width ? math::exp(scale * (own[rows.actual[i]] - top)) / total : 0.0;
      losses.push_back(-math::log(std::max(p, kLeastProbability)));
    }
  }
  if (!rows.probable) return losses;
  std::vector<double> own = rows.log_loss;
  for (double& each : own) each = std::min(each, -math::log(kLeastProbability));
  return mean_of(own, rows.weight) <= mean_of(losses, rows.weight) ? own : losses;
}

}  // namespace plumb
