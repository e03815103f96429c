// Several experiments on the same rows, many times: each trial trains on some rows and evaluates others. Trials run in
// parallel; features that experiments share are learnt once for all, and a fit starts from where the last one ended.
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
  bool from_scratch = false;  // every fit starts at 0
  bool in_turn = false;       // one trial after the other, for less memory
  bool seen_too = false;      // the training rows are evaluated as well
  // For this trial the rows that equal a training row are counted.
  std::size_t copies_in = static_cast<std::size_t>(-1);
  // True once the time is over, on any thread and from then on: unfinished fits are then given up, except the first of
  // the first trial.
  std::function<bool()> over;
};

// For each experiment one for each trial. If the time was over there are fewer: the trials that were done for all
// experiments; if not even the first was, the experiments that finished it. So all remaining experiments have the same
// trials. Same bits for any number of threads.
std::vector<std::vector<Tried>> try_all(std::span<const Experiment> experiments, std::span<const Trial> trials,
                                        const TrialOptions& options, const Run& run);

}  // namespace plumb
