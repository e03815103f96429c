// The strength of a penalty and its factors for single features.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/feature/feature_map.h"
#include "plumb/train/strength.h"

namespace plumb {

class DesignMatrix;
class Examples;
struct Run;

// The penalties of one fit; units: those of the weights of l2 (unit_penalties), l1 has their roots; empty: 1 for all.
// selected: of each feature, whether it may have a weight, which then has no penalty; empty: all as the rest says.
struct PenaltyStrengths {
  double l2 = 0.0, l1 = 0.0;
  std::span<const double> units = {};
  std::vector<bool> selected = {};
};

// One factor of the penalty for each feature, 1 unless a COL=F names it: a feature by its name, the levels of a
// category and the terms of a text by their column. Throws Error(usage) for an unknown name, or an F that is not a
// number of at least 0.
std::vector<double> penalty_factors(const std::vector<std::string>& given, const FeatureMap& map);

// The units in which --l2 auto measures weights, so that the choice is the same in metres and in feet: the variance of
// each column of numbers (or product, formula, or entry that most rows have) over the rows, as if it were scaled to
// standard deviation 1. Categories, words and rare entries have unit 1, and so have constant columns.
std::vector<double> unit_penalties(const Examples& examples, const FeatureMap& map, const Run& run);
// The variance of every column over the rows, 1 for a constant one: the units of penalties on standardised columns.
std::vector<double> variances(const DesignMatrix& x, const Run& run);
inline constexpr const char* kInSpreads = "l2_in_spreads";  // in the record of a fit whose penalty is in these units

// Sets the penalties of columns that are 0 in every row to 0, as for an offset's column.
void leave_out_zeros(const DesignMatrix& x, std::vector<double>& penalty);

// The warning if such factors are given without a penalty.
inline constexpr const char* kNothingToMultiply = "--penalty-factor has no effect without a penalty; --l2 1 adds one";

}  // namespace plumb
