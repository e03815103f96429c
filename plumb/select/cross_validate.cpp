#include "plumb/select/cross_validate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "plumb/select/out_of_fold.h"
#include "plumb/select/subtraction.h"
#include "plumb/select/trials.h"
#include "plumb/train/least_squares.h"
#include "plumb/train/naive_bayes.h"

namespace plumb {

namespace {

// Priors that do not follow from the counts give a class its share even when all its rows are taken out, and a fit to
// the others would not know it: of one row in a class no sums are taken away, nor of folds that classes are not spread
// over.
bool may_lose_a_class(const Experiment& experiment, const Experiment::Fitted& whole) {
  const auto* const bayes = dynamic_cast<const NaiveBayesTrainer*>(&experiment.trainer());
  if (bayes == nullptr || (bayes->options().prior.empirical() && !(bayes->options().virtual_examples > 0.0)))
    return false;
  const SplitKeys& keys = experiment.splitter().keys();
  if (!keys.group.empty() || !keys.fold.empty() || keys.in_order) return true;  // a fold may hold all rows of a class
  std::vector<std::uint64_t> rows(whole.prepared.labels.size() + 1);
  const Examples taking_part = whole.prepared.examples.with(experiment.rows());
  for (std::size_t b = 0; b < taking_part.blocks(); ++b)
    taking_part.block(b).for_each([&](const Example& example) {
      if (example.weight > 0.0) ++rows[std::min(static_cast<std::size_t>(example.target), rows.size() - 1)];
    });
  return std::find(rows.begin(), rows.end(), std::uint64_t{1}) != rows.end();
}

}  // namespace

FoldWay way_of(const Experiment& experiment, const Experiment::Fitted& whole, bool alone) {
  const FeaturePlan& plan = experiment.plan();
  if (experiment.labels())
    return subtracts(experiment, whole.prepared.map) && !may_lose_a_class(experiment, whole) ? FoldWay::sums
                                                                                             : FoldWay::refits;
  const auto* const squares = dynamic_cast<const LeastSquaresTrainer*>(&experiment.trainer());
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
