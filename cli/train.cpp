// plumb train: the architecture as one function. Each call below is a stage of it, in the order data flows.
#include <algorithm>
#include <chrono>
#include <optional>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/continuing.h"
#include "cli/data_words.h"
#include "cli/held_out.h"
#include "cli/plot.h"
#include "cli/signals.h"
#include "cli/time_limit.h"
#include "cli/train_plan.h"
#include "cli/trainer_choice.h"
#include "cli/typed_data.h"

namespace plumb::cli {
namespace {

struct TrainOptions {
  std::string model;
  std::string output = "model.plumb";
  TestChoice test;
  TestChoice dev = {TestChoice::What::none, 0.0, 0, ""};
  std::uint64_t seed = 42;
  std::string cache;
  std::string diagnostics;
  std::string trace;
  std::string start;
  std::uint64_t rows = 0;
  double time_limit = 0.0;

  static OptionTable table() {
    using O = TrainOptions;
    return {
        option("model", &O::model, "the kind of model")
            .value("MODEL")
            .short_as('m')
            .otherwise("least-squares for a target of numbers, logistic for labels"),
        option("output", &O::output, "where to save the model").value("FILE").writes_file().short_as('o').unrecorded(),
        option("test", &O::test, "rows held out to score on: a fraction, a number of rows, a file of its own, or none")
            .value("F|N|FILE|none")
            .reads_file(),
        option("dev", &O::dev,
               "rows kept apart to develop with, scored beside: a fraction, a number of rows, or a file")
            .value("F|N|FILE")
            .reads_file()
            .otherwise("none"),
        option("rows", &O::rows, "of DATA the first so many rows, as if there were no others")
            .value("N")
            .in(at_least(1))
            .otherwise("all"),
        option("seed", &O::seed, "of every random draw").value("N").unrecorded(),  // it has a place of its own
        option("continue", &O::start,
               "train this model further: its features and labels stay; naive-bayes takes in new ones")
            .value("MODEL")
            .reads_file()
            .otherwise("none"),
        option("time-limit", &O::time_limit,
               "seconds that the fit may take: then the best there is by then is saved, and marked")
            .value("SECONDS")
            .in(at_least(1e-9))
            .otherwise("none")
            .unrecorded(),
        option("cache", &O::cache, "keep the parsed rows of DATA in this file, and use it while data and options stay")
            .value("FILE")
            .writes_file()
            .otherwise("none")
            .unrecorded(),
        option("diagnostics", &O::diagnostics,
               "of least-squares: what each training row says about the fit, as CSV: leverage, Cook's distance, ...")
            .value("FILE")
            .writes_file()
            .otherwise("none")
            .unrecorded(),
        option("trace", &O::trace, "the steps of an iterative solver, as CSV; with --json also in its object")
            .value("FILE")
            .writes_file()
            .otherwise("none")
            .unrecorded()};
  }
};

class Train final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    std::vector<OptionGroup> groups = {
        options_of("Data", features_),    options_of("Text", text_),           options_of("Classes", classes_),
        options_of("Splits", split_),     options_of("Reading", read_),        options_of("Values", values_),
        options_of("Training", options_), options_of("Inference", inference_), options_of("Plot", plot_)};
    trainers_.append_to(groups);
    groups.push_back(options_of("Running", run_));
    return groups;
  }

  // An option that two trainers have is set for the one that -m names.
  std::vector<OptionGroup> options_for(const std::vector<std::string>& words) override {
    std::vector<OptionGroup> groups = options(), all = groups;
    CommonOptions common;
    all.push_back(options_of("", common));
    groups.insert(groups.begin(), trainers_.first(value_of("model", words, all)));
    return groups;
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("train"), operands, 1, kAnyNumber);
    data_files_ = operands;
    const bool test_file = options_.test.what == TestChoice::What::file;
    const bool dev_file = options_.dev.what == TestChoice::What::file;
    if (!options_.start.empty()) start_ = std::make_unique<SavedModel>(load_model(options_.start));
    if (start_) go_on_from_start();
    source_ =
        start_ ? open_for(start_->model, operands, run_.reading(read_)) : open_source(operands, run_.reading(read_));
    if (options_.rows > 0) source_ = first_rows(std::move(source_), options_.rows);
    if (test_file) test_source_ = open_source({options_.test.file}, run_.reading(read_));
    if (dev_file) dev_source_ = open_source({options_.dev.file}, run_.reading(read_));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    Run run{executor, RandomKey{options_.seed, 0}, terminal.observer(), run_.max_memory.budget()};
    const std::size_t chosen = trainers_.find(model_name(), given);
    const TrainerEntry& entry = trainer_list()[chosen];
    const bool labels = entry.target == Kind::category;
    check_output({"output", options_.output}, "model.plumb");
    if (!options_.diagnostics.empty()) check_output({"diagnostics", options_.diagnostics}, "rows.csv");
    if (!options_.trace.empty()) check_output({"trace", options_.trace}, "trace.csv");
    check_plot(plot_);
    if (!options_.cache.empty() && options_.rows > 0)
      throw Error(ErrorCode::usage, "--rows and --cache are both given; a cache is of all rows", "leave out --cache");
    if (!options_.cache.empty()) use_cache(common.dry_run);

    // Which columns are features, and as what. Those of a model that is trained further stay, unless it grows.
    const bool stays = start_ && !grows(*start_);
    const FeaturePlan plan =
        stays ? plan_of_start(entry) : plan_split(*source_, features_, text_, split_, entry.target);
    if (plan.target_kind != entry.target) throw not_a_numeric_target(*source_, plan, entry.name);
    // Bytes to tables.
    TableLayout start_layout;
    if (stays) {
      start_layout = select_as_started();
    } else {
      source_->select(plan.selected);
    }
    Tables tables = read_tables(run);
    if (cache_ != nullptr)
      for (const std::string& note : cache_->cache_notes()) terminal.note(note);
    say_what_was_read(*source_, plan, tables, terminal);
    expect_rows(*source_, data_files_.front(), tables);
    // Which rows are held out: of classes a share of each.
    if (!labels) refuse_class_options(entry);
    Classes classes = labels ? classes_among(tables, plan, start_.get(), start_layout) : Classes();
    SplitKeys keys = stays ? SplitKeys() : split_keys(tables, plan, split_);
    RandomKey split_key = run.random;
    std::vector<std::string> warnings = cache_ != nullptr ? cache_->cache_warnings() : std::vector<std::string>();
    if (start_ && was_given("test")) {
      warn_of_other_split(*start_, source_->digest(), options_.test, options_.seed, warnings);
    } else if (start_ &&
               hold_out_again(*start_, source_->digest(), options_.test, keys, split_key, terminal, warnings)) {
      record_split(keys.in_order);
    }
    std::optional<Splitter> splitter(std::in_place, tables.rows, std::move(keys), classes.of_row);
    RowSet test = splitter->hold_out(RowSet(tables.rows, true), options_.test, split_key);
    say_group_rows(split_, "test", options_.test, tables.rows, test.count(), terminal);
    RowSet dev = splitter->hold_out(test.complement(), as_rows(options_.dev, tables.rows), {split_key.seed, 1}, "dev");
    say_group_rows(split_, "dev", as_rows(options_.dev, tables.rows), tables.rows, dev.count(), terminal);
    splitter.reset();  // its memory, and that of the classes below, is used again for the rows
    RowSet training = test.complement().intersection(dev.complement());
    if (!classes_.classes.empty()) {
      const RowSet wanted = classes.rows_of(classes_.classes);
      for (RowSet* const rows : {&test, &dev, &training}) *rows = rows->intersection(wanted);
    }
    // Tables to examples, by a map that saw the training rows alone.
    const std::unique_ptr<Trainer> trainer = trainers_.setup(chosen).make();
    Wishes wishes = trainer->wishes();
    wishes.terms_may_be_none = start_ != nullptr;  // then they come to those of the model
    Learnt learnt = stays ? Learnt{start_->model.parts().map, start_layout, {}, {}, {}}
                          : learn_features(tables, plan, training, wishes, run);
    if (start_ && !stays) learnt.map = grown_map(*start_, learnt.map);
    if (labels) {
      training = training.intersection(classes.counted);
      learn_labels(learnt.layout, classes, training, test, dev);
      classes = {};
    }
    trainer->check(learnt.map);
    for (const std::string& note : trainer->notes(learnt.map)) terminal.note(note);
    for (const std::string& note : learnt.said) terminal.note(note);
    for (const std::string& note : learnt.notes) terminal.detail(note);
    for (std::string& warning : warnings_about(source_->skipped())) warnings.push_back(std::move(warning));
    warnings.insert(warnings.end(), learnt.warnings.begin(), learnt.warnings.end());
    FeatureMap::Unseen unseen;
    RoundingLoss loss;
    RoundingLoss* const rounded = values_.values == ValuePrecision::f32 ? &loss : nullptr;
    const std::uint64_t table_bytes = tables.bytes();
    const auto column = plot_.wanted() ? only_column(learnt.map, learnt.layout, tables) : std::nullopt;
    const Examples examples = learnt.map.apply(std::move(tables), learnt.layout, unseen, run, rounded);
    MemoryPlan memory = MemoryPlan::of(examples);
    memory.tables = table_bytes;
    memory.trainer = trainer->memory(examples.features(), examples.rows(), executor);
    memory.budget = run.memory;
    terminal.detail(memory.text());
    const auto rows_of = [&](Source* source, const std::string& path, const RowSet& rows) {
      if (source == nullptr) return FileRows{examples.with(rows), learnt.layout.labels};
      FileRows found = read_file(*source, path, plan, learnt, unseen, beside(run, examples), rounded);
      for (const std::string& warning : warnings_about(source->skipped()))
        warnings.push_back((source == dev_source_.get() ? "development: " : "held out: ") + warning);
      return found;
    };
    const auto [heldout, heldout_labels] = rows_of(test_source_.get(), options_.test.file, test);
    const auto [dev_rows, dev_labels] = rows_of(dev_source_.get(), options_.dev.file, dev);
    Run fitting = test_source_ ? beside(run, heldout) : run;
    if (dev_source_) fitting.memory = fitting.memory.beside(dev_rows.bytes());
    expect_memory(*trainer, examples, fitting);
    if (!options_.diagnostics.empty()) expect_diagnostics_memory(examples, fitting);
    if (rounded && loss.beyond_rounding()) warnings.push_back(loss.text());
    if (rounded && !loss.beyond_rounding()) terminal.note(loss.text());
    if (unseen.values > 0)
      warnings.push_back((stays                                  ? ""
                          : heldout.size() + dev_rows.size() > 0 ? "held out: "
                          : plan.weight.empty()                  ? "rows that are not trained on: "
                                                                 : "rows without weight: ") +
                         unseen.text());
    if (common.dry_run) {
      for (const std::string& warning : warnings) terminal.warn(warning);
      terminal.print(
          plan_text(plan, learnt.map, training.count(), heldout.size(), entry, memory, options_.output, common.json));
      return 0;
    }
    // Examples to a model.
    const Examples trained_on = examples.with(training);
    say_copies(rows_seen_before(trained_on, heldout), heldout.size(), "held-out row", "a training row", warnings,
               terminal);
    say_copies(rows_seen_before(trained_on, dev_rows), dev_rows.size(), "development row", "a training row", warnings,
               terminal);
    if (labels && !start_) warn_of_imbalance(trained_on, labels_of(learnt.layout), run, warnings);
    const std::vector<std::string> model_labels = labels_of(learnt.layout);
    Trained fit =
        fit_within(options_.time_limit, *trainer, {trained_on, learnt.map, model_labels, start_.get()}, fitting);
    // What was reached before a signal is judged and saved all the same; a second one ends the program at once.
    const int signal = fit.stopped ? stopping_signal() : 0;
    if (signal != 0) run.watch = fitting.watch = {};
    if (!fit.solver_reason.empty()) terminal.note("solver " + fit.record.solver + ": " + fit.solver_reason);
    if (!options_.trace.empty()) write_trace(fit.trace);
    // What theory says of it.
    add_inference(fit, trained_on, inference_, run);
    warnings.insert(warnings.end(), fit.warnings.begin(), fit.warnings.end());
    if (!options_.diagnostics.empty()) write_diagnostics(row_diagnostics(fit, trained_on, fitting));
    // The model on rows it has not seen.
    TrainReport report{fit.model, fit.record, {}, {}, "", {}, {}, 0.0, "", 0, memory};
    if (labels) {
      judge_classes(report, fit, trained_on, heldout, heldout_labels, run);
    } else {
      judge_numbers(report, fit, trained_on, heldout, run);
    }
    judge_development(report, fit, dev_rows, dev_labels, run);
    if (!start_ && !report.heldout.empty())
      if (const auto errors =
              seen_errors(metrics_of(fit.model, examples.with(some_rows(training)), learnt.layout.labels, run),
                          report.heldout, report.baseline)) {
        TypedData typed = typed_data(data_files_,
                                     {options_of("", features_), options_of("", text_), options_of("", classes_),
                                      options_of("", split_), options_of("", read_)},
                                     options_of("", options_), trainers_.setup(chosen).options(), given, plan);
        typed.terms = terms_of_texts(learnt.map);
        typed.tuned = tuned;
        report.verdict = fit_verdict(std::string(entry.name), *errors, is_penalised(trainers_.setup(chosen)), typed);
      }
    warnings.insert(warnings.end(), report.notes.begin(), report.notes.end());
    if (heldout.size() > 0 && report.heldout.empty())
      warnings.push_back("every row held out has weight 0, so there is nothing to score on");
    fill_record(fit.record, plan, entry, heldout.size());
    // Saved, then told.
    run.report(Phase::saving, 0, 0);
    const std::string bytes = model_bytes(fit.model, fit.record);
    OutputFile output(options_.output);
    const RemovedBySignal removed(output.temporary());
    output.write(bytes);
    output.commit();
    if (plot_.wanted() && !labels)
      terminal.note(save_plot(plot_, fit_figure(fit, trained_on, heldout, column, fitting)));
    if (plot_.wanted() && labels) {
      if (std::optional<Figure> figure =
              class_figure(fit.model, plan.target, trained_on, boundary_path(fit.record),
                           static_cast<std::uint64_t>(Ledger::of(fit.record).all_updates()))) {
        if (std::optional<Panel> density = density_panel({fit.model, fit.record}, trained_on))
          figure->panels.insert(figure->panels.begin(), std::move(*density));
        terminal.note(save_plot(plot_, *figure));
      } else {
        warnings.push_back(
            "no picture was made: --plot draws up to four labels by two columns of numbers, probabilities of two "
            "labels, "
            "or of more by one column, and this model is another");
      }
    }
    report.file = options_.output;
    report.bytes = bytes.size();
    report.warnings = warnings;
    report.solver_reason = fit.solver_reason;
    if (!options_.trace.empty()) report.trace = fit.trace;
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    for (const std::string& warning : warnings) terminal.warn(warning);
    terminal.print(common.json ? to_json(report) : to_text(report, terminal.style()));
    if (signal != 0) {
      terminal.error(Error(ErrorCode::interrupted, "interrupted by " + signal_name(signal) +
                                                       "; what was reached by then is saved, and marked"));
      return 128 + signal;
    }
    return fit.record.converged || !entry.gate || !fit.promises_optimum ? 0 : 1;
  }

 private:
  // The run with the memory that is left beside these examples.
  static Run beside(Run run, const Examples& examples) {
    run.memory = run.memory.beside(examples.bytes());
    return run;
  }

  // What -m says, or the model that was started from, or what fits the target.
  std::string model_name() const {
    if (!options_.model.empty()) return options_.model;
    if (start_) return start_->record.model;
    return default_model(plan_split(*source_, features_, {}, split_).target_kind);
  }

  void refuse_class_options(const TrainerEntry& entry) const {
    for (const std::string option : {"classes", "positive"})
      if (std::find(given.begin(), given.end(), option) != given.end())
        throw Error(ErrorCode::usage,
                    "--" + option + " is for models of classes, and " + std::string(entry.name) + " predicts a number");
  }

  bool was_given(std::string_view option) const { return std::find(given.begin(), given.end(), option) != given.end(); }

  // What the model was made with holds, where the command line does not say otherwise. Of other data than its own none
  // are held out unless they are asked for: it may have seen them.
  void go_on_from_start() {
    expect_continued(*start_, options_.model, given);
    if (!grows(*start_)) refuse_shapes(options(), given);
    if (!was_given("seed")) options_.seed = start_->record.seed;
    if (!was_given("test")) options_.test.what = TestChoice::What::none;
    take_up_options(*start_, options(), given);
    if (!grows(*start_)) return;
    take_up_kinds(*start_, features_, given);
    take_up_texts(*start_, text_);
  }

  // Which rows were held out again, so that a model made from this one holds them out too.
  void record_split(bool in_order) {
    given.emplace_back("test");
    if (!in_order) return;
    split_.split = SplitOrder::order;
    given.emplace_back("split");
  }

  // Of --continue: the columns and kinds that the model has.
  FeaturePlan plan_of_start(const TrainerEntry& entry) const {
    FeaturePlan plan;
    for (const FeatureMap::Input& input : start_->model.parts().map.parts().inputs)
      plan.inputs.push_back({input.name, input.kind});
    plan.target = features_.target.empty() ? start_->record.target : features_.target;
    plan.target_kind = entry.target;
    plan.weight = features_.weight;
    return plan;
  }

  TableLayout select_as_started() {
    const IfMissing rule = features_.missing == Missing::drop_row ? IfMissing::drop_row : IfMissing::error;
    return start_->model.parts().map.select_from(
        *source_, {features_.target.empty() ? start_->record.target : features_.target, start_->model.parts().labels,
                   features_.weight, rule});
  }

  // The model's labels in front, then those that only other rows have.
  void learn_labels(TableLayout& layout, const Classes& classes, const RowSet& training, const RowSet& test,
                    const RowSet& dev) const {
    const bool grown = start_ && grows(*start_);
    try {
      layout.labels = grown    ? grown_labels(*start_, classes, training, classes_.positive)
                      : start_ ? start_->model.parts().labels
                               : classes.among(training, classes_.positive);
    } catch (const Error& error) {
      offer_held_out(error, classes, training, test, dev);
      throw;
    }
    layout.known_labels = layout.labels.size();
    append_new_labels(layout.labels, *layout.known_labels, classes.labels);
    if (start_ && !grown)
      expect_known_labels(*start_, classes, training, source_->name(),
                          "--classes " + as_typed(list_of(start_->model.parts().labels)) +
                              " leaves out rows with other labels; or train a new model without --continue");
  }

  static std::vector<std::string> labels_of(const TableLayout& layout) {
    const auto known = static_cast<std::ptrdiff_t>(layout.known_labels.value_or(layout.labels.size()));
    return {layout.labels.begin(), layout.labels.begin() + known};
  }

  void write_trace(const std::vector<SolverStep>& trace) const {
    OutputFile output(options_.trace);
    const RemovedBySignal removed(output.temporary());
    output.write(trace_csv(trace));
    output.commit();
  }

  void write_diagnostics(const RowDiagnostics& rows) const {
    constexpr std::size_t kRows = 4096;
    OutputFile output(options_.diagnostics);
    const RemovedBySignal removed(output.temporary());
    for (std::size_t begin = 0; begin == 0 || begin < rows.number.size(); begin += kRows)
      output.write(diagnostics_csv(rows, begin, std::min(rows.number.size(), begin + kRows)));
    output.commit();
  }

  void use_cache(bool dry_run) {
    auto cached =
        std::make_unique<CachedSource>(std::move(source_), data_files_, run_.reading(read_), options_.cache,
                                       dry_run ? CachedSource::Write::forbidden : CachedSource::Write::allowed);
    cache_ = cached.get();
    source_ = std::move(cached);
  }

  Tables read_tables(const Run& run) {
    if (cache_ != nullptr) cache_->prepare(run);
    const RemovedBySignal removed(cache_ != nullptr ? cache_->temporary() : "");
    return read_all(*source_, run);
  }

  // Rows of --test or --dev, and the labels that their targets stand for, the model's first.
  struct FileRows {
    Examples examples;
    std::vector<std::string> labels;
  };
  FileRows read_file(Source& source, const std::string& path, const FeaturePlan& plan, const Learnt& learnt,
                     FeatureMap::Unseen& unseen, const Run& run, RoundingLoss* loss) const {
    const IfMissing rule = features_.missing == Missing::drop_row ? IfMissing::drop_row : IfMissing::error;
    TableLayout layout = learnt.map.select_from(source, {plan.target, learnt.layout.labels, features_.weight, rule});
    Tables tables = read_all(source, run);
    expect_rows(source, path, tables);
    if (plan.target_kind != Kind::category) return {learnt.map.apply(std::move(tables), layout, unseen, run, loss), {}};
    const Classes classes = classes_of(tables, *layout.target, layout.weight);
    layout.labels = labels_of(learnt.layout);
    layout.known_labels = layout.labels.size();
    append_new_labels(layout.labels, *layout.known_labels, classes.labels);
    const Examples all = learnt.map.apply(std::move(tables), layout, unseen, run, loss);
    return {classes_.classes.empty() ? all : all.with(classes.rows_of(classes_.classes)), layout.labels};
  }

  // What shapes the model; not where it is saved, nor how it is run. A file that was read is recorded as such, never by
  // its path.
  void fill_record(Record& record, const FeaturePlan& plan, const TrainerEntry& entry, std::uint64_t test_rows) {
    record.model = entry.name;
    record.target = plan.target;
    record.seed = options_.seed;
    record.data_digest = source_->digest();
    record.test_rows = test_rows;
    const double* const used = start_ ? find_number(start_->record, "test_uses") : nullptr;
    const double uses = (used != nullptr ? *used : 0.0) + (test_rows > 0 ? 1.0 : 0.0);
    if (uses > 0.0) record.fit.emplace_back("test_uses", uses);
    std::vector<OptionGroup> groups = options();
    groups.insert(groups.begin(), trainers_.setup(static_cast<std::size_t>(&entry - trainer_list().data())).options());
    for (const OptionGroup& group : groups)
      for (const OptionInfo& info : group.options) {
        if (!info.recorded || std::find(given.begin(), given.end(), info.name) == given.end()) continue;
        if (std::any_of(record.options.begin(), record.options.end(),
                        [&](const auto& option) { return option.first == info.name; }))
          continue;
        const bool file =
            (info.name == "test" && test_source_) || (info.name == "dev" && dev_source_) || info.name == "continue";
        record.options.emplace_back(info.name, info.flag() ? "" : file ? "file" : info.text(group.owner));
      }
    if (plan.text.vocabulary) record.options.emplace_back("vocabulary", "file");
  }

  FeatureOptions features_;
  TextOptions text_;
  ClassOptions classes_;
  SplitOptions split_;
  ValueOptions values_;
  ReadOptions read_;
  TrainOptions options_;
  InferenceOptions inference_;
  PlotOptions plot_;
  RunOptions run_;
  TrainerChoice trainers_;
  std::vector<std::string> data_files_;  // those of DATA
  std::unique_ptr<Source> source_;
  CachedSource* cache_ = nullptr;        // what source_ is, with --cache
  std::unique_ptr<Source> test_source_;  // of --test FILE
  std::unique_ptr<Source> dev_source_;   // of --dev FILE
  std::unique_ptr<SavedModel> start_;    // of --continue
};

}  // namespace

std::unique_ptr<Command> make_train() { return std::make_unique<Train>(); }

}  // namespace plumb::cli
