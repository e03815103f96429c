// Reports: what a command found, as text for people and as JSON for programs. A Report goes in, a string comes out;
// nothing prints.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/evaluate/metrics.h"
#include "plumb/model/explain.h"
#include "plumb/model/explain_text.h"
#include "plumb/model/model_file.h"
#include "plumb/report/memory_plan.h"
#include "plumb/report/remedies.h"
#include "plumb/report/search_report.h"
#include "plumb/report/style.h"
#include "plumb/solver/solver_options.h"

namespace plumb {

// What `plumb train` found.
struct TrainReport {
  const LinearModel& model;
  const Record& record;
  std::vector<Metric> heldout;
  std::vector<Metric> baseline;
  std::string baseline_name;       // "always 61.2, the mean of training"
  std::vector<std::string> notes;  // caveats for a reader of the metrics
  std::vector<std::string> warnings;
  double seconds = 0.0;
  std::string file;  // the model file; empty if not saved
  std::uint64_t bytes = 0;
  MemoryPlan memory = {};
  std::string solver_reason = {};          // the reason for this solver, if it was chosen
  std::span<const SolverStep> trace = {};  // its steps, if requested
  std::vector<Metric> development = {};    // on the rows of --dev
  std::uint64_t development_rows = 0;
  FitVerdict verdict = {};
  SearchReport search = {};
  bool details = false;  // for a user who asks for more
};
std::string to_text(const TrainReport& report, const Style& style);
std::string to_json(const TrainReport& report);

// The content of a model file.
struct InspectReport {
  const SavedModel& saved;
  std::string file;
  std::uint64_t top = 0;  // number of weights for each row, the largest by size; 0 for all, in feature order
  bool all = false;       // every point of a path, not only the most important ones
};
std::string to_text(const InspectReport& report, const Style& style);
std::string to_json(const InspectReport& report);

// What `plumb predict` did.
struct PredictReport {
  std::string model_file;
  std::uint64_t rows = 0;
  std::uint64_t unseen = 0;  // category values that training did not know
  std::uint64_t ignored_columns = 0;
  std::string output;
  bool dry_run = false;  // read and predicted, but not written
  std::vector<std::string> warnings;
  std::vector<std::string> details;  // for a user who asks for more; not part of the JSON
  double seconds = 0.0;
};
std::string to_json(const PredictReport& report);

// Why rows get their scores.
struct ExplainedRow {
  std::uint64_t row = 0;  // from 1
  Explanation explanation;
  std::vector<MarkedText> texts = {};      // of the columns of texts
  std::optional<double> probability = {};  // of the predicted label
  std::optional<std::string> actual = {};  // what the target column says, where mistakes are asked for
};
struct ExplainReport {
  std::shared_ptr<const SavedModel> saved;
  std::vector<ExplainedRow> rows;
  std::uint64_t top = 0;                       // number of contributions for each row, the largest by size; 0 for all
  bool more_rows = false;                      // the data have more rows than those explained
  std::optional<std::uint64_t> searched = {};  // for mistakes: how many rows
};
std::string to_text(const ExplainReport& report, const Style& style);
std::string to_json(const ExplainReport& report);

}  // namespace plumb
