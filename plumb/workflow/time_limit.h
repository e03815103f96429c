// --time-limit: a fit that is asked to stop when its time is up.
#pragma once

#include "plumb/train/trainer.h"

namespace plumb {

// The trainer's fit, or what it has after this many seconds; 0: no limit. Throws Error(resources) if it has nothing by
// then.
Trained fit_within(double seconds, const Trainer& trainer, const Problem& problem, const Run& run);

}  // namespace plumb
