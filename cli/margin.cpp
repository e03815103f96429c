// plumb margin: whether a hyperplane separates two classes, with a proof either way, and how wide its margin can be; or
// the margin of a given model.
#include "cli/command.h"
#include "cli/model_and_data.h"
#include "cli/plot.h"
#include "plumb/workflow/margins.h"

namespace plumb::cli {
namespace {

class Margin final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    return {options_of("Margin", request_.search),
            options_of("Data", request_.features),
            options_of("Text", request_.text),
            options_of("Classes", request_.classes),
            options_of("Reading", read_),
            options_of("Plot", plot_),
            options_of("Running", run_)};
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("margin"), operands, 1, kAnyNumber);
    if (!request_.search.model.empty()) saved_ = std::make_unique<SavedModel>(load_model(request_.search.model));
    source_ = saved_ ? open_for(*saved_, operands, run_.reading(read_)) : open_source(operands, run_.reading(read_));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    check_plot(plot_);
    const Stopwatch watch;
    request_.given = given;
    request_.dry_run = common.dry_run;
    Executor executor(run_.chosen());
    const Run run{executor, {}, terminal.observer(), run_.max_memory.budget()};
    std::optional<Figure> figure;
    MarginReport report = margin(saved_.get(), *source_, request_, terminal, run, plot_.wanted() ? &figure : nullptr);
    report.seconds = watch.seconds();
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    if (figure) terminal.note(save_plot(plot_, *figure));
    terminal.show(report, common.json);
    return 0;
  }

 private:
  MarginRequest request_;
  ReadOptions read_;
  PlotOptions plot_;
  RunOptions run_;
  std::unique_ptr<SavedModel> saved_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_margin() { return std::make_unique<Margin>(); }

}  // namespace plumb::cli
