// plumb inspect and plumb explain: looking into a model, and at what it makes of rows.
#include "cli/command.h"
#include "cli/plot.h"

namespace plumb::cli {
namespace {

struct InspectOptions {
  std::uint64_t top = 0;
  ImageSize image;
  static OptionTable table() {
    return {option("top", &InspectOptions::top, "only the N weights largest by size")
                .value("N")
                .in(at_least(1))
                .otherwise("all"),
            option("image", &InspectOptions::image,
                   "of naive-bayes: --plot draws what is typical of each class as an image of so many pixels")
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
    if (plot_.wanted() != !options_.image.none())
      throw Error(ErrorCode::usage, "--image and --plot belong together, and one of them is missing",
                  plot_.wanted() ? "--image 28x28 says how many pixels there are" : "--plot classes.svg");
    check_plot(plot_);
    if (plot_.wanted() && !common.dry_run) terminal.note(save_plot(plot_, images()));
    const InspectReport report{*saved_, operands.front(), options_.top};
    terminal.print(common.json ? to_json(report) : to_text(report, terminal.style()));
    return 0;
  }

 private:
  Figure images() const {
    const std::optional<BayesTables> tables = bayes_tables(*saved_);
    if (!tables)
      throw Error(ErrorCode::usage,
                  "--image is for models of naive-bayes, and this one is of " + in_quotes(saved_->record.model));
    return class_images(*tables, saved_->model.parts().map, saved_->record.target, options_.image);
  }

  InspectOptions options_;
  PlotOptions plot_;
  std::unique_ptr<SavedModel> saved_;
};

struct ExplainOptions {
  std::uint64_t rows = 10;
  std::uint64_t top = 0;
  static OptionTable table() {
    using O = ExplainOptions;
    return {
        option("rows", &O::rows, "how many rows to explain, the first ones; 0 for all").value("N"),
        option("top", &O::top, "only the N largest contributions by size").value("N").in(at_least(1)).otherwise("all")};
  }
};

class Explain final : public Command {
 public:
  std::vector<OptionGroup> options() override { return {options_of("Reading", read_), options_of("Output", options_)}; }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("explain"), operands, 2, kAnyNumber);
    saved_ = std::make_unique<SavedModel>(load_model(operands.front()));
    source_ = open_for(saved_->model, {operands.begin() + 1, operands.end()}, read_);
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    const LinearModel& model = saved_->model;
    Executor executor(1);
    const Run run{executor, {}, terminal.observer()};
    const TableLayout layout = model.parts().map.select_from(*source_, {.keep_texts = true});
    ExplainReport report{model, saved_->record, {}, options_.top, false};
    FeatureMap::Unseen unseen;
    Table table;
    std::uint64_t row = 0;
    while (!report.more_rows && source_->next(table, run)) {
      const Piece piece = model.parts().map.apply(table, layout, unseen);
      PieceRows rows(piece);
      for (std::uint64_t r = 0; r < piece.rows && !report.more_rows; ++r) {
        report.more_rows = options_.rows != 0 && row == options_.rows;
        if (!report.more_rows) report.rows.push_back(explained(model, ++row, table, layout, r, rows.row(r)));
      }
    }
    for (const std::string& warning : warnings_about(source_->skipped())) terminal.warn(warning);
    if (unseen.values > 0) terminal.warn(unseen.text());
    terminal.print(common.json ? to_json(report) : to_text(report, terminal.style()));
    return 0;
  }

 private:
  static ExplainedRow explained(const LinearModel& model, std::uint64_t number, const Table& table,
                                const TableLayout& layout, std::uint64_t row, const Row& x) {
    try {
      ExplainedRow found{number, explain(model, x)};
      const FeatureMap::Parts& map = model.parts().map.parts();
      for (std::size_t t = 0; t < map.terms.size(); ++t)
        if (const TextTerm* const text = std::get_if<TextTerm>(&map.terms[t]))
          found.texts.push_back(
              mark_text(model, found.explanation, t, table.columns[layout.inputs[text->input]].documents[row]));
      return found;
    } catch (const Error& error) {
      throw table.row_error(row, error.message(), error.hint());
    }
  }

  ExplainOptions options_;
  ReadOptions read_;
  std::unique_ptr<SavedModel> saved_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_inspect() { return std::make_unique<Inspect>(); }
std::unique_ptr<Command> make_explain() { return std::make_unique<Explain>(); }

}  // namespace plumb::cli
