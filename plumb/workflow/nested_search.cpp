#include "plumb/workflow/nested_search.h"

#include <algorithm>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/foreseen.h"
#include "plumb/evaluate/calibration.h"
#include "plumb/report/search_report.h"
#include "plumb/workflow/calibrating.h"

namespace plumb {

namespace {

constexpr std::uint64_t kFewToCalibrateBy = 30;  // training rows

// As train does: where it helps, and where there were no probabilities.
void calibrate(const Experiment& experiment, const RowSet& training, Trained& fit, const Run& run) {
  if (training.intersection(experiment.rows()).count() < kFewToCalibrateBy) return;
  try {
    const RowSet rows = training.intersection(experiment.rows());
    const std::optional<FoundCalibration> found =
        find_calibration(out_of_fold(experiment, rows, {run.random.seed, 2}, run), Calibrate::automatic);
    if (found && found->helps()) fit.model = fit.model.calibrated(found->calibration);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) throw;  // otherwise a class has too few rows
  }
}

// Folds whose model has no probabilities, and scores in other units, cannot be pooled with the others.
void leave_out_probabilities_of_some(std::vector<Tried>& all) {
  const auto probable = [](const Tried& tried) { return tried.outcome.classes.probable; };
  if (std::all_of(all.begin(), all.end(), probable) || std::none_of(all.begin(), all.end(), probable)) return;
  for (Tried& tried : all) {
    PredictedClasses& rows = tried.outcome.classes;
    rows.probable = false;
    for (std::vector<double>* const each : {&rows.log_loss, &rows.brier, &rows.confidence, &rows.scores}) each->clear();
  }
}

}  // namespace

std::vector<FeaturePlan> plans_of(const std::vector<AutoSetting>& settings, const Source& source,
                                  const SplitOptions& split) {
  std::size_t count = 0;
  for (const AutoSetting& setting : settings) count = std::max(count, setting.plan + 1);
  std::vector<FeaturePlan> plans(count);
  for (const AutoSetting& setting : settings)
    if (plans[setting.plan].target.empty()) plans[setting.plan] = plan_of(setting.candidate, source, split);
  return plans;
}

NestedSearch::NestedSearch(const DataRequest& data, TrainerChoice& trainers, const std::vector<std::string>& given,
                           const AutoOptions& options, const Source& source)
    : request_{options, data.classes, data.split, given} {
  const FeaturePlan plan = plan_split(source, data.features, {}, data.split);
  expect_metric(options.metric, plan.target_kind == Kind::category);
  settings_ = auto_settings(auto_rows(plan), plan.target_kind, options.effort, data, trainers, given);
  if (settings_.empty())
    throw Error(ErrorCode::usage, "no model that -m auto tries has all the options given", "-m names one");
  plans_ = plans_of(settings_, source, data.split);
}

void NestedSearch::use(const SharedRows& rows) { search_.emplace(settings_, plans_, rows, request_); }

const Experiment& NestedSearch::chosen(const RowSet& training, const Run& run) {
  return search_->experiment(search_->choose(training, run).winner);
}

std::vector<Tried> NestedSearch::tried(std::span<const Trial> trials, const Run& run) {
  std::vector<Tried> all;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto part = [&](double place) { return place / static_cast<double>(trials.size()); };
    const Run own = within(run, part(static_cast<double>(i)), part(static_cast<double>(i) + 1.0));
    const std::size_t winner = search_->choose(trials[i].training, own).winner;
    ++chosen_[winner];
    const Experiment& experiment = search_->experiment(winner);
    Experiment::Fitted fitted = experiment.fit(trials[i].training, run);
    if (experiment.labels()) calibrate(experiment, trials[i].training, fitted.fit, run);
    Tried tried;
    tried.outcome = experiment.predict(fitted, trials[i].tried, run);
    tried.number = numbers_of(fitted.prepared.examples.with(trials[i].tried));
    tried.converged = fitted.fit.record.converged || !fitted.fit.promises_optimum;
    all.push_back(std::move(tried));
  }
  leave_out_probabilities_of_some(all);
  return all;
}

std::string NestedSearch::choices() const {
  std::vector<std::pair<std::size_t, std::size_t>> order(chosen_.begin(), chosen_.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::size_t all = 0;
  for (const auto& [setting, count] : order) all += count;
  std::string text;
  for (const auto& [setting, count] : order) {
    const Candidate& candidate = settings_[setting].candidate;
    text += (text.empty() ? "" : ", ") + words_of({std::string(candidate.entry->name), candidate.differs, {}, "", 0}) +
            " (" + std::to_string(count) + " of " + std::to_string(all) + ")";
  }
  return text;
}

}  // namespace plumb
