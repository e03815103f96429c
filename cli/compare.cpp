// plumb compare: several models of the same target on the same rows, each row predicted by fits that have not seen it,
// and whether the difference is more than chance.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include "cli/command.h"
#include "cli/data_words.h"
#include "cli/plot.h"
#include "cli/trainer_choice.h"
#include "cli/variants.h"

namespace plumb::cli {
namespace {

struct CompareOptions {
  std::vector<std::string> models;
  Texts with;
  FoldChoice folds;
  std::vector<std::string> solvers;
  bool refit = false;
  std::uint64_t seed = 42;

  static OptionTable table() {
    using O = CompareOptions;
    return {option("model", &O::models, "the kinds of model to compare")
                .value("MODEL,...")
                .short_as('m')
                .otherwise("least-squares for a target of numbers; logistic, naive-bayes and perceptron for labels"),
            option("with", &O::with,
                   "a variant: this option has this value; one alone is held against the options as they stand")
                .value("OPTION=VALUE"),
            option("folds", &O::folds,
                   "rows are predicted by fits without their fold, or without the row: a number, or loo")
                .value("K|loo")
                .otherwise("loo where the fit gives it, else 10"),
            option("solvers", &O::solvers, "fit one model by each of these solvers to all rows; all: whatever fits it")
                .value("all|NAME,..."),
            option("refit", &O::refit, "fit every fold anew, also where sums or leverages of all rows give the same"),
            option("seed", &O::seed, "of every random draw").value("N")};
  }
};

class Compare final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    std::vector<OptionGroup> groups = {options_of("Data", features_),   options_of("Text", text_),
                                       options_of("Classes", classes_), options_of("Splits", split_),
                                       options_of("Reading", read_),    options_of("Comparison", options_),
                                       options_of("Plot", plot_)};
    trainers_.append_to(groups);
    groups.push_back(options_of("Running", run_));
    return groups;
  }

  std::vector<OptionGroup> options_for(const std::vector<std::string>& words) override {
    words_ = words;
    return options();
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("compare"), operands, 1, kAnyNumber);
    source_ = open_source(operands, run_.reading(read_));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    const Run run{executor, RandomKey{options_.seed, 0}, terminal.observer(), run_.max_memory.budget()};
    const std::vector<Variant> variants = read_variants();
    refuse_folds_beside(split_.fold, given);
    check_plot(plot_);
    std::vector<FeaturePlan> plans;
    for (const Variant& variant : variants) {
      plans.push_back(plan_split(*source_, variant.features, variant.text, split_, variant.entry->target));
      if (plans.back().target_kind != variant.entry->target)
        throw not_a_numeric_target(*source_, plans.back(), variant.entry->name);
    }
    const SharedRows tables(*source_, plans, run);
    for (const std::string& note : source_->notes()) terminal.note(source_->name() + ": " + note);
    terminal.note(source_->name() + ": " + counted(tables.rows(), "row") + ", " + std::string(source_->form()));
    expect_two_rows(*source_, tables.rows());
    CompareReport report;
    report.target = plans.front().target;
    report.seed = options_.seed;
    report.rows = tables.rows();
    report.warnings = warnings_about(source_->skipped());
    if (common.dry_run) return say_plan(variants, report, common, terminal);
    if (!options_.solvers.empty()) return compare_solvers(variants, plans, tables, report, run, common, terminal);
    compare_models(variants, plans, tables, report, terminal, run);
    if (plot_.wanted()) terminal.note(save_plot(plot_, comparison_figure(report)));
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    terminal.print(common.json ? to_json(report) : to_text(report, terminal.style()));
    return 0;
  }

 private:
  // Each to all rows. A solver that does not fit the model is left out, and what it needs is said.
  int compare_solvers(const std::vector<Variant>& variants, const std::vector<FeaturePlan>& plans,
                      const SharedRows& tables, const CompareReport& found, const Run& run, const CommonOptions& common,
                      Terminal& terminal) const {
    SolverComparison comparison;
    comparison.model = variants.front().entry->name;
    comparison.target = found.target;
    comparison.rows = found.rows;
    comparison.warnings = found.warnings;
    std::optional<Examples> examples;
    double l2 = 0.0;
    bool separated = false;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const auto started = std::chrono::steady_clock::now();
      const std::unique_ptr<Trainer> trainer = variants[i].setup->make();
      const Experiment experiment(tables, plans[i], *trainer, classes_, split_);
      try {
        Experiment::Fitted whole = experiment.fit(experiment.rows(), run);
        const Record& record = whole.fit.record;
        const double* passes = find_number(record, "passes");
        if (find_number(record, "separated") != nullptr && !separated) {  // true of the data, whichever solver found it
          separated = true;
          comparison.warnings.push_back(whole.fit.warnings.front());
        }
        comparison.features = whole.fit.model.features();
        comparison.weights.clear();
        if (comparison.features <= 2) comparison.weights = whole.fit.model.parts().map.names();
        if (trainer->wishes().bias) comparison.weights.emplace_back(kBiasName);
        examples = whole.prepared.examples.with(experiment.rows());
        comparison.rows = examples->size();
        const double* const strength = find_number(record, "l2");
        l2 = strength != nullptr ? *strength : 0.0;
        comparison.solvers.push_back({record.solver, record.iterations, passes != nullptr ? *passes : 0.0,
                                      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count(),
                                      record.objective,
                                      record.certificate.kind.empty() ? HUGE_VAL : record.certificate.value,
                                      record.converged, std::move(whole.fit.trace)});
      } catch (const Error& error) {
        if (error.code() != ErrorCode::usage || options_.solvers.front() != "all") throw;
        comparison.left_out.push_back(error.message());
      }
    }
    for (const std::string& warning : comparison.warnings) terminal.warn(warning);
    if (plot_.wanted()) {
      if (examples) draw_on_surface(comparison, *examples, l2);
      terminal.note(save_plot(plot_, solver_figure(comparison)));
    }
    terminal.print(common.json ? to_json(comparison) : to_text(comparison, terminal.style()));
    return 0;
  }

  // Of two classes, where rows and weights count as they are: else the solvers walk on another surface.
  void draw_on_surface(SolverComparison& comparison, const Examples& examples, double l2) const {
    const auto said = [&](std::string_view option) {
      return std::find(given.begin(), given.end(), option) != given.end();
    };
    if (said("class-weight") || said("penalty-factor") || said("penalise-bias") || said("offset")) return;
    add_surface(comparison, l2, !said("no-bias"), examples);
  }

  // All on the same folds. Of numbers, where the options do not say, each row is left out alone if every model gives
  // that at no cost.
  void compare_models(const std::vector<Variant>& variants, const std::vector<FeaturePlan>& plans,
                      const SharedRows& tables, CompareReport& report, Terminal& terminal, const Run& run) const {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start) {
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    std::vector<std::unique_ptr<Trainer>> trainers;
    std::vector<Experiment> experiments;
    std::vector<Experiment::Fitted> wholes;
    const bool whole_rows = split_.group.empty() && split_.fold.empty();
    bool alone = whole_rows && options_.folds.what != FoldChoice::What::number;
    const bool asked = options_.folds.what == FoldChoice::What::leave_one_out;
    // Until it is known how long each fit takes they are alike, and each is made once for all rows and once for a fold.
    const double fits = static_cast<double>(variants.size()) * (1.0 + static_cast<double>(options_.folds.folds));
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const auto started = Clock::now();
      trainers.push_back(variants[i].setup->make());
      experiments.emplace_back(tables, plans[i], *trainers.back(), classes_, split_);
      const Run own = within(run, static_cast<double>(i) / fits, static_cast<double>(i + 1) / fits);
      wholes.push_back(experiments.back().fit(experiments.back().rows(), own));
      for (const std::string& warning : wholes.back().warnings)
        report.warnings.push_back(variants[i].name + ": " + warning);
      report.models.push_back(described(variants[i], wholes.back().fit, plans[i].target, *trainers.back()));
      report.models.back().seconds = since(started);
      alone = alone && (asked || way_of(experiments.back(), wholes.back(), true) == FoldWay::leverages);
    }
    std::vector<std::uint32_t> fold;
    const Splitter& splitter = experiments.front().splitter();
    const RowSet& rows = experiments.front().rows();
    const std::uint64_t folds = asked || !split_.fold.empty() ? splitter.most_folds(rows) : options_.folds.folds;
    if (!alone) fold = splitter.folds(rows, folds, run.random);
    warn_of_imbalance(experiments.front(), report.warnings);
    // What is a copy to every model is one: fewer features tell fewer rows apart.
    std::uint64_t copies = rows.count();
    for (const Experiment::Fitted& whole : wholes)
      copies = std::min(copies, rows_in_several_folds(whole.prepared.examples.with(rows), fold));
    say_copies(copies, rows.count(), "row", alone ? "another row" : "a row of another fold", report.warnings, terminal);
    report.labels = experiments.front().labels();
    report.method = alone ? "each predicted by the fit to all others (leave-one-out)" : folds_text(folds);
    std::vector<Predicted> numbers;
    std::vector<PredictedClasses> classes;
    std::vector<FoldWay> ways;
    std::vector<double> ahead;  // seconds, by those of the fit to all rows
    double gone = 0.0;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      ways.push_back(options_.refit ? FoldWay::refits : way_of(experiments[i], wholes[i], alone));
      const double seconds = std::max(1e-6, report.models[i].seconds);
      gone += seconds;
      ahead.push_back(seconds * (ways[i] == FoldWay::refits ? static_cast<double>(alone ? rows.count() : folds) : 1.0));
    }
    const double all_seconds = std::accumulate(ahead.begin(), ahead.end(), gone);
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const auto started = Clock::now();
      const Run own = within(run, gone / all_seconds, (gone + ahead[i]) / all_seconds);
      gone += ahead[i];
      Outcome outcome = cross_validate(experiments[i], wholes[i], fold, ways[i], own);
      ComparedModel& model = report.models[i];
      model.metrics = outcome.metrics(own);
      model.seconds += since(started);
      report.rows = outcome.rows();
      if (report.labels) {
        classes.push_back(std::move(outcome.classes));
        continue;
      }
      model.runs = runs_of_residuals(outcome.numbers);
      model.curve = curve_of_residuals(outcome.numbers, run);
      numbers.push_back(std::move(outcome.numbers));
    }
    report.pairs =
        report.labels ? compare_with_best(classes, report.models) : compare_with_best(numbers, report.models, run);
    std::vector<std::uint32_t> fold_of;
    if (!alone)
      for (const std::uint64_t row : numbers_of(wholes.front().prepared.examples.with(rows)))
        fold_of.push_back(fold[row]);
    if (folds < rows.count()) test_over_folds(report.pairs, numbers, classes, fold_of);
    std::vector<const LinearModel*> models;
    for (const Experiment::Fitted& whole : wholes) models.push_back(&whole.fit.model);
    report.weights = weights_beside(models);
  }

  std::string folds_text(std::uint64_t folds) const {
    return "each predicted by the fit to other folds (" + counted(folds, "fold") +
           (!split_.fold.empty()                ? " given by " + split_.fold
            : split_.split == SplitOrder::order ? std::string(" of rows in order")
                                                : (split_.group.empty() ? "" : " of whole " + split_.group) +
                                                      ", seed " + std::to_string(options_.seed)) +
           ")";
  }

  // What there is to say of a fit to all rows.
  static ComparedModel described(const Variant& variant, Trained& fit, const std::string& target,
                                 const Trainer& trainer) {
    ComparedModel model;
    model.name = variant.name;
    model.model = variant.entry->name;
    model.options = variant.differs;
    model.features = fit.model.features();
    model.weights = fit.model.rows() * (fit.model.features() - fit.record.aliased.size() -
                                        (fit.model.parts().map.offset() ? 1 : 0) + (trainer.wishes().bias ? 1 : 0));
    if (const auto form = trainer.wishes().form)
      for (const FeatureMap::Input& input : fit.model.parts().map.parts().inputs)
        model.squares = model.squares || form(input.name, input.kind) == NumberForm::with_square;
    model.converged = fit.record.converged || !variant.entry->gate;
    fit.record.model = variant.entry->name;
    fit.record.target = target;
    model.bytes = model_bytes(fit.model, fit.record).size();
    return model;
  }

  // Every model with every --with.
  std::vector<Variant> read_variants() {
    std::vector<const TrainerEntry*> entries;
    for (const std::string& name : options_.models) entries.push_back(&find_trainer(name));
    if (entries.empty()) entries = default_entries();
    expect_used(trainers_, given, entries);
    if (!options_.solvers.empty()) return read_solvers(entries);
    std::vector<std::optional<std::string>> withs(options_.with.each.begin(), options_.with.each.end());
    if (withs.empty() || (withs.size() == 1 && entries.size() == 1)) withs.insert(withs.begin(), std::nullopt);
    std::vector<Variant> variants;
    for (const TrainerEntry* entry : entries)
      for (const std::optional<std::string>& with : withs) {
        variants.push_back(
            read_variant(*entry, words_, options(), "with", with ? std::vector{*with} : std::vector<std::string>()));
        variants.back().name = with.value_or("as given");
        if (entries.size() == 1) continue;
        variants.back().name = std::string(entry->name) + (with ? " " + *with : "");
      }
    if (variants.size() < 2)
      throw Error(ErrorCode::usage, "there is one model; at least two were expected, to compare",
                  "--with OPTION=VALUE makes another one");
    return variants;
  }

  // One variant for each solver of one model.
  std::vector<Variant> read_solvers(const std::vector<const TrainerEntry*>& entries) {
    const TrainerEntry& entry = options_.models.empty() ? default_trainer(Kind::category) : *entries.front();
    if (entries.size() > 1 && !options_.models.empty())
      throw Error(ErrorCode::usage, "--solvers compares solvers of one model; -m names " + count_text(entries.size()),
                  "-m " + std::string(entry.name));
    const std::unique_ptr<TrainerSetup> setup = entry.setup();
    if (find_option(setup->options(), "solver") == nullptr)
      throw Error(ErrorCode::usage, "-m " + std::string(entry.name) + " has no --solver to choose; logistic has",
                  "-m logistic");
    const bool all = options_.solvers.size() == 1 && options_.solvers.front() == "all";
    const std::vector<std::string> known = solver_names();
    std::vector<Variant> variants;
    for (const std::string& name : options_.solvers)
      if (!all && name != "auto" && std::find(known.begin(), known.end(), name) == known.end())
        throw unknown_choice("solver", name, known, "--solvers ");
    for (const std::string& name : all ? known : options_.solvers)
      variants.push_back(read_variant(entry, words_, options(), "solvers", {"solver=" + name}));
    return variants;
  }

  // Of numbers least squares; of labels each kind that there is.
  std::vector<const TrainerEntry*> default_entries() const {
    if (plan_split(*source_, features_, text_, split_).target_kind == Kind::number || !options_.with.each.empty())
      return {&find_trainer(default_model(plan_split(*source_, features_, {}, split_).target_kind))};
    std::vector<const TrainerEntry*> entries;
    for (const TrainerEntry& entry : trainer_list())
      if (entry.compared && entry.target == Kind::category) entries.push_back(&entry);
    return entries;
  }

  static int say_plan(const std::vector<Variant>& variants, const CompareReport& report, const CommonOptions& common,
                      Terminal& terminal) {
    std::vector<std::string> names;
    for (const Variant& variant : variants) names.push_back(variant.name);
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    if (!common.json) {
      terminal.print("would compare " + escaped_for_terminal(listed(names)) + " on " + counted(report.rows, "row") +
                     "\n");
      return 0;
    }
    JsonWriter json(JsonWriter::Layout::indented);
    json.begin_object().member("schema", 1).member("command", "compare").member("dry_run", true);
    json.member("target", report.target).member("rows", report.rows).key("models").begin_array();
    for (const std::string& name : names) json.value(name);
    terminal.print(json.end_array().end_object().take());
    return 0;
  }

  FeatureOptions features_;
  TextOptions text_;
  ReadOptions read_;
  CompareOptions options_;
  PlotOptions plot_;
  RunOptions run_;
  ClassOptions classes_;
  SplitOptions split_;
  TrainerChoice trainers_;
  std::vector<std::string> words_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_compare() { return std::make_unique<Compare>(); }

}  // namespace plumb::cli
