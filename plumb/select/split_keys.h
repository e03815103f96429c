// How rows are split: at random by a column of identifiers, in groups that stay together, by given folds, or by the
// order of the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/data/source.h"
#include "plumb/data/table.h"
#include "plumb/feature/plan.h"
#include "plumb/select/split_options.h"

namespace plumb {

// For each row of the data.
struct SplitKeys {
  std::vector<std::uint64_t> draw = {};        // the keys of its draw; empty: its number
  std::vector<std::uint32_t> group = {};       // empty: every row is a group of its own
  std::vector<std::uint64_t> group_draw = {};  // of each group
  std::vector<std::uint32_t> cluster = {};     // of every row, if SplitOptions::cluster names a column
  bool names_repeat = false;                   // a group is the rows of one identifier, because several have the same
  std::vector<std::uint32_t> fold = {};        // given by the data; empty: to be drawn
  std::uint32_t folds = 0;                     // how many are given
  bool in_order = false;
};

// The plan of the features, plus the split columns, which are not features. Throws Error(usage) for a column that does
// not exist or has another role.
FeaturePlan plan_split(const Source& source, FeatureOptions features, const TextOptions& text,
                       const SplitOptions& split, std::optional<Kind> target = {});

// From tables that such a plan has selected. Throws Error(data) with the place of a row that is empty in one of the
// columns, or has a group in two of the given folds.
SplitKeys split_keys(const Tables& tables, const FeaturePlan& plan, const SplitOptions& options);

}  // namespace plumb
