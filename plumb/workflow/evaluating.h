// Evaluates a model on new data, with intervals, beside the constant baseline. Pieces are predicted as they are read;
// three numbers of each row are kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/base/run.h"
#include "plumb/data/source.h"
#include "plumb/evaluate/bootstrap.h"
#include "plumb/evaluate/mistakes.h"
#include "plumb/evaluate/threshold.h"
#include "plumb/model/model_file.h"
#include "plumb/report/evaluation.h"
#include "plumb/report/plot.h"
#include "plumb/workflow/messages.h"

namespace plumb {

struct EvaluateOptions {
  std::string target;
  std::string weight;
  std::vector<std::string> fail_under;
  std::uint64_t resamples = kResamples;
  std::uint64_t seed = 42;
  ThresholdChoice threshold;
  MistakesChoice mistakes;
  bool dry_run = false;  // the rows are read and predicted, not scored

  static OptionTable table();
};

// The caller knows the model's file and the time. A requested figure is drawn, unless it is a dry run. Throws
// Error(usage) for an option that does not apply to the model, Error(data) for rows that cannot be scored.
EvaluateReport evaluate(const SavedModel& saved, Source& source, const EvaluateOptions& options, Messages& messages,
                        const Run& run, Figure* figure = nullptr);

}  // namespace plumb
