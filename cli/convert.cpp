// plumb convert: rows in, the same rows out in another format. For formats of columns pieces are written as they are
// read, so memory stays small; for formats of features the levels of all rows must be known first.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "cli/command.h"
#include "cli/signals.h"

namespace plumb::cli {
namespace {

struct ConvertOptions {
  std::string output = "-";
  std::string to;
  std::string names;

  static constexpr auto table() {
    using O = ConvertOptions;
    return std::tuple{
        option("output", &O::output, "where to write the rows")
            .value("FILE")
            .short_as('o')
            .otherwise("standard output"),
        option("to", &O::to, "the format: csv, tsv, jsonl, libsvm or vw")
            .value("FORMAT")
            .otherwise("by the name of --output"),
        option("names", &O::names, "libsvm, vw: a CSV of what the numbers of features and labels stand for")
            .value("FILE")};
  }
};

struct ConvertColumns {
  std::string target;
  std::vector<std::string> drop;
  std::vector<std::string> categorical;
  std::vector<std::string> numeric;

  static constexpr auto table() {
    using O = ConvertColumns;
    return std::tuple{
        option("target", &O::target, "libsvm, vw: the column that is the label").value("COL").short_as('t'),
        option("drop", &O::drop, "columns to leave out").value("COL,..."),
        option("categorical", &O::categorical, "columns that are text, whatever they look like").value("COL,..."),
        option("numeric", &O::numeric, "columns that are numbers, whatever they look like").value("COL,...")};
  }
};

// The rows 0 ... rows - 1, written by blocks side by side, in order.
template <class Append>
std::vector<std::string> texts_of(std::uint64_t rows, Executor& executor, const Append& append) {
  std::vector<std::string> texts((rows + kBlockRows - 1) / kBlockRows);
  executor.for_each(texts.size(), [&](std::size_t block) {
    for (std::uint64_t r = block * kBlockRows; r < std::min(rows, (block + 1) * kBlockRows); ++r)
      append(texts[block], r);
  });
  return texts;
}

// The labels of a format that has only numbers: those of the target if all are numbers, else 1, 2, ... in label order.
struct NumberedLabels {
  std::vector<double> numbers;
  bool counted = false;

  explicit NumberedLabels(const std::vector<std::string>& labels) {
    counted = std::any_of(labels.begin(), labels.end(),
                          [](const std::string& label) { return parse_number(label).fault != NumberFault::none; });
    for (const std::string& label : labels)
      numbers.push_back(counted ? static_cast<double>(numbers.size() + 1) : parse_number(label).value);
  }
};

class Convert final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    return {options_of("Data", columns_), options_of("Reading", read_), options_of("Output", options_),
            options_of("Running", run_)};
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("convert"), operands, 1, kAnyNumber);
    source_ = open_source(operands, read_);
  }

  int run(const std::vector<std::string>& operands, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    const Run run{executor, {}, terminal.observer(), run_.max_memory.budget()};
    check_output(options_.output, operands, common.json ? "rows.csv" : "");
    const WriterEntry& format = choose_format(operands);

    std::unique_ptr<OutputFile> output;
    if (!common.dry_run) output = std::make_unique<OutputFile>(options_.output);
    const RemovedBySignal removed(output ? output->temporary() : "");
    if (format.make != nullptr) {
      write_columns(format, output.get(), run);
    } else {
      write_features(format, output.get(), run, terminal);
    }
    if (output) output->commit();

    for (const std::string& note : source_->notes()) terminal.note(source_->name() + ": " + note);
    for (const std::string& warning : warnings_about(source_->skipped())) terminal.warn(warning);
    for (const std::string& warning : warnings_) terminal.warn(warning);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    if (common.json) {
      terminal.print(json(format, seconds));
    } else if (common.dry_run) {
      terminal.print("would write " + counted(rows_, "row") + " of " + counted(width_, noun(format)) + " as " +
                     std::string(format.name) + "\n");
    } else if (options_.output != "-") {
      terminal.note(counted(rows_, "row") + " in " + options_.output);
    }
    return 0;
  }

 private:
  const WriterEntry& choose_format(const std::vector<std::string>& inputs) const {
    // Text under the name of a compressed file would be refused by whoever reads it.
    for (const auto& [suffix, program] : {std::pair{".gz", "gzip"}, std::pair{".zst", "zstd"}})
      if (options_.output.ends_with(suffix))
        throw Error(
            ErrorCode::usage,
            "the output " + in_quotes(options_.output) + " is named as a compressed file; text is what is written",
            "plumb convert ... --to csv | " + std::string(program) + " > " + as_typed(options_.output));
    const WriterEntry& format = choose_writer(options_.to, options_.output);
    for (const auto& [name, value] : {std::pair{"target", &columns_.target}, std::pair{"names", &options_.names}})
      if (format.make != nullptr && !value->empty())
        throw Error(ErrorCode::usage,
                    "--" + std::string(name) + " is for libsvm and vw; " + std::string(format.name) +
                        " keeps every column under its name",
                    "leave out --" + std::string(name));
    if (!options_.names.empty()) check_names(inputs);
    return format;
  }

  // The second output has a place of its own, also where neither file is there yet.
  void check_names(const std::vector<std::string>& inputs) const {
    const auto whole = [](const std::string& path) {
      std::error_code ignored;
      return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
    };
    if (is_standard_output(options_.names) || whole(options_.names) == whole(options_.output))
      throw Error(
          ErrorCode::usage,
          "--names " + in_quotes(options_.names) + " is where the rows or the report go; another file was expected",
          "--names names.csv");
    for (const std::string& input : inputs)
      if (would_overwrite(options_.names, input))
        throw Error(ErrorCode::usage,
                    "--names " + in_quotes(options_.names) + " is also an input; inputs are never overwritten",
                    "--names names.csv");
    expect_writable(options_.names);
  }

  // Has the source fill all columns but those dropped, as they are written; says what they are called and meant as.
  std::vector<ColumnInfo> select_columns() const {
    std::vector<ColumnInfo> columns = source_->columns();
    std::vector<bool> dropped(columns.size());
    for (const std::string& name : columns_.categorical)
      columns[column_named(*source_, "categorical", name)].kind = Kind::category;
    for (const std::string& name : columns_.numeric)
      columns[column_named(*source_, "numeric", name)].kind = Kind::number;
    for (const std::string& name : columns_.drop) dropped[column_named(*source_, "drop", name)] = true;
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

  void write_columns(const WriterEntry& format, OutputFile* output, const Run& run) {
    const std::vector<ColumnInfo> columns = select_columns();
    const std::unique_ptr<Writer> writer = format.make(columns);
    width_ = columns.size();
    if (output != nullptr) output->write(writer->start());
    std::vector<std::string> losses(columns.size());  // of each column, the first value that loses its zeros
    Table table;
    while (source_->next(table, run)) {
      for (std::size_t c = 0; c < columns.size(); ++c)
        for (const std::string& value : table.columns[c].levels)
          if (losses[c].empty() && writer->loses_zeros(value, c)) losses[c] = value;
      const auto append = [&](std::string& out, std::uint64_t r) { writer->append(out, table, r); };
      for (const std::string& text : texts_of(table.rows, run.executor, append))
        if (output != nullptr) output->write(text);
      rows_ += table.rows;
    }
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (!losses[c].empty())
        warnings_.push_back("column " + in_quotes(columns[c].name) + " holds numbers such as " + in_quotes(losses[c]) +
                            ", written without the zeros in front (--categorical " + as_typed_item(columns[c].name) +
                            " keeps them)");
  }

  void write_features(const WriterEntry& format, OutputFile* output, const Run& run, Terminal& terminal) {
    FeatureOptions asked;
    asked.target = columns_.target;
    asked.drop = columns_.drop;
    asked.categorical = columns_.categorical;
    asked.numeric = columns_.numeric;
    const FeaturePlan plan = plan_features(*source_, asked);
    source_->select(plan.selected);
    const Tables tables = read_all(*source_, run);
    const Learnt learnt = learn_features(tables, plan, RowSet(tables.rows, true), {.bias = true, .full_coding = true});
    warnings_ = learnt.warnings;
    const NumberedLabels labels(learnt.layout.labels);
    const std::vector<std::string> names = learnt.map.names();
    const std::unique_ptr<SparseWriter> writer = format.make_sparse(names);
    rows_ = tables.rows;
    width_ = names.size();
    FeatureMap::Unseen unseen;  // there are none: every row was learnt from
    for (const Table& table : tables.pieces) {
      const Piece piece = learnt.map.apply(table, learnt.layout, unseen);
      PieceRows rows(piece);
      const auto append = [&](std::string& out, std::uint64_t r) {
        const double target = piece.targets[r];
        const bool is_label = plan.target_kind == Kind::category;
        writer->append(out, is_label ? labels.numbers[static_cast<std::size_t>(target)] : target, rows.row(r));
      };
      for (const std::string& text : texts_of(piece.rows, run.executor, append))
        if (output != nullptr) output->write(text);
    }
    if (labels.counted) terminal.note("labels: " + listed(numbered(learnt.layout.labels)));
    terminal.note("features: " + listed(numbered(names)));
    if (output == nullptr || options_.names.empty()) return;
    std::string text = "what,number,name\n";
    append_names(text, "feature", names);
    if (labels.counted) append_names(text, "label", learnt.layout.labels);
    write_file_atomically(options_.names, std::string_view(text));
  }

  // "1 = height"
  static std::vector<std::string> numbered(const std::vector<std::string>& names) {
    std::vector<std::string> lines;
    for (const std::string& name : names) lines.push_back(std::to_string(lines.size() + 1) + " = " + name);
    return lines;
  }

  static void append_names(std::string& text, const std::string& what, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      text += what + "," + std::to_string(i + 1) + ",";
      append_csv_field(text, names[i]);
      text += '\n';
    }
  }

  static std::string_view noun(const WriterEntry& format) { return format.make != nullptr ? "column" : "feature"; }

  std::string json(const WriterEntry& format, double seconds) const {
    JsonWriter json(JsonWriter::Layout::indented);
    json.begin_object().member("schema", 1).member("command", "convert").member("format", format.name);
    json.member("rows", rows_).member(noun(format) == "column" ? "columns" : "features", width_);
    json.member("output", options_.output).key("warnings").begin_array();
    for (const std::string& warning : warnings_) json.value(warning);
    return json.end_array().member("seconds", seconds).end_object().take();
  }

  ConvertColumns columns_;
  ReadOptions read_;
  ConvertOptions options_;
  RunOptions run_;
  std::unique_ptr<Source> source_;
  std::uint64_t rows_ = 0;  // written
  std::size_t width_ = 0;   // columns or features
  std::vector<std::string> warnings_;
};

}  // namespace

std::unique_ptr<Command> make_convert() { return std::make_unique<Convert>(); }

}  // namespace plumb::cli
