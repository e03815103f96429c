#include "plumb/workflow/crossval.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/foreseen.h"
#include "plumb/base/text.h"
#include "plumb/evaluate/gate.h"
#include "plumb/evaluate/resampled.h"
#include "plumb/report/class_figure.h"
#include "plumb/report/fit_rows.h"
#include "plumb/select/cross_validate.h"
#include "plumb/select/data_checks.h"
#include "plumb/select/trials.h"
#include "plumb/workflow/candidate.h"
#include "plumb/workflow/data_words.h"
#include "plumb/workflow/nested_search.h"
#include "plumb/workflow/others_baseline.h"
#include "plumb/workflow/remedy_trials.h"
#include "plumb/workflow/typed_data.h"

namespace plumb {
namespace {

constexpr double kSearch = 0.05;  // the share of the first search, on all rows

class CrossValidation {
 public:
  CrossValidation(CrossvalRequest& request, Source& source, Messages& say, const Run& run)
      : request_(request),
        options_(request.options),
        split_(request.data.split),
        given_(request.given),
        source_(source),
        say_(say),
        run_(run) {}

  CrossvalResult result() {
    DataRequest& data = request_.data;
    const bool unnamed = options_.model.empty() || options_.model == kAuto;
    std::string name = unnamed ? std::string(default_entry(source_, data, &say_).name) : options_.model;
    if (searches()) {
      search_.emplace(data, request_.trainers, given_, request_.search, source_);
      name = search_->settings().front().candidate.entry->name;
    }
    chosen_ = request_.trainers.find(name, given_);
    const TrainerEntry& entry = request_.trainers.entry(chosen_);
    check_splits();
    std::vector<Gate> gates;
    for (const std::string& text : options_.fail_under)
      gates.push_back(read_gate(text, metrics_of(entry.target == Kind::category)));
    const FeaturePlan plan = plan_split(source_, data.features, data.text, split_, entry.target);
    expect_target(source_, plan, data.features, entry);
    const std::unique_ptr<Trainer> trainer = request_.trainers.setup(chosen_).make();
    const std::span<const FeaturePlan> plans = search_ ? search_->plans() : std::span(&plan, 1);
    const SharedRows tables = read_shared(source_, plans, gaps_of(*trainer), say_, run_, true);
    EvaluateReport report;
    report.model = search_ ? kAuto : entry.name;
    report.target = plan.target;
    report.rows = tables.rows();
    report.resamples = options_.resamples;
    report.seed = options_.seed;
    report.dry_run = request_.dry_run;
    report.warnings = warnings_about(source_.skipped());
    const Experiment usual(tables, plan, *trainer, data.classes, split_);
    report.method = method(usual);
    if (search_) search_->use(tables);
    const Experiment& experiment =
        search_ && !request_.dry_run ? search_->chosen(usual.rows(), within(run_, 0.0, kSearch)) : usual;
    if (!request_.dry_run) {
      judge_model(report, experiment, run_);
      if (search_) say_.note("chosen in each fold by its training rows: " + search_->choices());
      if (!search_) report.verdict = verdict_of(report, plan, tables, experiment.rows());
      for (const Gate& gate : gates) report.gates.push_back(judge(gate, report.metrics));
    }
    return {std::move(report), std::move(figure_)};
  }

 private:
  // As train does; but not for folds of single rows, where it would take too long.
  bool searches() {
    const bool open = options_.model.empty() && !request_.trainers.any_given(given_) && !options_.refit;
    if (request_.search.effort == Effort::none || !request_.trainers.is_listed()) return false;
    const bool loo = options_.folds.what == FoldChoice::What::leave_one_out;
    if (options_.model == kAuto && loo)
      throw Error(ErrorCode::usage, "-m auto searches in every fold, and --folds loo has as many as there are rows",
                  "--folds 10");
    return options_.model == kAuto || (open && !loo);
  }

  void check_splits() {
    refuse_folds_beside(split_.fold, given_);
    const bool random = options_.splits == SplitKind::random;
    for (const std::string_view folds : {"folds", "fold"})
      if (random && was_given(given_, folds))
        throw Error(ErrorCode::usage, "--splits random has no folds, and --" + std::string(folds) + " is given",
                    "leave out --" + std::string(folds));
    if (!random && was_given(given_, "test"))
      throw Error(ErrorCode::usage, "--test is for --splits random: with folds every row is tested", "--splits random");
    if (options_.test.what == TestChoice::What::none || options_.test.what == TestChoice::What::file)
      throw Error(ErrorCode::usage, "--test of random splits is a fraction or a number of rows", "--test 0.2");
    if (random && split_.split == SplitOrder::order)
      throw Error(ErrorCode::usage, "--splits random goes by chance, and --split order does not; one was expected",
                  "--splits folds");
    if (random && !was_given(given_, "repeats")) options_.repeats = 10;
    const bool once = !split_.fold.empty() || split_.split == SplitOrder::order ||
                      options_.folds.what == FoldChoice::What::leave_one_out;
    if (!random && once && options_.repeats > 1)
      throw Error(ErrorCode::usage, "--repeats draws other folds, and these are not drawn: they are the same each time",
                  "leave out --repeats");
  }

  // Every row a fold of its own.
  bool alone() const {
    return options_.folds.what == FoldChoice::What::leave_one_out && split_.group.empty() && split_.fold.empty();
  }

  std::string method(const Experiment& experiment) const {
    const std::string seed = ", seed " + std::to_string(options_.seed);
    if (options_.splits == SplitKind::random)
      return "validated on " + counted(options_.repeats, "random split") + ", " +
             OptionText<TestChoice>::text(options_.test) + " of the validation rows" + seed + ")";
    if (alone()) return "leave-one-out";
    const std::string how = !split_.fold.empty()                ? " given by " + split_.fold
                            : split_.split == SplitOrder::order ? " of rows in order"
                            : split_.group.empty()              ? seed
                                                                : " of whole " + split_.group + seed;
    return "cross-validation (" + counted(folds_of(experiment), "fold") + how +
           (options_.repeats > 1 ? ", " + counted(options_.repeats, "repeat") : "") + ")";
  }

  std::uint64_t folds_of(const Experiment& experiment) const {
    const bool most = !split_.fold.empty() || options_.folds.what == FoldChoice::What::leave_one_out;
    return most ? experiment.splitter().most_folds(experiment.rows()) : options_.folds.folds;
  }

  void judge_model(EvaluateReport& report, const Experiment& experiment, const Run& run) {
    // One fit to all rows, then each fold or split; a way without fits counts as one more.
    const bool random = options_.splits == SplitKind::random;
    const auto times = static_cast<double>(alone() ? 1 : options_.repeats);
    const double folds = random    ? times
                         : alone() ? static_cast<double>(experiment.rows().count())
                                   : times * static_cast<double>(folds_of(experiment));
    double first = 1.0 / (1.0 + folds);
    const Experiment::Fitted whole = experiment.fit(experiment.rows(), within(run, 0.0, first));
    report.warnings.insert(report.warnings.end(), whole.warnings.begin(), whole.warnings.end());
    warn_of_imbalance(experiment, report.warnings);
    const Examples rows = whole.prepared.examples.with(experiment.rows());
    seen_ = experiment
                .predict(whole, some_rows(whole.prepared.fitted(experiment.rows()), whole.prepared.labels.size()), run)
                .metrics(run, 0);
    if (random) return judge_splits(report, experiment, whole, rows, within(run, first, 1.0));
    const FoldWay way = options_.refit || search_ ? FoldWay::refits : way_of(experiment, whole, alone());
    if (search_) {
      say_.detail("every fold searches and fits by itself");
    } else if (way == FoldWay::sums) {
      say_.detail("folds are computed from the sums of all rows, without refitting");
    } else if (request_.trainers.entry(chosen_).family == Family::counting && !options_.refit) {
      say_.note("every fold is refitted: its features cannot be computed from the sums of all rows");
    }
    if (way != FoldWay::refits) first = 1.0 / (1.0 + times);
    const std::vector<std::uint64_t> numbers = numbers_of(rows);
    std::vector<std::vector<Metric>> repeats, baselines;
    Outcome all;  // the rows of all repeats, one after the other
    for (std::uint64_t repeat = 0; repeat < (alone() ? 1 : options_.repeats); ++repeat) {
      std::vector<std::uint32_t> fold;
      if (!alone())
        fold =
            experiment.splitter().folds(experiment.rows(), folds_of(experiment), RandomKey{options_.seed + repeat, 0});
      if (experiment.labels()) experiment.classes().expect_two_without_each(experiment.rows(), fold);
      if (repeat == 0)
        say_copies(rows_in_several_folds(rows, fold), experiment.rows().count(), "row",
                   alone() ? "another row" : "a row of another fold", report.warnings, say_);
      const auto place = [&](std::uint64_t done) { return first + (1.0 - first) * static_cast<double>(done) / times; };
      const Run own = within(run, place(repeat), place(repeat + 1));
      Outcome outcome =
          search_ ? merged(search_->tried(trials_of(fold), own)) : cross_validate(experiment, whole, fold, way, own);
      repeats.push_back(outcome.metrics(own, options_.resamples));
      std::vector<std::uint32_t> fold_of;
      for (std::size_t i = 0; i < numbers.size(); ++i)
        fold_of.push_back(alone() ? static_cast<std::uint32_t>(i) : fold[numbers[i]]);
      baselines.push_back(baseline_out_of_fold(outcome, fold_of, own));
      if (repeat == 0) {
        all = std::move(outcome);
      } else if (all.labels) {
        all.classes.append(std::move(outcome.classes));
      }
    }
    PredictedClasses& pooled = all.classes;  // a fit of some repeat may lack a class
    if (pooled.scores.size() != pooled.rows() * pooled.scores_per_row()) pooled.scores = {};
    describe(report, all, run);
    report.rows = numbers.size();
    if (request_.wants_figure) draw(report, all, run);
    report.metrics = averaged(repeats);
    report.splits = repeats.size();
    report.baseline = averaged(baselines);
    report.baseline_name += " of each fold";
  }

  // The rows that take part in a split are those of --classes among all that were split.
  void judge_splits(EvaluateReport& report, const Experiment& experiment, const Experiment::Fitted& whole,
                    const Examples& rows, const Run& run) {
    std::vector<Trial> trials;
    std::uint64_t tried_rows = 0;
    const RowSet all(experiment.rows().rows(), true);
    for (std::uint64_t repeat = 0; repeat < options_.repeats; ++repeat) {
      const RowSet test = experiment.splitter().hold_out(all, options_.test, RandomKey{options_.seed + repeat, 0});
      tried_rows += test.count();
      trials.push_back({test.complement().intersection(experiment.rows()), test.intersection(experiment.rows())});
    }
    say_group_rows(split_, "test", options_.test, all.rows(), (tried_rows + trials.size() / 2) / trials.size(), say_);
    say_copies(rows_seen_before(rows.with(trials.front().training), rows.with(trials.front().tried)),
               trials.front().tried.count(), "validation row", "a training row of the first split", report.warnings,
               say_);
    std::vector<Tried> tried =
        search_ ? search_->tried(trials, run) : std::move(try_all({&experiment, 1}, trials, {}, run).front());
    const Outcome everything = experiment.predict(whole, experiment.rows(), run);
    const OthersBaseline baseline(everything);
    std::vector<std::vector<Metric>> splits, baselines;
    for (const Tried& each : tried) {
      splits.push_back(each.outcome.metrics(run, 0));
      baselines.push_back(baseline.metrics(each.outcome, run));
    }
    const double share = static_cast<double>(trials.front().tried.count()) /
                         static_cast<double>(std::max<std::uint64_t>(1, trials.front().training.count()));
    const Outcome outcome = merged(std::move(tried));
    describe(report, outcome, run);
    if (outcome.labels) report.baseline_label = everything.classes.labels[baseline.label(everything.classes)];
    if (request_.wants_figure) draw(report, outcome, run);
    report.rows = experiment.rows().count();
    report.metrics = over_splits(splits, share);
    report.splits = splits.size();
    report.baseline = averaged(baselines);
    report.baseline_name += " of each split";
    report.interval = options_.repeats > 1 ? "95 %, for the mean over splits that share rows (Nadeau and Bengio 2003)"
                                           : "none: at least 2 splits are needed";
  }

  void draw(const EvaluateReport& report, const Outcome& outcome, const Run& run) {
    figure_ = outcome.labels ? class_figure(*report.classes, outcome.classes, report.target + " by " + report.model)
                             : out_of_fold_figure(report.model, report.target, outcome.numbers, run);
  }

  // From the fit to all rows, on these, and from fits on held-out rows.
  FitVerdict verdict_of(const EvaluateReport& report, const FeaturePlan& plan, const SharedRows& tables,
                        const RowSet& rows) {
    const std::optional<SeenErrors> errors = seen_errors(seen_, report.metrics, report.baseline);
    if (!errors || !request_.trainers.is_listed()) return {};
    TrainerSetup& setup = request_.trainers.setup(chosen_);
    const TypedData data = typed_data(request_.data.files, request_.data.groups(), options_of("", options_),
                                      setup.options(), given_, plan);
    FitVerdict verdict = fit_verdict(report.model, *errors, is_penalised(setup), data);
    if (verdict.text.empty()) return verdict;
    return tried(std::move(verdict),
                 {request_.data, source_, request_.trainers.entry(chosen_), setup, given_, rows.count()},
                 sample_of(tables, rows), true, run_);
  }

  void describe(EvaluateReport& report, const Outcome& outcome, const Run& run) const {
    if (!outcome.labels) {
      report.rows = outcome.numbers.rows();
      report.baseline_value = mean_target(outcome.numbers, run);
      report.baseline_name = "or so: the mean of the training rows";
      return;
    }
    const PredictedClasses& rows = outcome.classes;
    report.rows = rows.rows();
    report.baseline_label = rows.labels[OthersBaseline(outcome).label(rows)];
    report.baseline_name = "the most common label, with its share of the training rows";
    report.classes = class_metrics(rows, run, 0);
    for (const std::string& note : report.classes->notes) report.warnings.push_back(note);
  }

  CrossvalRequest& request_;
  CrossvalOptions& options_;
  const SplitOptions& split_;
  const std::vector<std::string>& given_;
  Source& source_;
  Messages& say_;
  const Run& run_;
  std::size_t chosen_ = 0;  // of request_.trainers
  std::optional<NestedSearch> search_;
  std::vector<Metric> seen_;  // of the fit to all rows, on these
  std::optional<Figure> figure_;
};

}  // namespace

OptionTable CrossvalOptions::table() {
  using O = CrossvalOptions;
  return {option("model", &O::model, "the model to fit")
              .value("MODEL")
              .short_as('m')
              .otherwise("auto: chosen in each fold by its training rows"),
          option("folds", &O::folds, "number of folds, or loo (leave-one-out)").value("K|loo").otherwise("10"),
          option("splits", &O::splits, "folds: each row is tested once; random: --repeats random splits").value("KIND"),
          option("repeats", &O::repeats, "repeat with other folds or another split, and report the mean")
              .value("R")
              .in(between(1, 1'000'000))
              .otherwise("1; 10 random splits"),
          option("test", &O::test, "rows held out in each random split: a fraction, or a number of rows").value("F|N"),
          option("refit", &O::refit, "refit every fold, also where a closed form gives the same"),
          option("fail-under", &O::fail_under,
                 "exit code 1 unless these metrics are at least, or errors at most, these bounds")
              .value("METRIC=BOUND,..."),
          option("resamples", &O::resamples, "bootstrap resamples for intervals; 0 for none")
              .value("N")
              .in(between(0, 1'000'000)),
          option("seed", &O::seed, "seed of all random choices").value("N")};
}

CrossvalResult cross_validate(CrossvalRequest& request, Source& source, Messages& say, const Run& run) {
  return CrossValidation(request, source, say, run).result();
}

}  // namespace plumb
