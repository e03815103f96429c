// What a FeatureMap knows beside its parts; for feature_map.cpp and apply.cpp alone.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plumb/feature/feature_map.h"

namespace plumb {

inline constexpr std::uint32_t kNoFeature = std::numeric_limits<std::uint32_t>::max();

struct FeatureMap::Content {
  Parts parts;
  std::vector<std::uint32_t> first;  // first feature of each term, and one past the last
  std::vector<std::unordered_map<std::string_view, std::uint32_t>> level_of;  // of each input; views of parts.inputs
};

// Features of a category, or of one side of a cross: its levels without the base, or 1 for a number.
inline std::uint64_t side_features(const CategoryTerm& term, const FeatureMap::Input& input) {
  return input.kind == Kind::number ? 1 : input.levels.size() - (term.base ? 1 : 0);
}

}  // namespace plumb
