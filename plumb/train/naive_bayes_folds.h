// Naive Bayes without some of its rows: their sums are taken away, and nothing is counted anew. What a fit to the other
// rows would say of a row is then had for the price of a prediction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "plumb/train/event_counts.h"
#include "plumb/train/event_estimates.h"
#include "plumb/train/gaussians_without.h"
#include "plumb/train/naive_bayes.h"

namespace plumb {

// The plan of a map that was learnt from these rows alone: outcomes that no row has are not there.
EventPlan without_unseen(const EventPlan& plan, const EventCounts& counts);

// The model of counts over a map that may hold features which no row of theirs has; these have no weight.
LinearModel model_of(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map,
                     std::span<const std::string> labels, const EstimateRules& rules);

// Whether what was taken from the sums of numbers was so much larger than what is left that the digits of its spread
// went with it: the rest is then to be counted anew.
bool digits_lost(const EventCounts& all, const EventCounts& rest);

// What the fit to all other rows says of a row, without that fit. A row costs about its entries times the classes, and
// the numbers of the plan; only where smoothing is 0, where virtual examples or a beta prior depend on how many
// outcomes there are, and of complements is the whole model estimated anew.
class WithoutRow {
 public:
  // All must outlive it.
  WithoutRow(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map,
             std::span<const std::string> labels, const EstimateRules& rules);

  // What a row needs; one for each thread.
  struct Room {
    std::vector<double> scores;  // of the last row: ln P(x, class), but for what all classes share; -inf for impossible
    bool lost = false;           // as digits_lost() of the sums without the last row: neither scores nor a model hold

   private:
    friend class WithoutRow;
    bool anyway = false;  // numbers are estimated even where digits are lost
    struct Sums {
      double drawn = 0.0, gone = 0.0, lost = 0.0;
      std::uint32_t end = 0;  // of numbered outcomes
    };
    // The last asked for: sum of the logarithms of rows without the features, less a row of this weight.
    struct Absent {
      std::size_t label = 0;
      double weight = -1.0;
      double sum = 0.0;
    };
    std::vector<Sums> sums;                 // [group]
    std::vector<Absent> absent;             // [group]
    std::vector<std::vector<double>> base;  // [label]: logarithms of the priors without a row of weight 1
    std::vector<double> numbers, gaussians;
    std::vector<double> own, logs;  // [entry]: of the row's class what is left of the counts, and its logarithm
    EventCounts rest;               // what is left when the row is taken out; of quick ones the numbers alone
  };

  // False, where the whole model must be estimated anew. The label and weight are the row's own.
  bool score(const Row& x, std::size_t label, double weight, Room& room) const;

  // A model that predicts this row as that fit would. Where it has no features its biases are the scores of the row.
  LinearModel without(const Row& x, std::size_t label, double weight, Room& room) const;

 private:
  // log1 and log0 are logarithms of counts with the smoothing, [feature][class]: of rows with and without the feature.
  struct Group {
    bool binary = false;  // bernoulli
    double a = 0.0;
    double outcomes = 0.0;
    std::vector<double> whole;          // [class]: the sum of its counts
    std::vector<double> log_whole;      // [class]: the logarithm of that with the smoothing
    std::vector<double> log_less;       // [class]: the same, less 1
    std::vector<double> absent;         // [class], of bernoulli: sum of log0
    std::uint32_t first = 0, last = 0;  // of numbered features: where they begin and end
  };
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  void make_logs();
  void add_outcomes(const Row& x, std::size_t label, double weight, Room& room) const;
  void add_presence(std::size_t g, const Row& x, std::size_t label, double weight, Room& room) const;
  bool loses_digits(const Row& x, std::size_t label, double weight) const;
  void add_priors(std::size_t label, double weight, Room& room) const;
  void add_numbers(const Row& x, std::size_t label, double weight, Room& room) const;
  void estimate_numbers(const Row& x, std::size_t label, double weight, Room& room) const;
  bool vanishes(std::uint32_t feature, std::size_t label, double amount) const;
  bool goes_alone(std::size_t g, std::uint32_t feature) const;
  std::uint32_t end_without(std::size_t g, const Row& x, std::size_t label, double weight) const;

  const EventCounts& counts_;
  const EventPlan& plan_;
  const FeatureMap& map_;
  const std::span<const std::string> labels_;
  const EstimateRules& rules_;
  const std::size_t classes_;
  bool quick_ = true;
  GaussiansWithout gaussians_;
  EventPlan numbers_;  // the numbers alone: features 0, 2, ..., and their squares
  std::vector<Group> groups_;
  std::vector<std::uint32_t> group_of_;  // of a feature
  std::vector<double> log1_, log0_;
  std::vector<double> mean_, spread_;  // [gaussian][class], of all rows
};

}  // namespace plumb
