#include "plumb/workflow/remedy_trials.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/data/some_rows.h"
#include "plumb/evaluate/paired.h"
#include "plumb/report/curves.h"
#include "plumb/select/trials.h"
#include "plumb/workflow/calls.h"
#include "plumb/workflow/candidate.h"

namespace plumb {
namespace {

constexpr std::uint64_t kSampleBytes = 16'000'000, kCheapValues = 1'000'000, kFewestRows = 30;
constexpr std::uint64_t kFolds = 5;
constexpr double kChanceLine = 0.05;

std::uint64_t most_rows(std::uint64_t bytes, std::uint64_t rows) {
  return kSampleBytes / std::max<std::uint64_t>(1, bytes / std::max<std::uint64_t>(1, rows));
}

class RemedyTrials {
 public:
  RemedyTrials(const JudgedFit& fit, const SharedRows& rows, const Run& run) : fit_(fit), rows_(rows), run_(run) {
    const Candidate as_given = variant("", "", {});
    const FeaturePlan plan = plan_of(as_given, fit_.source, fit_.data.split);
    const std::unique_ptr<Trainer> trainer = as_given.setup->make();
    const Experiment experiment(rows_, plan, *trainer, fit_.data.classes, fit_.data.split);
    folds_ = trials_of(experiment.splitter().folds(
        experiment.rows(), std::min(kFolds, experiment.splitter().most_folds(experiment.rows())),
        {run.random.seed, 2}));
    as_given_ = outcome_of(experiment, folds_);
  }

  bool helps(const Remedy& remedy) const {
    return std::any_of(remedy.values.begin(), remedy.values.end(), [&](const std::string& value) {
      try {
        const Candidate changed = variant(remedy.option, value, remedy.instead);
        const FeaturePlan plan = plan_of(changed, fit_.source, fit_.data.split);
        if (!rows_.cover(plan)) return false;
        const std::unique_ptr<Trainer> trainer = changed.setup->make();
        const Experiment experiment(rows_, plan, *trainer, fit_.data.classes, fit_.data.split);
        return better(outcome_of(experiment, folds_), as_given_, remedy.values.size());
      } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted) throw;
        return false;  // it does not suit these rows
      }
    });
  }

  // Two points of the learning curve: the fits of all folds, and fits to half of the rows of each.
  std::string more_rows() const {
    const Candidate as_given = variant("", "", {});
    const FeaturePlan plan = plan_of(as_given, fit_.source, fit_.data.split);
    const std::unique_ptr<Trainer> trainer = as_given.setup->make();
    const Experiment experiment(rows_, plan, *trainer, fit_.data.classes, fit_.data.split);
    std::vector<Trial> halves = folds_;
    for (std::size_t k = 0; k < halves.size(); ++k) {
      halves[k].training = folds_[(k + 1) % halves.size()].tried;
      const RowSet second = folds_[(k + 2) % halves.size()].tried;
      for (std::uint64_t row = 0; row < second.rows(); ++row)
        if (second.has(row)) halves[k].training.add(row);
    }
    const Outcome half = outcome_of(experiment, halves);
    if (!better(as_given_, half, 1)) return "";
    const std::vector<Metric> fewer = half.metrics(run_, 0), more = as_given_.metrics(run_, 0);
    return "; more rows help: " + find_metric(more, kError)->name + " " + four_digits(error_of(fewer)) + " with " +
           counted(halves.front().training.count(), "row") + ", " + four_digits(error_of(more)) + " with " +
           count_text(folds_.front().training.count());
  }

 private:
  // The options of the fit, one of them with another value.
  Candidate variant(const std::string& option, const std::string& value,
                    const std::vector<std::string>& instead) const {
    Candidate found;
    found.entry = option == "model" ? &find_trainer(value) : &fit_.entry;
    found.features = fit_.data.features;
    found.text = fit_.data.text;
    found.setup = found.entry->setup();
    const OptionGroup own = fit_.setup.options();
    if (option == "model") return found;
    for (const OptionInfo& info : own.options) {
      const std::string file = info.file(own.owner);
      if (was_given(fit_.given, info.name) && !was_given(instead, info.name))
        set_option({found.setup->options()}, info.name, info.flag() ? "" : file.empty() ? info.text(own.owner) : file);
    }
    if (!option.empty())
      set_option({found.setup->options(), options_of("", found.features), options_of("", found.text)}, option, value);
    return found;
  }

  Outcome outcome_of(const Experiment& experiment, const std::vector<Trial>& trials) const {
    TrialOptions options;
    options.in_turn = true;
    return merged(std::move(try_all({&experiment, 1}, trials, options, run_).front()));
  }

  // By more than chance, with Bonferroni's correction for the values that were tried.
  bool better(const Outcome& a, const Outcome& b, std::size_t values) const {
    const std::optional<PairedTest> test =
        a.labels ? compare_errors(a.classes, b.classes) : compare_squared_errors(a.numbers, b.numbers, run_);
    return test && test->difference < 0.0 && test->p_value < kChanceLine / static_cast<double>(values);
  }

  const JudgedFit& fit_;
  const SharedRows& rows_;
  const Run& run_;
  std::vector<Trial> folds_;
  Outcome as_given_;
};

// How many rows fits may have, so that all of them together are cheap beside the judged one.
std::uint64_t affordable(const FitVerdict& verdict, const JudgedFit& fit, const SharedRows& sample) {
  std::uint64_t fits = 2 + kFolds - 1;  // as given, and to half of the rows
  for (const Remedy& remedy : verdict.remedies) fits += remedy.values.size() * (kFolds - 1);
  const std::uint64_t values = std::max<std::uint64_t>(1, sample.bytes() / sample.rows() / sizeof(double));
  return std::max(fit.rows / 2, kCheapValues / values) / fits;
}

}  // namespace

std::optional<SharedRows> sample_of(const FeaturePlan& plan, const Tables& tables, const RowSet& training) {
  std::optional<Tables> some = some_rows_of(tables, evenly(training, most_rows(tables.bytes(), tables.rows)));
  return some ? std::optional(SharedRows(plan, std::move(*some))) : std::nullopt;
}

std::optional<SharedRows> sample_of(const SharedRows& rows, const RowSet& training) {
  return rows.some(evenly(training, most_rows(rows.bytes(), rows.rows())));
}

FitVerdict tried(FitVerdict verdict, const JudgedFit& fit, const std::optional<SharedRows>& sample, bool more_rows,
                 const Run& run) {
  more_rows = more_rows && verdict.overfits;
  if (verdict.text.empty()) return verdict;
  if (verdict.remedies.empty() && !more_rows) return {};  // nothing to try, so nothing shows that another fit is better
  std::vector<Remedy> remedies = std::exchange(verdict.remedies, {});
  if (!sample || sample->rows() < kFewestRows) return verdict;
  verdict.remedies = std::move(remedies);
  const std::uint64_t most = affordable(verdict, fit, *sample);
  remedies = std::exchange(verdict.remedies, {});
  if (most < kFewestRows) return verdict;
  std::optional<SharedRows> fewer;
  if (sample->rows() > most) fewer = sample->some(evenly(RowSet(sample->rows(), true), most));
  try {
    const RemedyTrials trials(fit, fewer ? *fewer : *sample, run);
    std::string text = more_rows ? trials.more_rows() : "";
    for (Remedy& remedy : remedies)
      if (trials.helps(remedy)) verdict.remedies.push_back(std::move(remedy));
    if (verdict.remedies.empty() && text.empty()) return {};  // nothing that was tried does better
    verdict.text += text;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) throw;  // otherwise the sample cannot be fitted, and tells nothing
  }
  return verdict;
}

}  // namespace plumb
