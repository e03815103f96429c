// A model has its weights in the units of the features, and rounded: how much that adds to the objective of a fit.
#pragma once

#include <memory>
#include <vector>

#include "plumb/objective/objective.h"

namespace plumb {

// An upper bound. The bias of a centred matrix absorbs the common parts of columns, and rounding it moves every score.
double lost_in_bias(const DesignMatrix& x, const RowLoss& loss, const Objective::Point& point);

// The objective at the saved weights.
double exact_value(const DesignMatrix& x, std::unique_ptr<RowLoss> loss, std::vector<double> ridge,
                   std::vector<double> w, const Run& run);

}  // namespace plumb
