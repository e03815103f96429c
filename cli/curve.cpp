// plumb curve: learning curves, the held-out error of models as they get more training rows.
#include <chrono>

#include "cli/command.h"
#include "cli/plot.h"
#include "cli/variants.h"
#include "plumb/workflow/learning_curve.h"

namespace plumb::cli {
namespace {

class CurveCommand final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    std::vector<OptionGroup> groups = request_.data.groups();
    groups.push_back(options_of("Curves", request_.options));
    groups.push_back(options_of("Plot", plot_));
    trainers_.append_to(groups);
    groups.push_back(options_of("Running", run_));
    return groups;
  }

  std::vector<OptionGroup> options_for(const std::vector<std::string>& words) override {
    words_ = words;
    return options();
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("curve"), operands, 1, kAnyNumber);
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
    const std::vector<Candidate> variants = read_variants(terminal);
    CurveReport report = learning_curve(request_, variants, *source_, terminal, run);
    if (common.dry_run) return say_plan(report, variants.size(), common.json, terminal);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    if (plot_.wanted()) terminal.note(save_plot(plot_, curve_figure(report)));
    terminal.show(report, common.json);
    return 0;
  }

 private:
  std::vector<Candidate> read_variants(Messages& say) {
    std::vector<const TrainerEntry*> entries;
    for (const std::string& name : request_.options.models) entries.push_back(&find_trainer(name));
    if (entries.empty()) entries.push_back(&default_entry(*source_, request_.data, &say));
    expect_used(trainers_, given, entries);
    std::vector<Candidate> variants;
    for (const TrainerEntry* entry : entries) {
      variants.push_back(read_variant(*entry, words_, options(), "with", {}));
      variants.back().name = entry->name;
    }
    return variants;
  }

  static int say_plan(const CurveReport& report, std::size_t models, bool as_json, Terminal& terminal) {
    if (!as_json) {
      terminal.show("would fit " + counted(models, "model") + " to parts of " + counted(report.rows, "row") + ", " +
                    counted(report.repeats, "time") + "\n");
      return 0;
    }
    JsonWriter json(JsonWriter::Layout::indented);
    json.begin_object().member("schema", 1).member("command", "curve").member("dry_run", true);
    json.member("target", report.target).member("rows", report.rows).member("models", models);
    terminal.print(json.end_object().take());
    return 0;
  }

  CurveRequest request_;
  TrainerChoice trainers_;
  PlotOptions plot_;
  RunOptions run_;
  std::vector<std::string> words_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_curve() { return std::make_unique<CurveCommand>(); }

}  // namespace plumb::cli
