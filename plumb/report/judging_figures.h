// The figures of `plumb tune` and `plumb compare`.
#pragma once

#include "plumb/report/comparison.h"
#include "plumb/report/plot.h"
#include "plumb/report/tuning.h"

namespace plumb {

// Loss against the value of the option that has most values, a line for each setting of the others, with a band of one
// standard error; dashed the least loss plus its standard error, below which the 1-SE rule chooses.
Figure tuning_figure(const TuneReport& report);

// The first two metrics of each model with their intervals.
Figure comparison_figure(const CompareReport& report);

}  // namespace plumb
