// plumb train: the architecture as one function. Each call below is a stage of it, in the order data flows.
#include <algorithm>
#include <chrono>

#include "cli/command.h"

namespace plumb::cli {
namespace {

struct TrainOptions {
  std::string model;
  std::string output = "model.plumb";
  TestChoice test;
  std::uint64_t seed = 42;

  static constexpr auto table() {
    using O = TrainOptions;
    return std::tuple{
        option("model", &O::model, "the kind of model")
            .value("MODEL")
            .short_as('m')
            .otherwise("least-squares for a numeric target"),
        option("output", &O::output, "where to save the model").value("FILE").short_as('o'),
        option("test", &O::test, "rows held out to score on: a fraction, a number of rows, a file of its own, or none")
            .value("F|N|FILE|none"),
        option("seed", &O::seed, "of every random draw").value("N")};
  }
};

class Train final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    std::vector<OptionGroup> groups;
    groups.push_back(options_of("Data", features_));
    groups.push_back(options_of("Training", options_));
    if (setups_.empty())
      for (const TrainerEntry& entry : trainer_list()) setups_.push_back(entry.setup());
    for (std::size_t i = 0; i < setups_.size(); ++i) {
      groups.push_back(setups_[i]->options());
      groups.back().title = "Options of " + std::string(trainer_list()[i].name);
    }
    groups.push_back(options_of("Running", run_));
    return groups;
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("train"), operands, 1, kAnyNumber);
    source_ = open_source(operands);
  }

  int run(const std::vector<std::string>& operands, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    const Run run{executor, RandomKey{options_.seed, 0}, terminal.observer()};
    const std::size_t chosen = chosen_trainer();
    refuse_overwriting(options_.output, operands);

    // Which columns are features, and as what.
    const FeaturePlan plan = plan_features(*source_, features_);
    check_target(plan, trainer_list()[chosen]);
    // Bytes to tables.
    source_->select(plan.selected);
    Tables tables = read_all(*source_, run);
    say_what_was_read(plan, tables, terminal);
    if (tables.rows == 0)
      throw Error(ErrorCode::data, {source_->name()}, "there are no rows under the header; at least one was expected");
    // Which rows are held out.
    const RowSet test = choose_test_rows(tables.rows, options_.test, run.random);
    const RowSet training = test.complement();
    if (common.dry_run) return say_plan(plan, tables.rows, test.count(), chosen, terminal);
    // Tables to examples, by a map that saw the training rows alone.
    const std::unique_ptr<Trainer> trainer = setups_[chosen]->make();
    const Learnt learnt = learn_features(tables, plan, training, trainer->wishes());
    trainer->check(learnt.map);
    for (const std::string& note : learnt.notes) terminal.detail(note);
    std::vector<std::string> warnings = learnt.warnings;
    FeatureMap::Unseen unseen;
    const Examples examples = learnt.map.apply(std::move(tables), learnt.layout, unseen, run);
    // Examples to a model.
    Fit fit = trainer->train({examples.with(training), learnt.map}, run);
    warnings.insert(warnings.end(), fit.warnings.begin(), fit.warnings.end());
    // The model on rows it has not seen.
    TrainReport report{fit.model, fit.record, {}, {}, "", {}, 0.0, "", 0};
    const Examples heldout =
        options_.test.what == TestChoice::What::file ? read_test_file(learnt.map, unseen, run) : examples.with(test);
    if (heldout.size() > 0) {
      const double mean = mean_target(examples.with(training), run);
      report.heldout = regression_metrics(fit.model, heldout, run);
      report.baseline = constant_metrics(mean, heldout, run);
      report.baseline_name = "always " + number_text(mean, 6) + ", the mean of the training rows";
    }
    if (unseen.values > 0) warnings.push_back("held out: " + unseen.text());
    fill_record(fit.record, plan, heldout.size());
    // Saved, then told.
    run.report(Phase::saving, 0, 0);
    const std::string bytes = model_bytes(fit.model, fit.record);
    write_file_atomically(options_.output, bytes);
    report.file = options_.output;
    report.bytes = bytes.size();
    report.warnings = warnings;
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    for (const std::string& warning : warnings) terminal.warn(warning);
    terminal.print(common.json ? to_json(report) : to_text(report, terminal.style()));
    return fit.record.converged ? 0 : 1;
  }

 private:
  // Which entry of trainer_list; options of the others must not have been given.
  std::size_t chosen_trainer() {
    const std::string name = options_.model.empty() ? "least-squares" : options_.model;
    const auto chosen = static_cast<std::size_t>(&find_trainer(name) - trainer_list().data());
    for (std::size_t i = 0; i < setups_.size(); ++i) {
      if (i == chosen) continue;
      for (const OptionInfo& info : setups_[i]->options().options)
        if (std::find(given.begin(), given.end(), info.name) != given.end())
          throw Error(ErrorCode::usage, "--" + info.name + " is an option of " + std::string(trainer_list()[i].name) +
                                            ", not of " + name);
    }
    return chosen;
  }

  void check_target(const FeaturePlan& plan, const TrainerEntry& trainer) const {
    if (plan.target_kind == trainer.target) return;
    throw Error(
        ErrorCode::usage, {source_->name()},
        "the target column " + in_quotes(plan.target) + " holds text; " + std::string(trainer.name) + " needs numbers",
        "--numeric " + plan.target + " reads it as numbers");
  }

  void say_what_was_read(const FeaturePlan& plan, const Tables& tables, Terminal& terminal) const {
    for (const std::string& note : source_->notes()) terminal.note(source_->name() + ": " + note);
    std::vector<std::string> columns;
    for (const FeaturePlan::Input& input : plan.inputs)
      columns.push_back(input.name + " (" + kind_name(input.kind) + ")");
    columns.push_back(plan.target + " (target)");
    terminal.note(source_->name() + ": " + counted(tables.rows, "row") + ", comma, header; " + listed(columns));
    if (!plan.left_out.empty()) {
      std::vector<std::string> names;
      for (const ColumnInfo& column : plan.left_out) names.push_back(column.name);
      terminal.note("not used: " + listed(names));
    }
  }

  int say_plan(const FeaturePlan& plan, std::uint64_t rows, std::uint64_t test, std::size_t chosen,
               Terminal& terminal) const {
    std::vector<std::string> terms;
    for (const Expression& term : plan.terms) terms.push_back(term.text());
    const std::string model(trainer_list()[chosen].name);
    JsonWriter json(JsonWriter::Layout::indented);
    json.begin_object()
        .member("schema", 1)
        .member("command", "train")
        .member("dry_run", true)
        .member("model", model)
        .member("target", plan.target);
    json.key("terms").begin_array();
    for (const std::string& term : terms) json.value(term);
    json.end_array().key("rows").begin_object().member("train", rows - test).member("test", test).end_object();
    json.member("output", options_.output).end_object();
    terminal.print(std::find(given.begin(), given.end(), "json") != given.end()
                       ? json.take()
                       : "would fit " + model + ": " + plan.target + " from " + listed(terms) + "\n  on " +
                             counted(rows - test, "row") + ", " + count_text(test) + " held out, and save " +
                             options_.output + "\n");
    return 0;
  }

  Examples read_test_file(const FeatureMap& map, FeatureMap::Unseen& unseen, const Run& run) const {
    const std::unique_ptr<Source> source = open_source({options_.test.file});
    // The columns of the map by name and kind, then target and weight.
    TableLayout layout;
    std::vector<Selected> selected;
    const auto find = [&](const std::string& name, Kind kind) {
      std::vector<std::string> names;
      for (std::size_t c = 0; c < source->columns().size(); ++c) {
        if (source->columns()[c].name == name) {
          selected.push_back({c, kind});
          return selected.size() - 1;
        }
        names.push_back(source->columns()[c].name);
      }
      throw Error(
          ErrorCode::data, {source->name()},
          "there is no column " + in_quotes(name) + ", which the training data have; the columns are " + listed(names),
          did_you_mean(name, names));
    };
    for (const FeatureMap::Input& input : map.parts().inputs) layout.inputs.push_back(find(input.name, input.kind));
    layout.target = find(features_.target, Kind::number);
    if (!features_.weight.empty()) layout.weight = find(features_.weight, Kind::number);
    source->select(selected);
    return map.apply(read_all(*source, run), layout, unseen, run);
  }

  void fill_record(Record& record, const FeaturePlan& plan, std::uint64_t test_rows) {
    record.model = trainer_list()[chosen_trainer()].name;
    record.target = plan.target;
    record.seed = options_.seed;
    record.data_digest = source_->digest();
    record.test_rows = test_rows;
    // What shapes the model; not where it is saved, nor how it is run. A test file is recorded as such, never by its
    // path.
    for (const OptionGroup& group : options())
      for (const OptionInfo& info : group.options) {
        if (info.name == "output" || info.name == "threads" || info.name == "seed" ||
            std::find(given.begin(), given.end(), info.name) == given.end())
          continue;
        const bool test_file = info.name == "test" && options_.test.what == TestChoice::What::file;
        record.options.emplace_back(info.name, info.flag() ? "true" : test_file ? "file" : info.text(group.owner));
      }
  }

  FeatureOptions features_;
  TrainOptions options_;
  RunOptions run_;
  std::vector<std::unique_ptr<TrainerSetup>> setups_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_train() { return std::make_unique<Train>(); }

}  // namespace plumb::cli
