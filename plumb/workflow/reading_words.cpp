#include "plumb/workflow/reading_words.h"

#include "plumb/base/json_writer.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"

namespace plumb {

void say_what_was_read(const Source& source, const FeaturePlan& plan, const Tables& tables, Messages& say) {
  for (const std::string& note : source.notes()) say.note(source.name() + ": " + note);
  for (const std::string& note : plan.notes) say.note(note);
  std::vector<std::string> columns;
  for (const FeaturePlan::Input& input : plan.inputs)
    columns.push_back(input.name + " (" + kind_name(input.kind) + ")");
  columns.push_back(plan.target + " (target)");
  if (!plan.weight.empty()) columns.push_back(plan.weight + " (weight)");
  say.note(source.name() + ": " + counted(tables.rows, "row") + ", " + std::string(source.form()) + "; " +
           listed(columns));
  if (plan.left_out.empty()) return;
  std::vector<std::string> names;
  for (const ColumnInfo& column : plan.left_out)
    names.push_back(column.kind != Kind::date
                        ? column.name
                        : column.name + " (dates; --derive " +
                              as_typed("year(" + Formula::of_column(column.name).text() + ")") + " uses them)");
  say.note("not used: " + listed(names));
}

void expect_rows(const Source& source, const std::string& path, const Tables& tables) {
  if (tables.rows == 0)
    throw Error(ErrorCode::data, {source.name()}, "there are no rows; at least one was expected",
                path == "-" ? "" : "head " + as_typed(path) + " shows what is there");
}

std::string plan_text(const FeaturePlan& plan, const FeatureMap& map, std::uint64_t train_rows, std::uint64_t test_rows,
                      const TrainerEntry& entry, const MemoryPlan& memory, const std::string& output, bool as_json) {
  std::vector<std::string> terms;
  for (const auto& term : plan.terms) terms.push_back(term_text(term));
  const std::string model(entry.name);
  if (!as_json)
    return "would fit " + model + ": " + escaped_for_terminal(plan.target) + " from " +
           counted(map.features(), "feature") + " of " + listed(terms) + "\n  on " + counted(train_rows, "row") + ", " +
           count_text(test_rows) + " held out, and save " + escaped_for_terminal(output) + "\n  " + memory.text() +
           "\n";
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object()
      .member("schema", 1)
      .member("command", "train")
      .member("dry_run", true)
      .member("model", model)
      .member("target", plan.target)
      .member("features", map.features());
  json.key("terms").begin_array();
  for (const std::string& term : terms) json.value(term);
  json.end_array().key("rows").begin_object().member("train", train_rows).member("test", test_rows).end_object();
  json.member("output", output);
  memory.add_to(json);
  return json.end_object().take();
}

}  // namespace plumb
