// The ranges of the axes of a panel: those of its marks, with a margin, or given ones.
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
