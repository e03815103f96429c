// How far the naive assumption is from true: which pairs of columns depend on each other given the class. Columns that
// say the same thing are counted as if they had said it independently, so these are what makes the probabilities too
// sure of themselves.
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
  std::uint32_t left = 0, right = 0;  // a feature of each; of a category its first
  // Conditional mutual information sum_k P(k) I(left; right | k), in nats. Of two categories or presences the plug-in
  // estimate; with numbers, under bell curves, -1/2 ln(1 - r_k^2), r_k their correlation (or correlation ratio, of a
  // number with a category) in class k.
  double nats = 0.0;
  std::optional<double> correlation = {};  // of two numbers: within classes, pooled
};

struct Dependence {
  std::uint64_t rows = 0;       // that were looked at: every s-th
  std::uint64_t variables = 0;  // that were looked at: those that say most about the class
  std::uint64_t of_variables = 0;
  std::vector<DependentPair> pairs;  // beyond chance, the most dependent first
};

// Columns and terms are presences (x > 0) where they are multinomial. At most kMostDependenceVariables columns and
// terms with kMostDependenceSlots levels, presences and numbers are looked at, on as many rows as cost about as much as
// a pass over the data. A pair is beyond chance at the 5 % level divided by the number of pairs: with numbers by an F
// test, of levels by Pearson's statistic with its own mean and variance, as tables of many levels have few rows in each
// cell.
inline constexpr std::size_t kMostDependenceVariables = 63;
inline constexpr std::size_t kMostDependenceSlots = 255;
Dependence find_dependence(const Examples& examples, const EventPlan& plan, const EventCounts& counts, const Run& run);

void add_dependence(Record& record, const Dependence& dependence);

// What was kept, if it was. Throws Error(model) for features that are not there.
std::optional<Dependence> kept_dependence(const Record& record, const EventPlan& plan);

// "colour" for a feature colour=red of a category, else the feature's own name.
std::string variable_name(const EventPlan& plan, const FeatureMap& map, std::uint32_t feature);

}  // namespace plumb
