// plumb crossval: how good a model is on rows that it has not seen, when every row takes its turn.
#include <algorithm>
#include <chrono>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/data_words.h"
#include "cli/plot.h"
#include "cli/trainer_choice.h"
#include "cli/typed_data.h"

namespace plumb::cli {

enum class SplitKind { folds, random };

}  // namespace plumb::cli

template <>
struct plumb::EnumNames<plumb::cli::SplitKind> {
  static constexpr std::string_view names[] = {"folds", "random"};
};

namespace plumb::cli {
namespace {

struct CrossvalOptions {
  std::string model;
  FoldChoice folds = {FoldChoice::What::number, 10};
  SplitKind splits = SplitKind::folds;
  std::uint64_t repeats = 1;
  TestChoice test;
  bool refit = false;
  std::vector<std::string> fail_under;
  std::uint64_t resamples = kResamples;
  std::uint64_t seed = 42;

  static OptionTable table() {
    using O = CrossvalOptions;
    return {option("model", &O::model, "the kind of model")
                .value("MODEL")
                .short_as('m')
                .otherwise("least-squares for a numeric target, else logistic"),
            option("folds", &O::folds, "each row is predicted by the fit to other folds; loo: to all other rows")
                .value("K|loo")
                .otherwise("10"),
            option("splits", &O::splits, "folds: each row is tried once; random: --repeats splits, each by chance")
                .value("KIND"),
            option("repeats", &O::repeats, "times, each with other folds or another split; the mean is told")
                .value("R")
                .in(between(1, 1'000'000))
                .otherwise("1; 10 random splits"),
            option("test", &O::test, "rows held out of each of the random splits: a fraction, or a number of rows")
                .value("F|N"),
            option("refit", &O::refit, "fit every fold anew, also where sums or leverages of all rows give the same"),
            option("fail-under", &O::fail_under, "exit code 1 unless a metric is at least, or an error at most, this")
                .value("METRIC=BOUND,..."),
            option("resamples", &O::resamples, "of the bootstrap that gives the intervals; 0 for no intervals")
                .value("N")
                .in(between(0, 1'000'000)),
            option("seed", &O::seed, "of every random draw").value("N")};
  }
};

// The mean of each metric over the repeats that have it, and of the ends of its interval.
std::vector<Metric> averaged(const std::vector<std::vector<Metric>>& repeats) {
  std::vector<Metric> means;
  for (const MetricValues& all : by_metric(repeats)) {
    const auto count = static_cast<double>(all.each.size());
    Metric metric{all.name, 0.0, 0.0, 0.0, repeats.size() > 1 ? all.each.size() : 0};
    for (const Metric* const each : all.each) {
      metric.value += each->value / count;
      metric.low = metric.low && each->low ? std::optional(*metric.low + *each->low / count) : std::nullopt;
      metric.high = metric.high && each->high ? std::optional(*metric.high + *each->high / count) : std::nullopt;
    }
    means.push_back(std::move(metric));
  }
  return means;
}

// What always saying the mean, or the commonest label, comes to on some rows for a model that was trained on all
// others.
class OthersBaseline {
 public:
  explicit OthersBaseline(const Outcome& all)
      : total_(total(all)),
        first_(all.numbers.rows() > 0 ? all.numbers.target[0] : 0.0),
        mean_(share_of_mean(all)),
        of_class_(of_class(all)),
        rows_of_class_(rows_of_class(all)) {}

  double mean_without(const Outcome& part) const {
    const double rest = 1.0 - total(part) / total_;
    return first_ + (rest > 0 ? (mean_ - share_of_mean(part)) / rest : mean_);
  }

  std::vector<Metric> metrics(const Outcome& part, const Run& run) const {
    if (!part.labels) return constant_metrics(mean_without(part), part.numbers, run);
    std::vector<double> weights = of_class_;
    const std::vector<double> own = of_class(part);
    const std::vector<std::uint64_t> own_rows = rows_of_class(part);
    for (std::size_t k = 0; k < weights.size(); ++k)  // what rounding leaves of a class without rows is none of it
      weights[k] = own_rows[k] < rows_of_class_[k] ? std::max(0.0, weights[k] - own[k]) : 0.0;
    return share_baseline(weights, part.classes, of_class_).metrics;
  }

  std::size_t label(const PredictedClasses& rows) const { return share_baseline(of_class_, rows).label; }

  static double total(const Outcome& rows) {
    double total = 0.0;
    for (const double each : rows.labels ? rows.classes.weight : rows.numbers.weight) total += each;
    return total;
  }

 private:
  // What the rows add to how far the mean of all is from the first target: nothing where all are the same. Sums of
  // targets could be too large for a number.
  double share_of_mean(const Outcome& rows) const {
    double sum = 0.0;
    for (std::uint64_t i = 0; i < rows.numbers.rows(); ++i) {
      const double share = rows.numbers.weight[i] / total_;
      sum += share * rows.numbers.target[i] - share * first_;
    }
    return sum;
  }

  static std::vector<double> of_class(const Outcome& rows) {
    std::vector<double> weights(rows.classes.known);
    for (std::uint64_t i = 0; i < rows.classes.rows(); ++i)
      if (rows.classes.actual[i] < weights.size()) weights[rows.classes.actual[i]] += rows.classes.weight[i];
    return weights;
  }

  static std::vector<std::uint64_t> rows_of_class(const Outcome& rows) {
    std::vector<std::uint64_t> counts(rows.classes.known);
    for (std::uint64_t i = 0; i < rows.classes.rows(); ++i)
      if (rows.classes.actual[i] < counts.size() && rows.classes.weight[i] > 0) ++counts[rows.classes.actual[i]];
    return counts;
  }

  double total_, first_;
  double mean_;  // of all, less first_
  std::vector<double> of_class_;
  std::vector<std::uint64_t> rows_of_class_;
};

// The baseline of every fold as one: `fold` has a number for each row of the outcome.
std::vector<Metric> baseline_out_of_fold(const Outcome& outcome, const std::vector<std::uint32_t>& fold,
                                         const Run& run) {
  const OthersBaseline baseline(outcome);
  std::vector<std::vector<std::uint64_t>> rows_of(fold.empty() ? 0 : *std::max_element(fold.begin(), fold.end()) + 1);
  for (std::uint64_t i = 0; i < fold.size(); ++i) rows_of[fold[i]].push_back(i);
  Predicted means = outcome.numbers;
  std::vector<Metric> found;
  for (const std::vector<std::uint64_t>& rows : rows_of) {
    if (rows.empty()) continue;
    Outcome part;
    part.labels = outcome.labels;
    part.classes.labels = outcome.classes.labels;
    part.classes.known = outcome.classes.known;
    part.classes.probable = outcome.classes.probable;
    for (const std::uint64_t i : rows) {
      if (!outcome.labels) {
        part.numbers.add(0.0, outcome.numbers.target[i], outcome.numbers.weight[i]);
        continue;
      }
      part.classes.predicted.push_back(0);
      part.classes.actual.push_back(outcome.classes.actual[i]);
      part.classes.weight.push_back(outcome.classes.weight[i]);
    }
    if (!outcome.labels) {
      for (const std::uint64_t i : rows) means.prediction[i] = baseline.mean_without(part);
      continue;
    }
    const double weight = OthersBaseline::total(part);
    for (const Metric& metric : baseline.metrics(part, run)) {
      const auto known =
          std::find_if(found.begin(), found.end(), [&](const Metric& each) { return each.name == metric.name; });
      if (known == found.end()) {
        found.push_back({metric.name, weight * metric.value, {}, {}});
      } else {
        known->value += weight * metric.value;
      }
    }
  }
  for (Metric& metric : found) metric.value /= OthersBaseline::total(outcome);
  return outcome.labels ? found : regression_metrics(means, run, 0);
}

class Crossval final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    std::vector<OptionGroup> groups = {options_of("Data", features_),   options_of("Text", text_),
                                       options_of("Classes", classes_), options_of("Splits", split_),
                                       options_of("Reading", read_),    options_of("Cross-validation", options_),
                                       options_of("Plot", plot_)};
    trainers_.append_to(groups);
    groups.push_back(options_of("Running", run_));
    return groups;
  }

  std::vector<OptionGroup> options_for(const std::vector<std::string>& words) override {
    std::vector<OptionGroup> groups = options(), all = groups;
    CommonOptions common;
    all.push_back(options_of("", common));
    groups.insert(groups.begin(), trainers_.first(value_of("model", words, all)));
    return groups;
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("crossval"), operands, 1, kAnyNumber);
    inputs_ = operands;
    source_ = open_source(operands, run_.reading(read_));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    const Run run{executor, RandomKey{options_.seed, 0}, terminal.observer(), run_.max_memory.budget()};
    const std::string name = options_.model.empty()
                                 ? default_model(plan_split(*source_, features_, {}, split_).target_kind)
                                 : options_.model;
    const std::size_t chosen = trainers_.find(name, given);
    const TrainerEntry& entry = trainer_list()[chosen];
    const bool labels = entry.target == Kind::category;
    check_splits();
    check_plot(plot_);
    std::vector<Gate> gates;
    for (const std::string& text : options_.fail_under)
      gates.push_back(read_gate(text, labels ? std::span<const MetricEntry>(kClassMetrics) : kRegressionMetrics));
    const FeaturePlan plan = plan_split(*source_, features_, text_, split_, entry.target);
    if (plan.target_kind != entry.target) throw not_a_numeric_target(*source_, plan, entry.name);
    const SharedRows tables(*source_, {&plan, 1}, run);
    for (const std::string& note : source_->notes()) terminal.note(source_->name() + ": " + note);
    terminal.note(source_->name() + ": " + counted(tables.rows(), "row") + ", " + std::string(source_->form()));
    expect_two_rows(*source_, tables.rows());

    EvaluateReport report;
    report.model = entry.name;
    report.target = plan.target;
    report.rows = tables.rows();
    report.resamples = options_.resamples;
    report.seed = options_.seed;
    report.dry_run = common.dry_run;
    report.warnings = warnings_about(source_->skipped());
    const std::unique_ptr<Trainer> trainer = trainers_.setup(chosen).make();
    const Experiment experiment(tables, plan, *trainer, classes_, split_);
    report.method = method(experiment);
    if (!common.dry_run) {
      judge_model(report, experiment, terminal, run);
      report.verdict = verdict_of(report, chosen, plan);
      for (const Gate& gate : gates) report.gates.push_back(judge(gate, report.metrics));
    }
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    terminal.print(common.json ? to_json(report) : to_text(report, terminal.style()));
    return report.met() ? 0 : 1;
  }

 private:
  bool was_given(std::string_view option) const { return std::find(given.begin(), given.end(), option) != given.end(); }

  void check_splits() {
    refuse_folds_beside(split_.fold, given);
    const bool random = options_.splits == SplitKind::random;
    for (const std::string_view folds : {"folds", "fold"})
      if (random && was_given(folds))
        throw Error(ErrorCode::usage, "--splits random has no folds, and --" + std::string(folds) + " is given",
                    "leave out --" + std::string(folds));
    if (!random && was_given("test"))
      throw Error(ErrorCode::usage, "--test is for --splits random: in folds every row is tried", "--splits random");
    if (options_.test.what == TestChoice::What::none || options_.test.what == TestChoice::What::file)
      throw Error(ErrorCode::usage, "--test of random splits is a fraction or a number of rows", "--test 0.2");
    if (random && split_.split == SplitOrder::order)
      throw Error(ErrorCode::usage, "--splits random goes by chance, and --split order does not; one was expected",
                  "--splits folds");
    if (random && !was_given("repeats")) options_.repeats = 10;
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
      return "rows by fits to others (" + counted(options_.repeats, "random split") + ", " +
             OptionText<TestChoice>::text(options_.test) + " of the rows tried" + seed + ")";
    if (alone()) return "each row by the fit to all others (leave-one-out)";
    const std::string how = !split_.fold.empty()                ? " given by " + split_.fold
                            : split_.split == SplitOrder::order ? " of rows in order"
                            : split_.group.empty()              ? seed
                                                                : " of whole " + split_.group + seed;
    return "each row by the fit to other folds (" + counted(folds_of(experiment), "fold") + how +
           (options_.repeats > 1 ? ", " + counted(options_.repeats, "repeat") : "") + ")";
  }

  std::uint64_t folds_of(const Experiment& experiment) const {
    const bool most = !split_.fold.empty() || options_.folds.what == FoldChoice::What::leave_one_out;
    return most ? experiment.splitter().most_folds(experiment.rows()) : options_.folds.folds;
  }

  void judge_model(EvaluateReport& report, const Experiment& experiment, Terminal& terminal, const Run& run) {
    // One fit to all rows, then each fold or split; what gives them without fits counts as one more.
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
    seen_ = experiment.predict(whole, some_rows(experiment.rows()), run).metrics(run, 0);
    if (random) return judge_splits(report, experiment, whole, rows, terminal, within(run, first, 1.0));
    const FoldWay way = options_.refit ? FoldWay::refits : way_of(experiment, whole, alone());
    if (way == FoldWay::sums) {
      terminal.detail("folds are taken from the sums of all rows; nothing is trained anew");
    } else if (find_trainer(report.model).family == Family::counting && !options_.refit) {
      terminal.note("every fold is trained anew: its features do not follow from the sums of all rows");
    }
    if (way != FoldWay::refits) first = 1.0 / (1.0 + times);
    const std::vector<std::uint64_t> numbers = numbers_of(rows);
    std::vector<std::vector<Metric>> repeats, baselines;
    Outcome all;  // the rows of all repeats, one behind the other
    for (std::uint64_t repeat = 0; repeat < (alone() ? 1 : options_.repeats); ++repeat) {
      std::vector<std::uint32_t> fold;
      if (!alone())
        fold =
            experiment.splitter().folds(experiment.rows(), folds_of(experiment), RandomKey{options_.seed + repeat, 0});
      if (experiment.labels()) experiment.classes().expect_two_without_each(experiment.rows(), fold);
      if (repeat == 0)
        say_copies(rows_in_several_folds(rows, fold), experiment.rows().count(), "row",
                   alone() ? "another row" : "a row of another fold", report.warnings, terminal);
      const auto place = [&](std::uint64_t done) { return first + (1.0 - first) * static_cast<double>(done) / times; };
      const Run own = within(run, place(repeat), place(repeat + 1));
      Outcome outcome = cross_validate(experiment, whole, fold, way, own);
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
    PredictedClasses& pooled = all.classes;  // a fit of some repeat may have had none
    if (pooled.scores.size() != pooled.rows() * pooled.scores_per_row()) pooled.scores = {};
    describe(report, all, run);
    report.rows = numbers.size();
    if (plot_.wanted()) draw(report, all, terminal, run);
    report.metrics = averaged(repeats);
    report.splits = repeats.size();
    report.baseline = averaged(baselines);
    report.baseline_name += " of each fold";
  }

  // The rows that take part in a split are those of --classes among all that were split.
  void judge_splits(EvaluateReport& report, const Experiment& experiment, const Experiment::Fitted& whole,
                    const Examples& rows, Terminal& terminal, const Run& run) const {
    std::vector<Trial> trials;
    std::uint64_t tried_rows = 0;
    const RowSet all(experiment.rows().rows(), true);
    for (std::uint64_t repeat = 0; repeat < options_.repeats; ++repeat) {
      const RowSet test = experiment.splitter().hold_out(all, options_.test, RandomKey{options_.seed + repeat, 0});
      tried_rows += test.count();
      trials.push_back({test.complement().intersection(experiment.rows()), test.intersection(experiment.rows())});
    }
    say_group_rows(split_, "test", options_.test, all.rows(), (tried_rows + trials.size() / 2) / trials.size(),
                   terminal);
    say_copies(rows_seen_before(rows.with(trials.front().training), rows.with(trials.front().tried)),
               trials.front().tried.count(), "tried row", "a training row of the first split", report.warnings,
               terminal);
    std::vector<Tried> tried = std::move(try_all({&experiment, 1}, trials, {}, run).front());
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
    if (plot_.wanted()) draw(report, outcome, terminal, run);
    report.rows = experiment.rows().count();
    report.metrics = over_splits(splits, share);
    report.splits = splits.size();
    report.baseline = averaged(baselines);
    report.baseline_name += " of each split";
    report.interval = options_.repeats > 1
                          ? "95 %, of the mean over splits, as these share rows (Nadeau and Bengio 2003)"
                          : "none: 2 splits are needed to say how far off it is";
  }

  void draw(const EvaluateReport& report, const Outcome& outcome, Terminal& terminal, const Run& run) const {
    terminal.note(save_plot(
        plot_, outcome.labels ? class_figure(*report.classes, outcome.classes, report.target + " by " + report.model)
                              : out_of_fold_figure(report.model, report.target, outcome.numbers, run)));
  }

  // From the fit to all rows, on these, and from fits on rows they had not seen.
  FitVerdict verdict_of(const EvaluateReport& report, std::size_t chosen, const FeaturePlan& plan) {
    const std::optional<SeenErrors> errors = seen_errors(seen_, report.metrics, report.baseline);
    if (!errors) return {};
    const TypedData data = typed_data(inputs_,
                                      {options_of("", features_), options_of("", text_), options_of("", classes_),
                                       options_of("", split_), options_of("", read_)},
                                      options_of("", options_), trainers_.setup(chosen).options(), given, plan);
    return fit_verdict(report.model, *errors, is_penalised(trainers_.setup(chosen)), data);
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
    report.baseline_name = "the commonest label, with its share in the training rows";
    report.classes = class_metrics(rows, run, 0);
    for (const std::string& note : report.classes->notes) report.warnings.push_back(note);
  }

  FeatureOptions features_;
  TextOptions text_;
  ClassOptions classes_;
  SplitOptions split_;
  ReadOptions read_;
  CrossvalOptions options_;
  RunOptions run_;
  TrainerChoice trainers_;
  PlotOptions plot_;
  std::vector<std::string> inputs_;
  std::vector<Metric> seen_;  // of the fit to all rows, on these
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_crossval() { return std::make_unique<Crossval>(); }

}  // namespace plumb::cli
