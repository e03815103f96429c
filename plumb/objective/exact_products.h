// Products of a design matrix whose sums are in double-double: for columns so nearly dependent that sums of doubles
// cannot tell them apart. They take several times as long as those of the matrix.
#pragma once

#include <vector>

#include "plumb/base/run.h"
#include "plumb/objective/design_matrix.h"

namespace plumb {

// The share of the square of a column that earlier columns leave. Below the first, sums of doubles have too few digits
// of it; below the second, it is rounding: 1e-13 of the size of the column.
inline constexpr double kDoubtfulShare = 1e-12, kRoundingShare = 1e-26;

// As in DesignMatrix, rounded once.
void exact_times(const DesignMatrix& x, In w, std::size_t outputs, Out z, const Run& run);
void exact_transpose_times(const DesignMatrix& x, In r, std::size_t outputs, Out g, const Run& run);

struct ExactGram {
  std::vector<double> high, low;  // the lower triangle, row-major
};
ExactGram exact_gram(const DesignMatrix& x, In d, const Run& run);

// Whether a column is a linear combination of others: exactly, or but for rounding, or not. A column of zeros is one.
enum class MadeUp : unsigned char { no, nearly, exactly };
std::vector<MadeUp> made_up_columns(const DesignMatrix& x, const Run& run);

}  // namespace plumb
