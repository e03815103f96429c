// plumb inspect and plumb explain: show the content of a model, and how it predicts rows.
#include "cli/command.h"
#include "cli/model_and_data.h"
#include "cli/plot.h"
#include "plumb/workflow/explaining.h"

#include <optional>
#include <utility>

namespace plumb::cli {
namespace {

struct InspectOptions {
  TopChoice top;
  ImageSize image;
  static OptionTable table() {
    return {option("top", &InspectOptions::top, "show the N weights that matter most").value("N|all").otherwise("20"),
            option("image", &InspectOptions::image, "naive-bayes: --plot draws each class as an image of this size")
                .value("WIDTHxHEIGHT")
                .otherwise("none")};
  }
};

class Inspect final : public Command {
 public:
  std::vector<OptionGroup> options() override { return {options_of("Output", options_), options_of("Plot", plot_)}; }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("inspect"), operands, 1, 1);
    saved_ = std::make_unique<SavedModel>(load_model(operands.front()));
  }

  int run(const std::vector<std::string>& operands, const CommonOptions& common, Terminal& terminal) override {
    if (!plot_.wanted() && !options_.image.none())
      throw Error(ErrorCode::usage, "--image needs --plot", "--plot classes.svg");
    check_plot(plot_);
    if (plot_.wanted() && !common.dry_run) draw(terminal);
    const InspectReport report = inspect_report(*saved_, operands.front(), options_.top, common.json);
    terminal.show(report, common.json);
    return 0;
  }

 private:
  void draw(Terminal& terminal) const {
    if (!options_.image.none()) return terminal.note(save_plot(plot_, class_images(*saved_, options_.image)));
    std::optional<Figure> figure = weights_figure(*saved_, options_.top);
    if (!figure) return terminal.warn("no plot was drawn: the model has no features");
    terminal.note(save_plot(plot_, std::move(*figure)));
  }

  InspectOptions options_;
  PlotOptions plot_;
  std::unique_ptr<SavedModel> saved_;
};

class Explain final : public Command {
 public:
  std::vector<OptionGroup> options() override { return {options_of("Reading", read_), options_of("Output", options_)}; }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    inputs_.open("explain", operands, read_);
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    Executor executor(1);
    const Run run{executor, {}, terminal.observer()};
    const ExplainReport report = explain(inputs_.saved, *inputs_.source, options_, terminal, run);
    terminal.show(report, common.json);
    return 0;
  }

 private:
  ExplainOptions options_;
  ReadOptions read_;
  ModelAndData inputs_;
};

}  // namespace

std::unique_ptr<Command> make_inspect() { return std::make_unique<Inspect>(); }
std::unique_ptr<Command> make_explain() { return std::make_unique<Explain>(); }

}  // namespace plumb::cli
