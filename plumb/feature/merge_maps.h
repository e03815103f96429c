// Feature maps of two models of the same columns made one: levels, names and terms of both.
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
  std::vector<std::uint32_t> left, right;  // of each feature of the two: which it is now
};
// Whether the right map has learnt from the rows of the left one too: then its document frequencies are those of both.
enum class LearntFrom { separate_rows, more_rows };
// Levels are sorted as learning sorts them, terms of texts by their bytes unless both maps have the same. Squares take
// the centre of the first, document frequencies add up. Throws Error(usage) where columns, kinds or terms differ in
// more than that, or where values depend on document frequencies in a way that sums of them do not show.
MergedMap merge_maps(const FeatureMap& left, const FeatureMap& right,
                     LearntFrom right_from = LearntFrom::separate_rows);

// Of each feature of a map: what its values under it become under another map that calls it `feature`, as a factor. 1
// but for terms of texts that are multiplied by their inverse document frequency.
std::vector<double> value_factors(const FeatureMap& from, const FeatureMap& to,
                                  const std::vector<std::uint32_t>& feature);

// The column of texts whose values are multiplied by inverse document frequencies and then divided by a norm, if there
// is one: they change in all rows with every text that comes or goes, so sums of them cannot be added up.
std::optional<std::string> normalised_idf_column(const FeatureMap& map);
// Throws Error(usage) if there is one.
void expect_sums_that_add_up(const FeatureMap& map);

struct ThinnedMap {
  FeatureMap map;
  std::vector<std::uint32_t> kept;  // of each feature: which it was
  std::uint64_t unnamed = 0;        // hashed features that lost the term they were called by
};
// Rows that are taken out: how many, and how many of them have each feature (read for texts alone).
struct GoneRows {
  std::uint64_t rows = 0;
  std::vector<std::uint64_t> with_feature = {};
};
// Without the levels, names and terms whose feature is not to be kept, and without the rows that are gone in document
// frequencies, which must hold them. A hashed feature of such a row has no name any more: it may be a term of that row
// alone. Of crosses a level goes when all its features do. Of other terms every feature
// stays.
ThinnedMap thin_map(const FeatureMap& map, const std::function<bool(std::uint32_t feature)>& keep,
                    const GoneRows& gone);

}  // namespace plumb
