// --time-limit: a fit that stops when its time is up.
#pragma once

#include "plumb/train/trainer.h"

namespace plumb {

// The trainer's fit, or its best after this many seconds; 0: no limit. Throws Error(resources) if it has nothing by
// then.
Trained fit_within(double seconds, const Trainer& trainer, const Problem& problem, const Run& run);

}  // namespace plumb
