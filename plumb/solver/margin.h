// The margin of a data set of two classes: how far the widest hyperplane stays away from all rows, bounded from both
// sides, or a proof that no hyperplane separates them. Derivation: docs/margin.md.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"

namespace plumb {

struct MarginBounds {
  double low = 0.0;
  double high = std::numeric_limits<double>::infinity();
  double width() const noexcept { return high > 0.0 ? (high - low) / high : 0.0; }  // relative
};

enum class BiasKind { none, augmented, free };

enum class Separable { yes, no, undecided };

struct MarginOptions {
  double tolerance = 1e-4;          // relative width of the bounds
  std::uint64_t max_passes = 2000;  // over the rows, for each of the two margins
  bool bias = true;
  bool free_bias = true;  // false: only the margin of (x, 1), quickly
};

// Rows are numbered as in the examples' storage; targets are 0 and 1.
struct DataMargin {
  Separable separable = Separable::undecided;
  MarginBounds free;       // y (w.x + b) / |w|: half the distance between the hulls of the classes
  MarginBounds augmented;  // of (x, 1) and hyperplanes through 0: the margin in the mistake bound of the perceptron
  double radius = 0.0;     // the largest |(x, 1)|; without a bias, of x
  std::uint64_t passes = 0;
  // A separating hyperplane, if the rows are separable: that of the lower bound, unless its rounding does not separate
  // them.
  std::vector<double> weights;
  double bias = 0.0;
  std::vector<std::uint64_t> closest;  // rows within 0.1 % of its margin, the closest first; at most 1000
  // Otherwise: sum share_k y_k (x_k, 1) is zero, with positive shares that sum to 1.
  struct Share {
    std::uint64_t row;
    double share;
    double sign;
  };
  std::vector<Share> combination;
  double residual = 0.0;  // the largest component of that sum, each feature in units of its largest value
  bool exact = false;     // the combination was checked without rounding
};

// Throws Error(data) unless both classes have rows.
DataMargin data_margin(const Examples& examples, const MarginOptions& options, const Run& run);

}  // namespace plumb
