// A look into a model: why it predicts rows as it does.
#pragma once

#include <cstdint>
#include <memory>

#include "plumb/base/option_types.h"
#include "plumb/base/run.h"
#include "plumb/data/source.h"
#include "plumb/model/model_file.h"
#include "plumb/report/class_images.h"  // IWYU pragma: export
#include "plumb/report/report.h"
#include "plumb/workflow/messages.h"

namespace plumb {

struct ExplainOptions {
  std::uint64_t rows = 10;
  std::uint64_t top = 0;

  static OptionTable table();
};

// The first rows of the source. The report keeps the model.
ExplainReport explain(std::shared_ptr<const SavedModel> saved, Source& source, const ExplainOptions& options,
                      Messages& messages, const Run& run);

}  // namespace plumb
