// Rows sampled from a fitted naive Bayes.
#pragma once

#include <cstdint>
#include <string>

#include "plumb/base/option_types.h"
#include "plumb/base/run.h"
#include "plumb/model/model_file.h"
#include "plumb/workflow/messages.h"

namespace plumb {

struct SampleOptions {
  std::uint64_t rows = 10;
  std::uint32_t words = 20;
  std::string output = "-";  // the caller opens it
  bool bayes_error = false;  // that instead of rows
  std::uint64_t seed = 42;

  static OptionTable table();
};

struct SampleReport {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::string output;
  std::uint64_t seed = 0;
  bool dry_run = false;
};
std::string to_json(const SampleReport& report);

// As CSV, or LIBSVM if the model was trained on that; without a sink no row is sampled. Throws Error(usage) for a model
// of another kind.
SampleReport sample(const SavedModel& saved, const SampleOptions& options, const TextSink& sink, Messages& messages,
                    const Run& run);

}  // namespace plumb
