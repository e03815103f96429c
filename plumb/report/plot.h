// Figures: one or more panels with axes, drawn as one self-contained SVG picture that follows the reader's light or
// dark screen. A Figure goes in, a string comes out: the same bytes on every machine. Points that are not finite, or
// too many to tell apart, are left out or binned, and the picture says so.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plumb/base/option_types.h"

namespace plumb {

// The colours of Okabe and Ito, which colour-blind people can tell apart, each with a lighter one for dark backgrounds.
enum class Paint { blue, vermilion, green, purple, grey };

// Marks of a panel, drawn in the order given. A mark with a name is in the legend. Coordinates that are not finite are
// left out: a line is broken there.
struct PointLabel {
  std::size_t point = 0;
  std::string text;
};
struct Points {
  std::vector<double> x, y;
  std::string name = {};
  Paint paint = Paint::blue;
  std::vector<PointLabel> labels = {};  // the most important first: one without space is left out
  bool rings = false;                   // around points of other marks, which stay visible
};
// More than these are drawn as counts in small cells.
inline constexpr std::size_t kMostPoints = 2000;

struct Line {
  std::vector<double> x, y;
  std::string name = {};
  Paint paint = Paint::vermilion;
  bool dashed = false;
  bool shapes_axes = true;  // false: shown as far as the other marks reach
};
// Between two curves.
struct Band {
  std::vector<double> x, low, high;
  std::string name = {};
  Paint paint = Paint::vermilion;
};
// From 0 to height[i], between edge[i] and edge[i + 1].
struct Bars {
  std::vector<double> edge, height;
  std::string name = {};
  Paint paint = Paint::blue;
};
// value[r * columns + c] in the cell between x_edge[c] and [c + 1], y_edge[r] and [r + 1]: the larger, the stronger its
// colour. A value that is not finite is an empty cell.
struct HeatMap {
  std::vector<double> x_edge, y_edge, value;
  std::string name = {};
  Paint paint = Paint::blue;
  std::vector<std::string> texts = {};  // one for each cell, or empty; shown if all of them fit
};
// y = rise * x + offset, thin and dashed, from side to side; it does not affect the axes.
struct Reference {
  double offset = 0.0;
  double rise = 0.0;
  std::string name = {};
};
using Mark = std::variant<Points, Line, Band, Bars, HeatMap, Reference>;

struct Axis {
  std::string title = {};
  bool logarithmic = false;  // values that are not above 0 are then left out
  // A missing end is where the marks end, plus a margin.
  std::optional<double> low = {};
  std::optional<double> high = {};
  std::vector<std::string> categories = {};  // names of the values 0, 1, 2, ..., which then have the ticks
  bool hidden = false;                       // neither line nor ticks
};

struct Panel {
  std::string title = {};
  Axis x = {};
  Axis y = {};
  std::vector<Mark> marks = {};
  std::vector<std::string> notes = {};  // lines below the title
};

// So that the band of one line does not cover another line.
void draw_bands_first(Panel& panel);

// automatic: follows the reader's screen, if the viewer knows it; otherwise light.
enum class Theme { automatic, light, dark };
template <>
struct EnumNames<Theme> {
  static constexpr std::string_view names[] = {"auto", "light", "dark"};
};

struct Figure {
  std::string title = {};
  std::string subtitle = {};
  std::vector<Panel> panels = {};
  std::size_t columns = 2;  // of panels; a figure of fewer has fewer
  Theme theme = Theme::automatic;
};

// Throws Error(internal) if the parts of a mark disagree in length.
std::string to_svg(const Figure& figure);

}  // namespace plumb
