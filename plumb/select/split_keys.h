// What rows are split by: chance that a column of identifiers decides, groups that stay together, folds that are given,
// or the order of the rows.
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
  std::vector<std::uint64_t> draw = {};        // what its draw goes by; empty: its number
  std::vector<std::uint32_t> group = {};       // empty: every row is a group of its own
  std::vector<std::uint64_t> group_draw = {};  // of each group
  bool names_repeat = false;                   // the groups are the rows of one name each, as several have the same
  std::vector<std::uint32_t> fold = {};        // given by the data; empty: to be drawn
  std::uint32_t folds = 0;                     // how many are given
  bool in_order = false;
};

// The plan of the features, and the columns that rows are split by are read too; these are no features. Throws
// Error(usage) for a column that is not there or has another part to play.
FeaturePlan plan_split(const Source& source, FeatureOptions features, const TextOptions& text,
                       const SplitOptions& split, std::optional<Kind> target = {});

// From tables that such a plan has selected. Throws Error(data) with the place of a row that says nothing in one of the
// columns, or has a group in two of the given folds.
SplitKeys split_keys(const Tables& tables, const FeaturePlan& plan, const SplitOptions& options);

}  // namespace plumb
