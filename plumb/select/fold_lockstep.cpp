#include "plumb/select/fold_lockstep.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "plumb/base/shared_watch.h"
#include "plumb/select/data_checks.h"

namespace plumb {
namespace {

// Whether the features of a row are the same whichever rows they were learnt from, except for some that none of these
// has. Such a feature has weight 0 under a penalty, and so is ignored like an unseen one.
bool features_are_fixed(const Experiment& experiment) {
  const FeaturePlan& plan = experiment.plan();
  return plan.missing != Missing::mean && plan.missing != Missing::median && plan.scale == Scaling::none &&
         !plan.inputs.empty() &&
         std::all_of(plan.inputs.begin(), plan.inputs.end(),
                     [](const FeaturePlan::Input& input) { return input.kind == Kind::sparse; });
}

// A single setting is fitted fold by fold, as crossval --refit and compare promise.
bool suits(std::span<const Experiment> experiments, std::span<const Trial> trials, const TrialOptions& options) {
  if (trials.size() < 2 || experiments.size() < 2 || options.over || options.from_scratch) return false;
  const Experiment& first = experiments.front();
  return first.labels() && features_are_fixed(first) &&
         std::all_of(experiments.begin(), experiments.end(), [&](const Experiment& each) {
           return each.trainer().skills().lockstep && each.same_features(first);
         });
}

// Trials k, k + groups, ... belong to group k. If there are more threads than groups, each has a group.
std::size_t groups_of(std::size_t trials, const Run& run) {
  const std::size_t least = (trials + LockstepFits::kMost - 1) / LockstepFits::kMost;
  return std::max(least, std::min<std::size_t>(trials, run.executor.threads()));
}

class Lockstep {
 public:
  Lockstep(std::span<const Experiment> experiments, std::span<const Trial> trials, const TrialOptions& options,
           const Experiment::Prepared& prepared, const LockstepFits& fits)
      : experiments_(experiments),
        trials_(trials),
        options_(options),
        prepared_(prepared),
        fits_(fits),
        found_(experiments.size(), std::vector<Tried>(trials.size())) {}

  std::vector<std::vector<Tried>> run(const Run& run) {
    SharedWatch watch(run, Phase::fitting, trials_.size() * experiments_.size());
    const std::size_t groups = groups_of(trials_.size(), run);
    run.executor.for_each(groups, [&](std::size_t g) {
      watch.expect_going_on();
      std::vector<std::size_t> own;
      for (std::size_t t = g; t < trials_.size(); t += groups) own.push_back(t);
      try_group(own, watch);
    });
    return std::move(found_);
  }

 private:
  void try_group(const std::vector<std::size_t>& own, SharedWatch& watch) {
    const Run run = watch.inner();
    std::vector<const RowSet*> training;
    for (const std::size_t t : own) training.push_back(&trials_[t].training);
    const std::unique_ptr<LockstepFits::Group> group = fits_.group(training);
    for (std::size_t e = 0; e < experiments_.size(); ++e) {
      std::vector<LockstepFits::Found> fits = group->fit(experiments_[e].trainer(), run);
      for (std::size_t k = 0; k < own.size(); ++k) {
        watch.expect_going_on();
        found_[e][own[k]] = tried(experiments_[e], std::move(fits[k]), own[k], e == 0, run);
        watch.done();
      }
    }
  }

  // A fit that lock-step did not finish continues alone from there.
  Tried tried(const Experiment& experiment, LockstepFits::Found fit, std::size_t t, bool first, const Run& run) {
    const Trial& trial = trials_[t];
    if (!fit.converged) {
      const SavedModel start{fit.model, {}};
      Trained ended = experiment.train(prepared_, trial.training, run, &start);
      fit = {std::move(ended.model), ended.record.converged || !ended.promises_optimum};
    }
    Tried result;
    result.outcome = experiment.predict(prepared_, fit.model, trial.tried, run);
    if (options_.seen_too) result.seen = experiment.predict(prepared_, fit.model, trial.training, run);
    result.number = numbers_of(prepared_.examples.with(trial.tried));
    result.converged = fit.converged;
    if (first && t == options_.copies_in)
      result.copies = rows_seen_before(prepared_.examples.with(trial.training), prepared_.examples.with(trial.tried));
    return result;
  }

  std::span<const Experiment> experiments_;
  std::span<const Trial> trials_;
  const TrialOptions& options_;
  const Experiment::Prepared& prepared_;
  const LockstepFits& fits_;
  std::vector<std::vector<Tried>> found_;
};

}  // namespace

std::optional<std::vector<std::vector<Tried>>> try_in_lockstep(std::span<const Experiment> experiments,
                                                               std::span<const Trial> trials,
                                                               const TrialOptions& options, const Run& run) {
  if (!suits(experiments, trials, options)) return {};
  const Experiment& first = experiments.front();
  RowSet rows(trials.front().training.rows()), learnt = rows;
  for (std::uint64_t row = 0; row < rows.rows(); ++row)
    for (const Trial& trial : trials)
      if (trial.training.has(row) && first.classes().counted.has(row)) learnt.add(row);
  // Lanes with few training rows would mostly wait for the others.
  for (const Trial& trial : trials)
    if (2 * trial.training.intersection(learnt).count() < learnt.count() ||
        first.classes().among(trial.training, "").size() != 2)
      return {};
  const Experiment::Prepared prepared = first.prepare(learnt, run);
  if (prepared.known != 2) return {};
  expect_memory(first.trainer(), prepared.examples, prepared.known, run);
  const Examples seen = prepared.examples.with(learnt);
  const Problem problem{seen, prepared.map, std::span(prepared.labels).first(prepared.known)};
  const std::unique_ptr<LockstepFits> fits = first.trainer().lockstep(problem, groups_of(trials.size(), run), run);
  if (fits == nullptr || !std::all_of(experiments.begin(), experiments.end(),
                                      [&](const Experiment& each) { return fits->serves(each.trainer()); }))
    return {};
  return Lockstep(experiments, trials, options, prepared, *fits).run(run);
}

}  // namespace plumb
