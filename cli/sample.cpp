// plumb sample: rows sampled from a fitted naive Bayes.
#include "cli/command.h"
#include "cli/signals.h"
#include "plumb/base/file.h"
#include "plumb/base/text.h"
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
