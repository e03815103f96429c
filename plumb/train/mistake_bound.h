// How many mistakes a perceptron can make at most: Novikoff's bound, and its form for rows that no plane separates.
// Proof in docs/perceptron.md.
#pragma once

#include <cstdint>

#include "plumb/base/run.h"
#include "plumb/data/row_table.h"
#include "plumb/solver/margin.h"
#include "plumb/solver/online.h"

namespace plumb {

struct MistakeBound {
  double radius = 0.0;      // R, the largest |(x, 1)|
  MarginBounds margin;      // of separable rows: gamma, from both sides
  double any_passes = 0.0;  // Novikoff's bound, R^2 / gamma^2, for any number of passes; 0: there is none
  double aim = 0.0;         // where the other form says more: the margin that rows fall short of ...
  double slack = 0.0;       // ... and D, the root of the squares of by how much, over all passes
  double updates = 0.0;     // the smaller of the two; 0: there is none
};

// Of a run from zero weights, two classes and a fixed step: `plane` is where it ended, `beta` its margin in steps of 1.
// Any plane gives a bound; one of zeros is replaced by the sum of the rows, or by one of them.
MistakeBound mistake_bound(const RowTable& rows, const Planes& plane, bool bias, double beta, std::uint64_t passes,
                           const Run& run);

}  // namespace plumb
