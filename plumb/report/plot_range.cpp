#include "plumb/report/plot_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/base/error.h"
#include "plumb/base/text.h"

namespace plumb {
namespace {

// The range of the marks, in one direction.
class Extent {
 public:
  explicit Extent(bool logarithmic) : logarithmic_(logarithmic) {}

  void add(double value) {
    if (!std::isfinite(value) || (logarithmic_ && value <= 0.0)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  void add(const std::vector<double>& values) {
    for (const double value : values) add(value);
  }
  void forbid_margin() { margin_ = 0.0; }
  void rest_on_zero() { on_zero_ = true; }

  AxisRange range(const Axis& axis) const {
    double low = axis.low.value_or(low_), high = axis.high.value_or(high_);
    if (!axis.low && !axis.high && low > high) return logarithmic_ ? AxisRange{1.0, 10.0} : AxisRange{0.0, 1.0};
    if (!(low <= high)) low = high = axis.low.value_or(axis.high.value_or(0.0));
    AxisRange range = logarithmic_ ? logarithmic_range(low, high, margin_) : axis_range(low, high, margin_);
    if (low < high && (axis.low || (on_zero_ && low == 0.0))) range.low = low;
    if (low < high && (axis.high || (on_zero_ && high == 0.0))) range.high = high;
    return range;
  }

 private:
  bool logarithmic_;
  bool on_zero_ = false;
  double margin_ = 0.04;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -low_;
};

void expect_equal(std::size_t a, std::size_t b, std::string_view mark) {
  if (a != b)
    throw Error(ErrorCode::internal, std::string(mark) + " of a figure have " + counted(a, "value") + " and " +
                                         counted(b, "value") + "; as many were expected");
}

struct Reach {
  Extent x;
  Extent y;

  void add(const Points& points) {
    expect_equal(points.x.size(), points.y.size(), "points");
    // A point is shown with both coordinates or not at all.
    for (std::size_t i = 0; i < points.x.size(); ++i)
      if (std::isfinite(points.x[i]) && std::isfinite(points.y[i])) x.add(points.x[i]), y.add(points.y[i]);
  }
  void add(const Line& line) {
    expect_equal(line.x.size(), line.y.size(), "lines");
    if (!line.shapes_axes) return;
    x.add(line.x);
    y.add(line.y);
  }
  void add(const Band& band) {
    expect_equal(band.x.size(), band.low.size(), "bands");
    expect_equal(band.x.size(), band.high.size(), "bands");
    x.add(band.x);
    y.add(band.low);
    y.add(band.high);
  }
  void add(const Bars& bars) {
    expect_equal(bars.edge.size(), bars.height.size() + 1, "bars");
    x.add(bars.edge);
    y.add(bars.height);
    y.add(0.0);
    y.rest_on_zero();
  }
  void add(const HeatMap& map) {
    if (map.x_edge.empty() || map.y_edge.empty()) throw Error(ErrorCode::internal, "a heat map has no edges");
    expect_equal((map.x_edge.size() - 1) * (map.y_edge.size() - 1), map.value.size(), "heat maps");
    x.add(map.x_edge);
    y.add(map.y_edge);
    x.forbid_margin();
    y.forbid_margin();
  }
  void add(const Reference&) {}
};

}  // namespace

PanelRanges ranges_of(const Panel& panel) {
  Reach reach{Extent(panel.x.logarithmic), Extent(panel.y.logarithmic)};
  for (const Mark& mark : panel.marks) std::visit([&](const auto& any) { reach.add(any); }, mark);
  return {reach.x.range(panel.x), reach.y.range(panel.y)};
}

}  // namespace plumb
