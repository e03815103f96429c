// Marks of a panel as SVG.
#pragma once

#include <string>
#include <vector>

#include "plumb/report/plot.h"
#include "plumb/report/plot_axis.h"
#include "plumb/report/plot_points.h"
#include "plumb/report/svg.h"

namespace plumb {

// Where marks are drawn, in pixels from its upper left corner.
struct PlotArea {
  AxisScale x;
  AxisScale y;
  double width;
  double height;
};

// The marks in their order, then the labels of points. `drawn` has an entry for each mark, empty if it has no points.
void draw_marks(SvgWriter& svg, const std::vector<Mark>& marks, const std::vector<DrawnPoints>& drawn,
                const PlotArea& area);

// How a mark looks, for a legend: kKeyWidth pixels wide from x on, its middle at y.
inline constexpr double kKeyWidth = 22.0;
void draw_key(SvgWriter& svg, const Mark& mark, double x, double y);

// The legend's text; empty: the mark is not in it.
std::string legend_text(const Mark& mark);

}  // namespace plumb
