// Fits by a request, which can set every option of `plumb train`: the work of plumb::fit() and of the Python package.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plumb/base/options.h"
#include "plumb/workflow/fit.h"
#include "plumb/workflow/training.h"

namespace plumb {

// Options by their names on the command line, each with its value as it would be typed; "" for a flag.
using NamedOptions = std::vector<std::pair<std::string, std::string>>;

// Sets each option in the first group that has it, and adds its name to those given. Throws Error(usage) for an option
// that no group has, naming the nearest, or for a value out of its range.
void set_options(const NamedOptions& options, const std::vector<OptionGroup>& groups, std::vector<std::string>& given);
// The groups of a request to train, that of the model first which the options name.
std::vector<OptionGroup> groups_for(TrainRequest& request, const NamedOptions& options);

// A fit to the rows of the source, scored on its held-out rows or on those of `test`. All must outlive the call; start,
// test and dev may be null.
struct FitSources {
  Source& rows;
  const SavedModel* start = nullptr;  // a model to train further
  Source* test = nullptr;             // for a TestChoice of a file
  Source* dev = nullptr;
};
Fit fit(TrainRequest& request, const FitSources& sources, const Running& running);

}  // namespace plumb
