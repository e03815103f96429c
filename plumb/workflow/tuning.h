// Chooses option values by cross-validation or on validation rows, never by the test rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/report/judging_figures.h"
#include "plumb/report/tuning.h"
#include "plumb/select/grid.h"
#include "plumb/select/split.h"
#include "plumb/select/split_options.h"
#include "plumb/workflow/candidate.h"

namespace plumb {

enum class TuneRule { min, one_se };
template <>
struct EnumNames<TuneRule> {
  static constexpr std::string_view names[] = {"min", "1se"};
};

struct TuneOptions {
  Texts grid;
  FoldChoice folds;
  TestChoice dev = {TestChoice::What::none, 0.0, 0, ""};
  bool refit = false;
  double time_limit = 0.0;
  TuneRule rule = TuneRule::min;

  static OptionTable table();
};

struct TuneRequest {
  DataRequest data;
  TuneOptions options;
  TestChoice test;  // rows that the model will be scored on: no setting uses them
  std::uint64_t seed = 42;
  std::vector<std::string> given;  // names of the options that were set
  bool dry_run = false;            // only read
};

// The axes of the grid. Throws Error(usage) for anything that is not a list of values of an option of the model or the
// features.
std::vector<GridAxis> read_grid(const TrainerEntry& entry, const TuneOptions& options,
                                const std::vector<std::string>& given);

// Evaluates every candidate on the same rows and chooses. The report's rows are those that take part; with dry_run all.
TuneReport tune(TuneRequest& request, const std::vector<GridAxis>& axes, const std::vector<Candidate>& candidates,
                Source& source, Messages& say, const Run& run);

}  // namespace plumb
