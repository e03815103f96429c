// The fill value for missing values of a column: 0, or the mean or median of its values in the training rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/data/row_set.h"
#include "plumb/data/table.h"
#include "plumb/feature/feature_map.h"
#include "plumb/feature/plan.h"

namespace plumb {

// For values and their weights, in any order: the value below and above which half of the weight lies; the middle of
// two if both do. A weight of 2 counts as two values.
double weighted_median(std::vector<std::pair<double, double>> values);

struct Fill {
  double value = 0.0;
  std::uint64_t missing = 0;  // among the rows
  std::uint64_t values = 0;   // that are not missing, and have a weight
};

// Over the given rows of a column of the tables; `weight` is the place of the weights, if there are any.
Fill fill_of(const Tables& tables, std::size_t column, std::optional<std::size_t> weight, const RowSet& rows,
             Missing missing);

// What is done about the missing numbers of all inputs of a plan.
struct Fills {
  std::vector<std::optional<double>> values;  // of each input: what fills in, if anything may
  std::vector<bool> marked;                   // ... and whether a feature says where it did
  std::optional<RowSet> complete = {};        // rows without a missing number, if the fit is to those alone
  std::vector<std::string> said = {};         // to the user
};
Fills learn_fills(const Tables& tables, const FeaturePlan& plan, std::optional<std::size_t> weight, const RowSet& rows,
                  const Wishes& wishes);

// A copy of a column without missing values.
Column filled_in(const Column& column, const FeatureMap::Input& input);

// Whether another choice of training rows would fill in other values.
bool fills_follow_rows(const FeaturePlan& plan, const FeatureMap& map);

}  // namespace plumb
