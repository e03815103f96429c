// plumb convert: rows in, the same rows out in another format. Pieces are written as they are read, so memory stays
// small.
#include <algorithm>
#include <chrono>

#include "cli/command.h"
#include "cli/signals.h"

namespace plumb::cli {
namespace {

struct ConvertOptions {
  std::string output = "-";
  std::string to;
  std::vector<std::string> drop;
  std::vector<std::string> categorical;
  std::vector<std::string> numeric;

  static constexpr auto table() {
    using O = ConvertOptions;
    return std::tuple{
        option("output", &O::output, "where to write the rows")
            .value("FILE")
            .short_as('o')
            .otherwise("standard output"),
        option("to", &O::to, "the format: csv, tsv or jsonl").value("FORMAT").otherwise("by the name of --output"),
        option("drop", &O::drop, "columns to leave out").value("COL,..."),
        option("categorical", &O::categorical, "columns that are text, whatever they look like").value("COL,..."),
        option("numeric", &O::numeric, "columns that are numbers, whatever they look like").value("COL,...")};
  }
};

class Convert final : public Command {
 public:
  std::vector<OptionGroup> options() override { return {options_of("Output", options_), options_of("Running", run_)}; }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("convert"), operands, 1, kAnyNumber);
    source_ = open_source(operands);
  }

  int run(const std::vector<std::string>& operands, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    const Run run{executor, {}, terminal.observer()};
    check_output(options_.output, operands, common.json ? "rows.csv" : "");
    refuse_compressed_name();
    const WriterEntry& format = choose_writer(options_.to, options_.output);
    const std::vector<ColumnInfo> columns = select_columns();
    const std::unique_ptr<Writer> writer = format.make(columns);

    std::unique_ptr<OutputFile> output;
    if (!common.dry_run) output = std::make_unique<OutputFile>(options_.output);
    const RemovedBySignal removed(output ? output->temporary() : "");
    if (output) output->write(writer->start());
    std::uint64_t rows = 0;
    std::vector<std::string> losses(columns.size());  // of each column, the first value that loses its zeros
    Table table;
    while (source_->next(table, run)) {
      find_losses(*writer, table, losses);
      for (const std::string& text : texts_of(*writer, table, executor))
        if (output) output->write(text);
      rows += table.rows;
    }
    if (output) output->commit();

    for (const std::string& note : source_->notes()) terminal.note(source_->name() + ": " + note);
    std::vector<std::string> warnings;
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (!losses[c].empty())
        warnings.push_back("column " + in_quotes(columns[c].name) + " holds numbers such as " + in_quotes(losses[c]) +
                           ", written without the zeros in front (--categorical " + as_typed_item(columns[c].name) +
                           " keeps them)");
    for (const std::string& warning : warnings) terminal.warn(warning);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    if (common.json) {
      terminal.print(json(format, columns, rows, warnings, seconds));
    } else if (common.dry_run) {
      terminal.print("would write " + counted(rows, "row") + " of " + counted(columns.size(), "column") + " as " +
                     std::string(format.name) + "\n");
    } else if (options_.output != "-") {
      terminal.note(counted(rows, "row") + " in " + options_.output);
    }
    return 0;
  }

 private:
  // Text under the name of a compressed file would be refused by whoever reads it.
  void refuse_compressed_name() const {
    for (const auto& [suffix, program] : {std::pair{".gz", "gzip"}, std::pair{".zst", "zstd"}})
      if (options_.output.ends_with(suffix))
        throw Error(
            ErrorCode::usage,
            "the output " + in_quotes(options_.output) + " is named as a compressed file; text is what is written",
            "plumb convert ... --to csv | " + std::string(program) + " > " + as_typed(options_.output));
  }

  // Has the source fill all columns but those dropped, as they are written; says what they are called and meant as.
  std::vector<ColumnInfo> select_columns() const {
    std::vector<ColumnInfo> columns = source_->columns();
    std::vector<bool> dropped(columns.size());
    for (const std::string& name : options_.categorical)
      columns[column_named(*source_, "categorical", name)].kind = Kind::category;
    for (const std::string& name : options_.numeric)
      columns[column_named(*source_, "numeric", name)].kind = Kind::number;
    for (const std::string& name : options_.drop) dropped[column_named(*source_, "drop", name)] = true;
    std::vector<ColumnInfo> kept;
    std::vector<Selected> selected;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (dropped[c]) continue;
      kept.push_back(columns[c]);
      selected.push_back({c, Kind::category});
    }
    if (kept.empty()) throw Error(ErrorCode::usage, "--drop names every column; at least one must be left");
    source_->select(std::move(selected));
    return kept;
  }

  static void find_losses(const Writer& writer, const Table& table, std::vector<std::string>& losses) {
    for (std::size_t c = 0; c < losses.size(); ++c)
      for (const std::string& value : table.columns[c].levels)
        if (losses[c].empty() && writer.loses_zeros(value, c)) losses[c] = value;
  }

  // The rows of one piece, made by blocks side by side, in order.
  static std::vector<std::string> texts_of(const Writer& writer, const Table& table, Executor& executor) {
    std::vector<std::string> texts((table.rows + kBlockRows - 1) / kBlockRows);
    executor.for_each(texts.size(), [&](std::size_t block) {
      for (std::uint64_t r = block * kBlockRows; r < std::min(table.rows, (block + 1) * kBlockRows); ++r)
        writer.append(texts[block], table, r);
    });
    return texts;
  }

  std::string json(const WriterEntry& format, const std::vector<ColumnInfo>& columns, std::uint64_t rows,
                   const std::vector<std::string>& warnings, double seconds) const {
    JsonWriter json(JsonWriter::Layout::indented);
    json.begin_object().member("schema", 1).member("command", "convert").member("format", format.name);
    json.member("rows", rows).member("columns", columns.size()).member("output", options_.output);
    json.key("warnings").begin_array();
    for (const std::string& warning : warnings) json.value(warning);
    json.end_array();
    return json.member("seconds", seconds).end_object().take();
  }

  ConvertOptions options_;
  RunOptions run_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_convert() { return std::make_unique<Convert>(); }

}  // namespace plumb::cli
