#include "plumb/workflow/training.h"

#include <algorithm>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/evaluate/threshold.h"
#include "plumb/feature/levels.h"
#include "plumb/report/class_plots.h"
#include "plumb/report/coefficient_figure.h"
#include "plumb/report/model_rows.h"
#include "plumb/select/data_checks.h"
#include "plumb/train/ledger.h"
#include "plumb/workflow/data_words.h"
#include "plumb/workflow/feature_spread.h"
#include "plumb/workflow/held_out.h"
#include "plumb/workflow/reading_words.h"
#include "plumb/workflow/remedy_trials.h"
#include "plumb/workflow/time_limit.h"
#include "plumb/workflow/typed_data.h"

namespace plumb {
namespace {

constexpr std::uint64_t kFewToJudgeBy = 30;  // held-out rows, for a verdict

// The run with the memory that is left beside these examples.
Run beside(Run run, const Examples& examples) {
  run.memory = run.memory.beside(examples.bytes());
  return run;
}

std::vector<std::string> known_labels(const TableLayout& layout) {
  const auto known = static_cast<std::ptrdiff_t>(layout.known_labels.value_or(layout.labels.size()));
  return {layout.labels.begin(), layout.labels.begin() + known};
}

}  // namespace

OptionTable TrainOptions::table() {
  using O = TrainOptions;
  return {
      option("model", &O::model, "the model to fit")
          .value("MODEL")
          .short_as('m')
          .otherwise("auto: the best of several, by cross-validation"),
      option("output", &O::output, "where to save the model").value("FILE").writes_file().short_as('o').unrecorded(),
      option("test", &O::test, "rows held out to score on: a fraction, a number of rows, a file, or none")
          .value("F|N|FILE|none")
          .reads_file(),
      option("dev", &O::dev, "development rows, scored beside the test rows: a fraction, a number of rows, or a file")
          .value("F|N|FILE")
          .reads_file()
          .otherwise("none"),
      option("refit-all", &O::refit_all, "after scoring, fit again on all rows, held-out ones included, and save that"),
      option("calibrate", &O::calibrate,
             "classes: probabilities that say how often a prediction is right, from rows that fits without them score; "
             "auto: where that lowers their log loss")
          .otherwise("none; auto if the model is chosen"),
      option("threshold", &O::threshold,
             "two classes: predict the positive label from this probability on; max-f1, cost: chosen on out-of-fold "
             "rows; saved with the model")
          .value(kThresholdForm)
          .otherwise("0.5"),
      option("rows", &O::rows, "use only the first N rows of DATA").value("N").in(at_least(1)).otherwise("all"),
      option("seed", &O::seed, "seed of all random choices").value("N").unrecorded(),  // it has a column of its own
      option("continue", &O::start,
             "train this model further; its features and labels stay (naive-bayes adds new ones)")
          .value("MODEL")
          .reads_file()
          .otherwise("none"),
      option("time-limit", &O::time_limit,
             "stop the fit after this many seconds; the model reached so far is saved and marked")
          .value("SECONDS")
          .in(at_least(1e-9))
          .otherwise("none")
          .unrecorded(),
      option("cache", &O::cache,
             "cache the parsed rows of DATA in this file, and reuse it while data and options stay the same")
          .value("FILE")
          .writes_file()
          .otherwise("none")
          .unrecorded(),
      option("diagnostics", &O::diagnostics,
             "without a penalty: write leverage, Cook's distance and more of each training row as CSV")
          .value("FILE")
          .writes_file()
          .otherwise("none")
          .unrecorded(),
      option("trace", &O::trace, "write the steps of the solver as CSV; with --json also in the JSON object")
          .value("FILE")
          .writes_file()
          .otherwise("none")
          .unrecorded()};
}

std::vector<OptionGroup> TrainRequest::groups() {
  std::vector<OptionGroup> groups = data.groups();
  groups.push_back(options_of("Training", options));
  groups.push_back(options_of("Choice of the model", search));
  groups.push_back(options_of("Inference", inference));
  trainers.append_to(groups);
  return groups;
}

Training::Training(TrainRequest& request, Source& source, Messages& say, const Run& run)
    : request_(request), source_(source), say_(say), run_(run), fitting_(run) {}

std::string Training::model_name() {
  if (!request_.options.model.empty() && request_.options.model != kAuto) return request_.options.model;
  FeaturePlan plan = plan_split(source_, request_.data.features, {}, request_.data.split);
  guessed_labels_ = plan.guessed_labels;
  kind_note_ = std::move(plan.kind_note);
  return default_model(plan.target_kind);
}

FeaturePlan Training::make_plan() const {
  return plan_split(source_, request_.data.features, request_.data.text, request_.data.split, entry_->target);
}

void Training::select() { source_.select(plan_.selected); }

Classes Training::find_classes() const {
  const std::size_t target = plan_.inputs.size();
  return classes_of(tables_, target, plan_.weight.empty() ? std::nullopt : std::optional(target + 1));
}

SplitKeys Training::split_by(RandomKey&) { return split_keys(tables_, plan_, request_.data.split); }

Learnt Training::learn_map(Wishes wishes) const { return learn_features(tables_, plan_, training_, wishes, run_); }

std::vector<std::string> Training::labels_of_training(const Classes& classes) const {
  return classes.among(training_, request_.data.classes.positive);
}

std::string Training::unseen_place() const {
  return heldout_->rows.size() + development_->rows.size() > 0 ? "held out: "
         : plan_.weight.empty()                                ? "held-out rows: "
                                                               : "rows without weight: ";
}

void Training::refuse_class_options() const {
  const Calibrate by = request_.options.calibrate;
  const bool calibrated = by != Calibrate::none && by != Calibrate::automatic;
  for (const std::string option : {"classes", "positive", "threshold", "calibrate"})
    if (was_given(request_.given, option) && (option != "calibrate" || calibrated))
      throw Error(ErrorCode::usage,
                  "--" + option + " is for models of classes, and " + std::string(entry_->name) + " predicts a number");
}

void Training::plan() {
  chosen_ = request_.trainers.find(model_name(), request_.given);
  entry_ = &request_.trainers.entry(chosen_);
  check_inference(request_.inference);
  if (start() != nullptr && !request_.inference.cluster.empty())
    throw Error(ErrorCode::usage, "--continue and --cluster cannot be combined", "train on all rows together");
  request_.data.split.cluster = request_.inference.cluster;
  plan_ = make_plan();
  expect_target(source_, plan_, request_.data.features, *entry_);
  if (!kind_note_.empty()) plan_.notes.push_back(kind_note_);
  select();
}

void Training::read() {
  tables_ = read_tables();
  if (request_.cache != nullptr) {
    for (const std::string& note : request_.cache->cache_notes()) say_.note(note);
    warnings_ = request_.cache->cache_warnings();
  }
  say_what_was_read(source_, plan_, tables_, say_);
  expect_rows(source_, request_.data.files.empty() ? "" : request_.data.files.front(), tables_);
}

void Training::split() {
  TrainOptions& options = request_.options;
  if (!labels()) refuse_class_options();
  if (labels()) classes_ = find_classes();
  if (guessed_labels_) expect_few_labels(source_, plan_, classes_);
  RandomKey key = run_.random;
  SplitKeys keys = split_by(key);
  clusters_ = std::move(keys.cluster);
  const std::uint64_t rows = tables_.rows;
  const Splitter splitter(rows, std::move(keys), classes_.of_row);
  test_ = splitter.hold_out(RowSet(rows, true), options.test, key);
  say_group_rows(request_.data.split, "test", options.test, rows, test_.count(), say_);
  const TestChoice dev = as_rows(options.dev, rows);
  dev_ = splitter.hold_out(test_.complement(), dev, {key.seed, 1}, "dev");
  say_group_rows(request_.data.split, "dev", dev, rows, dev_.count(), say_);
  training_ = test_.complement().intersection(dev_.complement());
  if (request_.data.classes.classes.empty()) return;
  const RowSet wanted = classes_.rows_of(request_.data.classes.classes);
  for (RowSet* const each : {&test_, &dev_, &training_}) *each = each->intersection(wanted);
}

void Training::learn_labels() {
  training_ = training_.intersection(classes_.counted);
  TableLayout& layout = learnt_.layout;
  try {
    layout.labels = labels_of_training(classes_);
  } catch (const Error& error) {
    offer_held_out(error, classes_, training_, test_, dev_);
    throw;
  }
  layout.known_labels = layout.labels.size();
  append_new_labels(layout.labels, *layout.known_labels, classes_.labels);
  classes_ = {};
}

void Training::learn() {
  trainer_ = request_.trainers.setup(chosen_).make();
  learnt_ = learn_map(trainer_->wishes());
  if (learnt_.complete) training_ = training_.intersection(*learnt_.complete);
  if (labels()) learn_labels();
  trainer_->check(learnt_.map);
  for (const std::string& note : trainer_->notes(learnt_.map)) say_.note(note);
  for (const std::string& note : learnt_.filled) say_.note(note);
  for (const std::string& note : learnt_.said) say_.note(note);
  for (const std::string& note : learnt_.notes) say_.detail(note);
  for (std::string& warning : warnings_about(source_.skipped())) warnings_.push_back(std::move(warning));
  warnings_.insert(warnings_.end(), learnt_.warnings.begin(), learnt_.warnings.end());
  const bool judged = test_source_ != nullptr || test_.count() >= kFewToJudgeBy;
  if (judged && start() == nullptr && request_.trainers.is_listed()) sample_ = sample_of(plan_, tables_, training_);
  const std::uint64_t table_bytes = tables_.bytes();
  if (request_.options.refit_all) kept_ = tables_;
  if (request_.wants_figure) column_ = only_column(learnt_.map, learnt_.layout, tables_);
  examples_ = learnt_.map.apply(std::move(tables_), learnt_.layout, unseen_, run_);
  tables_ = {};
  memory_ = MemoryPlan::of(*examples_);
  memory_.tables = table_bytes;
  memory_.trainer = trainer_->memory(FitSize::of(*examples_, model_labels().size()), run_.executor);
  memory_.budget = run_.memory;
  say_.detail(memory_.text());
  heldout_ = rows_of(test_source_, request_.options.test.file, test_);
  development_ = rows_of(dev_source_, request_.options.dev.file, dev_);
  if (test_source_ != nullptr) fitting_.memory = fitting_.memory.beside(heldout_->rows.bytes());
  if (dev_source_ != nullptr) fitting_.memory = fitting_.memory.beside(development_->rows.bytes());
  expect_memory(*trainer_, *examples_, model_labels().size(), fitting_);
  if (needs_diagnostics_) expect_diagnostics_memory(*examples_, fitting_);
  if (unseen_.values > 0) warnings_.push_back(unseen_place() + unseen_.text());
}

Training::FileRows Training::rows_of(Source* source, const std::string& path, const RowSet& rows) {
  if (source == nullptr) return {examples_->with(rows), learnt_.layout.labels};
  FileRows found = read_file(*source, path, beside(run_, *examples_));
  for (const std::string& warning : warnings_about(source->skipped()))
    warnings_.push_back((source == dev_source_ ? "development: " : "held out: ") + warning);
  return found;
}

// Rows of --test or --dev, and the labels of their targets, the model's first.
Training::FileRows Training::read_file(Source& source, const std::string& path, const Run& run) {
  const FeatureOptions& features = request_.data.features;
  TableLayout layout =
      learnt_.map.select_from(source, {plan_.target, learnt_.layout.labels, features.weight,
                                       if_weight_missing(features.missing), if_target_missing(features.missing)});
  layout.target_formula = plan_.target_formula;
  Tables tables = read_all(source, run);
  expect_rows(source, path, tables);
  if (plan_.target_kind != Kind::category) return {learnt_.map.apply(std::move(tables), layout, unseen_, run), {}};
  const Classes classes = classes_of(tables, *layout.target, layout.weight);
  layout.labels = model_labels();
  layout.known_labels = layout.labels.size();
  append_new_labels(layout.labels, *layout.known_labels, classes.labels);
  const Examples all = learnt_.map.apply(std::move(tables), layout, unseen_, run);
  const std::vector<std::string>& wanted = request_.data.classes.classes;
  return {wanted.empty() ? all : all.with(classes.rows_of(wanted)), layout.labels};
}

std::vector<std::string> Training::model_labels() const { return known_labels(learnt_.layout); }

void Training::check() {
  const Examples trained_on = examples_->with(training_);
  say_copies(rows_seen_before(trained_on, heldout_->rows), heldout_->rows.size(), "held-out row", "a training row",
             warnings_, say_);
  say_copies(rows_seen_before(trained_on, development_->rows), development_->rows.size(), "development row",
             "a training row", warnings_, say_);
  if (labels() && start() == nullptr) warn_of_imbalance(trained_on, model_labels(), run_, warnings_);
}

Problem Training::to_infer(Problem problem) const {
  problem.infers = request_.inference.inference != InferenceAmount::none;
  return problem;
}

void Training::fit() {
  const Examples trained_on = examples_->with(training_);
  const std::vector<std::string> labels = model_labels();
  trained_ = fit_within(request_.options.time_limit, *trainer_, to_infer({trained_on, learnt_.map, labels, start()}),
                        fitting_);
  // A fit that was stopped is saved all the same, and scored unless the observer still asks to stop.
  if (trained_->stopped) {
    scored_ = !run_.watch || run_.watch({Phase::evaluating, 0, 0});
    run_.watch = fitting_.watch = {};
  }
  if (!trained_->solver_reason.empty()) say_.note("solver " + trained_->record.solver + ": " + trained_->solver_reason);
  add_inference(*trained_, trained_on, request_.inference, run_, {clusters_, trainer_.get()});
  add_feature_spreads(trained_->record, trained_on, run_);
  apply_calibration(*trained_);
  if (plan_.target_formula) {
    trained_->model = trained_->model.of_target(*plan_.target_formula);
    say_.note("fitted to " + plan_.target_formula->text() + "; predictions and scores are in units of " + plan_.target +
              ": the " + trained_->model.parts().target->mean());
  }
  warnings_.insert(warnings_.end(), trained_->warnings.begin(), trained_->warnings.end());
}

void Training::refit() {
  if (!request_.options.refit_all || trained_->stopped) return;
  if (start() != nullptr)
    throw Error(ErrorCode::usage, "--refit-all and --continue cannot be combined", "leave out --refit-all");
  tables_ = std::move(kept_);
  training_ = RowSet(tables_.rows, true);
  if (labels()) classes_ = find_classes();
  if (labels() && !request_.data.classes.classes.empty())
    training_ = training_.intersection(classes_.rows_of(request_.data.classes.classes));
  learnt_ = learn_map(trainer_->wishes());
  if (learnt_.complete) training_ = training_.intersection(*learnt_.complete);
  if (labels()) learn_labels();
  FeatureMap::Unseen unseen;
  examples_ = learnt_.map.apply(std::move(tables_), learnt_.layout, unseen, run_);
  tables_ = {};
  Trained scored = std::move(*trained_);
  const Examples all = examples_->with(training_);
  const std::vector<std::string> labels = model_labels();
  trained_ =
      fit_within(request_.options.time_limit, *trainer_, to_infer({all, learnt_.map, labels, nullptr}), fitting_);
  add_inference(*trained_, all, request_.inference, run_, {clusters_, trainer_.get()});
  apply_calibration(*trained_);
  if (plan_.target_formula) trained_->model = trained_->model.of_target(*plan_.target_formula);
  for (const std::string& warning : trained_->warnings)
    if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end()) warnings_.push_back(warning);
  // What evaluate holds a model against is noted by judging.
  for (const std::string_view name : {std::string_view("target_mean"), kLargestF1})
    if (const double* const value = find_number(scored.record, name))
      trained_->record.fit.emplace_back(std::string(name), *value);
  if (const Statistic* const weights = find_statistic(scored.record, "class_weights"))
    trained_->record.statistics.push_back(*weights);
  say_.note("refitted on all " + counted(all.size(), "row") + "; the scores are of the fit without the held-out rows");
}

RowDiagnostics Training::diagnostics() const {
  return row_diagnostics(*trained_, examples_->with(training_), fitting_);
}

void Training::judge() {
  TrainReport found{trained_->model, trained_->record, {}, {}, "", {}, {}, 0.0, "", 0, memory_};
  if (!scored_ && heldout_->rows.size() + development_->rows.size() > 0) {
    for (FileRows* const each : {&*heldout_, &*development_}) each->rows = each->rows.with(RowSet(each->rows.rows()));
    warnings_.push_back("the held-out rows were not scored, because the fit was stopped on request");
  }
  const Examples trained_on = examples_->with(training_);
  if (labels()) {
    judge_classes(found, *trained_, trained_on, heldout_->rows, heldout_->labels, run_);
  } else {
    judge_numbers(found, *trained_, trained_on, heldout_->rows, run_);
  }
  judge_development(found, *trained_, development_->rows, development_->labels, run_);
  heldout_metrics_ = std::move(found.heldout);
  baseline_ = std::move(found.baseline);
  baseline_name_ = std::move(found.baseline_name);
  development_metrics_ = std::move(found.development);
  if (start() == nullptr && !heldout_metrics_.empty() && heldout_->rows.size() >= kFewToJudgeBy)
    verdict_ = verdict(metrics_of(trained_->model, examples_->with(some_rows(training_, learnt_.layout.labels.size())),
                                  learnt_.layout.labels, run_));
  warnings_.insert(warnings_.end(), found.notes.begin(), found.notes.end());
  if (heldout_->rows.size() > 0 && heldout_metrics_.empty())
    warnings_.push_back("every held-out row has weight 0, so there is nothing to score on");
}

FitVerdict Training::verdict(const std::vector<Metric>& seen) {
  const std::optional<SeenErrors> errors = seen_errors(seen, heldout_metrics_, baseline_);
  if (!errors || !request_.trainers.is_listed()) return {};
  TrainerSetup& setup = request_.trainers.setup(chosen_);
  TypedData typed = typed_data(request_.data.files, request_.data.groups(), options_of("", request_.options),
                               setup.options(), request_.given, plan_);
  typed.terms = terms_of_texts(learnt_.map);
  typed.tuned = request_.tuned;
  return tried(fit_verdict(std::string(entry_->name), *errors, is_penalised(setup), typed),
               {request_.data, source_, *entry_, setup, request_.given, training_.count()}, sample_, true, run_);
}

std::string Training::bytes() {
  fill_record(trained_->record);
  run_.report(Phase::saving, 0, 0);
  return model_bytes(trained_->model, trained_->record);
}

// The options that shape the model; not where it is saved, nor how it is run. A file that was read is recorded as such,
// never by its path.
void Training::fill_record(Record& record) {
  const std::uint64_t test_rows = heldout_->rows.size();
  record.model = entry_->name;
  record.target = plan_.target;
  record.seed = request_.options.seed;
  record.data_digest = source_.digest();
  record.reading = reading();
  record.search = lines_of(search_);
  record.test_rows = test_rows;
  const double* const used = start() != nullptr ? find_number(start()->record, "test_uses") : nullptr;
  const double uses = (used != nullptr ? *used : 0.0) + (test_rows > 0 ? 1.0 : 0.0);
  if (uses > 0.0) record.fit.emplace_back("test_uses", uses);
  std::vector<OptionGroup> groups = request_.groups();
  groups.insert(groups.begin(), request_.trainers.setup(chosen_).options());
  for (const OptionGroup& group : groups)
    for (const OptionInfo& info : group.options) {
      if (!info.recorded || !was_given(request_.given, info.name)) continue;
      if (std::any_of(record.options.begin(), record.options.end(),
                      [&](const auto& option) { return option.first == info.name; }))
        continue;
      const bool file = (info.name == "test" && test_source_ != nullptr) ||
                        (info.name == "dev" && dev_source_ != nullptr) || info.name == "continue";
      record.options.emplace_back(info.name, info.flag() ? "" : file ? "file" : info.text(group.owner));
    }
  if (plan_.text.vocabulary) record.options.emplace_back("vocabulary", "file");
}

HowRead Training::reading() const {
  HowRead reading{request_.data.read.default_na, {}};
  for (const ColumnInfo& column : source_.columns())
    if (!column.style.plain() || !column.date_format.empty())
      reading.columns.push_back({column.name, column.style, column.date_format});
  return reading;
}

bool Training::converged() const noexcept {
  return trained_->record.converged || !entry_->gate || !trained_->promises_optimum;
}

std::optional<Figure> Training::figure() const {
  const Examples trained_on = examples_->with(training_);
  if (plan_.target_formula) {  // in the units of the formula, as the residuals of the fit are
    Trained fit = *trained_;
    LinearModel::Parts parts = fit.model.parts();
    parts.target.reset();
    fit.model = LinearModel(std::move(parts));
    fit.record.target = plan_.target_formula->text();
    return fit_figure(fit, trained_on, heldout_->rows, column_, fitting_);
  }
  if (!labels()) return fit_figure(*trained_, trained_on, heldout_->rows, column_, fitting_);
  std::optional<Figure> figure =
      class_figure(trained_->model, plan_.target, trained_on, boundary_path(trained_->record),
                   static_cast<std::uint64_t>(Ledger::of(trained_->record).all_updates()), &heldout_->rows);
  if (!figure) return coefficient_figure(trained_->model, trained_->record, shown_by_default(trained_->model));
  if (std::optional<Panel> density = density_panel({trained_->model, trained_->record}, trained_on))
    figure->panels.insert(figure->panels.begin(), std::move(*density));
  return figure;
}

TrainReport Training::report() const {
  TrainReport report{
      trained_->model, trained_->record, heldout_metrics_, baseline_, baseline_name_, {}, warnings_, 0.0, "", 0,
      memory_};
  report.solver_reason = trained_->solver_reason;
  report.development = development_metrics_;
  report.development_rows = development_->rows.size();
  report.verdict = verdict_;
  report.search = search_;
  return report;
}

}  // namespace plumb
