// The bootstrap interval of a number computed from a sample of rows: rows are drawn with replacement, the number is
// computed again, many times, and the middle 95 % of the results is the interval. Method, corrections for few rows, and
// limits: docs/evaluation.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/base/span.h"

namespace plumb {

inline constexpr std::uint64_t kResamples = 2000;
// More rows than this are combined at random into that many groups, and the groups are drawn: the width of an interval
// is then known to about 1 part in sqrt(2 kMostUnits) = 1 %, at a cost that no longer grows with the rows.
inline constexpr std::size_t kMostUnits = 4096;
inline constexpr std::size_t kFewestUnits = 3;  // fewer cannot give an interval

// The units that are drawn: rows, or groups of them. A statistic is a function of sums over units.
struct Units {
  std::size_t width = 0;     // sums per unit
  std::vector<double> sums;  // unit after unit

  std::size_t count() const noexcept { return width == 0 ? 0 : sums.size() / width; }
  In unit(std::size_t i) const noexcept { return In(sums).subspan(i * width, width); }
};

// fill(row, out) writes the terms of one row, as many as `width`. The same bits for any number of threads.
Units make_units(std::uint64_t rows, std::size_t width, const std::function<void(std::uint64_t row, Out out)>& fill,
                 const Run& run);

// Empty if the sums do not define it: a variance of 0 in a denominator.
using SampleStatistic = std::function<std::optional<double>(In sums)>;

struct BootstrapInterval {
  double low = 0.0;
  double high = 0.0;
};

// For each statistic its 95 % interval (BCa, widened for few units), which contains the statistic itself. Empty with
// fewer than kFewestUnits, without resamples, or if most of the resamples do not define it. Draws are those of
// run.random in the stream `bootstrap`.
std::vector<std::optional<BootstrapInterval>> bootstrap_intervals(const Units& units,
                                                                  std::span<const SampleStatistic> statistics,
                                                                  std::uint64_t resamples, const Run& run);

}  // namespace plumb
