#include "plumb/workflow/request.h"

#include <algorithm>

#include "plumb/base/choices.h"
#include "plumb/base/text.h"

namespace plumb {

std::vector<OptionGroup> DataRequest::groups() {
  return {options_of("Data", features), options_of("Text", text), options_of("Classes", classes),
          options_of("Splits", split), options_of("Reading", read)};
}

bool was_given(const std::vector<std::string>& given, std::string_view option) {
  return std::find(given.begin(), given.end(), option) != given.end();
}

std::unique_ptr<Source> open_for(const LinearModel& model, const std::vector<std::string>& paths, ReadOptions options) {
  const std::vector<std::string>& na = model.parts().map.parts().na;
  options.na.insert(options.na.end(), na.begin(), na.end());
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
    warnings.push_back(counted(skipped.with_missing, "row") + " left out: a value is missing");
  if (skipped.bad == 0) return warnings;
  warnings.push_back(counted(skipped.bad, "bad row") + " left out" +
                     (skipped.bad > skipped.first.size() ? "; the first are" : ""));
  for (const Error& error : skipped.first) warnings.push_back(error.what());
  return warnings;
}

}  // namespace plumb
