// Options of a penalised convex fit: logistic regression and the linear support vector machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/solver/online_options.h"
#include "plumb/solver/solver_options.h"
#include "plumb/train/count_ratios.h"
#include "plumb/train/sparse_options.h"
#include "plumb/train/strength.h"

namespace plumb {

struct ConvexOptions {
  bool bias = true;
  bool penalise_bias = false;
  Strength l2 = {1.0};
  SparseOptions sparse = {};
  double C = 0.0;               // 0: not given
  double prior_variance = 0.0;  // 0: not given
  std::vector<std::string> penalty_factor = {};
  std::vector<std::string> class_weight = {};
  FeatureWeighting weighting = FeatureWeighting::none;
  std::string solver = "auto";
  StepRule step = StepRule::line_search;
  StopRule stop = StopRule::gap;
  double rate = 0.0;
  double tolerance = 1e-6;
  std::uint64_t max_iterations = 0;
  RowOrder order = RowOrder::shuffled;
  StartPoint start = {};
  bool average = false;
  bool adaptive = false;
  std::string reference = {};  // only for logistic regression
  bool firth = false;          // likewise
  bool standardise = false;    // penalties are those of columns scaled to standard deviation 1

  static OptionTable table();           // common to all such fits
  static OptionTable sparse_table();    // the same and those of an L1 penalty
  static OptionTable logistic_table();  // those and the reference
  static OptionTable number_table();    // without those for classes
};

using LogisticOptions = ConvexOptions;
using HingeOptions = ConvexOptions;

}  // namespace plumb
