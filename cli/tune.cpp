// plumb tune: chooses option values by cross-validation or on validation rows; then trains the model with them, as
// plumb train would.
#include <algorithm>
#include <chrono>

#include "cli/command.h"
#include "cli/model_command.h"
#include "cli/plot.h"
#include "cli/variants.h"
#include "plumb/workflow/data_words.h"
#include "plumb/workflow/tuning.h"

namespace plumb::cli {
namespace {

// The options passed to train.
struct TuneTraining {
  std::string model;
  std::string output = "model.plumb";
  TestChoice test;
  std::uint64_t seed = 42;

  static OptionTable table() {
    using O = TuneTraining;
    return {option("model", &O::model, "the model to fit")
                .value("MODEL")
                .short_as('m')
                .otherwise("least-squares for numbers, logistic for labels"),
            option("output", &O::output, "where to save the model").value("FILE").writes_file().short_as('o'),
            option("test", &O::test,
                   "rows held out to score the final model: a fraction, a number of rows, a file, or none")
                .value("F|N|FILE|none")
                .reads_file(),
            option("seed", &O::seed, "seed of all random choices").value("N")};
  }
};

class Tune final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    std::vector<OptionGroup> groups = handed_on();
    groups.insert(groups.begin() + 5, options_of("Tuning", request_.options));
    return groups;
  }

  std::vector<OptionGroup> options_for(const std::vector<std::string>& words) override {
    words_ = words;
    return with_chosen_trainer(options(), words, trainers_);
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("tune"), operands, 1, kAnyNumber);
    if (std::find(operands.begin(), operands.end(), "-") != operands.end())
      throw Error(ErrorCode::usage, "standard input can be read only once, and tune reads the data again to train",
                  "save the rows in a file first");
    std::vector<std::string> files = operands;
    if (request_.options.dev.what == TestChoice::What::file && training_.test.what == TestChoice::What::file &&
        same_place(request_.options.dev.file, training_.test.file))
      throw Error(ErrorCode::usage, "--dev and --test name the same file; rows that choose a setting cannot test it",
                  "--test none");
    if (request_.options.dev.what == TestChoice::What::file) files.push_back(request_.options.dev.file);
    source_ = open_source(files, run_.reading(request_.data.read));
  }

  int run(const std::vector<std::string>& operands, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    const Run run{executor, RandomKey{training_.seed, 0}, terminal.observer(), run_.max_memory.budget()};
    const std::string name =
        training_.model.empty() ? std::string(default_entry(*source_, request_.data, &terminal).name) : training_.model;
    const TrainerEntry& entry = trainer_list()[trainers_.find(name, given)];
    refuse_folds_beside(request_.data.split.fold, given);
    check_output({"output", training_.output}, "model.plumb");
    check_plot(plot_);
    const std::vector<GridAxis> axes = read_grid(entry, request_.options, given);
    const std::vector<Candidate> candidates = read_variants(entry, axes);
    request_.test = training_.test;
    request_.seed = training_.seed;
    request_.given = given;
    request_.dry_run = common.dry_run;
    TuneReport report = tune(request_, axes, candidates, *source_, terminal, run);
    if (common.dry_run) return say_plan(report, candidates.size(), common.json, terminal);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    if (plot_.wanted()) terminal.note(save_plot(plot_, tuning_figure(report)));
    if (!common.json) terminal.show(to_text(report, terminal.style()));
    return train_chosen(operands, report, common, terminal);
  }

 private:
  std::vector<OptionGroup> handed_on() {
    std::vector<OptionGroup> groups = request_.data.groups();
    groups.push_back(options_of("Training", training_));
    groups.push_back(options_of("Plot", plot_));
    trainers_.append_to(groups);
    groups.push_back(options_of("Running", run_));
    return groups;
  }

  std::vector<Candidate> read_variants(const TrainerEntry& entry, const std::vector<GridAxis>& axes) {
    std::vector<Candidate> variants;
    for (const auto& values : combinations(axes)) {
      std::vector<std::string> with;
      for (const auto& [option, value] : values) with.push_back(option + "=" + value);
      variants.push_back(read_variant(entry, words_, options(), "grid", with));
    }
    return variants;
  }

  static int say_plan(const TuneReport& report, std::size_t settings, bool as_json, Terminal& terminal) {
    if (!as_json) {
      terminal.show("would try " + counted(settings, "setting") + " of " + report.model + " on " +
                    counted(report.rows, "row") + "\n");
      return 0;
    }
    JsonWriter json(JsonWriter::Layout::indented);
    json.begin_object().member("schema", 1).member("command", "tune").member("dry_run", true);
    json.member("model", report.model).member("target", report.target).member("rows", report.rows);
    terminal.print(json.member("settings", settings).end_object().take());
    return 0;
  }

  static std::string said_again(const OptionInfo& info, const void* owner) {
    const std::string file = info.file(owner);
    return file.empty() ? info.text(owner) : file;
  }

  bool is_flag(const std::string& option) {
    std::vector<OptionGroup> groups = handed_on();
    return std::any_of(groups.begin(), groups.end(), [&](const OptionGroup& group) {
      const OptionInfo* const info = find_option(group, option);
      return info != nullptr && info->flag();
    });
  }

  // The words for plumb train: the ones given here, with the chosen values.
  int train_chosen(const std::vector<std::string>& operands, const TuneReport& report, const CommonOptions& common,
                   Terminal& terminal) {
    std::vector<std::string> words = {"train"};
    words.push_back("--model=" + report.model);
    const auto& chosen = report.points[report.chosen].options;
    const auto add = [&](const std::vector<OptionGroup>& groups) {
      for (const OptionGroup& group : groups)
        for (const OptionInfo& info : group.options) {
          const auto is = [&](const auto& name) { return name == info.name; };
          const bool varied =
              std::any_of(chosen.begin(), chosen.end(), [&](const auto& each) { return is(each.first); });
          const bool said = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
            return word == "--" + info.name || word.starts_with("--" + info.name + "=");
          });
          if (info.name == "plot" || (varied && !adds_to_typed(info.name)) || said ||
              std::find_if(given.begin(), given.end(), is) == given.end())
            continue;
          words.push_back(info.flag() ? "--" + info.name : "--" + info.name + "=" + said_again(info, group.owner));
        }
    };
    add({trainers_.setup(trainers_.find(report.model, given)).options()});
    add(handed_on());
    std::vector<std::string> tuned;
    for (const auto& [option, value] : chosen) {
      tuned.push_back(option);
      const bool flag = is_flag(option);
      if (!flag || value != "false") words.push_back("--" + option + (flag ? "" : "=" + value));
    }
    if (common.json) words.push_back("--json");
    if (common.quiet) words.push_back("--quiet");
    words.push_back("--");
    words.insert(words.end(), operands.begin(), operands.end());
    terminal.hush_notes(true);  // it reads the same data
    if (!common.json) return run_words(words, terminal, tuned);
    std::string trained;
    terminal.keep_results(&trained);
    const int code = run_words(words, terminal, tuned);
    terminal.keep_results(nullptr);
    terminal.print(to_json(report, trained));
    return code;
  }

  TuneRequest request_;
  TuneTraining training_;
  PlotOptions plot_;
  RunOptions run_;
  TrainerChoice trainers_;
  std::vector<std::string> words_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_tune() { return std::make_unique<Tune>(); }

}  // namespace plumb::cli
