// How far the axes of a panel reach: as far as its marks, with a margin, or as far as it says.
#pragma once

#include "plumb/report/plot.h"
#include "plumb/report/plot_axis.h"

namespace plumb {

struct PanelRanges {
  AxisRange x;
  AxisRange y;
};

// Throws Error(internal) if the parts of a mark disagree in length.
PanelRanges ranges_of(const Panel& panel);

}  // namespace plumb
