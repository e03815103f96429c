// Compares several models of the same target on the same rows, with out-of-sample predictions and significance tests;
// or one model by several solvers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/report/comparison.h"
#include "plumb/report/plot.h"
#include "plumb/report/solver_comparison.h"
#include "plumb/select/split_options.h"
#include "plumb/workflow/auto_list.h"
#include "plumb/workflow/candidate.h"

namespace plumb {

struct CompareOptions {
  std::vector<std::string> models;
  Texts with;
  FoldChoice folds;
  std::vector<std::string> solvers;
  bool refit = false;
  bool traits = false;
  std::uint64_t seed = 42;

  static OptionTable table();
};

struct CompareRequest {
  DataRequest data;
  CompareOptions options;
  AutoOptions search;
  std::vector<std::string> given;  // names of the options that were set
  bool wants_figure = false;
  // Called with the names of the variants and the facts known before any fit: returning false ends the work there.
  std::function<bool(const CompareReport&)> planned = {};
};

struct CompareResult {
  CompareReport report;
  std::optional<SolverComparison> solvers;  // if solvers were compared, instead of the report
  std::optional<Figure> figure;
};

// The models to compare by default: for numbers least squares; for labels one of each kind.
std::vector<const TrainerEntry*> compared_by_default(const Source& source, const CompareRequest& request,
                                                     Messages* say = nullptr);

CompareResult compare(CompareRequest& request, const std::vector<Candidate>& variants, Source& source, Messages& say,
                      const Run& run);

}  // namespace plumb
