// One of several models that are compared on the same rows: its options, and its name in reports.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/feature/plan.h"
#include "plumb/select/shared_rows.h"
#include "plumb/train/trainer.h"
#include "plumb/workflow/messages.h"
#include "plumb/workflow/request.h"

namespace plumb {

struct Candidate {
  std::string name;
  const TrainerEntry* entry = nullptr;
  std::vector<std::pair<std::string, std::string>> differs;  // options and their values; a flag has none
  FeatureOptions features;
  TextOptions text;
  std::unique_ptr<TrainerSetup> setup;
  bool searched = false;  // -m auto: the model is chosen anew in every fold
};

// The plan of a variant. Throws Error(data) if its model needs a numeric target and there is none.
FeaturePlan plan_of(const Candidate& variant, const Source& source, const SplitOptions& split);

// The default of -m, by the kind of the target.
const TrainerEntry& default_entry(const Source& source, const DataRequest& data, Messages* say = nullptr);

// How fits treat training rows with a missing number: those with standard errors leave them out, others fill them in.
struct Gaps {
  bool left_out = false;
  bool filled = false;
};
Gaps gaps_of(const Trainer& trainer);
Gaps gaps_of(std::span<const Candidate> variants);

// One reading of the data for all plans, with notes about it. Throws Error(data) unless there are two rows.
SharedRows read_shared(Source& source, std::span<const FeaturePlan> plans, const Gaps& gaps, Messages& say,
                       const Run& run, bool say_rows = false);

}  // namespace plumb
