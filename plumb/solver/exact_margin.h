// The margin of rows that leave doubles no digits for it, as columns far from 0 do: the few rows that it rests on are
// solved for in whole numbers. Derivation: docs/margin.md.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/base/span.h"
#include "plumb/data/row_table.h"
#include "plumb/solver/combination.h"
#include "plumb/solver/margin.h"

namespace plumb {

struct ExactMargin {
  MarginBounds bounds;
  std::vector<double> weights;  // of the plane that the lower bound is of, rounded
  double bias = 0.0;
  std::optional<Combination> zero;  // a proof that there is no plane, which such a search may meet on its way
};

// Products of words that a search may cost: some seconds; and where it is only asked in passing.
inline constexpr std::uint64_t kMostMarginWork = 2'000'000'000, kPassingMarginWork = 100'000'000;

// `shares`: one for each row, those of the rows that it rests on large, as far as that is known. `only_these`: rows
// without a share are not there. Bounds that are further apart than the tolerance, or nothing at all, where it would be
// more work than that.
std::optional<ExactMargin> exact_margin(const RowTable& rows, BiasKind kind, In shares, double tolerance,
                                        std::uint64_t most_work, const Run& run, bool only_these = false);

// A proof among few of the rows with the largest shares: of classes that overlap, those of the descent
// (hull_distance.h) grow without end along one.
std::optional<Combination> zero_among_heaviest(const RowTable& rows, BiasKind kind, In shares, const Run& run);

}  // namespace plumb
