// Several experiments on the same rows, many times over: each trial fits to some rows and tries others. Trials run side
// by side; where experiments share their features these are learnt once for all, and a fit begins where the last ended.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/select/experiment.h"
#include "plumb/train/refitter.h"

namespace plumb {

struct TrialOptions {
  bool from_scratch = false;  // every fit begins at 0
  bool seen_too = false;      // the rows of the training are tried as well
  // Of this trial it is counted how many of its rows are the same as one that its fits see.
  std::size_t copies_in = static_cast<std::size_t>(-1);
  // True once the time is over, on any thread and ever after: fits that are not yet done then are given up, but for the
  // first of the first trial.
  std::function<bool()> over;
};

// For each experiment one for each trial. Where the time was over there are fewer: of the trials those that were done
// for all experiments; if not even the first were, of the experiments those that were done there. So all experiments
// that are left have the same trials. Same bits for any number of threads.
std::vector<std::vector<Tried>> try_all(std::span<const Experiment> experiments, std::span<const Trial> trials,
                                        const TrialOptions& options, const Run& run);

}  // namespace plumb
