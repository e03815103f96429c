// The Gaussians of naive Bayes without one row: means and variances follow from those of all rows, so that scoring the
// row's numbers by the fit to the other rows costs a few steps for each of them.
#pragma once

#include <cstddef>
#include <vector>

#include "plumb/base/span.h"
#include "plumb/train/estimate_rules.h"
#include "plumb/train/event_counts.h"

namespace plumb {

class GaussiansWithout {
 public:
  GaussiansWithout(const EventCounts& counts, const EventPlan& plan, const EstimateRules& rules);

  // Not for variances that features share, for classes with too few rows, nor without --variance-add.
  bool usable() const noexcept { return usable_; }
  // Adds ln P(numbers | class) to the score of each class, except for terms that all classes share. False, and nothing
  // is added, if the row makes up so much of a spread that too few digits would be left.
  bool add(In x, std::size_t label, double weight, std::vector<double>& room, Out scores) const;

 private:
  struct Column {
    double mean_high, mean_low;
    double spread;  // of the class, or of all classes about their means
  };
  bool find_add(In x, double weight, double& add) const;
  struct Loss {
    double take, stretch, divisor;
  };
  double sum_of(In x, std::size_t label, const Loss& loss, double add, bool& enough) const;

  const std::size_t numbers_, classes_;
  const bool own_;       // classes have variances of their own
  const double taken_;   // rows that a variance's divisor loses: 1 or 0
  const double factor_;  // --variance-add
  const double total_;
  bool usable_ = false;
  std::vector<double> weight_;      // [class]
  std::vector<Column> columns_;     // [class][number]
  std::vector<Column> of_all_;      // [number]: over all rows
  std::vector<std::size_t> order_;  // of numbers, the largest spread over all rows first
};

}  // namespace plumb
