#include "plumb/report/loss_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plumb/objective/loss.h"

namespace plumb {
namespace {

constexpr std::size_t kSurfacePlaces = 81;  // along each weight
constexpr std::size_t kMostRows = 2000;     // of more, that many evenly, each with a larger weight
constexpr int kLevels = 14;

struct Sample {
  std::vector<std::array<double, 2>> x;  // with the 1 of the bias if it is the second
  std::vector<double> y, weight;
};

Sample sample_of(const Examples& examples, bool bias, bool numbers) {
  Sample sample;
  const std::uint64_t stride = std::max<std::uint64_t>(1, examples.size() / kMostRows);
  std::uint64_t seen = 0;
  double all = 0.0, kept = 0.0;
  for (std::size_t b = 0; b < examples.blocks(); ++b)
    examples.block(b).for_each([&](const Example& e) {
      if (!numbers && e.target > 1.0) return;
      all += e.weight;
      if (seen++ % stride != 0) return;
      kept += e.weight;
      std::array<double, 2> x{0.0, bias ? 1.0 : 0.0};
      for (std::size_t t = 0; t < e.x.value.size(); ++t) x[e.x.dense() ? t : e.x.index[t]] = e.x.value[t];
      sample.x.push_back(x);
      sample.y.push_back(numbers ? e.target : e.target == 0.0 ? -1.0 : 1.0);
      sample.weight.push_back(e.weight);
    });
  for (double& weight : sample.weight) weight *= all / kept;
  return sample;
}

std::vector<double> places(double low, double high) {
  const double room = std::max((high - low) / 5, 1e-6 * std::max(1.0, std::abs(high)));
  std::vector<double> grid;
  for (std::size_t k = 0; k < kSurfacePlaces; ++k)
    grid.push_back(low - room +
                   (high - low + 2 * room) * static_cast<double>(k) / static_cast<double>(kSurfacePlaces - 1));
  return grid;
}

}  // namespace

LossSurface loss_surface(Loss loss, double l2, bool bias, const Examples& examples,
                         std::span<const std::vector<SolverStep>> traces) {
  LossSurface surface;
  const std::size_t weights = examples.features() + (bias ? 1 : 0);
  if (weights > 2 || examples.size() == 0) return surface;
  std::array<double, 2> low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-low[0]);
  for (const std::vector<SolverStep>& trace : traces)
    for (const SolverStep& step : trace)
      for (std::size_t k = 0; k < step.weights.size() && k < 2; ++k) {
        low[k] = std::min(low[k], step.weights[k]);
        high[k] = std::max(high[k], step.weights[k]);
      }
  if (!(low[0] <= high[0])) return surface;
  surface.x = places(low[0], high[0]);
  if (weights == 2) surface.y = places(low[1], high[1]);
  with_loss(loss, [&]<class L>(const L& l) {
    if constexpr (!ScaledLoss<L>) {  // whose scale is fitted beside the weights
      const Sample sample = sample_of(examples, bias, takes_numbers<L>());
      for (const double second : weights == 2 ? surface.y : std::vector<double>{0.0})
        for (const double first : surface.x) {
          double value = l2 / 2 * (first * first + (bias ? 0.0 : second * second));
          for (std::size_t i = 0; i < sample.x.size(); ++i)
            value += sample.weight[i] * l.value(first * sample.x[i][0] + second * sample.x[i][1], sample.y[i]);
          surface.value.push_back(value);
        }
    }
  });
  return surface;
}

// Marching squares: in each cell, where the value crosses the level on the edges; a saddle is joined in the order of
// the edges.
Line contours(const LossSurface& surface, double least) {
  Line line;
  line.paint = Paint::grey;
  line.name = "equal loss";
  line.shapes_axes = false;
  const std::size_t columns = surface.x.size();
  const double most = *std::max_element(surface.value.begin(), surface.value.end());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int k = 1; k <= kLevels; ++k) {
    const double share = static_cast<double>(k) / kLevels, level = least + (most - least) * share * share * share;
    for (std::size_t r = 0; r + 1 < surface.y.size(); ++r)
      for (std::size_t c = 0; c + 1 < columns; ++c) {
        const std::size_t corner[5][2] = {{c, r}, {c + 1, r}, {c + 1, r + 1}, {c, r + 1}, {c, r}};
        std::size_t met = 0;
        for (int edge = 0; edge < 4; ++edge) {
          const auto [c0, r0] = corner[edge];
          const auto [c1, r1] = corner[edge + 1];
          const double a = surface.value[r0 * columns + c0] - level, b = surface.value[r1 * columns + c1] - level;
          if ((a < 0.0) == (b < 0.0)) continue;
          const double t = a / (a - b);
          line.x.push_back(surface.x[c0] + t * (surface.x[c1] - surface.x[c0]));
          line.y.push_back(surface.y[r0] + t * (surface.y[r1] - surface.y[r0]));
          if (++met % 2 == 0) {
            line.x.push_back(nan);
            line.y.push_back(nan);
          }
        }
      }
  }
  return line;
}

}  // namespace plumb
