// From sums to probabilities, and from those to hyperplanes: log P(x, y) is linear in the features of every family.
// Formulas and reasons: docs/naive_bayes.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/math/double_double.h"
#include "plumb/model/model.h"
#include "plumb/train/estimate_rules.h"
#include "plumb/train/event_counts.h"

namespace plumb {

struct EventEstimates {
  std::size_t classes = 0;
  std::uint32_t features = 0;
  std::vector<double> prior;             // [class]
  bool uses_prior = true;                // false if every event is judged by its complement
  std::vector<double> weights;           // [class][feature]
  std::vector<math::DoubleDouble> bias;  // [class], the logarithm of the prior too
  std::vector<std::vector<std::pair<std::uint32_t, std::int32_t>>> vetoes;  // [class], by feature
  std::vector<std::int32_t> veto_base;                                      // [class]
  std::vector<double> mean, variance;                                       // [gaussian][class]
  std::vector<double> centre;   // [gaussian]: -(x - centre)^2/2v, which log P(x, y) of classes with one variance omits
  double log_likelihood = 0.0;  // ln P(D) of the counts, without impossible outcomes. 0 with complement
  bool impossible = false;      // rows of a class with probability 0 exist; log_likelihood omits them
  double parameters = 0.0;      // number of estimated parameters, beside the class priors
  std::vector<std::string> warnings;
};

// Labels are for messages. Throws Error(data) if a variance is 0 and the rows differ.
EventEstimates estimate_events(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map,
                               std::span<const std::string> labels, const EstimateRules& rules);

// One row for two classes, otherwise a row each, which takes their weights: copies of many classes are large.
LinearModel to_model(EventEstimates& estimates, const FeatureMap& map, std::vector<std::string> labels);

}  // namespace plumb
