// A model has its weights in the units of the features, and rounded: what that adds to the objective of a fit.
#pragma once

#include <memory>
#include <vector>

#include "plumb/objective/objective.h"

namespace plumb {

// At most. The bias of a matrix that was centred takes up what columns share, and rounding it moves every score.
double lost_in_bias(const DesignMatrix& x, const RowLoss& loss, const Objective::Point& point);

// The objective where weights are as they were saved.
double exact_value(const DesignMatrix& x, std::unique_ptr<RowLoss> loss, std::vector<double> ridge,
                   std::vector<double> w, const Run& run);

}  // namespace plumb
