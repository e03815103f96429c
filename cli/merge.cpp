// plumb merge and plumb forget: models that kept their sums, added up, or without some of their rows.
#include "cli/command.h"
#include "cli/signals.h"
#include "plumb/workflow/further_training.h"

namespace plumb::cli {
namespace {

struct MergeOptions {
  std::string output = "model.plumb";

  static OptionTable table() {
    return {option("output", &MergeOptions::output, "where to save the model")
                .value("FILE")
                .writes_file()
                .short_as('o')
                .unrecorded()};
  }
};

// Saved, then told.
void finish(const std::string& command, const Trained& fit, const std::string& output, const CommonOptions& common,
            Terminal& terminal) {
  std::uint64_t bytes = 0;
  if (!common.dry_run) {
    const std::string content = model_bytes(fit.model, fit.record);
    bytes = content.size();
    OutputFile file(output);
    const RemovedBySignal removed(file.temporary());
    file.write(content);
    file.commit();
  }
  for (const std::string& warning : fit.warnings) terminal.warn(warning);
  if (common.json) {
    JsonWriter json(JsonWriter::Layout::indented);
    json.begin_object().member("schema", 1).member("command", command);
    if (common.dry_run) json.member("dry_run", true);
    json.member("model", fit.record.model).member("rows", fit.record.train_rows);
    json.member("features", fit.model.features()).key("labels").begin_array();
    for (const std::string& label : fit.model.parts().labels) json.value(label);
    json.end_array().member("output", output);
    terminal.print(json.end_object().take());
    return;
  }
  const std::string what = counted(fit.record.train_rows, "row") + ", " + counted(fit.model.features(), "feature") +
                           ", " + counted(fit.model.parts().labels.size(), "label");
  terminal.print(common.dry_run ? "would save a model of " + what + " as " + escaped_for_terminal(output) + "\n"
                                : fit.record.model + ": " + what + "\n  saved     " + escaped_for_terminal(output) +
                                      " (" + bytes_text(bytes) + ")   next: plumb inspect " +
                                      escaped_for_terminal(as_typed(output)) + "\n");
}

class Merge final : public Command {
 public:
  std::vector<OptionGroup> options() override { return {options_of("Output", options_)}; }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("merge"), operands, 2, kAnyNumber);
    for (const std::string& path : operands) models_.push_back(load_model(path));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    check_output({"output", options_.output}, "merged.plumb");
    Trained fit = merge_models(models_[0], models_[1]);
    for (std::size_t i = 2; i < models_.size(); ++i) fit = merge_models({fit.model, fit.record}, models_[i]);
    finish("merge", fit, options_.output, common, terminal);
    return 0;
  }

 private:
  MergeOptions options_;
  std::vector<SavedModel> models_;
};

class Forget final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    return {options_of("Reading", read_), options_of("Output", options_), options_of("Running", run_)};
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("forget"), operands, 2, kAnyNumber);
    saved_ = std::make_unique<SavedModel>(load_model(operands.front()));
    source_ = open_for(saved_->model, {operands.begin() + 1, operands.end()}, run_.reading(read_));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    check_output({"output", options_.output}, "rest.plumb");
    Executor executor(run_.chosen());
    const Run run{executor, {}, terminal.observer(), run_.max_memory.budget()};
    const FeatureMap& map = saved_->model.parts().map;
    std::string weight;
    for (const auto& [option, value] : saved_->record.options)
      if (option == "weight") weight = value;
    TableLayout layout = map.select_from(*source_, {saved_->record.target, saved_->model.parts().labels, weight});
    FeatureMap::Unseen unseen;
    Tables tables = read_all(*source_, run);
    const Classes classes = classes_of(tables, *layout.target, layout.weight, layout.labels);
    expect_known_labels(*saved_, classes, classes.counted, source_->name(), "give rows that it was trained on");
    layout.known_labels = layout.labels.size();
    append_new_labels(layout.labels, *layout.known_labels, classes.labels);  // those of rows of weight 0
    const Examples rows = map.apply(std::move(tables), layout, unseen, run);
    for (const std::string& note : source_->notes()) terminal.note(source_->name() + ": " + note);
    for (const std::string& warning : warnings_about(source_->skipped())) terminal.warn(warning);
    if (unseen.values > 0)
      throw Error(ErrorCode::data, {source_->name()},
                  in_quotes(unseen.first) + " is in none of the rows that the model was trained on",
                  "give rows that it was trained on");
    const Trained rest = forget_rows(*saved_, rows, run);
    expect_known_terms(unseen, rows);
    finish("forget", rest, options_.output, common, terminal);
    return 0;
  }

 private:
  // Of a vocabulary that was given, other terms were never counted. Rows of weight 0 were not there, and which of the
  // rows hold the unknown terms is not known: then nothing is said.
  void expect_known_terms(const FeatureMap::Unseen& unseen, const Examples& rows) const {
    if (unseen.unknown_terms == 0) return;
    for (const auto& [option, value] : saved_->record.options)
      if (option == "vocabulary") return;
    for (std::size_t b = 0; b < rows.blocks(); ++b) {
      bool weightless = false;
      rows.block(b).for_each([&](const Example& example) { weightless = weightless || example.weight == 0.0; });
      if (weightless) return;
    }
    throw Error(ErrorCode::data, {source_->name()},
                counted(unseen.unknown_terms, "word") + " of the texts " + (unseen.unknown_terms == 1 ? "is" : "are") +
                    " in none of the rows that the model was trained on",
                "give rows that it was trained on");
  }

  ReadOptions read_;
  MergeOptions options_;
  RunOptions run_;
  std::unique_ptr<SavedModel> saved_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_merge() { return std::make_unique<Merge>(); }
std::unique_ptr<Command> make_forget() { return std::make_unique<Forget>(); }

}  // namespace plumb::cli
