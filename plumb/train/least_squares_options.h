// Options of least squares and ridge regression.
#pragma once

#include <string>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/train/rank_rule.h"
#include "plumb/train/strength.h"

namespace plumb {

struct LeastSquaresOptions {
  bool bias = true;
  Strength l2 = {};
  double C = 0.0;               // 0: not given
  double prior_variance = 0.0;  // 0: not given
  std::vector<std::string> penalty_factor = {};
  RankRule rank = RankRule::unsaid;
  double digits = 0;

  static OptionTable table();
};

// Ridge chooses its penalty unless one is given.
struct RidgeOptions : LeastSquaresOptions {
  RidgeOptions() { l2 = {0.0, true}; }
};

}  // namespace plumb
