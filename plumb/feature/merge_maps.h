// Merges the feature maps of two models of the same columns: levels, names and terms of both.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plumb/feature/feature_map.h"

namespace plumb {

struct MergedMap {
  FeatureMap map;
  std::vector<std::uint32_t> left, right;  // of each feature of the two: its new number
};
// Whether the right map was also trained on the rows of the left one: then its document frequencies are those of both.
enum class LearntFrom { separate_rows, more_rows };
// Levels are sorted as in training, terms of texts by their bytes unless both maps have the same. Squares take the
// centre of the first, document frequencies are added. Throws Error(usage) if columns, kinds or terms differ in more
// than that, or if values depend on document frequencies in a way that cannot be derived from sums.
MergedMap merge_maps(const FeatureMap& left, const FeatureMap& right,
                     LearntFrom right_from = LearntFrom::separate_rows);

// For each feature of a map: the factor from its values under it to those under another map that calls it `feature`. 1
// except for terms of texts that are multiplied by their inverse document frequency.
std::vector<double> value_factors(const FeatureMap& from, const FeatureMap& to,
                                  const std::vector<std::uint32_t>& feature);

// The column of texts whose values are multiplied by inverse document frequencies and then divided by a norm, if there
// is one: every added or removed text changes them in all rows, so sums of them cannot be added.
std::optional<std::string> normalised_idf_column(const FeatureMap& map);
// Throws Error(usage) if there is one.
void expect_sums_that_add_up(const FeatureMap& map);

struct ThinnedMap {
  FeatureMap map;
  std::vector<std::uint32_t> kept;  // of each feature: its old number
  std::uint64_t unnamed = 0;        // hashed features that lost the term they were named after
};
// Rows to remove: how many, and how many of them have each feature (read only for texts).
struct GoneRows {
  std::uint64_t rows = 0;
  std::vector<std::uint64_t> with_feature = {};
};
// Drops levels, names and terms whose feature is not kept, and removes the rows from document frequencies, which must
// include them. A hashed feature of such a row loses its name, which may be a term of that row alone. In crosses a
// level is dropped with the last of its features. For other terms every feature
// stays.
ThinnedMap thin_map(const FeatureMap& map, const std::function<bool(std::uint32_t feature)>& keep,
                    const GoneRows& gone);

}  // namespace plumb
