// plumb crossval: cross-validation.
#include <chrono>

#include "cli/command.h"
#include "cli/model_command.h"
#include "cli/plot.h"
#include "plumb/workflow/crossval.h"

namespace plumb::cli {
namespace {

class Crossval final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    std::vector<OptionGroup> groups = request_.data.groups();
    groups.push_back(options_of("Cross-validation", request_.options));
    groups.push_back(options_of("Choice of the model", request_.search));
    groups.push_back(options_of("Plot", plot_));
    request_.trainers.append_to(groups);
    groups.push_back(options_of("Running", run_));
    return groups;
  }

  std::vector<OptionGroup> options_for(const std::vector<std::string>& words) override {
    return with_chosen_trainer(options(), words, request_.trainers);
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("crossval"), operands, 1, kAnyNumber);
    request_.data.files = operands;
    source_ = open_source(operands, run_.reading(request_.data.read));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    const Run run{executor, RandomKey{request_.options.seed, 0}, terminal.observer(), run_.max_memory.budget()};
    check_plot(plot_);
    request_.given = given;
    request_.dry_run = common.dry_run;
    request_.wants_figure = plot_.wanted();
    CrossvalResult found = cross_validate(request_, *source_, terminal, run);
    if (found.figure) terminal.note(save_plot(plot_, *found.figure));
    EvaluateReport& report = found.report;
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    terminal.show(report, common.json);
    return report.met() ? 0 : 1;
  }

 private:
  CrossvalRequest request_;
  PlotOptions plot_;
  RunOptions run_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_crossval() { return std::make_unique<Crossval>(); }

}  // namespace plumb::cli
