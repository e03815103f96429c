// Naive Bayes without some of its rows: their sums are subtracted, and nothing is recounted. Predicting a row by the
// fit to the other rows then costs about a prediction.
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

// The plan of a map learnt from these rows alone: without outcomes that no row has.
EventPlan without_unseen(const EventPlan& plan, const EventCounts& counts);

// The model of counts over a map that may have features which none of its rows has; these have no weight.
LinearModel model_of(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map,
                     std::span<const std::string> labels, const EstimateRules& rules);

// Whether the sums of numbers subtracted were so much larger than the rest that the digits of its spread are lost: the
// rest must then be recounted.
bool digits_lost(const EventCounts& all, const EventCounts& rest);

// The prediction for a row by the fit to all other rows, without that fit. A row costs about its entries times the
// classes, and the numbers of the plan; the whole model is estimated again only if smoothing is 0, if virtual examples
// or a beta prior depend on the number of outcomes, and for complements.
class WithoutRow {
 public:
  // All must outlive it.
  WithoutRow(const EventCounts& counts, const EventPlan& plan, const FeatureMap& map,
             std::span<const std::string> labels, const EstimateRules& rules);

  // The data of a row; one for each thread.
  struct Room {
    std::vector<double> scores;  // of the last row: ln P(x, class) up to a common term; -inf: impossible
    bool lost = false;           // digits_lost() for the sums without the last row: scores and model are then invalid

   private:
    friend class WithoutRow;
    bool anyway = false;  // numbers are estimated even if digits are lost
    struct Sums {
      double drawn = 0.0, gone = 0.0, lost = 0.0;
      std::uint32_t end = 0;  // of numbered outcomes
    };
    // The last request: sum of the logarithms of rows without the features, minus a row of this weight.
    struct Absent {
      std::size_t label = 0;
      double weight = -1.0;
      double sum = 0.0;
    };
    std::vector<Sums> sums;                 // [group]
    std::vector<Absent> absent;             // [group]
    std::vector<std::vector<double>> base;  // [label]: logarithms of the priors without a row of weight 1
    std::vector<double> numbers, gaussians;
    std::vector<double> own, logs;  // [entry]: the row's class's counts without the row, and their logarithm
    EventCounts rest;               // the sums without the row; in the quick way only the numbers
  };

  // False if the whole model must be estimated again. The label and weight are the row's own.
  bool score(const Row& x, std::size_t label, double weight, Room& room) const;

  // A model that predicts this row as that fit would. If it has no features its biases are the scores of the row.
  LinearModel without(const Row& x, std::size_t label, double weight, Room& room) const;

 private:
  // log1 and log0 are logarithms of smoothed counts, [feature][class]: of rows with and without the feature.
  struct Group {
    bool binary = false;  // bernoulli
    double a = 0.0;
    double outcomes = 0.0;
    std::vector<double> whole;          // [class]: the sum of its counts
    std::vector<double> log_whole;      // [class]: the logarithm of that after smoothing
    std::vector<double> log_less;       // [class]: the same, minus 1
    std::vector<double> absent;         // [class], for bernoulli: sum of log0
    std::uint32_t first = 0, last = 0;  // of numbered features: begin and end
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
  EventPlan numbers_;  // only the numbers: features 0, 2, ..., and their squares
  std::vector<Group> groups_;
  std::vector<std::uint32_t> group_of_;  // of a feature
  std::vector<double> log1_, log0_;
  std::vector<double> mean_, spread_;  // [gaussian][class], of all rows
};

}  // namespace plumb
