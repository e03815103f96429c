// The request to a workflow, from the command line, C++ or Python: the groups of options that belong together, and the
// names of those that were given.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/options.h"
#include "plumb/data/read_options.h"
#include "plumb/data/source.h"
#include "plumb/feature/plan.h"
#include "plumb/feature/text_options.h"
#include "plumb/model/model_file.h"
#include "plumb/select/classes.h"
#include "plumb/select/split_keys.h"

namespace plumb {

// The roles of columns, text features, which rows take part, how they are split, how files are read.
struct DataRequest {
  FeatureOptions features;
  TextOptions text;
  ClassOptions classes;
  SplitOptions split;
  ReadOptions read;
  std::vector<std::string> files;  // as named in messages; empty if the rows are in memory

  // Bound to this object, with the titles of help.
  std::vector<OptionGroup> groups();
};

// Data for a model: they are read as those of its training were, unless the options say how.
std::unique_ptr<Source> open_for(const SavedModel& saved, const std::vector<std::string>& paths, ReadOptions options);

// The words of a command line that say what --formula does.
std::vector<std::string> words_of(const std::string& formula);

bool was_given(const std::vector<std::string>& given, std::string_view option);

// The position of a column that an option names. Throws Error(usage) if it does not exist, naming the nearest.
std::size_t column_named(const Source& source, const std::string& option, const std::string& name);

// A message about rows that were left out: how many, and the first of them.
std::vector<std::string> warnings_about(const Skipped& skipped);

}  // namespace plumb
