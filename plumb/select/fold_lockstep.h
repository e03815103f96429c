// Trials in lock-step: all folds at once over one layout of the rows, for trainers that support it
// (plumb/train/refitter.h).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/select/trials.h"

namespace plumb {

// The result of try_all, within the tolerance of the trainers; empty if trials must be fitted one by one: because
// features depend on the rows of a fold, a trial lacks a class, or the trainers would go another way.
std::optional<std::vector<std::vector<Tried>>> try_in_lockstep(std::span<const Experiment> experiments,
                                                               std::span<const Trial> trials,
                                                               const TrialOptions& options, const Run& run);

}  // namespace plumb
