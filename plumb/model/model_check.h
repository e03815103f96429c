// Checks of a model file beyond those of the constructors of FeatureMap, Weights and LinearModel. Writing and reading
// make the same checks, so a model that was saved can be loaded. Only the two of them include this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plumb/model/model.h"
#include "plumb/model/record.h"

namespace plumb {

inline constexpr std::string_view kModelFileSchema = "plumb-model";
inline constexpr std::string_view kStatisticPrefix = "statistics.";

// Names of features are made from names of columns, which a file contains once: without limits, a short file could
// produce long names.
inline constexpr std::uint64_t kLongestColumnName = 16u << 10;
inline constexpr std::uint64_t kMostNameBytes = 256u << 20;  // of all features together
inline constexpr std::size_t kMostNamed = 10'000;            // options, and numbers of the fit

// Throws Error(model) unless texts are UTF-8, names are distinct and not too long, numbers are finite, and the record's
// numbers have the model's shape.
void check_saved(const LinearModel& model, const Record& record);

}  // namespace plumb
