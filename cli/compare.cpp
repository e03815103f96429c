// plumb compare: several models of the same target on the same rows, each row predicted by fits that have not seen it,
// and whether the difference is more than chance.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "cli/command.h"
#include "cli/plot.h"
#include "cli/trainer_choice.h"
#include "cli/variants.h"

namespace plumb::cli {
namespace {

constexpr std::string_view kClassModels[] = {"naive-bayes", "perceptron", "logistic"};

struct CompareOptions {
  std::vector<std::string> models;
  Texts with;
  FoldChoice folds;
  std::vector<std::string> solvers;
  std::uint64_t seed = 42;

  static constexpr auto table() {
    using O = CompareOptions;
    return std::tuple{
        option("model", &O::models, "the kinds of model to compare")
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
        option("seed", &O::seed, "of every random draw").value("N")};
  }
};

class Compare final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    std::vector<OptionGroup> groups = {options_of("Data", features_),      options_of("Text", text_),
                                       options_of("Classes", classes_),    options_of("Reading", read_),
                                       options_of("Comparison", options_), options_of("Plot", plot_)};
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
    inputs_ = operands;
    source_ = open_source(operands, run_.reading(read_));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    const Run run{executor, RandomKey{options_.seed, 0}, terminal.observer(), run_.max_memory.budget()};
    const std::vector<Variant> variants = read_variants();
    check_plot(plot_, inputs_, {});
    if (plot_.wanted() && options_.solvers.empty())
      throw Error(ErrorCode::usage, "--plot of compare draws solvers, and --solvers names none", "--solvers all");
    std::vector<FeaturePlan> plans;
    for (const Variant& variant : variants) {
      plans.push_back(plan_features(*source_, variant.features, variant.text, variant.entry->target));
      if (plans.back().target_kind != variant.entry->target)
        throw not_a_numeric_target(*source_, plans.back(), variant.entry->name);
    }
    const SharedRows tables(*source_, plans, run);
    for (const std::string& note : source_->notes()) terminal.note(source_->name() + ": " + note);
    terminal.note(source_->name() + ": " + counted(tables.rows(), "row") + ", " + std::string(source_->form()));
    if (tables.rows() < 2)
      throw Error(ErrorCode::data, {source_->name()},
                  "there " + std::string(tables.rows() == 1 ? "is 1 row" : "are no rows") +
                      "; at least 2 were expected, as each is predicted by a fit to others");
    CompareReport report;
    report.target = plans.front().target;
    report.seed = options_.seed;
    report.rows = tables.rows();
    report.warnings = warnings_about(source_->skipped());
    if (common.dry_run) return say_plan(variants, report, common, terminal);
    if (!options_.solvers.empty()) return compare_solvers(variants, plans, tables, report, run, common, terminal);
    if (plans.front().target_kind == Kind::category) {
      compare_classes(variants, plans, tables, report, run);
    } else {
      compare_numbers(variants, plans, tables, report, run);
    }
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
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const auto started = std::chrono::steady_clock::now();
      const std::unique_ptr<Trainer> trainer = variants[i].setup->make();
      const Experiment experiment(tables, plans[i], *trainer, classes_);
      try {
        Experiment::Fitted whole = experiment.fit(experiment.rows(), run);
        const Record& record = whole.fit.record;
        const double* passes = find_number(record, "passes");
        comparison.features = whole.fit.model.features();
        examples = whole.examples.with(experiment.rows());
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

  std::string folds_text(std::uint64_t folds) const {
    return "each predicted by the fit to other folds (" + counted(folds, "fold") + ", seed " +
           std::to_string(options_.seed) + ")";
  }

  void compare_classes(const std::vector<Variant>& variants, const std::vector<FeaturePlan>& plans,
                       const SharedRows& tables, CompareReport& report, const Run& run) const {
    const std::uint64_t folds =
        options_.folds.what == FoldChoice::What::leave_one_out ? tables.rows() : options_.folds.folds;
    std::vector<PredictedClasses> rows;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const auto started = std::chrono::steady_clock::now();
      const std::unique_ptr<Trainer> trainer = variants[i].setup->make();
      const Experiment experiment(tables, plans[i], *trainer, classes_);
      Experiment::Fitted whole = experiment.fit(experiment.rows(), run);
      for (const std::string& warning : whole.warnings) report.warnings.push_back(variants[i].name + ": " + warning);
      Outcome outcome = experiment.out_of_fold(experiment.folds(experiment.rows(), folds, run.random), run);
      ComparedModel model = described(variants[i], whole.fit, plans[i].target, *trainer);
      model.metrics = outcome.metrics(run);
      model.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
      report.models.push_back(std::move(model));
      rows.push_back(std::move(outcome.classes));
    }
    report.labels = true;
    report.rows = rows.front().rows();
    report.method =
        folds == tables.rows() ? "each predicted by the fit to all others (leave-one-out)" : folds_text(folds);
    report.pairs = compare_with_best(rows, report.models);
  }

  void compare_numbers(const std::vector<Variant>& variants, const std::vector<FeaturePlan>& plans,
                       const SharedRows& tables, CompareReport& report, const Run& run) const {
    // The same folds for all: where one of them has no cheap leave-one-out, none uses it unless it is asked for.
    std::uint64_t folds =
        options_.folds.what == FoldChoice::What::number ? options_.folds.folds : std::uint64_t{tables.rows()};
    std::vector<Predicted> rows = fit_all(variants, plans, tables, folds, report, run);
    if (rows.size() < variants.size()) {
      folds = options_.folds.folds;
      rows = fit_all(variants, plans, tables, folds, report, run);
    }
    report.method =
        folds == tables.rows() ? "each predicted by the fit to all others (leave-one-out)" : folds_text(folds);
    report.pairs = compare_with_best(rows, report.models, run);
  }

  // What there is to say of a fit to all rows.
  static ComparedModel described(const Variant& variant, Fit& fit, const std::string& target, const Trainer& trainer) {
    ComparedModel model;
    model.name = variant.name;
    model.model = variant.entry->name;
    model.options = variant.differs;
    model.features = fit.model.features();
    model.weights = fit.model.rows() * (fit.model.features() - fit.record.aliased.size() -
                                        (fit.model.parts().map.offset() ? 1 : 0) + (trainer.wishes().bias ? 1 : 0));
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
    const TrainerEntry& entry = options_.models.empty() ? find_trainer("logistic") : *entries.front();
    if (entries.size() > 1 && !options_.models.empty())
      throw Error(ErrorCode::usage, "--solvers compares solvers of one model; -m names " + count_text(entries.size()),
                  "-m " + std::string(entry.name));
    const std::unique_ptr<TrainerSetup> setup = entry.setup();
    if (find_option(setup->options(), "solver") == nullptr)
      throw Error(ErrorCode::usage, "-m " + std::string(entry.name) + " has no --solver to choose; logistic has",
                  "-m logistic");
    const bool all = options_.solvers.size() == 1 && options_.solvers.front() == "all";
    std::vector<Variant> variants;
    for (const std::string& name : all ? solver_names() : options_.solvers)
      variants.push_back(read_variant(entry, words_, options(), "solvers", {"solver=" + name}));
    return variants;
  }

  // Of numbers least squares; of labels each kind that there is.
  std::vector<const TrainerEntry*> default_entries() const {
    if (plan_features(*source_, features_, text_).target_kind == Kind::number || !options_.with.each.empty())
      return {&find_trainer(default_model(plan_features(*source_, features_, text_).target_kind))};
    std::vector<const TrainerEntry*> entries;
    for (const TrainerEntry& entry : trainer_list())
      for (const std::string_view name : kClassModels)
        if (entry.name == name) entries.push_back(&entry);
    return entries;
  }

  // Whether the fit without a row is known from that to all: not where the penalty is chosen by the rows.
  static bool exact(const Variant& variant, const Fit& fit) {
    const OptionGroup own = variant.setup->options();
    const OptionInfo* penalty = find_option(own, "l2");
    return has_exact_leave_one_out(fit) && (penalty == nullptr || penalty->text(own.owner) != "auto");
  }

  // The predictions of each variant in turn, up to the first that cannot give them.
  std::vector<Predicted> fit_all(const std::vector<Variant>& variants, const std::vector<FeaturePlan>& plans,
                                 const SharedRows& tables, std::uint64_t folds, CompareReport& report,
                                 const Run& run) const {
    std::vector<Predicted> all;
    report.models.clear();
    report.warnings = warnings_about(source_->skipped());
    for (std::size_t i = 0; i < variants.size(); ++i) {
      std::optional<Predicted> rows = fit(variants[i], plans[i], tables, folds, report, run);
      if (!rows) break;
      all.push_back(std::move(*rows));
    }
    return all;
  }

  // A vocabulary is learnt by every fold for itself: it may have been chosen by the targets.
  static bool learns_words(const FeatureMap& map) {
    const std::vector<Term>& terms = map.parts().terms;
    return std::any_of(terms.begin(), terms.end(),
                       [](const Term& term) { return std::holds_alternative<TextTerm>(term); });
  }

  // Nothing where as many folds as rows were not asked for and would cost as many fits.
  std::optional<Predicted> fit(const Variant& variant, const FeaturePlan& plan, const SharedRows& tables,
                               std::uint64_t folds, CompareReport& report, const Run& run) const {
    const auto started = std::chrono::steady_clock::now();
    const std::unique_ptr<Trainer> trainer = variant.setup->make();
    Tables own = tables.tables_for(plan);
    const Learnt learnt = learn_features(own, plan, RowSet(tables.rows(), true), trainer->wishes(), run);
    trainer->check(learnt.map);
    FeatureMap::Unseen unseen;
    const Examples examples = learnt.map.apply(std::move(own), learnt.layout, unseen, run);
    expect_memory(*trainer, examples, run);
    const Problem problem{examples, learnt.map};
    Fit fit = trainer->train(problem, run);
    const bool anew = learns_words(learnt.map);
    const bool from_leverages = folds == tables.rows() && exact(variant, fit) && !anew;
    if (folds == tables.rows() && folds > options_.folds.folds && !from_leverages &&
        options_.folds.what == FoldChoice::What::automatic)
      return {};
    const auto learn = [&](const RowSet& training) {
      if (!anew) return LearntExamples{examples, learnt.map};
      Tables all = tables.tables_for(plan);
      Learnt of_fold = learn_features(all, plan, training, trainer->wishes(), run);
      FeatureMap::Unseen ignored;
      return LearntExamples{of_fold.map.apply(std::move(all), of_fold.layout, ignored, run), of_fold.map};
    };
    Predicted rows = from_leverages
                         ? predict_left_out(*trainer, problem, fit, run)
                         : predict_out_of_fold(*trainer, learn, assign_folds(tables.rows(), folds, run.random), run);
    for (const std::vector<std::string>& warnings : {learnt.warnings, fit.warnings})
      for (const std::string& warning : warnings) report.warnings.push_back(variant.name + ": " + warning);

    ComparedModel model = described(variant, fit, plan.target, *trainer);
    model.metrics = regression_metrics(rows, run);
    model.runs = runs_of_residuals(rows);
    model.curve = curve_of_residuals(rows, run);
    model.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    report.models.push_back(std::move(model));
    return rows;
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
  TrainerChoice trainers_;
  std::vector<std::string> words_;
  std::vector<std::string> inputs_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_compare() { return std::make_unique<Compare>(); }

}  // namespace plumb::cli
