// Options of least squares and ridge regression.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/solver/online_options.h"
#include "plumb/solver/solver_options.h"
#include "plumb/train/rank_rule.h"
#include "plumb/train/sparse_options.h"
#include "plumb/train/strength.h"

namespace plumb {

struct LeastSquaresOptions {
  bool bias = true;
  Strength l2 = {};
  SparseOptions sparse = {};
  double C = 0.0;               // 0: not given
  double prior_variance = 0.0;  // 0: not given
  std::vector<std::string> penalty_factor = {};
  RankRule rank = RankRule::unsaid;
  double digits = 0;
  // A descent to the optimum, instead of the closed form.
  std::string solver = "auto";
  StepRule step = StepRule::line_search;
  StopRule stop = StopRule::gap;
  double rate = 0.0;
  double tolerance = 1e-10;
  std::uint64_t max_iterations = 0;
  StartPoint start = {};

  static OptionTable table();
};

// Ridge chooses its penalty unless one is given.
struct RidgeOptions : LeastSquaresOptions {
  RidgeOptions() { l2 = {0.0, true}; }
};

}  // namespace plumb
