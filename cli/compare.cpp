// plumb compare: compares several models of the same target on the same rows.
#include <algorithm>
#include <chrono>
#include <optional>

#include "cli/command.h"
#include "cli/plot.h"
#include "cli/variants.h"
#include "plumb/workflow/comparing.h"
#include "plumb/workflow/data_words.h"

namespace plumb::cli {
namespace {

class Compare final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    std::vector<OptionGroup> groups = request_.data.groups();
    groups.push_back(options_of("Comparison", request_.options));
    groups.push_back(options_of("Choice of the model", request_.search));
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
    expect_operands(*find_command("compare"), operands, 1, kAnyNumber);
    source_ = open_source(operands, run_.reading(request_.data.read));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    const Run run{executor, RandomKey{request_.options.seed, 0}, terminal.observer(), run_.max_memory.budget()};
    const std::vector<Candidate> variants = read_variants(terminal);
    refuse_folds_beside(request_.data.split.fold, given);
    check_plot(plot_);
    request_.given = given;
    request_.wants_figure = plot_.wanted();
    if (common.dry_run)
      request_.planned = [&](const CompareReport& report) { return say_plan(variants, report, common, terminal) != 0; };
    CompareResult found = compare(request_, variants, *source_, terminal, run);
    if (common.dry_run) return 0;
    CompareReport& report = found.report;
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    for (const std::string& warning : found.solvers ? found.solvers->warnings : report.warnings) terminal.warn(warning);
    if (found.figure) terminal.note(save_plot(plot_, *found.figure));
    found.solvers ? terminal.show(*found.solvers, common.json) : terminal.show(report, common.json);
    return 0;
  }

 private:
  // Every model with every --with.
  std::vector<Candidate> read_variants(Messages& say) {
    std::vector<const TrainerEntry*> entries;
    std::vector<bool> searched;
    for (const std::string& name : request_.options.models) {
      searched.push_back(name == kAuto);
      entries.push_back(name == kAuto ? &default_entry(*source_, request_.data, &say) : &find_trainer(name));
    }
    const bool any_searched = std::find(searched.begin(), searched.end(), true) != searched.end();
    if (any_searched && trainers_.any_given(given))
      throw Error(ErrorCode::usage, "auto chooses the options of its model, and one is given",
                  "--with sets an option of the other models, or leave out auto");
    if (any_searched && request_.options.folds.what == FoldChoice::What::leave_one_out)
      throw Error(ErrorCode::usage, "auto searches in every fold, and --folds loo has as many as there are rows",
                  "--folds 10");
    if (entries.empty()) entries = compared_by_default(*source_, request_, &say);
    expect_used(trainers_, given, entries);
    if (!request_.options.solvers.empty()) return read_solvers(entries);
    searched.resize(entries.size());
    std::vector<std::optional<std::string>> withs(request_.options.with.each.begin(), request_.options.with.each.end());
    if (withs.empty() || (withs.size() == 1 && entries.size() == 1)) withs.insert(withs.begin(), std::nullopt);
    std::vector<Candidate> variants;
    for (std::size_t i = 0; i < entries.size(); ++i)
      for (const std::optional<std::string>& with : withs) {
        const TrainerEntry* const entry = entries[i];
        variants.push_back(
            read_variant(*entry, words_, options(), "with", with ? std::vector{*with} : std::vector<std::string>()));
        variants.back().name = with.value_or("as given");
        variants.back().searched = searched[i];
        if (entries.size() == 1) continue;
        variants.back().name = std::string(searched[i] ? kAuto : entry->name) + (with ? " " + *with : "");
      }
    if (variants.size() < 2)
      throw Error(ErrorCode::usage, "compare needs at least two models, or --with another option of one",
                  "-m " + std::string(entries.front()->name) + "," + another_than(*entries.front()));
    return variants;
  }

  static std::string another_than(const TrainerEntry& model) {
    for (const TrainerEntry& entry : trainer_list())
      if (entry.compared && entry.target == model.target && entry.name != model.name) return std::string(entry.name);
    return "";
  }

  // One variant for each solver of one model.
  std::vector<Candidate> read_solvers(const std::vector<const TrainerEntry*>& entries) {
    const TrainerEntry& entry = *entries.front();
    if (entries.size() > 1 && !request_.options.models.empty())
      throw Error(ErrorCode::usage, "--solvers compares solvers of one model; -m names " + count_text(entries.size()),
                  "-m " + std::string(entry.name));
    const std::unique_ptr<TrainerSetup> setup = entry.setup();
    if (find_option(setup->options(), "solver") == nullptr)
      throw Error(ErrorCode::usage, "-m " + std::string(entry.name) + " has no --solver to choose; logistic has",
                  "-m logistic");
    const bool all = request_.options.solvers.size() == 1 && request_.options.solvers.front() == "all";
    const std::vector<std::string> known = solver_names();
    std::vector<Candidate> variants;
    for (const std::string& name : request_.options.solvers)
      if (!all && name != "auto" && std::find(known.begin(), known.end(), name) == known.end())
        throw unknown_choice("solver", name, known, "--solvers ");
    for (const std::string& name : all ? known : request_.options.solvers)
      variants.push_back(read_variant(entry, words_, options(), "solvers", {"solver=" + name}));
    return variants;
  }

  static int say_plan(const std::vector<Candidate>& variants, const CompareReport& report, const CommonOptions& common,
                      Terminal& terminal) {
    std::vector<std::string> names;
    for (const Candidate& variant : variants) names.push_back(variant.name);
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    if (!common.json) {
      terminal.show("would compare " + escaped_for_terminal(listed(names)) + " on " + counted(report.rows, "row") +
                    "\n");
      return 0;
    }
    JsonWriter json(JsonWriter::Layout::indented);
    json.begin_object().member("schema", 1).member("command", "compare").member("dry_run", true);
    json.member("target", report.target).member("rows", report.rows).key("models").begin_array();
    for (const std::string& name : names) json.value(name);
    terminal.print(json.end_array().end_object().take());
    return 0;
  }

  CompareRequest request_;
  TrainerChoice trainers_;
  PlotOptions plot_;
  RunOptions run_;
  std::vector<std::string> words_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_compare() { return std::make_unique<Compare>(); }

}  // namespace plumb::cli
