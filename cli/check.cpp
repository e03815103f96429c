// plumb check: describes data without training. Reads pieces and keeps counts, so memory depends on the number of
// different values.
#include <algorithm>
#include <optional>

#include "cli/command.h"
#include "plumb/data/summary.h"
#include "plumb/report/check.h"

namespace plumb::cli {
namespace {

struct CheckOptions {
  std::string target;
  std::uint64_t top = 5;

  static OptionTable table() {
    using O = CheckOptions;
    return {option("target", &O::target, "the column to predict: shows its distribution").value("COL").short_as('t'),
            option("top", &O::top, "number of most common values to show per column").value("N").in(at_least(1))};
  }
};

class Check final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    return {options_of("Reading", read_), options_of("Output", options_), options_of("Running", run_)};
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("check"), operands, 1, kAnyNumber);
    source_ = open_source(operands, run_.reading(read_));
  }

  int run(const std::vector<std::string>& operands, const CommonOptions& common, Terminal& terminal) override {
    Executor executor(run_.chosen());
    const Run run{executor, {}, terminal.observer(), run_.max_memory.budget()};
    CheckReport report;
    report.source = source_->name();
    report.top = options_.top;
    report.target = target();
    // So that the counts stay within the memory limit.
    SummaryOptions limits;
    limits.most_rows = std::min(limits.most_rows, run.memory.limit() / 64);
    limits.most_distinct = std::min(limits.most_distinct, run.memory.limit() / 512);
    report.summary = summarise(*source_, run, limits);
    report.notes = source_->notes();
    report.left_out = warnings_about(source_->skipped());
    report.next = next_command(report, operands);
    for (const std::string& note : report.notes) terminal.note(source_->name() + ": " + note);
    for (const std::string& warning : warnings_of(report)) terminal.warn(warning);
    terminal.show(report, common.json);
    return 0;
  }

 private:
  // Training on the target that train would take, or that it would propose.
  std::string next_command(const CheckReport& report, const std::vector<std::string>& operands) {
    const std::vector<ColumnSummary>& columns = report.summary.columns;
    const std::optional<std::size_t> usual = default_target(source_->columns());
    std::size_t target = report.target ? *report.target : usual ? *usual : columns.size();
    while (target == columns.size() || (!report.target && !usual && !may_be_target(columns[target])))
      if (target-- == 0) return "";
    if (report.summary.rows == 0 || columns[target].kind == Kind::sparse || columns[target].distinct < 2) return "";
    std::string line = "plumb train";
    for (const std::string& file : operands) {
      if (file == "-") return "";  // it has been read, and cannot be read again
      line += " " + as_typed(file);
    }
    for (const OptionInfo& info : options_of("Reading", read_).options)
      if (std::find(given.begin(), given.end(), info.name) != given.end())
        line += " --" + info.name + (info.flag() ? "" : " " + as_typed(info.text(&read_)));
    return target == usual ? line : line + " -t " + as_typed(columns[target].name);
  }

  static bool may_be_target(const ColumnSummary& column) {
    const bool kind = column.kind == Kind::number || column.kind == Kind::category;
    return kind && column.look == Look::plain && column.distinct >= 2;
  }

  bool has_columns() const {
    return std::none_of(source_->columns().begin(), source_->columns().end(),
                        [](const ColumnInfo& column) { return column.kind == Kind::sparse; });
  }
  static bool is_label(const std::string& name) { return name == "label"; }

  // As in training, the label of a format of entries is the default target.
  std::optional<std::size_t> target() const {
    const std::vector<ColumnInfo>& columns = source_->columns();
    if (options_.target.empty())
      return !has_columns() && is_label(columns.front().name) ? std::optional<std::size_t>(0) : std::nullopt;
    const std::size_t named = column_named(*source_, "target", options_.target);
    if (columns[named].kind == Kind::sparse)
      throw Error(
          ErrorCode::usage, {source_->name()},
          "column " + in_quotes(options_.target) + " holds entries like 3:0.5; numbers or categories were expected",
          "leave out --target: the label is the target of such a file");
    return named;
  }

  CheckOptions options_;
  ReadOptions read_;
  RunOptions run_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_check() { return std::make_unique<Check>(); }

}  // namespace plumb::cli
