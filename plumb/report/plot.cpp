// A figure is laid out in two steps. First each panel finds its ranges, ticks, notes and legend, and so the space it
// needs around its plot area; then all plot areas of a column get the same margins, all of a row the same height above
// them, and everything is written from the upper left on.
#include "plumb/report/plot.h"

#include <algorithm>

#include "plumb/base/text.h"
#include "plumb/report/plot_axis.h"
#include "plumb/report/plot_marks.h"
#include "plumb/report/plot_points.h"
#include "plumb/report/plot_range.h"
#include "plumb/report/plot_theme.h"
#include "plumb/report/svg.h"

namespace plumb {
namespace {

constexpr double kBorder = 14.0;  // around the figure
constexpr double kGutter = 22.0;  // between panels
constexpr double kTickLength = 4.0;
constexpr double kTickGap = 7.0;   // from the plot area to a tick's label
constexpr double kLabelGap = 8.0;  // between labels
constexpr double kBelow = 42.0;    // under the plot area: labels and the title of x
constexpr double kLegendHeight = kLineHeight + 2;
constexpr double kHeadingHeight = 30.0;
constexpr double kSubtitleHeight = 18.0;

// Of all panels of a figure.
struct Size {
  double width;   // with its margins
  double height;  // of the plot area
};

constexpr double kWidestBelow = 90.0, kWidestBeside = 210.0;  // names of categories, below and beside the plot area

std::vector<Tick> ticks_of(const Axis& axis, const AxisRange& range, std::size_t most, double name_width) {
  if (axis.hidden) return {};
  if (axis.categories.empty()) return axis.logarithmic ? logarithmic_ticks(range, most) : linear_ticks(range, most);
  std::vector<Tick> ticks;
  const std::size_t every = (axis.categories.size() + most - 1) / std::max<std::size_t>(most, 1);
  for (std::size_t i = 0; i < axis.categories.size(); i += std::max<std::size_t>(every, 1))
    if (static_cast<double>(i) >= range.low && static_cast<double>(i) <= range.high)
      ticks.push_back({static_cast<double>(i), shortened(axis.categories[i], name_width)});
  return ticks;
}

double widest(const std::vector<Tick>& ticks) {
  double width = 0.0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.label));
  return width;
}

// Everything about a panel that does not depend on its position.
class PanelPlan {
 public:
  PanelPlan(const Panel& panel, const Size& size) : panel_(panel), size_(size), ranges_(ranges_of(panel)) {
    const double room = panel.y.categories.empty() ? 36.0 : 16.0;  // every name that fits, but few numbers
    y_ticks_ = ticks_of(panel.y, ranges_.y, std::max<std::size_t>(static_cast<std::size_t>(size.height / room), 2),
                        kWidestBeside);
    double longest = 0.0;
    for (const std::string& name : panel.x.categories) longest = std::max(longest, text_width(name));
    const double each =
        (size.width - left()) / static_cast<double>(std::max<std::size_t>(panel.x.categories.size(), 1));
    staggered_ = panel.x.categories.size() > 1 && longest + kLabelGap > each;
    choose_points();
  }
  // Labels and the title of x.
  double below() const { return kBelow + (staggered_ ? kLineHeight : 0.0); }

  double left() const { return (panel_.y.title.empty() ? 0.0 : kLineHeight + 4) + widest(y_ticks_) + kTickGap + 1; }
  double above() const {
    const double legend = legend_rows() * kLegendHeight;
    return (panel_.title.empty() ? 0.0 : kLineHeight + 4) + static_cast<double>(notes_.size()) * 15.0 + legend +
           (legend > 0 ? 6 : 10);
  }

  // The upper left corner of the panel, margins, and the height above the plot area.
  void draw(SvgWriter& svg, double x, double y, double left, double right, double above) {
    const double width = size_.width - left - right;
    choose_x_ticks(width, right);
    draw_header(svg, x, y);
    draw_legend(svg, x, y + above);
    draw_axes(svg, x + left, y + above, width, x);
    svg.open("svg")  // clips its content
        .attribute("x", x + left)
        .attribute("y", y + above)
        .attribute("width", width)
        .attribute("height", size_.height);
    const PlotArea area{AxisScale(ranges_.x, panel_.x.logarithmic, 0.0, width),
                        AxisScale(ranges_.y, panel_.y.logarithmic, size_.height, 0.0), width, size_.height};
    draw_marks(svg, panel_.marks, drawn_, area);
    svg.close();
  }

 private:
  void choose_points() {
    const AxisScale x(ranges_.x, panel_.x.logarithmic, 0.0, 1.0), y(ranges_.y, panel_.y.logarithmic, 0.0, 1.0);
    std::vector<std::string> notes = panel_.notes;
    std::uint64_t hidden = 0;
    for (const Mark& mark : panel_.marks) {
      const auto* points = std::get_if<Points>(&mark);
      drawn_.push_back(points ? drawn_points(*points, x, y) : DrawnPoints());
      hidden += drawn_.back().hidden;
      const std::string& note = drawn_.back().note;
      if (!note.empty()) notes.push_back((points->name.empty() ? "" : points->name + ": ") + note);
    }
    if (hidden > 0) notes.push_back(counted(hidden, "point") + " not shown: no number, or outside of the axes");
    const auto columns = static_cast<std::size_t>(size_.width / (11.0 * 0.56));
    for (const std::string& note : notes) {
      const std::string lines = wrapped(note, columns, 0);
      for (std::size_t begin = 0; begin < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', begin), lines.size());
        notes_.push_back(lines.substr(begin, end - begin));
        begin = end + 1;
      }
    }
  }

  // As many as stand apart from each other. A label that would reach into the next panel is left out, its tick stays.
  // Categories are all named where a few letters of each have room; long names stand on two lines by turns.
  void choose_x_ticks(double width, double right) {
    const AxisScale scale(ranges_.x, panel_.x.logarithmic, 0.0, width);
    constexpr double kFewLetters = 24.0;
    const double room = (staggered_ ? 2.0 : 1.0) * (scale(1.0) - scale(0.0)) - kLabelGap;
    if (!panel_.x.categories.empty() && room >= kFewLetters) {
      x_ticks_ = ticks_of(panel_.x, ranges_.x, panel_.x.categories.size(), std::min(room, kWidestBelow));
      return;
    }
    bool apart = false;
    const std::size_t all = std::min<std::size_t>(panel_.x.categories.size(), 60);
    for (std::size_t most = std::max<std::size_t>(9, all); most > 0 && !apart; --most) {
      x_ticks_ = ticks_of(panel_.x, ranges_.x, most, kWidestBelow);
      apart = true;
      double end = -kLabelGap;
      for (Tick& tick : x_ticks_) {
        const double half = text_width(tick.label) / 2, at = scale(tick.value);
        if (at + half > width + right + kGutter / 2) tick.label.clear();
        if (tick.label.empty()) continue;
        apart = apart && (end < 0.0 || at - half >= end + kLabelGap);
        end = at + half;
      }
    }
  }

  double legend_rows() const {
    double rows = 0.0, at = size_.width + 1;
    for (const Mark& mark : panel_.marks) {
      const double width = key_width(legend_text(mark));
      if (width == 0.0) continue;
      if (at + width > size_.width) rows += 1.0, at = 0.0;
      at += width;
    }
    return rows;
  }
  static double key_width(const std::string& text) {
    return text.empty() ? 0.0 : kKeyWidth + text_width(text, 11.0) + 12;
  }

  void draw_header(SvgWriter& svg, double x, double y) const {
    if (!panel_.title.empty()) {
      y += kLineHeight;
      svg.open("text").attribute("class", "title").attribute("x", x).attribute("y", y - 3);
      svg.text(shortened(panel_.title, size_.width, 13.0)).close();
      y += 4;
    }
    for (const std::string& note : notes_) {
      svg.open("text").attribute("class", "soft small").attribute("x", x).attribute("y", y + 9).text(note).close();
      y += 15.0;
    }
  }

  // Right above the plot area, which begins at `bottom`.
  void draw_legend(SvgWriter& svg, double x, double bottom) const {
    double at = size_.width + 1, y = bottom - 6 - legend_rows() * kLegendHeight - kLegendHeight / 2;
    for (const Mark& mark : panel_.marks) {
      const std::string text = legend_text(mark);
      const double width = key_width(text);
      if (width == 0.0) continue;
      if (at + width > size_.width) y += kLegendHeight, at = 0.0;
      draw_key(svg, mark, x + at, y);
      svg.open("text").attribute("class", "soft small").attribute("x", x + at + kKeyWidth).attribute("y", y + 4);
      svg.text(shortened(text, size_.width - kKeyWidth, 11.0)).close();
      at += width;
    }
  }

  // left, top: of the plot area; outer: the left end of the panel.
  void draw_axes(SvgWriter& svg, double left, double top, double width, double outer) const {
    const AxisScale x(ranges_.x, panel_.x.logarithmic, left, left + width);
    const AxisScale y(ranges_.y, panel_.y.logarithmic, top + size_.height, top);
    const double right = left + width, bottom = top + size_.height;
    SvgPath grid, edge;
    for (const Tick& tick : x_ticks_) {
      grid.move_to(x(tick.value), top).line_to(x(tick.value), bottom);
      edge.move_to(x(tick.value), bottom).line_to(x(tick.value), bottom + kTickLength);
    }
    for (const Tick& tick : y_ticks_) {
      grid.move_to(left, y(tick.value)).line_to(right, y(tick.value));
      edge.move_to(left - kTickLength, y(tick.value)).line_to(left, y(tick.value));
    }
    edge.move_to(left, panel_.y.hidden ? bottom : top);
    if (!panel_.y.hidden) edge.line_to(left, bottom);
    if (!panel_.x.hidden) edge.line_to(right, bottom);
    const bool filled = std::any_of(panel_.marks.begin(), panel_.marks.end(),
                                    [](const Mark& mark) { return std::holds_alternative<HeatMap>(mark); });
    if (!filled) svg.path("grid", grid);
    if (!panel_.x.hidden || !panel_.y.hidden) svg.path("edge", edge);
    for (std::size_t i = 0; i < x_ticks_.size(); ++i)
      draw_text(svg, "soft middle", x(x_ticks_[i].value),
                bottom + kTickGap + 10 + (staggered_ && i % 2 == 1 ? kLineHeight : 0.0), x_ticks_[i].label);
    for (const Tick& tick : y_ticks_) draw_text(svg, "soft end", left - kTickGap, y(tick.value) + 4, tick.label);
    draw_text(svg, "middle", left + width / 2, bottom + below() - 6, shortened(panel_.x.title, width));
    if (panel_.y.title.empty()) return;
    std::string turned = "translate(";
    append_pixels(turned, outer + 11);
    turned += ' ';
    append_pixels(turned, top + size_.height / 2);
    svg.open("text").attribute("class", "middle").attribute("transform", turned + ") rotate(-90)");
    svg.text(shortened(panel_.y.title, size_.height)).close();
  }

  static void draw_text(SvgWriter& svg, const char* style, double x, double y, const std::string& text) {
    if (!text.empty())
      svg.open("text").attribute("class", style).attribute("x", x).attribute("y", y).text(text).close();
  }

  const Panel& panel_;
  Size size_;
  PanelRanges ranges_;
  std::vector<Tick> x_ticks_;
  std::vector<Tick> y_ticks_;
  std::vector<DrawnPoints> drawn_;  // for each mark
  std::vector<std::string> notes_;  // in lines
  bool staggered_ = false;          // labels of x stand on two lines by turns
};

}  // namespace

void draw_bands_first(Panel& panel) {
  std::stable_partition(panel.marks.begin(), panel.marks.end(),
                        [](const Mark& mark) { return std::holds_alternative<Band>(mark); });
}

std::string to_svg(const Figure& figure) {
  const std::size_t columns =
      std::clamp<std::size_t>(figure.columns, 1, std::max<std::size_t>(figure.panels.size(), 1));
  const Size size = columns == 1 ? Size{720.0, 400.0} : Size{440.0, 270.0};
  std::vector<PanelPlan> plans;
  for (const Panel& panel : figure.panels) plans.emplace_back(panel, size);
  std::vector<double> left(columns, 0.0), above((plans.size() + columns - 1) / columns, 0.0);
  std::vector<double> below(above.size(), 0.0);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    left[i % columns] = std::max(left[i % columns], plans[i].left());
    above[i / columns] = std::max(above[i / columns], plans[i].above());
    below[i / columns] = std::max(below[i / columns], plans[i].below());
  }
  const double right = 12.0;
  const double first =
      kBorder + (figure.title.empty() ? 0.0 : kHeadingHeight) + (figure.subtitle.empty() ? 0.0 : kSubtitleHeight);
  double height = first + kBorder;
  for (std::size_t row = 0; row < above.size(); ++row) height += above[row] + size.height + below[row];
  if (above.size() > 1) height += kGutter * static_cast<double>(above.size() - 1);
  const double width = 2 * kBorder + static_cast<double>(columns) * (size.width + kGutter) - kGutter;

  SvgWriter svg;
  std::string box = "0 0 ";
  append_pixels(box, width);
  box += ' ';
  append_pixels(box, height);
  svg.open("svg").attribute("xmlns", "http://www.w3.org/2000/svg").attribute("class", "plumb").attribute("role", "img");
  svg.attribute("viewBox", box).attribute("width", width).attribute("height", height);
  svg.open("title").text(figure.title.empty() ? "figure" : figure.title).close();
  svg.style(style_sheet(figure.theme));
  svg.open("rect").attribute("class", "paper").attribute("width", width).attribute("height", height).close();
  if (!figure.title.empty()) {
    svg.open("text").attribute("class", "heading").attribute("x", kBorder).attribute("y", kBorder + 14);
    svg.text(shortened(figure.title, width - 2 * kBorder, 17.0)).close();
  }
  if (!figure.subtitle.empty()) {
    svg.open("text").attribute("class", "soft").attribute("x", kBorder).attribute("y", first - 12);
    svg.text(shortened(figure.subtitle, width - 2 * kBorder)).close();
  }
  double y = first;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const std::size_t column = i % columns, row = i / columns;
    plans[i].draw(svg, kBorder + static_cast<double>(column) * (size.width + kGutter), y, left[column], right,
                  above[row]);
    if (column + 1 == columns) y += above[row] + size.height + below[row] + kGutter;
  }
  svg.close();
  return svg.take();
}

}  // namespace plumb
