#include "plumb/workflow/feature_spread.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace plumb {
namespace {

constexpr std::uint32_t kMostFeatures = 1'000'000;  // above, a model file would grow by much for little

}  // namespace

void add_feature_spreads(Record& record, const Examples& rows, const Run& run) {
  const std::uint32_t p = rows.features();
  std::erase_if(record.statistics, [](const Statistic& each) { return each.name == "feature_sd"; });
  if (p == 0 || p > kMostFeatures || rows.size() == 0) return;
  // Sums of values and of squares, and the weight of the rows: digits enough to rank features by.
  std::vector<double> sums(2 * std::size_t{p} + 1);
  run.reduce(Phase::evaluating, rows.blocks(), sums, [&](std::size_t b, Out out) {
    rows.block(b).for_each([&](const Example& example) {
      out[2 * std::size_t{p}] += example.weight;
      for (std::size_t k = 0; k < example.x.value.size(); ++k) {
        const std::size_t j = example.x.dense() ? k : example.x.index[k];
        const double value = example.x.value[k];
        out[j] += example.weight * value;
        out[p + j] += example.weight * value * value;
      }
    });
  });
  const double total = sums.back();
  if (!(total > 0.0)) return;
  std::vector<double> spread(p);
  for (std::uint32_t j = 0; j < p; ++j) {
    const double mean = sums[j] / total;
    spread[j] = std::sqrt(std::max(0.0, sums[p + std::size_t{j}] / total - mean * mean));
    if (!std::isfinite(spread[j])) return;
  }
  record.statistics.push_back({"feature_sd", {p}, std::move(spread)});
}

}  // namespace plumb
