// plumb evaluate: scores a model on new rows, with intervals, beside a constant baseline.
#include "cli/command.h"
#include "cli/model_and_data.h"
#include "cli/model_command.h"
#include "cli/plot.h"
#include "plumb/workflow/evaluating.h"

namespace plumb::cli {
namespace {

class Evaluate final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    return {options_of("Reading", read_), options_of("Evaluation", options_), options_of("Plot", plot_),
            options_of("Running", run_)};
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    inputs_.open("evaluate", operands, run_.reading(read_));
  }

  int run(const std::vector<std::string>& operands, const CommonOptions& common, Terminal& terminal) override {
    const Stopwatch watch;
    check_plot(plot_);
    const std::string& mistakes = options_.mistakes.file;
    if (!mistakes.empty()) check_output({"mistakes", mistakes}, "mistakes.csv");
    options_.dry_run = common.dry_run;
    Executor executor(run_.chosen());
    const Run run{executor, {}, terminal.observer(), run_.max_memory.budget()};
    const bool draws = plot_.wanted() && !common.dry_run;
    Figure figure;
    EvaluateReport report =
        evaluate(*inputs_.saved, *inputs_.source, options_, terminal, run, draws ? &figure : nullptr);
    report.model_file = operands.front();
    if (draws) terminal.note(save_plot(plot_, std::move(figure)));
    if (!mistakes.empty() && !common.dry_run) {
      write_file(mistakes, mistakes_csv(report));
      terminal.note(counted(report.mistakes.size(), "mistake") + " in " + mistakes);
      report.lists_mistakes = common.json;
    }
    report.seconds = watch.seconds();
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    terminal.show(report, common.json);
    return report.met() ? 0 : 1;
  }

 private:
  ReadOptions read_;
  EvaluateOptions options_;
  PlotOptions plot_;
  RunOptions run_;
  ModelAndData inputs_;
};

}  // namespace

std::unique_ptr<Command> make_evaluate() { return std::make_unique<Evaluate>(); }

}  // namespace plumb::cli
