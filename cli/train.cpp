// plumb train: the stages of a training (plumb/workflow/training.h) in the order of the data flow, and the output
// files.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/model_command.h"
#include "cli/plot.h"
#include "cli/signals.h"
#include "plumb/workflow/auto_training.h"
#include "plumb/workflow/further_training.h"
#include "plumb/workflow/reading_words.h"

namespace plumb::cli {
namespace {

class Train final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    std::vector<OptionGroup> groups = request_.data.groups();
    groups.push_back(options_of("Training", request_.options));
    groups.push_back(options_of("Choice of the model", request_.search));
    groups.push_back(options_of("Inference", request_.inference));
    groups.push_back(options_of("Plot", plot_));
    request_.trainers.append_to(groups);
    groups.push_back(options_of("Running", run_));
    return groups;
  }

  std::vector<OptionGroup> options_for(const std::vector<std::string>& words) override {
    return with_chosen_trainer(options(), words, request_.trainers);
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("train"), operands, 1, kAnyNumber);
    const TrainOptions& options = request_.options;
    request_.data.files = operands;
    request_.given = given;
    request_.tuned = tuned;
    const ReadOptions reading = run_.reading(request_.data.read);
    if (!options.start.empty()) start_ = std::make_unique<SavedModel>(load_model(options.start));
    if (start_) take_up(*start_, request_);
    source_ = start_ ? open_for(*start_, operands, reading) : open_source(operands, reading);
    if (options.rows > 0) source_ = first_rows(std::move(source_), options.rows);
    if (options.test.what == TestChoice::What::file) test_source_ = open_source({options.test.file}, reading);
    if (options.dev.what == TestChoice::What::file) dev_source_ = open_source({options.dev.file}, reading);
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    const Run run{executor, RandomKey{request_.options.seed, 0}, terminal.observer(), run_.max_memory.budget()};
    check_outputs(common.dry_run);
    const std::unique_ptr<Training> training = prepared(terminal, run);
    training->plan();
    read(*training, run);
    training->split();
    training->choose(common.dry_run);
    if (!common.dry_run) training->calibrate();
    training->learn();
    if (common.dry_run) return tell_plan(*training, common.json, terminal);
    training->check();
    training->fit();
    const int signal = training->stopped() ? stopping_signal() : 0;
    write_beside(*training);
    training->judge();
    training->refit();
    const std::uint64_t bytes = save(*training);
    draw(*training, terminal);
    tell(*training, bytes, started, common, terminal);
    if (signal == 0) return training->converged() ? 0 : 1;
    terminal.error(Error(ErrorCode::interrupted,
                         "interrupted by " + signal_name(signal) + "; the model reached so far is saved and marked"));
    return 128 + signal;
  }

 private:
  void check_outputs(bool dry_run) {
    const TrainOptions& options = request_.options;
    check_output({"output", options.output}, "model.plumb");
    if (!options.diagnostics.empty()) check_output({"diagnostics", options.diagnostics}, "rows.csv");
    if (!options.trace.empty()) check_output({"trace", options.trace}, "trace.csv");
    check_plot(plot_);
    if (options.cache.empty()) return;
    if (options.rows > 0)
      throw Error(ErrorCode::usage, "--rows and --cache cannot be combined: a cache holds all rows",
                  "leave out --cache");
    auto cached = std::make_unique<CachedSource>(
        std::move(source_), request_.data.files, run_.reading(request_.data.read), options.cache,
        dry_run ? CachedSource::Write::forbidden : CachedSource::Write::allowed);
    request_.cache = cache_ = cached.get();
    source_ = std::move(cached);
  }

  std::unique_ptr<Training> prepared(Terminal& terminal, const Run& run) {
    request_.wants_figure = plot_.wanted();
    std::unique_ptr<Training> training =
        start_ ? std::make_unique<FurtherTraining>(*start_, request_, *source_, terminal, run)
               : new_training(request_, *source_, terminal, run);
    training->use_test(test_source_.get(), dev_source_.get());
    if (!request_.options.diagnostics.empty()) training->expect_diagnostics();
    return training;
  }

  void read(Training& training, const Run& run) {
    if (cache_ != nullptr) cache_->prepare(run);
    const RemovedBySignal removed(cache_ != nullptr ? cache_->temporary() : "");
    training.read();
  }

  int tell_plan(Training& training, bool json, Terminal& terminal) const {
    for (const std::string& warning : training.warnings()) terminal.warn(warning);
    const std::string plan =
        plan_text(training.planned(), training.map(), training.training_rows(), training.heldout_rows(),
                  training.entry(), training.memory(), request_.options.output, json);
    json ? terminal.print(plan) : terminal.show(plan);
    return 0;
  }

  // The steps of the solver, and the diagnostics of each training row.
  void write_beside(Training& training) const {
    if (const std::string& path = request_.options.trace; !path.empty())
      write_file(path, trace_csv(training.trained().trace));
    const std::string& path = request_.options.diagnostics;
    if (path.empty()) return;
    constexpr std::size_t kRows = 4096;
    const RowDiagnostics rows = training.diagnostics();
    OutputFile output(path);
    const RemovedBySignal removed(output.temporary());
    for (std::size_t begin = 0; begin == 0 || begin < rows.number.size(); begin += kRows)
      output.write(diagnostics_csv(rows, begin, std::min(rows.number.size(), begin + kRows)));
    output.commit();
  }

  std::uint64_t save(Training& training) const {
    const std::string bytes = training.bytes();
    write_file(request_.options.output, bytes);
    return bytes.size();
  }

  void draw(Training& training, Terminal& terminal) const {
    if (!plot_.wanted()) return;
    if (const std::optional<Figure> figure = training.figure()) {
      terminal.note(save_plot(plot_, *figure));
      return;
    }
    training.warnings().push_back("no plot was drawn: the model has no features");
  }

  void tell(Training& training, std::uint64_t bytes, std::chrono::steady_clock::time_point started,
            const CommonOptions& common, Terminal& terminal) const {
    TrainReport report = training.report();
    report.file = request_.options.output;
    report.bytes = bytes;
    if (!request_.options.trace.empty()) report.trace = training.trained().trace;
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    for (const std::string& warning : report.warnings) terminal.warn(warning);
    report.details = common.verbose;
    terminal.show(report, common.json);
  }

  TrainRequest request_;
  PlotOptions plot_;
  RunOptions run_;
  std::unique_ptr<Source> source_;
  CachedSource* cache_ = nullptr;        // source_ itself, with --cache
  std::unique_ptr<Source> test_source_;  // of --test FILE
  std::unique_ptr<Source> dev_source_;   // of --dev FILE
  std::unique_ptr<SavedModel> start_;    // of --continue
};

}  // namespace

std::unique_ptr<Command> make_train() { return std::make_unique<Train>(); }

}  // namespace plumb::cli
