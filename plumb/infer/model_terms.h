// The terms of a model for joint tests: the features that one column, or one interaction, gives. A category is one
// term, however many levels it has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/feature/feature_map.h"
#include "plumb/model/record.h"

namespace plumb {

struct ModelTerm {
  std::string name;  // "race", "age:smoke"
  std::vector<std::uint32_t> features;
  std::vector<std::uint32_t> inputs;  // ascending
};

// In the order of the features; entries of LIBSVM files are a term each, an offset is none.
std::vector<ModelTerm> model_terms(const FeatureMap& map);

// Type II (marginality): a term is tested in the model without the terms that contain it, which are those of all its
// columns and more. Their features.
std::vector<std::uint32_t> containing(const std::vector<ModelTerm>& terms, const ModelTerm& term);

// The tests of terms in a record, in the order of model_terms: chi-square with its degrees of freedom, or for least
// squares the sum of squares and F.
inline constexpr const char* kTermChiSquare = "terms.chi_square";
inline constexpr const char* kTermSquares = "terms.sum_of_squares";
inline constexpr const char* kTermDegrees = "terms.degrees";

struct TermTest {
  std::string name;
  double degrees = 0.0;
  double statistic = 0.0;  // chi-square, or F
  double squares = 0.0;    // for F
  double p = 0.0;          // NaN where a term has no weight of its own
};
// Empty if the record has no such tests.
std::vector<TermTest> term_tests(const FeatureMap& map, const Record& record);

}  // namespace plumb
