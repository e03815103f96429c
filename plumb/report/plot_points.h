// How the points of a mark are drawn. Thousands of dots are a blot that takes megabytes: past kMostPoints they are
// counted in cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plumb/report/plot.h"
#include "plumb/report/plot_axis.h"

namespace plumb {

struct DrawnPoints {
  static constexpr std::size_t kColumns = 80;
  static constexpr std::size_t kRows = 50;

  std::vector<std::size_t> single;    // points that are drawn as dots
  std::vector<std::uint64_t> counts;  // of cells, from the lower left, row by row; empty without cells
  std::uint64_t most = 0;             // the largest of them
  std::uint64_t hidden = 0;           // not finite, or outside the axes
  std::string note;                   // how they were drawn; empty: all that can be are dots
};

// Both scales run from 0 to 1.
DrawnPoints drawn_points(const Points& points, const AxisScale& x, const AxisScale& y);

}  // namespace plumb
