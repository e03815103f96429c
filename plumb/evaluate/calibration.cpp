#include "plumb/evaluate/calibration.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/math/special.h"

namespace plumb {
namespace {

constexpr int kMostSteps = 60;
constexpr double kLeastProbability = 1e-15;
constexpr double kLeastShown = 1e-300;            // of the probabilities of wrong classes
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
                    const Calibration& at) {
  double loss = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double f = at.slope * (scores[i] / unit) + at.offset;
    loss += weights[i] * (math::log1p_exp(f) - (positive[i] ? towards.high : towards.low) * f);
  }
  return loss;
}

// The scores of some rows, as a sigmoid or a softmax takes them. A row whose true class is ruled out, or unknown, has
// the same loss whatever the calibration, and no part in it.
struct Scored {
  std::size_t width = 1;
  std::vector<double> scores, weights;
  std::vector<std::uint32_t> actual;
};

bool is_open(const PredictedClasses& rows, std::uint64_t i) {
  if (rows.actual[i] >= rows.known || (rows.probable && !std::isfinite(rows.log_loss[i]))) return false;
  return rows.scores_per_row() > 1 || std::isfinite(rows.scores[i]);
}

// All rows, or every second row of each class. What a softmax takes is known up to a number that all classes of a row
// share: the logarithms of probabilities, where that of the true class is known even if it underflows; or the distances
// below the best score.
Scored scored(const PredictedClasses& rows, std::optional<std::size_t> half = {}) {
  Scored some{rows.scores_per_row(), {}, {}, {}};
  std::vector<std::size_t> seen(rows.known);  // of each class
  for (std::uint64_t i = 0; i < rows.rows(); ++i) {
    if (!is_open(rows, i) || (seen[rows.actual[i]]++ % 2 != half.value_or(0) && half)) continue;
    for (std::size_t k = 0; k < some.width; ++k) {
      const double score = rows.scores[i * some.width + k];
      some.scores.push_back(some.width == 1       ? score
                            : !rows.probable      ? std::min(score, 0.0)
                            : k == rows.actual[i] ? -rows.log_loss[i]
                                                  : math::log(std::max(score, kLeastShown)));
    }
    some.actual.push_back(rows.actual[i]);
    some.weights.push_back(rows.weight[i]);
  }
  return some;
}

Calibration fitted(const Scored& some) {
  if (some.width > 1) return {fit_temperature(some.scores, some.width, some.actual, some.weights), 0.0};
  std::vector<bool> positive;
  for (const std::uint32_t label : some.actual) positive.push_back(label == 1);
  return fit_sigmoid(some.scores, positive, some.weights);
}

std::vector<double> losses_by(const Calibration& calibration, const Scored& some) {
  std::vector<double> losses, row(some.width);
  for (std::size_t i = 0; i < some.actual.size(); ++i) {
    if (some.width == 1) {
      const double f = calibration.log_odds(some.scores[i]);
      losses.push_back(math::log1p_exp(some.actual[i] == 1 ? -f : f));
      continue;
    }
    for (std::size_t k = 0; k < some.width; ++k) row[k] = calibration.slope * some.scores[i * some.width + k];
    losses.push_back(math::log_sum_exp(row) - row[some.actual[i]]);
  }
  return losses;
}

// Losses of open rows, for all rows: others have the largest loss that is reported.
std::vector<double> among_all(const PredictedClasses& rows, const std::vector<double>& open) {
  std::vector<double> all;
  for (std::uint64_t i = 0, k = 0; i < rows.rows(); ++i)
    all.push_back(is_open(rows, i) ? open[k++] : -math::log(kLeastProbability));
  return all;
}

bool has_scores(const PredictedClasses& rows) {
  return rows.rows() > 0 && rows.scores.size() == rows.rows() * rows.scores_per_row();
}

}  // namespace

// Newton's method with halved steps; the loss is convex in both numbers.
Calibration fit_sigmoid(In scores, const std::vector<bool>& positive, In weights) {
  double above = 0.0, below = 0.0, unit = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    (positive[i] ? above : below) += weights[i];
    unit = std::max(unit, std::abs(scores[i]));
  }
  if (unit == 0.0 || !std::isfinite(unit)) unit = 1.0;
  const Targets towards{1.0 / (below + 2.0), (above + 1.0) / (above + 2.0)};
  Calibration at{0.0, math::log((above + 1.0) / (below + 1.0))};
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
    Calibration next = at;
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

std::optional<FoundCalibration> find_calibration(const PredictedClasses& rows) {
  if (!has_scores(rows)) return {};
  const Scored all = scored(rows);
  if (all.actual.empty()) return {};
  FoundCalibration found{fitted(all), {}};
  if (!(found.calibration.slope > 0.0)) return {};
  const Scored halves[] = {scored(rows, 0), scored(rows, 1)};
  double total = 0.0, sum = 0.0, squares = 0.0, before = 0.0;
  std::vector<double> differences, weights;
  for (const std::size_t half : {0, 1}) {
    const Scored& own = halves[half];
    const std::vector<double> after = losses_by(fitted(halves[1 - half]), own);
    const std::vector<double> uncalibrated = losses_by({}, own);
    for (std::size_t i = 0; i < after.size(); ++i) {
      total += own.weights[i];
      before += own.weights[i] * uncalibrated[i];
      sum += own.weights[i] * after[i];
      differences.push_back(uncalibrated[i] - after[i]);
      weights.push_back(own.weights[i]);
    }
  }
  found.after = sum / total;
  if (!rows.probable) return found;
  found.before = before / total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double own = differences[i] - (before - sum) / total;
    squares += weights[i] * own * own;
  }
  found.standard_error = total > 1.0 ? std::sqrt(squares / (total - 1.0) / total) : 0.0;
  return found;
}

std::string_view calibration_name(const LinearModel& model) noexcept {
  return model.rows() > 1 ? "temperature" : "sigmoid";
}

std::vector<double> calibrated_log_losses(const PredictedClasses& rows) {
  if (!has_scores(rows)) return {};
  const Scored all = scored(rows);
  std::vector<double> losses = among_all(rows, losses_by(fitted(all), all));
  for (double& each : losses) each = std::min(each, -math::log(kLeastProbability));
  if (!rows.probable) return losses;
  std::vector<double> own = rows.log_loss;
  for (double& each : own) each = std::min(each, -math::log(kLeastProbability));
  return mean_of(own, rows.weight) <= mean_of(losses, rows.weight) ? own : losses;
}

}  // namespace plumb
