#include "plumb/report/plot_points.h"

#include <algorithm>
#include <utility>

#include "plumb/base/number.h"

namespace plumb {
namespace {

// All of both ends, where curves of ordered points have something to tell, and every n-th between them.
void thin(DrawnPoints& drawn) {
  constexpr std::size_t kEnd = kMostPoints / 8;
  const std::size_t count = drawn.single.size();
  const std::size_t every = (count - 2 * kEnd) / (kMostPoints - 2 * kEnd) + 1;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < count; ++i)
    if (i < kEnd || i + kEnd >= count || (i - kEnd) % every == 0) kept.push_back(drawn.single[i]);
  drawn.note = count_text(kept.size()) + " of " + count_text(count) + " points: all at the ends, one in " +
               count_text(every) + " between";
  drawn.single = std::move(kept);
}

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
  if (drawn.single.size() <= kMostPoints) return drawn;
  if (points.along_curve) {
    thin(drawn);
  } else {
    count_in_cells(drawn, points, x, y);
  }
  return drawn;
}

}  // namespace plumb
