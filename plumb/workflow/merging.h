// Adds models that stored their sums, or removes some of their rows.
#pragma once

#include <span>

#include "plumb/base/run.h"
#include "plumb/data/source.h"
#include "plumb/model/model_file.h"
#include "plumb/train/trainer.h"
#include "plumb/workflow/messages.h"

namespace plumb {

// The model of the rows of all, one after another; two or more. Throws as merge_models() does.
Trained merge(std::span<const SavedModel> models);

// The model without the rows of the source. Throws Error(data) for rows that it was not trained on, as far as that can
// be known.
Trained forget(const SavedModel& saved, Source& source, Messages& messages, const Run& run);

}  // namespace plumb
