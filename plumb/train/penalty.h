// The strength of a penalty and its factors for single features.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/feature/feature_map.h"
#include "plumb/train/strength.h"

namespace plumb {

class DesignMatrix;

// One factor of the penalty for each feature, 1 unless a COL=F names it: a feature by its name, the levels of a
// category and the terms of a text by their column. Throws Error(usage) for a name that no feature has, or an F that is
// no number of at least 0.
std::vector<double> penalty_factors(const std::vector<std::string>& given, const FeatureMap& map);

// Makes the penalties 0 of columns that are 0 in every row, as an offset's is there.
void leave_out_zeros(const DesignMatrix& x, std::vector<double>& penalty);

// The warning where such factors are given and there is no penalty.
inline constexpr const char* kNothingToMultiply = "--penalty-factor has no effect without a penalty; --l2 1 adds one";

}  // namespace plumb
