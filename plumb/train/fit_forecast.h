// Forecasts the progress of an iterative fit. The quantity that must become small decreases at a steady rate on the
// whole, so its logarithm shows the progress; good enough to estimate the remaining time, and used for nothing else.
#pragma once

#include <cstdint>

#include "plumb/solver/solver_options.h"

namespace plumb {

class FitForecast {
 public:
  // Ends when the gap is this part of the objective, or after that many steps (0: no limit).
  FitForecast(double tolerance, std::uint64_t iterations) : tolerance_(tolerance), iterations_(iterations) {}

  // From 0 to 1, and never decreasing. By the certified gap if there is one; before that by the square of the gradient,
  // which is proportional to it, or, if a solver has none, by the gain of a step.
  double part(const SolverStep& step);

 private:
  double tolerance_;
  std::uint64_t iterations_;
  double part_ = 0.0;
  double first_gradient_ = 0.0, first_gain_ = 0.0, first_gap_ = 0.0;
  double part_at_first_gap_ = 0.0;
  double last_loss_ = 0.0;
  bool any_ = false;
};

}  // namespace plumb
