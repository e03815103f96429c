// How much of a fit by steps is done. What has to become small does so at a steady rate on the whole, so its logarithm
// says how far the fit is; good enough to say how long it will take, and used for nothing else.
#pragma once

#include <cstdint>

#include "plumb/solver/solver_options.h"

namespace plumb {

class FitForecast {
 public:
  // Until the gap is this part of the objective, or after so many steps (0: there is no limit).
  FitForecast(double tolerance, std::uint64_t iterations) : tolerance_(tolerance), iterations_(iterations) {}

  // From 0 to 1, and never less than before. By the certified gap where there is one; before that by the square of the
  // gradient, which goes with it, or, where a solver knows none, by how much a step gained.
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
