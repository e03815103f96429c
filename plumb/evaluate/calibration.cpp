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
constexpr std::size_t kEnoughToBend = 200'000;    // scores
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

std::vector<bool> positives(const Scored& some) {
  std::vector<bool> positive;
  for (const std::uint32_t label : some.actual) positive.push_back(label == 1);
  return positive;
}

// Of the scores as they are bent. Those of a row with several classes are bent as distances from the best.
Calibration fitted(const Scored& some, double bend = 0.0, bool offset = true) {
  Calibration found;
  found.bend = bend;
  std::vector<double> bent = some.scores;
  for (std::size_t i = 0; bend > 0.0 && i < bent.size(); i += some.width) {
    const Out row = Out(bent).subspan(i, some.width);
    const double best = some.width > 1 ? *std::max_element(row.begin(), row.end()) : 0.0;
    for (double& each : row) each = found.bent(each - best);
  }
  if (some.width > 1) {
    found.slope = fit_temperature(bent, some.width, some.actual, some.weights);
  } else if (!offset) {
    std::vector<double> both;  // a softmax of 0 and the score
    for (const double each : bent) both.insert(both.end(), {0.0, each});
    found.slope = fit_temperature(both, 2, some.actual, some.weights);
  } else {
    const Calibration line = fit_sigmoid(bent, positives(some), some.weights);
    found.slope = line.slope;
    found.offset = line.offset;
  }
  return found;
}

std::vector<double> losses_by(const Calibration& calibration, const Scored& some) {
  std::vector<double> losses, row(some.width);
  for (std::size_t i = 0; i < some.actual.size(); ++i) {
    if (some.width == 1) {
      const double f = calibration.log_odds(some.scores[i]);
      losses.push_back(math::log1p_exp(some.actual[i] == 1 ? -f : f));
      continue;
    }
    const In own = In(some.scores).subspan(i * some.width, some.width);
    const double best = *std::max_element(own.begin(), own.end());
    for (std::size_t k = 0; k < some.width; ++k) row[k] = calibration.slope * calibration.bent(own[k] - best);
    losses.push_back(math::log_sum_exp(row) - row[some.actual[i]]);
  }
  return losses;
}

// The weight of rows of two classes whose label it gets wrong.
double errors_by(const Calibration& calibration, const Scored& some) {
  double wrong = 0.0;
  for (std::size_t i = 0; some.width == 1 && i < some.actual.size(); ++i)
    if ((calibration.log_odds(some.scores[i]) >= 0.0) != (some.actual[i] == 1)) wrong += some.weights[i];
  return wrong;
}

// Every so many rows, so that there are at most that many scores.
Scored thinned(const Scored& all, std::size_t scores) {
  const std::size_t every = 1 + all.scores.size() / scores;
  Scored some{all.width, {}, {}, {}};
  for (std::size_t i = 0; i < all.actual.size(); i += every) {
    const In row = In(all.scores).subspan(i * all.width, all.width);
    some.scores.insert(some.scores.end(), row.begin(), row.end());
    some.weights.push_back(all.weights[i]);
    some.actual.push_back(all.actual[i]);
  }
  return some;
}

// The mean of a - b, and its standard error.
struct Gain {
  double mean = 0.0, standard_error = 0.0;
};
Gain gain(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& weights) {
  Gain found{mean_of(a, weights) - mean_of(b, weights)};
  double total = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double own = a[i] - b[i] - found.mean;
    squares += weights[i] * own * own;
    total += weights[i];
  }
  if (total > 1.0) found.standard_error = std::sqrt(squares / (total - 1.0) / total);
  return found;
}

// The best of some bends about one over the mean score, if it is clearly better than none. Few rows are enough: the
// loss is flat about its minimum.
double best_bend(const Scored& all) {
  const Scored some = thinned(all, kEnoughToBend);
  double size = 0.0, count = 0.0;
  for (const double score : some.scores)
    if (std::isfinite(score)) {
      size += std::abs(score);
      ++count;
    }
  if (!(size > 0.0)) return 0.0;
  const std::vector<double> straight = losses_by(fitted(some), some);
  double found = 0.0, least = HUGE_VAL;
  std::vector<double> losses;
  for (double bend = count / size / 16.0; bend < 300.0 * count / size; bend *= 2.0) {
    std::vector<double> own = losses_by(fitted(some, bend), some);
    const double loss = mean_of(own, some.weights);
    if (!(loss < least)) continue;
    least = loss;
    found = bend;
    losses = std::move(own);
  }
  if (found == 0.0) return 0.0;
  const Gain by_bending = gain(straight, losses, some.weights);
  return by_bending.mean > 2.0 * by_bending.standard_error ? found : 0.0;  // the best of several is lucky
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

Calibration fit_isotonic(In scores, const std::vector<bool>& positive, In weights) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  struct Block {
    double first, last, positive, rows;
  };
  // Pools neighbours whose values do not ascend.
  const auto pooled = [](const std::vector<Block>& blocks, const auto& value) {
    std::vector<Block> found;
    for (Block block : blocks) {
      for (; !found.empty() && value(found.back()) >= value(block); found.pop_back())
        block = {found.back().first, block.last, found.back().positive + block.positive,
                 found.back().rows + block.rows};
      found.push_back(block);
    }
    return found;
  };
  std::vector<Block> blocks;
  for (const std::size_t i : order) {
    if (!(weights[i] > 0.0)) continue;
    if (blocks.empty() || blocks.back().last != scores[i]) blocks.push_back({scores[i], scores[i], 0.0, 0.0});
    blocks.back().rows += weights[i];
    if (positive[i]) blocks.back().positive += weights[i];
  }
  const auto moved = [](const Block& block) { return (block.positive + 0.5) / (block.rows + 1.0); };
  blocks = pooled(blocks, [](const Block& block) { return block.positive / block.rows; });
  Calibration found;
  for (const Block& block : pooled(blocks, moved))
    for (const double score : {block.first, block.last}) {
      if (!found.scores.empty() && found.scores.back() == score) continue;
      found.scores.push_back(score);
      found.probabilities.push_back(moved(block));
    }
  return found;
}

namespace {

std::optional<FoundCalibration> found_by(const PredictedClasses& rows, const Scored& all, Calibrate by, double bend) {
  const bool isotonic = by == Calibrate::isotonic && all.width == 1;
  const auto fit = [&](const Scored& some) {
    return isotonic ? fit_isotonic(some.scores, positives(some), some.weights)
                    : fitted(some, bend, by != Calibrate::temperature);
  };
  FoundCalibration found{fit(all), {}};
  found.by = by;
  if (!(found.calibration.slope > 0.0)) return {};
  const Scored halves[] = {scored(rows, 0), scored(rows, 1)};
  std::vector<double> before, after, weights;
  double errors = 0.0, total = 0.0;
  for (const std::size_t half : {0, 1}) {
    const Scored& own = halves[half];
    const Calibration other = fit(halves[1 - half]);
    for (const double loss : losses_by(other, own)) after.push_back(loss);
    for (const double loss : losses_by({}, own)) before.push_back(loss);
    weights.insert(weights.end(), own.weights.begin(), own.weights.end());
    errors += errors_by(other, own) - errors_by({}, own);
    for (const double weight : own.weights) total += weight;
  }
  if (total > 0.0) found.more_errors = errors / total;
  found.after = mean_of(after, weights);
  if (!rows.probable) return found;
  found.before = mean_of(before, weights);
  found.standard_error = gain(before, after, weights).standard_error;
  return found;
}

// Scores that say nothing of the label: the probability is the share of the class, whatever the score.
FoundCalibration of_shares(const Scored& some) {
  constexpr double kNextToNothing = 1e-6;
  double above = 0.0, below = 0.0, unit = 0.0;
  for (std::size_t i = 0; i < some.actual.size(); ++i) {
    (some.actual[i] == 1 ? above : below) += some.weights[i];
    unit = std::max(unit, std::abs(some.scores[i]));
  }
  FoundCalibration found;
  found.calibration.slope = kNextToNothing / (unit > 0.0 && std::isfinite(unit) ? unit : 1.0);
  found.calibration.offset = math::log((above + 1.0) / (below + 1.0));
  found.after = mean_of(losses_by(found.calibration, some), some.weights);
  return found;
}

}  // namespace

std::optional<FoundCalibration> find_calibration(const PredictedClasses& rows, Calibrate by) {
  if (!has_scores(rows)) return {};
  const Scored all = scored(rows);
  if (all.actual.empty()) return {};
  const double bend = by == Calibrate::isotonic && all.width == 1 ? 0.0 : best_bend(all);
  if (by != Calibrate::automatic) return found_by(rows, all, by, bend);
  std::optional<FoundCalibration> found = found_by(rows, all, Calibrate::sigmoid, bend);
  if (!found && !rows.probable && all.width == 1) return of_shares(all);
  if (found && found->more_errors > 0.0)
    if (std::optional<FoundCalibration> other = found_by(rows, all, Calibrate::temperature, bend)) return other;
  return found;
}

std::string_view calibration_name(const LinearModel& model) noexcept {
  if (!model.parts().calibration.scores.empty()) return "isotonic";
  return model.rows() > 1 || model.parts().calibration.keeps_signs() ? "temperature" : "sigmoid";
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
