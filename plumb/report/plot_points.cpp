#include "plumb/report/plot_points.h"

#include <algorithm>

#include "plumb/base/number.h"

namespace plumb {
namespace {

void count_in_cells(DrawnPoints& drawn, const Points& points, const AxisScale& x, const AxisScale& y) {
  constexpr std::size_t kColumns = DrawnPoints::kColumns, kRows = DrawnPoints::kRows;
  const auto cell = [&](std::size_t i) {
    const auto place = [](double part, std::size_t cells) {
      return std::min(static_cast<std::size_t>(std::max(part, 0.0) * static_cast<double>(cells)), cells - 1);
    };
    return place(y(points.y[i]), kRows) * kColumns + place(x(points.x[i]), kColumns);
  };
  drawn.counts.assign(kColumns * kRows, 0);
  for (const std::size_t i : drawn.single) ++drawn.counts[cell(i)];
  drawn.most = *std::max_element(drawn.counts.begin(), drawn.counts.end());
  drawn.note =
      count_text(drawn.single.size()) + " points counted in cells, at most " + count_text(drawn.most) + " in one";
  std::erase_if(drawn.single, [&](std::size_t i) { return drawn.counts[cell(i)] > 1; });
  for (std::uint64_t& count : drawn.counts) count = count > 1 ? count : 0;
}

}  // namespace

DrawnPoints drawn_points(const Points& points, const AxisScale& x, const AxisScale& y) {
  DrawnPoints drawn;
  for (std::size_t i = 0; i < points.x.size(); ++i)
    if (x.shows(points.x[i]) && y.shows(points.y[i])) drawn.single.push_back(i);
  drawn.hidden = points.x.size() - drawn.single.size();
  if (drawn.single.size() > kMostPoints) count_in_cells(drawn, points, x, y);
  return drawn;
}

}  // namespace plumb
