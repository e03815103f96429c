// The bell curves of naive Bayes without one row: means and variances follow from those of all rows, so that what the
// fit to the other rows says of the row's numbers costs a few steps for each of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plumb/base/span.h"
#include "plumb/train/estimate_rules.h"
#include "plumb/train/event_counts.h"

namespace plumb {

class BellsWithout {
 public:
  BellsWithout(const EventCounts& counts, const EventPlan& plan, const EstimateRules& rules);

  // Not for variances that features share, for classes with too few rows, nor without --variance-add.
  bool usable() const noexcept { return usable_; }

  struct Room {
    std::vector<double> inverse, scores, parts, numbers;
  };
  // Adds ln P(numbers | class) to the score of each class, but for what all classes have in common. The numbers of the
  // plan are x_0, x_step, x_2step, ... for a step of 1 or 2; label and weight are the row's own. False, and nothing is
  // added, where the row makes up so much of a spread that too few digits would be left.
  bool add(const double* x, std::size_t step, std::size_t label, double weight, Room& room, Out scores) const;

  // Of two classes, what add gives of rows, as the score of the second class less that of the first: odds, plus half
  // the logarithm of `ratio` if the row is of the first and minus that if it is of the second; logarithms are left to
  // be taken for many rows at once. The rows are `stride` numbers after each other from x on; without weights all are
  // 1. Where the ratio is 0, it is not known so. Classes that share their variances know it of a weight of 1.
  struct Odds {
    double odds = 0.0, ratio = 1.0;
  };
  bool has_odds() const noexcept { return usable_ && classes_ == 2 && (own_ || !apart_.empty()); }
  void find_odds(const double* x, std::size_t step, std::size_t stride, In targets, In weights, Room& room,
                 std::span<Odds> found) const;

 private:
  struct Loss {
    bool bearable = false;
    double take = 0.0, of_add = 0.0, factor = 0.0, logs = 0.0;
  };
  Loss loss_of(std::size_t k, double weight) const;
  void set_apart();
  void set_own();
  bool find_odds_of(const double* x, std::size_t step, std::size_t label, double weight, Room& room, Odds& found) const;
  bool find_add(const double* x, std::size_t step, double weight, double& add) const;
  bool find_own(const double* x, std::size_t step, std::size_t label, double weight, Room& room, double& ratio) const;
  In gathered(const double* x, std::size_t step, Room& room) const;
  bool find_shifted(const double* x, std::size_t step, std::size_t k, double shift, double& score) const;
  bool find_shared(In x, std::size_t label, double weight, Room& room) const;
  In of(const std::vector<double>& values, std::size_t k) const { return In(values).subspan(k * numbers_, numbers_); }

  const std::size_t numbers_, classes_;
  const bool own_;       // classes have variances of their own
  const double taken_;   // rows that a variance loses as a divisor: 1 or 0
  const double factor_;  // --variance-add
  bool usable_ = false;
  double total_ = 0.0, add_ = 0.0;
  double take_ = 0.0;                         // of a row of weight 1, its square from the spread of all
  std::vector<double> weight_;                // [class]
  std::vector<double> mean_high_, mean_low_;  // [class][number]
  std::vector<double> spread_;                // [class][number], or [number] of all classes
  std::vector<double> inverse_;               // the same of 1/variance
  std::vector<double> sum_of_logs_, sum_of_inverses_, largest_inverse_;  // [class]
  std::vector<Loss> losses_;                                             // [class]: of a row of weight 1
  std::vector<double> total_high_, total_low_, total_spread_;            // [number], of all rows
  std::vector<double> apart_;                                            // [class]: a table of math::bells_apart
  std::vector<double> bells_;                                            // [class]: a table of math::bell_squares
  std::vector<std::size_t> order_;                                       // of numbers, the largest total spread first
};

}  // namespace plumb
