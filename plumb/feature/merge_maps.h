// Feature maps of two models of the same columns made one: levels, names and terms of both.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "plumb/feature/feature_map.h"

namespace plumb {

struct MergedMap {
  FeatureMap map;
  std::vector<std::uint32_t> left, right;  // of each feature of the two: which it is now
};
// Levels are sorted as learning sorts them, terms of texts by their bytes unless both maps have the same. Squares take
// the centre of the first. Throws Error(usage) where columns, kinds or terms differ in more than that.
MergedMap merge_maps(const FeatureMap& left, const FeatureMap& right);

struct ThinnedMap {
  FeatureMap map;
  std::vector<std::uint32_t> kept;  // of each feature: which it was
};
// Without the levels, names and terms whose feature is not to be kept; of crosses a level goes when all its features
// do. Of other terms every feature stays.
ThinnedMap thin_map(const FeatureMap& map, const std::function<bool(std::uint32_t feature)>& keep);

}  // namespace plumb
