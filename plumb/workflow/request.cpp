#include "plumb/workflow/request.h"

#include <algorithm>

#include "plumb/base/choices.h"
#include "plumb/base/text.h"
#include "plumb/feature/model_formula.h"

namespace plumb {

std::vector<OptionGroup> DataRequest::groups() {
  return {options_of("Data", features), options_of("Text", text), options_of("Classes", classes),
          options_of("Splits", split), options_of("Reading", read)};
}

std::vector<std::string> words_of(const std::string& formula) {
  std::vector<std::string> words;
  for (const auto& [name, value] : parse_model_formula(formula).options()) {
    words.push_back("--" + name);
    if (name != "no-bias") words.push_back(value);
  }
  return words;
}

bool was_given(const std::vector<std::string>& given, std::string_view option) {
  return std::find(given.begin(), given.end(), option) != given.end();
}

std::unique_ptr<Source> open_for(const SavedModel& saved, const std::vector<std::string>& paths, ReadOptions options) {
  const FeatureMap::Parts& map = saved.model.parts().map.parts();
  const Record& record = saved.record;
  const bool marks_given = options.decimal.sign != 0 || options.thousands.sign != 0;
  ReadOptions fresh;
  OptionGroup own = options_of("Reading", options), usual = options_of("Reading", fresh);
  for (std::size_t i = 0; i < own.options.size(); ++i) {
    const OptionInfo& info = own.options[i];
    // Another file may be of another format; and what is wrong with it is to be heard of.
    if (info.name == "format" || info.name == "bad-rows" || info.name == "na") continue;
    const std::string* const trained = find_option(record, info.name);
    if (trained == nullptr || info.text(own.owner) != usual.options[i].text(usual.owner)) continue;
    try {
      info.set(own.owner, *trained);
    } catch (const OptionFault&) {  // of another release: it is read as if nothing had been said
    }
  }
  options.na.insert(options.na.end(), map.na.begin(), map.na.end());
  options.default_na = options.default_na && record.reading && record.reading->default_na;
  if (record.reading) options.known = record.reading->columns;
  if (marks_given)  // how these data are written, whatever those of the training were
    for (ReadOptions::KnownColumn& each : options.known) each.style = {};
  for (const FeatureMap::Input& input : map.inputs)
    if (std::none_of(options.known.begin(), options.known.end(),
                     [&](const ReadOptions::KnownColumn& each) { return each.name == input.name; }))
      if (input.kind == Kind::number) options.known.push_back({input.name, {}, {}});
  options.model_target = record.target;
  return open_source(paths, options);
}

std::size_t column_named(const Source& source, const std::string& option, const std::string& name) {
  std::vector<std::string> names;
  for (const ColumnInfo& column : source.columns()) {
    if (column.name == name) return names.size();
    names.push_back(column.name);
  }
  const std::string meant = nearest(name, names);
  throw Error(
      ErrorCode::usage, {source.name()},
      "--" + option + " names column " + in_quotes(name) + ", which is not there; the columns are " + listed(names),
      meant.empty() ? "" : "did you mean --" + option + " " + as_typed(meant) + "?");
}

std::vector<std::string> warnings_about(const Skipped& skipped) {
  std::vector<std::string> warnings;
  if (skipped.with_missing > 0)
    warnings.push_back("left out " + counted(skipped.with_missing, "row") + " with a missing value");
  if (skipped.without_target > 0)
    warnings.push_back("left out " + counted(skipped.without_target, "row") + " without a target");
  if (skipped.bad == 0) return warnings;
  warnings.push_back(counted(skipped.bad, "bad row") + " left out" +
                     (skipped.bad > skipped.first.size() ? "; the first are" : ""));
  for (const Error& error : skipped.first) warnings.push_back(error.what());
  return warnings;
}

}  // namespace plumb
