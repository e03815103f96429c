// Products of a design matrix whose sums are in double-double: for columns so nearly dependent that sums of doubles
// lose what tells them apart. They take some ten times as long as those of the matrix.
#pragma once

#include <vector>

#include "plumb/base/run.h"
#include "plumb/objective/design_matrix.h"

namespace plumb {

// As DesignMatrix has them, rounded once.
void exact_times(const DesignMatrix& x, In w, std::size_t outputs, Out z, const Run& run);
void exact_transpose_times(const DesignMatrix& x, In r, std::size_t outputs, Out g, const Run& run);

struct ExactGram {
  std::vector<double> high, low;  // the lower triangle, row-major
};
ExactGram exact_gram(const DesignMatrix& x, In d, const Run& run);

// Columns that are sums of multiples of others but for rounding: what those leave of them is at most 1e-13 of their
// size. Nothing that it is of is among them. A column of zeros is one.
std::vector<bool> made_up_columns(const DesignMatrix& x, const Run& run);

}  // namespace plumb
