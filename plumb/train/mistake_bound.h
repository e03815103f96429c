// The largest possible number of mistakes of a perceptron: Novikoff's bound, and its form for rows that no hyperplane
// separates. Proof in docs/perceptron.md.
#pragma once

#include <cstdint>

#include "plumb/base/run.h"
#include "plumb/data/row_table.h"
#include "plumb/solver/margin.h"
#include "plumb/solver/online.h"

namespace plumb {

struct MistakeBound {
  double radius = 0.0;      // R, the largest |(x, 1)|
  MarginBounds margin;      // for separable rows: bounds of gamma from both sides
  double any_passes = 0.0;  // Novikoff's bound, R^2 / gamma^2, for any number of passes; 0: none
  double aim = 0.0;         // if the other form is smaller: its target margin gamma ...
  double slack = 0.0;       // ... and D, the root of the sum of squared shortfalls, over all passes
  double updates = 0.0;     // the smaller of the two; 0: none
};

// For a run from zero weights, with two classes and a fixed step: `plane` is where it ended, `beta` its margin in steps
// of 1. Any hyperplane gives a bound; one of zeros is replaced by the sum of the rows, or by one of them.
MistakeBound mistake_bound(const RowTable& rows, const Planes& plane, bool bias, double beta, std::uint64_t passes,
                           const Run& run);

}  // namespace plumb
