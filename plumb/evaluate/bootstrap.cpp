// BCa intervals: B. Efron, "Better bootstrap confidence intervals", JASA 82 (1987). Widening for few rows: T.
// Hesterberg, "What teachers should know about the bootstrap", The American Statistician 69 (2015), section 3.2.
#include "plumb/evaluate/bootstrap.h"

#include <algorithm>
#include <cmath>

#include "plumb/data/examples.h"
#include "plumb/math/distributions.h"

namespace plumb {
namespace {

constexpr double kTail = 0.025;

// The statistic of all units but one, for each: how much one of them can move it, and in which direction.
double acceleration(const Units& units, In total, const SampleStatistic& statistic) {
  std::vector<double> without(units.count()), sums(units.width);
  double mean = 0.0;
  for (std::size_t i = 0; i < units.count(); ++i) {
    for (std::size_t k = 0; k < units.width; ++k) sums[k] = total[k] - units.unit(i)[k];
    const std::optional<double> value = statistic(sums);
    if (!value) return 0.0;
    without[i] = *value;
    mean += *value / static_cast<double>(units.count());
  }
  double squares = 0.0, cubes = 0.0;
  for (const double value : without) {
    const double d = mean - value;
    squares += d * d;
    cubes += d * d * d;
  }
  const double a = cubes / (6 * squares * std::sqrt(squares));
  return std::isfinite(a) ? a : 0.0;
}

// The p quantile of the sorted values.
double quantile(const std::vector<double>& sorted, double p) {
  const auto last = static_cast<double>(sorted.size() - 1);
  const double at = std::clamp(p * static_cast<double>(sorted.size() + 1) - 1, 0.0, last);
  const auto i = static_cast<std::size_t>(at);
  if (i + 1 == sorted.size()) return sorted[i];
  return sorted[i] + (at - static_cast<double>(i)) * (sorted[i + 1] - sorted[i]);
}

// z_0 is the distance of the statistic from the median of its resamples, a the change of its spread with its value.
// Both are 0 for a mean of symmetric terms, where the interval is from the 2.5 % to the 97.5 % point.
BootstrapInterval bca(std::vector<double> values, double statistic, double a, std::size_t units) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const auto [from, to] = std::equal_range(values.begin(), values.end(), statistic);
  const double below =
      static_cast<double>(from - values.begin()) / count + 0.5 * static_cast<double>(to - from) / count;
  const double z_0 = math::Normal{}.quantile(std::clamp(below, 0.5 / count, 1 - 0.5 / count));
  // The bootstrap distribution is too narrow by sqrt((n - 1) / n), and normal where t is needed.
  const auto n = static_cast<double>(units);
  const double z = std::sqrt(n / (n - 1)) * math::StudentT{n - 1}.upper_quantile(kTail);
  const auto share = [&](double from_middle) {
    const double u = z_0 + from_middle, divisor = 1 - a * u;
    if (divisor <= 0) return u < 0 ? 0.0 : 1.0;
    return math::Normal{}.lower(z_0 + u / divisor);
  };
  return {std::min(statistic, quantile(values, share(-z))), std::max(statistic, quantile(values, share(z)))};
}

}  // namespace

Units make_units(std::uint64_t rows, std::size_t width, const std::function<void(std::uint64_t row, Out out)>& fill,
                 const Run& run) {
  Units units{width, {}};
  if (rows <= kMostUnits) {
    units.sums.resize(rows * width);
    for (std::uint64_t i = 0; i < rows; ++i) fill(i, Out(units.sums).subspan(i * width, width));
    return units;
  }
  const RandomKey key = run.random.with_stream(Stream::bootstrap);
  const std::size_t blocks = (rows + kBlockRows - 1) / kBlockRows;
  units.sums.resize(kMostUnits * width);
  run.reduce(Phase::evaluating, blocks, units.sums, [&](std::size_t b, Out out) {
    std::vector<double> terms(width);
    for (std::uint64_t i = b * kBlockRows; i < std::min<std::uint64_t>(rows, (b + 1) * kBlockRows); ++i) {
      fill(i, terms);
      const Out group = out.subspan(key.below(i, kMostUnits) * width, width);
      for (std::size_t k = 0; k < width; ++k) group[k] += terms[k];
    }
  });
  return units;
}

std::vector<std::optional<BootstrapInterval>> bootstrap_intervals(const Units& units,
                                                                  std::span<const SampleStatistic> statistics,
                                                                  std::uint64_t resamples, const Run& run) {
  std::vector<std::optional<BootstrapInterval>> intervals(statistics.size());
  const std::size_t n = units.count();
  if (n < kFewestUnits || resamples == 0) return intervals;
  std::vector<std::optional<double>> made(resamples * statistics.size());
  constexpr std::uint64_t kAtOnce = 16;
  run.for_each(Phase::evaluating, (resamples + kAtOnce - 1) / kAtOnce, [&](std::size_t block) {
    std::vector<double> sums(units.width);
    for (std::uint64_t r = block * kAtOnce; r < std::min(resamples, (block + 1) * kAtOnce); ++r) {
      const RandomKey key = run.random.with_stream(Stream::bootstrap, r + 1);
      std::fill(sums.begin(), sums.end(), 0.0);
      std::uint64_t bits = 0;
      for (std::size_t drawn = 0; drawn < n; ++drawn) {
        // Two draws from 64 bits; the probability of each unit is within 2^-32 of 1 / n.
        bits = drawn % 2 == 0 ? key.bits(drawn / 2) : bits >> 32;
        const In unit = units.unit(static_cast<std::size_t>(((bits & 0xffffffff) * n) >> 32));
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += unit[k];
      }
      for (std::size_t s = 0; s < statistics.size(); ++s) made[r * statistics.size() + s] = statistics[s](sums);
    }
  });
  std::vector<double> total(units.width);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < units.width; ++k) total[k] += units.unit(i)[k];
  for (std::size_t s = 0; s < statistics.size(); ++s) {
    const std::optional<double> value = statistics[s](total);
    if (!value) continue;
    std::vector<double> values;
    for (std::uint64_t r = 0; r < resamples; ++r)
      if (const std::optional<double>& each = made[r * statistics.size() + s]) values.push_back(*each);
    if (2 * values.size() <= resamples) continue;
    const double a = acceleration(units, total, statistics[s]);
    intervals[s] = bca(std::move(values), *value, a, n);
  }
  return intervals;
}

}  // namespace plumb
