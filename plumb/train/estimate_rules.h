// How naive Bayes makes probabilities of counts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/base/option_types.h"

namespace plumb {

// What a variance is shared by: nothing, the classes, the features, or both.
enum class VarianceOf { class_feature, feature, class_only, one };
template <>
struct EnumNames<VarianceOf> {
  static constexpr std::string_view names[] = {"class-feature", "feature", "class", "one"};
};
// Whether classes have variances of their own, so that squares of the features are needed.
constexpr bool needs_squares(VarianceOf of) noexcept {
  return of == VarianceOf::class_feature || of == VarianceOf::class_only;
}

enum class VarianceDivisor { unbiased, likelihood };
template <>
struct EnumNames<VarianceDivisor> {
  static constexpr std::string_view names[] = {"n-1", "n"};
};

// Q(value, class): how likely both are together in a virtual example.
struct VirtualShare {
  std::size_t label = 0;
  std::string feature;  // by name: colour=red
  double share = 0.0;
};

struct EstimateRules {
  double smoothing = 1.0;                         // added to the count of every outcome
  std::optional<double> virtual_examples = {};    // so many, spread over classes and outcomes, in place of smoothing
  std::vector<double> virtual_classes = {};       // Q(class); empty: spread evenly
  std::vector<VirtualShare> virtual_shares = {};  // what is not named shares evenly in what is left of its class
  std::optional<std::pair<double, double>> beta = {};  // of bernoulli features, in place of both
  std::vector<double> prior = {};                      // of the classes; empty: as counted
  VarianceOf variance = VarianceOf::class_feature;
  VarianceDivisor divisor = VarianceDivisor::unbiased;
  double variance_add = 1e-9;  // times the largest variance of a feature over all rows
};

}  // namespace plumb
