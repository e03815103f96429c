// The penalties of the columns of a design matrix, in its units, from the strengths and factors that were given.
#pragma once

#include <string>
#include <vector>

#include "plumb/objective/objective.h"
#include "plumb/train/convex_options.h"
#include "plumb/train/penalty.h"
#include "plumb/train/trainer.h"

namespace plumb {

// For a column of size 1: the effect of a smaller penalty is lost in rounding, and so would be every certificate.
inline constexpr double kNoPenalty = 1e-24;

struct ColumnPenalties {
  std::vector<double> ridge, lasso;  // as in Objective; lasso is empty without an L1 penalty
  std::vector<double> slight;        // a ridge so small that it is treated as 0
};
// ratios: by which features are multiplied (--weighting nb), or empty.
ColumnPenalties column_penalties(const Problem& problem, const ConvexOptions& options,
                                 const PenaltyStrengths& strengths, const DesignMatrix& x, In ratios);

// A sentence for each column that an L1 penalty alone leaves without a weight, whatever it is.
std::vector<std::string> needless_warnings(const Objective& f, const FeatureMap& map);

}  // namespace plumb
