#include "plumb/workflow/comparing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/foreseen.h"
#include "plumb/base/text.h"
#include "plumb/evaluate/paired.h"
#include "plumb/model/model_file.h"
#include "plumb/report/judging_figures.h"
#include "plumb/select/cross_validate.h"
#include "plumb/select/data_checks.h"
#include "plumb/select/trials.h"
#include "plumb/workflow/data_words.h"
#include "plumb/workflow/nested_search.h"

namespace plumb {
namespace {

class Comparing {
 public:
  Comparing(CompareRequest& request, Source& source, Messages& say, const Run& run)
      : request_(request), split_(request.data.split), source_(source), say_(say), run_(run) {}

  CompareResult result(const std::vector<Candidate>& variants) {
    std::vector<FeaturePlan> plans;
    for (const Candidate& variant : variants) plans.push_back(plan_of(variant, source_, split_));
    std::vector<FeaturePlan> all = plans;
    for (const Candidate& variant : variants) {
      searches_.push_back(variant.searched ? search_for(variant) : nullptr);
      if (variant.searched) all.insert(all.end(), searches_.back()->plans().begin(), searches_.back()->plans().end());
    }
    const SharedRows tables = read_shared(source_, all, gaps_of(variants), say_, run_, true);
    CompareResult result;
    CompareReport& report = result.report;
    report.target = plans.front().target;
    report.seed = request_.options.seed;
    report.traits = request_.options.traits;
    report.rows = tables.rows();
    report.warnings = warnings_about(source_.skipped());
    if (request_.planned && !request_.planned(report)) return result;
    if (!request_.options.solvers.empty()) {
      compare_solvers(variants, plans, tables, result);
      return result;
    }
    compare_models(variants, plans, tables, report);
    if (request_.wants_figure) result.figure = comparison_figure(report);
    return result;
  }

 private:
  std::unique_ptr<NestedSearch> search_for(const Candidate& variant) {
    DataRequest data = request_.data;
    data.features = variant.features;
    data.text = variant.text;
    return std::make_unique<NestedSearch>(data, trainers_, request_.given, request_.search, source_);
  }

  // Fits each to all rows. A solver that does not fit the model is left out, and its requirement is reported.
  void compare_solvers(const std::vector<Candidate>& variants, const std::vector<FeaturePlan>& plans,
                       const SharedRows& tables, CompareResult& result) const {
    const CompareReport& found = result.report;
    const Run& run = run_;
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
      const Experiment experiment(tables, plans[i], *trainer, request_.data.classes, split_);
      try {
        Experiment::Fitted whole = experiment.fit(experiment.rows(), run);
        const Record& record = whole.fit.record;
        const double* passes = find_number(record, "passes");
        if (find_number(record, "separated") != nullptr && !separated) {  // a property of the data
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
        if (error.code() != ErrorCode::usage || request_.options.solvers.front() != "all") throw;
        comparison.left_out.push_back(error.message());
      }
    }
    if (request_.wants_figure) {
      if (examples) draw_on_surface(comparison, *examples, l2);
      result.figure = solver_figure(comparison);
    }
    result.solvers = std::move(comparison);
  }

  // For two classes, if rows and weights count as they are: otherwise the solvers descend another surface.
  void draw_on_surface(SolverComparison& comparison, const Examples& examples, double l2) const {
    const auto said = [&](std::string_view option) { return was_given(request_.given, option); };
    if (said("class-weight") || said("penalty-factor") || said("penalise-bias") || said("offset")) return;
    add_surface(comparison, l2, !said("no-bias"), examples);
  }

  // All on the same folds. For numbers, by default, each row is left out alone if every model supports that at no cost.
  void compare_models(const std::vector<Candidate>& variants, const std::vector<FeaturePlan>& plans,
                      const SharedRows& tables, CompareReport& report) {
    const Run& run = run_;
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start) {
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    std::vector<std::unique_ptr<Trainer>> trainers;
    std::vector<Experiment> experiments;
    std::vector<Experiment::Fitted> wholes;
    const bool whole_rows = split_.group.empty() && split_.fold.empty();
    bool alone = whole_rows && request_.options.folds.what != FoldChoice::What::number;
    const bool asked = request_.options.folds.what == FoldChoice::What::leave_one_out;
    // While the time of each fit is unknown they count the same, and each is made once for all rows and once for a
    // fold.
    const double fits =
        static_cast<double>(variants.size()) * (1.0 + static_cast<double>(request_.options.folds.folds));
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const auto started = Clock::now();
      trainers.push_back(variants[i].setup->make());
      const Experiment as_given(tables, plans[i], *trainers.back(), request_.data.classes, split_);
      const Run own = within(run, static_cast<double>(i) / fits, static_cast<double>(i + 1) / fits);
      if (searches_[i]) searches_[i]->use(tables);
      experiments.push_back(searches_[i] ? searches_[i]->chosen(as_given.rows(), own) : as_given);
      alone = alone && !searches_[i];
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
    const std::uint64_t folds =
        asked || !split_.fold.empty() ? splitter.most_folds(rows) : request_.options.folds.folds;
    if (!alone) fold = splitter.folds(rows, folds, run.random);
    warn_of_imbalance(experiments.front(), report.warnings);
    // Rows that are copies to every model count as one: fewer features distinguish fewer rows.
    std::uint64_t copies = rows.count();
    for (const Experiment::Fitted& whole : wholes)
      copies = std::min(copies, rows_in_several_folds(whole.prepared.examples.with(rows), fold));
    say_copies(copies, rows.count(), "row", alone ? "another row" : "a row of another fold", report.warnings, say_);
    report.labels = experiments.front().labels();
    report.method = alone ? "leave-one-out" : folds_text(folds);
    std::vector<Predicted> numbers;
    std::vector<PredictedClasses> classes;
    std::vector<FoldWay> ways;
    std::vector<double> ahead;  // seconds, estimated from the fit to all rows
    double gone = 0.0;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      ways.push_back(request_.options.refit || searches_[i] ? FoldWay::refits
                                                            : way_of(experiments[i], wholes[i], alone));
      const double seconds = std::max(1e-6, report.models[i].seconds);
      gone += seconds;
      ahead.push_back(seconds * (ways[i] == FoldWay::refits ? static_cast<double>(alone ? rows.count() : folds) : 1.0));
    }
    const double all_seconds = std::accumulate(ahead.begin(), ahead.end(), gone);
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const auto started = Clock::now();
      const Run own = within(run, gone / all_seconds, (gone + ahead[i]) / all_seconds);
      gone += ahead[i];
      Outcome outcome = searches_[i] ? merged(searches_[i]->tried(trials_of(fold), own))
                                     : cross_validate(experiments[i], wholes[i], fold, ways[i], own);
      if (searches_[i])
        say_.note(variants[i].name + " chose, in each fold by its training rows: " + searches_[i]->choices());
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
    return "cross-validated (" + counted(folds, "fold") +
           (!split_.fold.empty()                ? " given by " + split_.fold
            : split_.split == SplitOrder::order ? std::string(" of rows in order")
                                                : (split_.group.empty() ? "" : " of whole " + split_.group) +
                                                      ", seed " + std::to_string(request_.options.seed)) +
           ")";
  }

  // The notes and warnings of a fit to all rows.
  static ComparedModel described(const Candidate& variant, Trained& fit, const std::string& target,
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

  CompareRequest& request_;
  TrainerChoice trainers_;                               // of -m auto: no option of a model is given
  std::vector<std::unique_ptr<NestedSearch>> searches_;  // of each variant, null if its model is named
  const SplitOptions& split_;
  Source& source_;
  Messages& say_;
  const Run& run_;
};

}  // namespace

OptionTable CompareOptions::table() {
  using O = CompareOptions;
  return {
      option("model", &O::models, "the models to compare")
          .value("MODEL,...")
          .short_as('m')
          .otherwise("least-squares and ridge for numbers; logistic, naive-bayes and perceptron for labels"),
      option("with", &O::with,
             "add a variant with this option value; a single one is compared with the options as given")
          .value("OPTION=VALUE"),
      option("folds", &O::folds, "number of folds, or loo (leave-one-out)")
          .value("K|loo")
          .otherwise("loo where the model has it in closed form, else 10"),
      option("solvers", &O::solvers, "compare these solvers of one model on all rows; all: every solver that fits it")
          .value("all|NAME,..."),
      option("traits", &O::traits, "also show what is known of each kind of model, and the weights side by side"),
      option("refit", &O::refit, "refit every fold, also where a closed form gives the same"),
      option("seed", &O::seed, "seed of all random choices").value("N")};
}

std::vector<const TrainerEntry*> compared_by_default(const Source& source, const CompareRequest& request,
                                                     Messages* say) {
  const TrainerEntry& first = default_entry(source, request.data, say);
  if (!request.options.with.each.empty()) return {&first};
  std::vector<const TrainerEntry*> entries;
  for (const TrainerEntry& entry : trainer_list())
    if (entry.compared && entry.target == first.target) entries.push_back(&entry);
  return entries;
}

CompareResult compare(CompareRequest& request, const std::vector<Candidate>& variants, Source& source, Messages& say,
                      const Run& run) {
  return Comparing(request, source, say, run).result(variants);
}

}  // namespace plumb
