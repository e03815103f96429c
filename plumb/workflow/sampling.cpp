#include "plumb/workflow/sampling.h"

#include <algorithm>
#include <vector>

#include "plumb/base/json_writer.h"
#include "plumb/base/number.h"
#include "plumb/base/options.h"
#include "plumb/data/entry_names.h"
#include "plumb/data/writer.h"
#include "plumb/train/bayes_sample.h"

namespace plumb {
namespace {

// Whether the rows were those of LIBSVM: entries with numeric names, and numeric labels.
bool numbered_entries(const LinearModel& model) {
  const std::vector<FeatureMap::Input>& inputs = model.parts().map.parts().inputs;
  if (inputs.size() != 1 || inputs[0].kind != Kind::sparse) return false;
  const auto is_number = [](const std::string& text) { return parse_number(text).fault == NumberFault::none; };
  const std::vector<std::string>& labels = model.parts().labels;
  return std::all_of(labels.begin(), labels.end(), is_number) &&
         std::all_of(inputs[0].levels.begin(), inputs[0].levels.end(),
                     [](const std::string& name) { return number_in_name(name).has_value(); });
}

// "f3:1 f7:2" as "1 3:1 7:2".
void append_entries(std::string& text, const std::string& label, const std::string& field) {
  text += label;
  for (std::size_t begin = 0; begin < field.size();) {
    const std::size_t end = std::min(field.find(' ', begin), field.size());
    text += ' ' + field.substr(begin + 1, end - begin - 1);
    begin = end + 1;
  }
}

void append_fields(std::string& text, const std::vector<std::string>& fields, const std::string& last) {
  for (const std::string& field : fields) {
    append_csv_field(text, field);
    text += ',';
  }
  append_csv_field(text, last);
}

}  // namespace

OptionTable SampleOptions::table() {
  using O = SampleOptions;
  return {
      option("rows", &O::rows, "how many rows").value("N").short_as('n').in(at_least(1)),
      option("words", &O::words, "words per text, or total count per sparse row").value("N").in(between(1, 1'000'000)),
      option("output", &O::output, "where to write the rows: CSV, or LIBSVM if the model was trained on it")
          .value("FILE")
          .writes_file()
          .short_as('o')
          .otherwise("standard output"),
      option("bayes-error", &O::bayes_error,
             "instead of rows, show the error that no model can beat on them (from 100,000 rows, or --rows)"),
      option("seed", &O::seed, "seed of all random choices").value("N")};
}

SampleReport sample(const SavedModel& saved, const SampleOptions& options, const TextSink& sink, Messages& messages,
                    const Run& run) {
  const BayesSampler sampler(saved, RandomKey{options.seed, 0}, options.words);
  for (const std::string& warning : sampler.warnings()) messages.warn(warning);
  const SampleReport report{options.rows, sampler.columns().size() + 1, options.output, options.seed};
  if (!sink) return report;
  const bool entries = numbered_entries(saved.model);
  std::string text;
  if (!entries) {
    append_fields(text, sampler.columns(), saved.record.target);
    text += '\n';
  }
  for (std::uint64_t i = 0; i < options.rows; ++i) {
    const BayesSampler::Row row = sampler.row(i);
    if (entries) {
      append_entries(text, sampler.label(row.label), row.fields.front());
    } else {
      append_fields(text, row.fields, sampler.label(row.label));
    }
    text += '\n';
    if (text.size() < 1 << 16) continue;
    sink(text);
    text.clear();
    run.report(Phase::saving, i, options.rows);
  }
  sink(text);
  return report;
}

std::string to_json(const SampleReport& report) {
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object().member("schema", 1).member("command", "sample");
  if (report.dry_run) json.member("dry_run", true);
  json.member("rows", report.rows).member("output", report.output).member("seed", report.seed);
  return json.end_object().take();
}

}  // namespace plumb
