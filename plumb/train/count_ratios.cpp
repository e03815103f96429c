#include "plumb/train/count_ratios.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/evaluate/predicted_classes.h"
#include "plumb/math/special.h"
#include "plumb/objective/row_loss.h"

namespace plumb {
namespace {

constexpr int kBiasSteps = 60;
constexpr double kSmoothing = 1.0;    // added to every sum
constexpr double kShare = 0.25;       // of the fitted weights
constexpr double kLeastRatio = 1e-6;  // a feature of equal shares has hardly a weight

}  // namespace

std::vector<std::vector<double>> count_ratios(const Examples& examples, std::size_t labels, std::size_t features,
                                              const Run& run) {
  std::vector<double> sums(labels * features);
  run.reduce(Phase::fitting, examples.blocks(), sums, [&](std::size_t b, Out out) {
    examples.block(b).for_each([&](const Example& e) {
      if (e.weight == 0.0) return;
      const std::size_t row = static_cast<std::size_t>(e.target) * features;
      for (std::size_t t = 0; t < e.x.value.size(); ++t)
        out[row + (e.x.dense() ? t : e.x.index[t])] += e.weight * e.x.value[t];
    });
  });
  // By the sums, not by each value: they are what ratios are made of.
  for (const double sum : sums)
    if (!(sum >= 0.0) || !std::isfinite(sum))
      throw Error(ErrorCode::data, "--weighting nb takes ratios of sums, and a feature has values below 0",
                  "leave out --weighting, or --scale");
  std::vector<double> all(features);
  for (std::size_t k = 0; k < labels; ++k)
    for (std::size_t j = 0; j < features; ++j) all[j] += sums[k * features + j];
  const std::size_t planes = labels == 2 ? 1 : labels;
  std::vector<std::vector<double>> ratios(planes, std::vector<double>(features));
  for (std::size_t plane = 0; plane < planes; ++plane) {
    const std::size_t k = labels == 2 ? 1 : plane;
    double own = 0.0, rest = 0.0;
    for (std::size_t j = 0; j < features; ++j) {
      own += sums[k * features + j] + kSmoothing;
      rest += std::max(0.0, all[j] - sums[k * features + j]) + kSmoothing;
    }
    for (std::size_t j = 0; j < features; ++j) {
      const double p = sums[k * features + j] + kSmoothing;
      const double q = std::max(0.0, all[j] - sums[k * features + j]) + kSmoothing;
      ratios[plane][j] = math::log(p / own) - math::log(q / rest);
    }
  }
  return ratios;
}

double ratio_penalty(double ratio) noexcept {
  const double size = std::max(std::abs(ratio), kLeastRatio);
  return 1.0 / (size * size);
}

void interpolate(Out weights, In ratios) noexcept {
  double sum = 0.0;
  for (std::size_t j = 0; j < weights.size(); ++j)
    if (std::abs(ratios[j]) > kLeastRatio) sum += std::abs(weights[j] / ratios[j]);
  const double mean = weights.empty() ? 0.0 : sum / static_cast<double>(weights.size());
  for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = kShare * weights[j] + (1.0 - kShare) * mean * ratios[j];
}

// The slope of a convex loss rises with the bias: bisection, between biases that put every row on one side.
double best_bias(In weights, const Examples& examples, const RowLoss& loss, double label, const Run& run) {
  const std::vector<std::uint64_t> before = rows_before_blocks(examples);
  std::vector<double> score(before.back()), target(before.back()), counts(before.back());
  run.for_each(Phase::fitting, examples.blocks(), [&](std::size_t b) {
    std::uint64_t i = before[b];
    examples.block(b).for_each([&](const Example& e) {
      if (e.weight == 0.0) return;
      double z = 0.0;
      for (std::size_t t = 0; t < e.x.value.size(); ++t) z += e.x.value[t] * weights[e.x.dense() ? t : e.x.index[t]];
      score[i] = z;
      target[i] = e.target == label ? 1.0 : 0.0;
      counts[i++] = e.weight;
    });
  });
  double size = 1.0;
  for (const double z : score) size = std::max(size, std::abs(z));
  std::vector<double> z(score.size()), slope(score.size()), curve(score.size());
  const auto rises = [&](double bias) {
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = score[i] + bias;
    loss.value(z, target, counts, slope, curve);
    return std::accumulate(slope.begin(), slope.end(), 0.0) > 0.0;
  };
  double low = -2.0 * size - 2.0, high = -low;
  for (int step = 0; step < kBiasSteps; ++step) {
    const double middle = (low + high) / 2;
    (rises(middle) ? high : low) = middle;
  }
  return (low + high) / 2;
}

}  // namespace plumb
