// plumb sample: rows drawn from a fitted naive Bayes.
#include "cli/command.h"
#include "cli/signals.h"

namespace plumb::cli {
namespace {

struct SampleOptions {
  std::uint64_t rows = 10;
  std::uint32_t words = 20;
  std::string output = "-";
  std::uint64_t seed = 42;

  static OptionTable table() {
    using O = SampleOptions;
    return {option("rows", &O::rows, "how many rows").value("N").short_as('n').in(at_least(1)),
            option("words", &O::words, "of each text, or counts of each row of entries")
                .value("N")
                .in(between(1, 1'000'000)),
            option("output", &O::output, "where to write the rows: CSV, or LIBSVM if the model learnt from that")
                .value("FILE")
                .writes_file()
                .short_as('o')
                .otherwise("standard output"),
            option("seed", &O::seed, "of every random draw").value("N")};
  }
};

class Sample final : public Command {
 public:
  std::vector<OptionGroup> options() override { return {options_of("Sample", options_)}; }

  void open_inputs(const std::vector<std::string>& operands, Terminal&) override {
    expect_operands(*find_command("sample"), operands, 1, 1);
    saved_ = std::make_unique<SavedModel>(load_model(operands.front()));
  }

  int run(const std::vector<std::string>&, const CommonOptions& common, Terminal& terminal) override {
    check_output({"output", options_.output}, common.json ? "rows.csv" : "");
    const BayesSampler sampler(*saved_, RandomKey{options_.seed, 0}, options_.words);
    for (const std::string& warning : sampler.warnings()) terminal.warn(warning);
    if (!common.dry_run) write(sampler, terminal);
    const std::string what = counted(options_.rows, "row") + " of " + counted(sampler.columns().size() + 1, "column");
    if (common.json) {
      JsonWriter json(JsonWriter::Layout::indented);
      json.begin_object().member("schema", 1).member("command", "sample");
      if (common.dry_run) json.member("dry_run", true);
      json.member("rows", options_.rows).member("output", options_.output).member("seed", options_.seed);
      terminal.print(json.end_object().take());
    } else if (common.dry_run) {
      terminal.print("would draw " + what + "\n");
    } else if (options_.output != "-") {
      terminal.note(what + " in " + options_.output);
    }
    return 0;
  }

 private:
  void write(const BayesSampler& sampler, Terminal& terminal) const {
    OutputFile output(options_.output);
    const RemovedBySignal removed(output.temporary());
    const bool entries = numbered_entries();
    std::string text;
    if (!entries) {
      for (const std::string& column : sampler.columns()) {
        append_csv_field(text, column);
        text += ',';
      }
      append_csv_field(text, saved_->record.target);
      text += '\n';
    }
    const Observer watch = terminal.observer();
    for (std::uint64_t i = 0; i < options_.rows; ++i) {
      const BayesSampler::Row row = sampler.row(i);
      if (entries) {
        append_entries(text, sampler.label(row.label), row.fields.front());
      } else {
        for (const std::string& field : row.fields) {
          append_csv_field(text, field);
          text += ',';
        }
        append_csv_field(text, sampler.label(row.label));
      }
      text += '\n';
      if (text.size() < 1 << 16) continue;
      output.write(text);
      text.clear();
      if (watch && !watch({Phase::saving, i, options_.rows}))
        throw Error(ErrorCode::interrupted, "stopped on request before the work was done");
    }
    output.write(text);
    output.commit();
  }

  // Whether the rows were those of LIBSVM: entries with numbers for names, and labels that are numbers.
  bool numbered_entries() const {
    const std::vector<FeatureMap::Input>& inputs = saved_->model.parts().map.parts().inputs;
    if (inputs.size() != 1 || inputs[0].kind != Kind::sparse) return false;
    const auto is_number = [](const std::string& text) { return parse_number(text).fault == NumberFault::none; };
    const std::vector<std::string>& labels = saved_->model.parts().labels;
    return std::all_of(labels.begin(), labels.end(), is_number) &&
           std::all_of(inputs[0].levels.begin(), inputs[0].levels.end(),
                       [](const std::string& name) { return number_in_name(name).has_value(); });
  }
  // "f3:1 f7:2" as "1 3:1 7:2".
  static void append_entries(std::string& text, const std::string& label, const std::string& field) {
    text += label;
    for (std::size_t begin = 0; begin < field.size();) {
      const std::size_t end = std::min(field.find(' ', begin), field.size());
      text += ' ' + field.substr(begin + 1, end - begin - 1);
      begin = end + 1;
    }
  }

  SampleOptions options_;
  std::unique_ptr<SavedModel> saved_;
};

}  // namespace

std::unique_ptr<Command> make_sample() { return std::make_unique<Sample>(); }

}  // namespace plumb::cli
