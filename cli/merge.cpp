// plumb merge and plumb forget: add models that stored their sums, or remove some of their rows.
#include "cli/command.h"
#include "cli/model_and_data.h"
#include "cli/model_command.h"
#include "plumb/base/json_writer.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/workflow/merging.h"

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

// Saves first, then reports.
void finish(const std::string& command, const Trained& fit, const std::string& output, const CommonOptions& common,
            Terminal& terminal) {
  std::uint64_t bytes = 0;
  if (!common.dry_run) {
    const std::string content = model_bytes(fit.model, fit.record);
    bytes = content.size();
    write_file(output, content);
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
  terminal.show(common.dry_run ? "would save a model of " + what + " as " + escaped_for_terminal(output) + "\n"
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
    finish("merge", merge(models_), options_.output, common, terminal);
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
    inputs_.open("forget", operands, run_.reading(read_));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    check_output({"output", options_.output}, "rest.plumb");
    Executor executor(run_.chosen());
    const Run run{executor, {}, terminal.observer(), run_.max_memory.budget()};
    finish("forget", forget(*inputs_.saved, *inputs_.source, terminal, run), options_.output, common, terminal);
    return 0;
  }

 private:
  ReadOptions read_;
  MergeOptions options_;
  RunOptions run_;
  ModelAndData inputs_;
};

}  // namespace

std::unique_ptr<Command> make_merge() { return std::make_unique<Merge>(); }
std::unique_ptr<Command> make_forget() { return std::make_unique<Forget>(); }

}  // namespace plumb::cli
