// From sums to probabilities, and from those to hyperplanes: log P(x, y) is linear in the features of every family.
// Formulas and why: docs/naive_bayes.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/base/options.h"
#include "plumb/math/double_double.h"
#include "plumb/model/model.h"
#include "plumb/train/event_counts.h"

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

struct EstimateRules {
  double smoothing = 1.0;         // added to the count of every outcome
  double virtual_examples = 0.0;  // not 0: so many, spread evenly over classes and outcomes, in place of smoothing
  std::optional<std::pair<double, double>> beta = {};  // of bernoulli features, in place of both
  std::vector<double> prior = {};                      // of the classes; empty: as counted
  VarianceOf variance = VarianceOf::class_feature;
  VarianceDivisor divisor = VarianceDivisor::unbiased;
  double variance_add = 1e-9;  // times the largest variance of a feature over all rows
};

struct EventEstimates {
  std::size_t classes = 0;
  std::uint32_t features = 0;
  std::vector<double> prior;             // [class]
  bool uses_prior = true;                // not if every event is judged by its complement
  std::vector<double> weights;           // [class][feature]
  std::vector<math::DoubleDouble> bias;  // [class], the logarithm of the prior too
  std::vector<std::vector<std::pair<std::uint32_t, std::int32_t>>> vetoes;  // [class], by feature
  std::vector<std::int32_t> veto_base;                                      // [class]
  std::vector<double> mean, variance;                                       // [gaussian][class]
  std::vector<double> centre;   // [gaussian]: log P(x, y) of classes with one variance lacks -(x - centre)^2/2v
  double log_likelihood = 0.0;  // ln P(D), of what was counted; vetoed outcomes have not happened. 0 with complement
  double parameters = 0.0;      // numbers that were estimated, beside the class priors
  std::vector<std::string> warnings;
};

// Labels are for messages. Throws Error(data) where a variance is 0 and the rows are not all alike.
EventEstimates estimate_events(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map,
                               std::span<const std::string> labels, const EstimateRules& rules);

// One row for two classes, else a row each.
LinearModel to_model(const EventEstimates& estimates, const FeatureMap& map, std::vector<std::string> labels);

}  // namespace plumb
