// plumb sample: rows sampled from a fitted naive Bayes, or the error that no model can beat on them.
#include <algorithm>

#include "cli/command.h"
#include "cli/signals.h"
#include "plumb/base/file.h"
#include "plumb/base/json_writer.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/workflow/model.h"
#include "plumb/workflow/sampling.h"

namespace plumb::cli {
namespace {

class Sample final : public Command {
 public:
  std::vector<OptionGroup> options() override { return {options_of("Sample", options_)}; }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("sample"), operands, 1, 1);
    saved_ = std::make_unique<SavedModel>(load_model(operands.front()));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    if (options_.bayes_error && !common.dry_run) return show_bayes_error(common, terminal);
    check_output({"output", options_.output}, common.json ? "rows.csv" : "");
    Executor executor(1);
    const Run run{executor, {}, terminal.observer()};
    SampleReport report = common.dry_run ? sample(*saved_, options_, {}, terminal, run) : written(terminal, run);
    report.dry_run = common.dry_run;
    const std::string what = counted(report.rows, "row") + " of " + counted(report.columns, "column");
    if (common.json) {
      terminal.print(to_json(report));
    } else if (common.dry_run) {
      terminal.show("would draw " + what + "\n");
    } else if (options_.output != "-") {
      terminal.note(what + " in " + options_.output);
    }
    return 0;
  }

 private:
  int show_bayes_error(const CommonOptions& common, Terminal& terminal) const {
    if (options_.output != "-")
      throw Error(ErrorCode::usage, "--bayes-error writes no rows, and --output names a file", "leave out --output");
    const auto typed = [&](const char* name) { return std::find(given.begin(), given.end(), name) != given.end(); };
    const BayesError found = bayes_error(Model(*saved_), typed("rows") ? options_.rows : BayesError::kRows,
                                         options_.seed, {.watch = terminal.observer()});
    if (!common.json) {
      terminal.show("Bayes error " + four_digits(found.value) + " (" + four_digits(found.low) + " to " +
                    four_digits(found.high) + "), from " + counted(found.rows, "row") + " drawn from the model\n");
      return 0;
    }
    JsonWriter json(JsonWriter::Layout::indented);
    json.begin_object().member("schema", 1).member("command", "sample").key("bayes_error").begin_object();
    json.member("value", found.value).member("low", found.low).member("high", found.high).end_object();
    json.member("rows", found.rows).member("seed", options_.seed);
    terminal.print(json.end_object().take());
    return 0;
  }

  SampleReport written(Terminal& terminal, const Run& run) const {
    OutputFile output(options_.output);
    const RemovedBySignal removed(output.temporary());
    SampleReport report = sample(
        *saved_, options_, [&](std::string_view text) { output.write(text); }, terminal, run);
    output.commit();
    return report;
  }

  SampleOptions options_;
  std::unique_ptr<SavedModel> saved_;
};

}  // namespace

std::unique_ptr<Command> make_sample() { return std::make_unique<Sample>(); }

}  // namespace plumb::cli
