// plumb convert: rows in, the same rows out in another format. Options and messages are here, conversion.h writes the
// rows.
#include <chrono>
#include <filesystem>
#include <numeric>
#include <system_error>

#include "cli/command.h"
#include "cli/conversion.h"
#include "cli/signals.h"

namespace plumb::cli {
namespace {

struct ConvertOptions {
  std::string output = "-";
  std::string to;
  std::string names;

  static OptionTable table() {
    using O = ConvertOptions;
    return {option("output", &O::output, "where to write the rows")
                .value("FILE")
                .writes_file()
                .short_as('o')
                .otherwise("standard output"),
            option("to", &O::to, "the format: csv, tsv, jsonl, libsvm or vw")
                .value("FORMAT")
                .otherwise("by the name of --output"),
            option("names", &O::names, "libsvm, vw: write a CSV that maps numbers to feature and label names")
                .value("FILE")
                .writes_file()};
  }
};

class Convert final : public Command {
 public:
  std::vector<OptionGroup> options() override {
    return {options_of("Data", columns_), options_of("Text", text_), options_of("Reading", read_),
            options_of("Output", options_), options_of("Running", run_)};
  }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("convert"), operands, 1, kAnyNumber);
    source_ = open_source(operands, run_.reading(read_));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    const auto started = std::chrono::steady_clock::now();
    Executor executor(run_.chosen());
    const Run run{executor, {}, terminal.observer(), run_.max_memory.budget()};
    check_output({"output", options_.output}, common.json ? "rows.csv" : "");
    const WriterEntry& format = choose_format();

    std::unique_ptr<OutputFile> output;
    if (!common.dry_run) output = std::make_unique<OutputFile>(options_.output);
    const RemovedBySignal removed(output ? output->temporary() : "");
    Converted done = convert({*source_, columns_, text_, format, output.get(), run});
    const std::vector<std::string> left_out = warnings_about(source_->skipped());
    done.warnings.insert(done.warnings.begin(), left_out.begin(), left_out.end());
    if (output) write_names(done);
    if (output) output->commit();

    for (const std::string& note : source_->notes()) terminal.note(source_->name() + ": " + note);
    if (!done.labels.empty()) terminal.note("labels: " + listed(numbered(done.labels, counting(done.labels.size()))));
    if (done.renamed) terminal.note("features: " + listed(numbered(done.features.names, done.features.numbers)));
    for (const std::string& warning : done.warnings) terminal.warn(warning);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    if (common.json) {
      terminal.print(json(format, done, seconds));
    } else if (common.dry_run) {
      terminal.show("would write " + counted(done.rows, "row") + " of " + counted(done.width, noun(format)) + " as " +
                    std::string(format.name) + "\n");
    } else if (options_.output != "-") {
      terminal.note(counted(done.rows, "row") + " in " + options_.output);
    }
    return 0;
  }

 private:
  const WriterEntry& choose_format() const {
    // Every reader would refuse text under the name of a compressed file.
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
    if (!options_.names.empty()) check_names();
    return format;
  }

  void check_names() const {
    if (is_standard_output(options_.names))
      throw Error(
          ErrorCode::usage,
          "--names " + in_quotes(options_.names) + " is where the rows or the report go; another file was expected",
          "--names names.csv");
    expect_writable(options_.names);
  }

  void write_names(const Converted& done) const {
    if (options_.names.empty()) return;
    std::string text = "what,number,name\n";
    append_names(text, "feature", done.features.names, done.features.numbers);
    append_names(text, "label", done.labels, counting(done.labels.size()));
    write_file_atomically(options_.names, std::string_view(text));
  }

  // 1, 2, ...
  static std::vector<std::uint32_t> counting(std::size_t count) {
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1u);
    return numbers;
  }

  // "1 = height"
  static std::vector<std::string> numbered(const std::vector<std::string>& names,
                                           const std::vector<std::uint32_t>& numbers) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < names.size(); ++i) lines.push_back(std::to_string(numbers[i]) + " = " + names[i]);
    return lines;
  }

  static void append_names(std::string& text, const std::string& what, const std::vector<std::string>& names,
                           const std::vector<std::uint32_t>& numbers) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      text += what + "," + std::to_string(numbers[i]) + ",";
      append_csv_field(text, names[i]);
      text += '\n';
    }
  }

  static std::string_view noun(const WriterEntry& format) { return format.make != nullptr ? "column" : "feature"; }

  std::string json(const WriterEntry& format, const Converted& done, double seconds) const {
    JsonWriter json(JsonWriter::Layout::indented);
    json.begin_object().member("schema", 1).member("command", "convert").member("format", format.name);
    json.member("rows", done.rows).member(noun(format) == "column" ? "columns" : "features", done.width);
    json.member("output", options_.output).key("warnings").begin_array();
    for (const std::string& warning : done.warnings) json.value(warning);
    return json.end_array().member("seconds", seconds).end_object().take();
  }

  ConvertColumns columns_;
  TextOptions text_;
  ReadOptions read_;
  ConvertOptions options_;
  RunOptions run_;
  std::unique_ptr<Source> source_;
};

}  // namespace

std::unique_ptr<Command> make_convert() { return std::make_unique<Convert>(); }

}  // namespace plumb::cli
