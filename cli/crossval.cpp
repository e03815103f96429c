// plumb crossval: how good a model is on rows that it has not seen, when every row takes its turn.
#include <algorithm>
#include <chrono>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/trainer_choice.h"

namespace plumb::cli {
namespace {

struct CrossvalOptions {
  std::string model;
  FoldChoice folds = {FoldChoice::What::number, 10};
  std::uint64_t repeats = 1;
  std::vector<std::string> fail_under;
  std::uint64_t resamples = kResamples;
  std::uint64_t seed = 42;

  static constexpr auto table() {
    using O = CrossvalOptions;
    return std::tuple{
        option("model", &O::model, "the kind of model")
            .value("MODEL")
            .short_as('m')
            .otherwise("least-squares for a numeric target, else logistic"),
        option("folds", &O::folds, "each row is predicted by the fit to other folds; loo: to all other rows")
            .value("K|loo")
            .otherwise("10"),
        option("repeats", &O::repeats, "times, each with other folds; the mean is told")
            .value("R")
            .in(between(std::uint64_t{1}, std::uint64_t{1000})),
        option("fail-under", &O::fail_under, "exit code 1 unless a metric is at least, or an error at most, this")
            .value("METRIC=BOUND,..."),
        option("resamples", &O::resamples, "of the bootstrap that gives the intervals; 0 for no intervals")
            .value("N")
            .in(between(std::uint64_t{0}, std::uint64_t{1'000'000})),
        option("seed", &O::seed, "of every random draw").value("N")};
  }
};

// What the first repeat found, with the mean of its metrics over all repeats.
void average(std::vector<Metric>& metrics, const std::vector<std::vector<Metric>>& repeats) {
  for (Metric& metric : metrics) {
    double value = 0.0, low = 0.0, high = 0.0, count = 0.0;
    for (const std::vector<Metric>& each : repeats)
      for (const Metric& other : each)
        if (other.name == metric.name) {
          value += other.value;
          low += other.low.value_or(0.0);
          high += other.high.value_or(0.0);
          ++count;
        }
    metric.value = value / count;
    if (metric.low) metric.low = low / count;
    if (metric.high) metric.high = high / count;
  }
}

class Crossval final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    std::vector<OptionGroup> groups = {options_of("Data", features_), options_of("Text", text_),
                                       options_of("Classes", classes_), options_of("Reading", read_),
                                       options_of("Cross-validation", options_)};
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
    source_ = open_source(operands, run_.reading(read_));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    const Run run{executor, RandomKey{options_.seed, 0}, terminal.observer(), run_.max_memory.budget()};
    const std::string name =
        options_.model.empty() ? default_model(plan_features(*source_, features_, text_).target_kind) : options_.model;
    const std::size_t chosen = trainers_.find(name, given);
    const TrainerEntry& entry = trainer_list()[chosen];
    const bool labels = entry.target == Kind::category;
    std::vector<Gate> gates;
    for (const std::string& text : options_.fail_under)
      gates.push_back(read_gate(text, labels ? std::span<const MetricEntry>(kClassMetrics) : kRegressionMetrics));
    const FeaturePlan plan = plan_features(*source_, features_, text_, entry.target);
    if (plan.target_kind != entry.target) throw not_a_numeric_target(*source_, plan, entry.name);
    const SharedRows tables(*source_, {&plan, 1}, run);
    for (const std::string& note : source_->notes()) terminal.note(source_->name() + ": " + note);
    terminal.note(source_->name() + ": " + counted(tables.rows(), "row") + ", " + std::string(source_->form()));
    if (tables.rows() < 2)
      throw Error(ErrorCode::data, {source_->name()},
                  "there " + std::string(tables.rows() == 1 ? "is 1 row" : "are no rows") +
                      "; at least 2 were expected, as each is predicted by a fit to others");

    EvaluateReport report;
    report.model = entry.name;
    report.target = plan.target;
    report.rows = tables.rows();
    report.resamples = options_.resamples;
    report.seed = options_.seed;
    report.dry_run = common.dry_run;
    report.warnings = warnings_about(source_->skipped());
    const bool alone = options_.folds.what == FoldChoice::What::leave_one_out;
    report.method = alone ? "each row by the fit to all others (leave-one-out)"
                          : "each row by the fit to other folds (" + counted(options_.folds.folds, "fold") + ", seed " +
                                std::to_string(options_.seed) +
                                (options_.repeats > 1 ? ", " + counted(options_.repeats, "repeat") : "") + ")";
    if (!common.dry_run) {
      const std::unique_ptr<Trainer> trainer = trainers_.setup(chosen).make();
      for (const OptionInfo& info : trainers_.setup(chosen).options().options)
        if (info.name == "l2") automatic_penalty_ = info.text(trainers_.setup(chosen).options().owner) == "auto";
      judge_model(report, {tables, plan, *trainer, classes_}, plan, *trainer, terminal, run);
      for (const Gate& gate : gates) report.gates.push_back(judge(gate, report.metrics));
    }
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    terminal.print(common.json ? to_json(report) : to_text(report, terminal.style()));
    return report.met() ? 0 : 1;
  }

 private:
  void judge_model(EvaluateReport& report, const Experiment& experiment, const FeaturePlan& plan,
                   const Trainer& trainer, Terminal& terminal, const Run& run) const {
    const bool alone = options_.folds.what == FoldChoice::What::leave_one_out;
    const Experiment::Fitted whole = experiment.fit(experiment.rows(), run);
    report.warnings.insert(report.warnings.end(), whole.warnings.begin(), whole.warnings.end());
    const FeatureMap& map = whole.fit.model.parts().map;
    const bool by_subtraction = experiment.labels() && subtracts(trainer, plan, map);
    const Examples taking_part = whole.examples.with(experiment.rows());
    if (by_subtraction) {
      terminal.detail("folds are taken from the sums of all rows; nothing is trained anew");
    } else if (report.model == "naive-bayes") {
      terminal.note("every fold is trained anew: its features do not follow from the sums of all rows");
    }
    std::vector<std::vector<Metric>> repeats;
    for (std::uint64_t repeat = 0; repeat < (alone ? 1 : options_.repeats); ++repeat) {
      const RandomKey key{options_.seed + repeat, 0};
      std::vector<std::uint32_t> fold;
      if (!alone || !by_subtraction)
        fold = experiment.folds(experiment.rows(), alone ? experiment.rows().count() : options_.folds.folds, key);
      Outcome outcome;
      if (by_subtraction) {
        outcome.labels = true;
        outcome.classes =
            predict_by_subtraction(trainer, {taking_part, map, whole.fit.model.parts().labels}, fold, run);
      } else if (alone && !experiment.labels() && exact(whole.fit, plan)) {
        outcome.numbers = predict_left_out(trainer, {taking_part, map}, whole.fit, run);
      } else {
        outcome = experiment.out_of_fold(fold, run);
      }
      repeats.push_back(outcome.metrics(run, options_.resamples));
      if (repeat == 0) describe(report, outcome, run);
    }
    report.metrics = repeats.front();
    if (repeats.size() > 1) average(report.metrics, repeats);
  }

  // Where the penalty is chosen by the rows, or words are learnt, leverages are not the whole story.
  bool exact(const Fit& fit, const FeaturePlan& plan) const {
    const bool texts = std::any_of(plan.inputs.begin(), plan.inputs.end(),
                                   [](const FeaturePlan::Input& input) { return input.kind == Kind::text; });
    const double* const chosen = find_number(fit.record, "l2");
    return has_exact_leave_one_out(fit) && !texts && (chosen == nullptr || !automatic_penalty_);
  }

  void describe(EvaluateReport& report, const Outcome& outcome, const Run& run) const {
    if (!outcome.labels) {
      report.rows = outcome.numbers.rows();
      report.baseline_value = mean_target(outcome.numbers, run);
      report.baseline_name = "the mean of the rows";
      report.baseline = constant_metrics(report.baseline_value, outcome.numbers, run);
      return;
    }
    const PredictedClasses& rows = outcome.classes;
    report.rows = rows.rows();
    std::vector<double> weights(rows.labels.size());
    for (std::uint64_t i = 0; i < rows.rows(); ++i) weights[rows.actual[i]] += rows.weight[i];
    weights.resize(rows.known);
    ShareBaseline baseline = share_baseline(weights, rows);
    report.baseline = std::move(baseline.metrics);
    report.baseline_label = rows.labels[baseline.label];
    report.baseline_name = "the commonest label";
    report.classes = class_metrics(rows, run, options_.resamples);
    for (const std::string& note : report.classes->notes) report.warnings.push_back(note);
  }

  FeatureOptions features_;
  TextOptions text_;
  ClassOptions classes_;
  ReadOptions read_;
  CrossvalOptions options_;
  RunOptions run_;
  TrainerChoice trainers_;
  bool automatic_penalty_ = false;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_crossval() { return std::make_unique<Crossval>(); }

}  // namespace plumb::cli
