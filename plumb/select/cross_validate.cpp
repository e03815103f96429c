#include "plumb/select/cross_validate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "plumb/select/out_of_fold.h"
#include "plumb/select/subtraction.h"
#include "plumb/select/trials.h"
#include "plumb/train/least_squares.h"

namespace plumb {

FoldWay way_of(const Experiment& experiment, const Experiment::Fitted& whole, bool alone) {
  const FeaturePlan& plan = experiment.plan();
  if (experiment.labels())
    return subtracts(experiment.trainer(), plan, whole.prepared.map) ? FoldWay::sums : FoldWay::refits;
  const auto* const squares = dynamic_cast<const LeastSquares*>(&experiment.trainer());
  const bool fixed = plan.missing != Missing::mean && plan.missing != Missing::median && plan.scale == Scaling::none &&
                     std::none_of(plan.inputs.begin(), plan.inputs.end(),
                                  [](const FeaturePlan::Input& input) { return input.kind == Kind::text; });
  const bool known = alone && has_exact_leave_one_out(whole.fit) && squares != nullptr && !squares->chooses_penalty();
  return known && fixed ? FoldWay::leverages : FoldWay::refits;
}

Outcome cross_validate(const Experiment& experiment, const Experiment::Fitted& whole,
                       std::span<const std::uint32_t> fold, FoldWay way, const Run& run) {
  const Experiment::Prepared& prepared = whole.prepared;
  const Examples taking_part = prepared.examples.with(experiment.rows());
  const Problem problem{taking_part, prepared.map, std::span(prepared.labels).first(prepared.known)};
  if (way == FoldWay::sums) return merged(predict_by_subtraction(experiment.trainer(), problem, fold, run));
  if (way == FoldWay::leverages) {
    Outcome outcome;
    outcome.numbers = predict_left_out(experiment.trainer(), problem, whole.fit, run);
    return outcome;
  }
  std::vector<std::uint32_t> own(fold.begin(), fold.end());
  if (own.empty()) {
    own.assign(taking_part.rows(), Splitter::kNoFold);
    std::uint32_t next = 0;
    for (std::uint64_t row = 0; row < own.size(); ++row)
      if (experiment.rows().has(row)) own[row] = next++;
  }
  return merged(std::move(try_all({&experiment, 1}, trials_of(own), {}, run).front()));
}

}  // namespace plumb
