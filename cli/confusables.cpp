// plumb confusables: which of several words belongs where one of them stands, learnt from plain running text.
#include "plumb/workflow/confusables.h"

#include <chrono>
#include <optional>

#include "cli/command.h"
#include "cli/model_command.h"
#include "cli/plot.h"

namespace plumb::cli {
namespace {

class ConfusablesCommand final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    std::vector<OptionGroup> groups = {options_of("Words in texts", options_), options_of("Plot", plot_)};
    request_.trainers.append_to(groups);
    groups.push_back(options_of("Running", run_));
    return groups;
  }

  std::vector<OptionGroup> options_for(const std::vector<std::string>& words) override {
    return with_chosen_trainer(options(), words, request_.trainers);
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    const bool trains = options_.from.empty();
    expect_operands(*find_command("confusables"), operands, trains ? 2 : 0, trains ? kAnyNumber : 1);
    if (!operands.empty()) words_ = confusable_words(operands.front());
    for (std::size_t i = 1; i < operands.size(); ++i) files_.push_back(operands[i]);
    for (const std::string& file : files_) expect_readable(file);
    if (!options_.correct.empty()) expect_readable(options_.correct);
    if (options_.test.what == TestChoice::What::file) expect_readable(options_.test.file);
    if (!trains) start_.emplace(load_model(options_.from));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    const Run run{executor, RandomKey{options_.seed, 0}, terminal.observer(), run_.max_memory.budget()};
    request_.given = given;
    request_.data.read.most_window = run_.max_memory.bytes;
    check_plot(plot_);
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    };
    if (start_) {
      if (options_.correct.empty())
        throw Error(ErrorCode::usage, "--from names a model, and no text to correct; --correct was expected",
                    "--correct letter.txt");
      const CorrectionReport corrected = corrections(*start_, words_, options_, run_.max_memory.bytes, run);
      common.json ? terminal.print(to_json(nullptr, "", &corrected, {}, seconds()))
                  : terminal.show(to_text(corrected, terminal.style()));
      return 0;
    }
    check_output({"output", options_.output}, "model.plumb");
    if (!options_.examples.empty()) check_output({"examples", options_.examples}, "examples.csv");
    Confusables confusables(options_, request_, words_, files_, terminal, run);
    confusables.read();
    if (common.dry_run) return say_plan(confusables.rows(), common.json, terminal);
    if (!options_.examples.empty()) write_file(options_.examples, confusables.rows().csv());
    confusables.train();
    Training& training = confusables.training();
    const std::string bytes = training.bytes();
    write_file(options_.output, bytes);
    ConfusablesReport report = confusables.report();
    report.training.file = options_.output;
    report.training.bytes = bytes.size();
    std::optional<CurveReport> curve;
    if (options_.curve || plot_.wanted()) curve = confusables.curve();
    if (plot_.wanted()) terminal.note(save_plot(plot_, curve_figure(*curve)));
    std::optional<CorrectionReport> corrected;
    if (!options_.correct.empty())
      corrected = corrections({training.trained().model, training.trained().record}, words_, options_,
                              run_.max_memory.bytes, run);
    report.training.seconds = seconds();
    for (const std::string& warning : report.training.warnings) terminal.warn(warning);
    if (common.json) {
      terminal.print(to_json(&report, curve ? to_json(*curve) : "", corrected ? &*corrected : nullptr,
                             report.training.warnings, seconds()));
    } else {
      terminal.show(to_text(report, terminal.style()));
      if (curve) terminal.show("\n" + to_text(*curve, terminal.style()));
      if (corrected) terminal.show("\n" + to_text(*corrected, terminal.style()));
    }
    return training.converged() ? 0 : 1;
  }

 private:
  int say_plan(const ConfusableRows& rows, bool as_json, Terminal& terminal) const {
    if (!as_json) {
      terminal.show("would train " + options_.model + " on " + counted(rows.word.size(), "occurrence") + " of " +
                    listed(words_) + " and save it in " + options_.output + "\n");
      return 0;
    }
    JsonWriter json(JsonWriter::Layout::indented);
    json.begin_object().member("schema", 1).member("command", "confusables").member("dry_run", true);
    json.member("model", options_.model).key("occurrences").begin_object();
    for (std::size_t i = 0; i < words_.size(); ++i) json.member(words_[i], rows.counts[i]);
    terminal.print(json.end_object().end_object().take());
    return 0;
  }

  ConfusablesOptions options_;
  TrainRequest request_;
  PlotOptions plot_;
  RunOptions run_;
  std::vector<std::string> words_, files_;
  std::optional<SavedModel> start_;  // of --from
};

}  // namespace

std::unique_ptr<Command> make_confusables() { return std::make_unique<ConfusablesCommand>(); }

}  // namespace plumb::cli
