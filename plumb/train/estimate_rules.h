// How naive Bayes turns counts into probabilities.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/base/option_types.h"

namespace plumb {

// Who shares a variance: nobody, the classes, the features, or both.
enum class VarianceOf { class_feature, feature, class_only, one };
template <>
struct EnumNames<VarianceOf> {
  static constexpr std::string_view names[] = {"class-feature", "feature", "class", "one"};
};
// True if classes have variances of their own, so that squares of the features are needed.
constexpr bool needs_squares(VarianceOf of) noexcept {
  return of == VarianceOf::class_feature || of == VarianceOf::class_only;
}

enum class VarianceDivisor { unbiased, likelihood };
template <>
struct EnumNames<VarianceDivisor> {
  static constexpr std::string_view names[] = {"n-1", "n"};
};

// Q(value, class): the joint probability of both in a virtual example.
struct VirtualShare {
  std::size_t label = 0;
  std::string feature;  // by name: colour=red
  double share = 0.0;
};

struct EstimateRules {
  double smoothing = 1.0;                              // added to the count of every outcome
  std::optional<double> virtual_examples = {};         // number of virtual examples, instead of smoothing
  std::vector<double> virtual_classes = {};            // Q(class); empty: spread evenly
  std::vector<VirtualShare> virtual_shares = {};       // values that are not named share the rest of their class evenly
  std::optional<std::pair<double, double>> beta = {};  // for bernoulli features, instead of both
  std::vector<double> prior = {};                      // by class; empty: from the counts
  VarianceOf variance = VarianceOf::class_feature;
  VarianceDivisor divisor = VarianceDivisor::unbiased;
  double variance_add = 1e-9;  // times the largest variance of a feature over all rows
};

}  // namespace plumb
