// plumb predict: a model and data in, one row out for each row in.
#include "cli/command.h"
#include "cli/model_and_data.h"
#include "cli/signals.h"
#include "plumb/base/file.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/workflow/predicting.h"

namespace plumb::cli {
namespace {

class Predict final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    return {options_of("Reading", read_), options_of("Output", options_), options_of("Running", run_)};
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    inputs_.open("predict", operands, run_.reading(read_));
  }

  int run(const std::vector<std::string>& operands, const CommonOptions& common, Terminal& terminal) override {
    const Stopwatch watch;
    Executor executor(run_.chosen());
    const Run run{executor, {}, terminal.observer(), run_.max_memory.budget()};
    check_output({"output", options_.output}, common.json ? "predictions.csv" : "");
    PredictReport report = common.dry_run ? predicted({}, terminal, run) : written(terminal, run);
    report.model_file = operands.front();
    report.dry_run = common.dry_run;
    report.seconds = watch.seconds();
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    for (const std::string& detail : report.details) terminal.detail(detail);
    if (common.json) {
      terminal.print(to_json(report));
    } else if (common.dry_run) {
      terminal.show("would predict " + counted(report.rows, "row") + " with " +
                    escaped_for_terminal(report.model_file) + "\n");
    } else if (options_.output != "-") {
      terminal.note(counted(report.rows, "prediction") + " in " + options_.output);
    }
    return 0;
  }

 private:
  PredictReport predicted(const TextSink& sink, Terminal& terminal, const Run& run) const {
    return predict(*inputs_.saved, *inputs_.source, options_, sink, terminal, run);
  }
  PredictReport written(Terminal& terminal, const Run& run) const {
    OutputFile output(options_.output);
    const RemovedBySignal removed(output.temporary());
    PredictReport report = predicted([&](std::string_view text) { output.write(text); }, terminal, run);
    output.commit();
    return report;
  }

  ReadOptions read_;
  PredictOptions options_;
  RunOptions run_;
  ModelAndData inputs_;
};

}  // namespace

std::unique_ptr<Command> make_predict() { return std::make_unique<Predict>(); }

}  // namespace plumb::cli
