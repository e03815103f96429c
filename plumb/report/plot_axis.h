// Axes: the range to show, the ticks and their labels, and the position of a value in the picture. Ticks are at whole
// multiples of 1, 2 or 5 times a power of ten; each is the double nearest to its label.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace plumb {

struct Tick {
  double value = 0.0;
  std::string label;
};

// The ends of an axis; low < high.
struct AxisRange {
  double low = 0.0;
  double high = 1.0;
};

// A range around these finite numbers, low <= high, that can be cut into ticks: a single value gets space on both
// sides, and a span too small for distinct labels (1e-12 of the larger end) is widened. With a margin, that part of the
// span is added at each end. A logarithmic axis, low > 0, has its margins in the logarithm.
AxisRange axis_range(double low, double high, double margin = 0.0);
AxisRange logarithmic_range(double low, double high, double margin = 0.0);

// At most `most` ticks (at least 1), all within the range, at the smallest step that allows that many.
std::vector<Tick> linear_ticks(const AxisRange& range, std::size_t most);
// For a positive range: powers of ten, or 1, 2, 5 times them if they fit; linear ticks if the range is so short that it
// contains fewer than two of those.
std::vector<Tick> logarithmic_ticks(const AxisRange& range, std::size_t most);

// From values to pixels.
class AxisScale {
 public:
  AxisScale(const AxisRange& range, bool logarithmic, double first_pixel, double last_pixel);

  bool shows(double value) const noexcept;      // finite, and within the range
  bool has_place(double value) const noexcept;  // finite, and above 0 if the axis is logarithmic
  // For a value that has a position; values far outside the range are moved nearer, so that all pixels are numbers that
  // any viewer can draw.
  double operator()(double value) const noexcept;
  double value_at(double part) const noexcept;  // from 0, the lower end of the axis, to 1, the upper

 private:
  double place(double value) const noexcept;

  AxisRange range_;
  bool logarithmic_;
  double first_;
  double last_;
  double low_;  // place() of the ends
  double high_;
};

}  // namespace plumb
