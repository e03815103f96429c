// -m lasso and -m elastic-net: least squares with an L1 penalty, chosen on a path unless it is given, on columns as if
// each had standard deviation 1. docs/sparse_models.md.
#pragma once

#include "plumb/train/logistic.h"

namespace plumb {

struct LassoOptions : ConvexOptions {
  LassoOptions();
  static OptionTable table();
};
struct ElasticNetOptions : LassoOptions {
  ElasticNetOptions();
};

class LassoTrainer final : public ConvexTrainer {
 public:
  explicit LassoTrainer(const LassoOptions& options = {});
};

}  // namespace plumb
