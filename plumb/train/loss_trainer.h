// A trainer of numbers for every loss that declares a model (LossModel): -m NAME, its own options, a weight vector and
// the loss's link. docs/huber.md, docs/poisson.md.
#pragma once

#include "plumb/base/options.h"
#include "plumb/objective/row_loss.h"
#include "plumb/train/logistic.h"

namespace plumb {

// Users compare estimates with those of other programs, so they have more correct digits than classes need.
template <ModelLoss L>
struct LossOptions : ConvexOptions, L {
  LossOptions() {
    l2 = {0.0};
    tolerance = 1e-10;
  }

  static OptionTable table() {
    OptionTable all = number_table();
    if constexpr (requires { L::template add_options<LossOptions>([](const Option&) {}); })
      L::template add_options<LossOptions>([&](const Option& own) { all.add(own); });
    return all;
  }
};

template <ModelLoss L>
class LossTrainer final : public ConvexTrainer {
 public:
  explicit LossTrainer(const LossOptions<L>& options = {})
      : ConvexTrainer(row_loss_of<L>(options), options, L::kModel.log_link ? Link::log : Link::identity) {}
};

}  // namespace plumb
