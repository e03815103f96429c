#include "plumb/select/trials.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "plumb/base/shared_watch.h"
#include "plumb/select/data_checks.h"
#include "plumb/select/fold_lockstep.h"

namespace plumb {
namespace {

// Trials in parallel, each with all experiments one after the other.
class Trying {
 public:
  Trying(std::span<const Experiment> experiments, std::span<const Trial> trials, const TrialOptions& options,
         const Run& run)
      : experiments_(experiments),
        trials_(trials),
        options_(options),
        run_(run),
        watch_(run, Phase::fitting, trials.size() * experiments.size()),
        found_(experiments.size(), std::vector<Tried>(trials.size())),
        made_(trials.size()) {}

  std::vector<std::vector<Tried>> all() {
    // In parallel each trial has its own rows in memory; and if there are more threads than trials, they are better
    // used inside each fit.
    const unsigned threads = run_.executor.threads();
    const std::uint64_t each = experiments_.empty() ? 0 : 3 * experiments_.front().bytes();
    const bool beside =
        !options_.in_turn && trials_.size() >= threads && run_.memory.allows(each * std::max(1u, threads));
    const std::size_t step = beside ? std::max<std::size_t>(1, options_.over ? threads : trials_.size()) : 1;
    std::size_t done = 0, least = experiments_.size();
    while (done < trials_.size() && (done == 0 || !over())) {
      const std::size_t count = std::min(step, trials_.size() - done);
      run_.executor.for_each(count, [&](std::size_t i) {
        watch_.expect_going_on();
        try_one(done + i, done == 0);
      });
      if (done == 0)
        for (std::size_t i = 0; i < count; ++i) least = std::min(least, made_[i]);
      done += count;
    }
    found_.resize(least);
    for (std::vector<Tried>& tried : found_) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < done; ++i)
        if (made_[i] >= least) {
          if (kept != i) tried[kept] = std::move(tried[i]);
          ++kept;
        }
      tried.resize(kept);
    }
    return std::move(found_);
  }

 private:
  bool over() const { return options_.over && options_.over(); }

  // As far as time allows; one fit of the first trial is made however long it takes.
  void try_one(std::size_t place, bool first) {
    const Run unlimited = watch_.inner();
    Run limited = unlimited;
    if (options_.over)
      limited.watch = [&](const Progress& progress) { return unlimited.watch(progress) && !options_.over(); };
    std::unique_ptr<Experiment::Prepared> prepared;
    std::unique_ptr<SavedModel> last;
    for (std::size_t& e = made_[place]; e < experiments_.size(); ++e) {
      watch_.expect_going_on();
      const bool must = first && e == 0;
      if (!must && over()) return;
      try {
        if (!fit(place, e, must ? unlimited : limited, prepared, last)) return;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::interrupted || must || !over()) throw;
        watch_.expect_going_on();  // because of the time, not the observer
        return;
      }
      watch_.done();
    }
  }

  // False if the time was over before it finished.
  bool fit(std::size_t place, std::size_t e, const Run& run, std::unique_ptr<Experiment::Prepared>& prepared,
           std::unique_ptr<SavedModel>& last) {
    const Trial& trial = trials_[place];
    const Experiment& experiment = experiments_[e];
    if (e == 0 || !experiment.same_features(experiments_[e - 1])) {
      last.reset();
      prepared.reset();  // before the next takes its memory
      prepared = std::make_unique<Experiment::Prepared>(experiment.prepare(trial.training, run));
    }
    const bool warm = !options_.from_scratch && experiment.trainer().skills().starts_anywhere;
    Trained fit = experiment.train(*prepared, trial.training, run, warm ? last.get() : nullptr);
    if (fit.stopped) {
      watch_.expect_going_on();
      return false;
    }
    Tried tried;
    tried.outcome = experiment.predict(*prepared, fit.model, trial.tried, run);
    if (options_.seen_too) tried.seen = experiment.predict(*prepared, fit.model, prepared->fitted(trial.training), run);
    tried.number = numbers_of(prepared->examples.with(trial.tried));
    tried.converged = fit.record.converged || !fit.promises_optimum;
    if (fit.record.converged && fit.promises_optimum)
      last = std::make_unique<SavedModel>(SavedModel{std::move(fit.model), std::move(fit.record)});
    if (e == 0 && place == options_.copies_in)
      tried.copies = rows_seen_before(prepared->examples.with(trial.training), prepared->examples.with(trial.tried));
    found_[e][place] = std::move(tried);
    return true;
  }

  std::span<const Experiment> experiments_;
  std::span<const Trial> trials_;
  const TrialOptions& options_;
  const Run& run_;
  SharedWatch watch_;
  std::vector<std::vector<Tried>> found_;
  std::vector<std::size_t> made_;  // of each trial, how many experiments
};

}  // namespace

std::vector<std::vector<Tried>> try_all(std::span<const Experiment> experiments, std::span<const Trial> trials,
                                        const TrialOptions& options, const Run& run) {
  if (auto found = try_in_lockstep(experiments, trials, options, run)) return std::move(*found);
  return Trying(experiments, trials, options, run).all();
}

}  // namespace plumb
