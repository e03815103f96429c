// How far the naive assumption is from true: which pairs of columns depend on each other given the class. Columns with
// the same information are counted as independent evidence, so these pairs make the probabilities overconfident.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/examples.h"
#include "plumb/model/record.h"
#include "plumb/train/event.h"

namespace plumb {

struct EventCounts;

struct DependentPair {
  std::uint32_t left = 0, right = 0;  // a feature of each; for a category its first
  // Conditional mutual information sum_k P(k) I(left; right | k), in nats. For two categories or presences the plug-in
  // estimate; with numbers, for Gaussians, -1/2 ln(1 - r_k^2), r_k their correlation (or correlation ratio, for a
  // number with a category) in class k.
  double nats = 0.0;
  std::optional<double> correlation = {};  // for two numbers: within classes, pooled
};

struct Dependence {
  std::uint64_t rows = 0;       // examined rows: every s-th
  std::uint64_t variables = 0;  // examined variables: the most informative about the class
  std::uint64_t of_variables = 0;
  std::vector<DependentPair> pairs;  // significant pairs, the most dependent first
};

// Columns and terms are presences (x > 0) if they are multinomial. At most kMostDependenceVariables columns and terms
// with kMostDependenceSlots levels, presences and numbers are examined, on as many rows as cost about as much as a pass
// over the data. A pair is significant at the 5 % level divided by the number of pairs: with numbers by an F test, for
// levels by Pearson's statistic with its own mean and variance, because tables of many levels have few rows in each
// cell.
inline constexpr std::size_t kMostDependenceVariables = 63;
inline constexpr std::size_t kMostDependenceSlots = 255;
Dependence find_dependence(const Examples& examples, const EventPlan& plan, const EventCounts& counts, const Run& run);

void add_dependence(Record& record, const Dependence& dependence);

// From the record, if it was stored. Throws Error(model) for unknown features.
std::optional<Dependence> kept_dependence(const Record& record, const EventPlan& plan);

// "colour" for a feature colour=red of a category, otherwise the feature's own name.
std::string variable_name(const EventPlan& plan, const FeatureMap& map, std::uint32_t feature);

}  // namespace plumb
