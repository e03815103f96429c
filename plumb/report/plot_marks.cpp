#include "plumb/report/plot_marks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plumb/base/number.h"
#include "plumb/math/special.h"
#include "plumb/report/plot_theme.h"

namespace plumb {
namespace {

// visit() with a list of functions, one for each kind of mark.
template <class... Functions>
struct ByKind : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
ByKind(Functions...) -> ByKind<Functions...>;

constexpr std::string_view kReferenceStyle = "line thin dashed ink";
constexpr std::size_t kFew = 200;  // distance between dots
constexpr double kRing = 6.0;      // radius around a dot

std::string style_of(std::string_view kind, Paint paint) {
  return std::string(kind) + " " + std::string(class_of(paint));
}

// Boxes with an intensity of colour, in that many steps: a path for each step.
class Shades {
 public:
  // strength in [0, 1]
  void add(double strength, double x, double y, double width, double height) {
    const auto step = static_cast<std::size_t>(strength * kSteps);
    paths_[std::min(step, kSteps - 1)].box(x, y, width, height);
  }
  void draw(SvgWriter& svg, Paint paint) const {
    for (std::size_t step = 0; step < kSteps; ++step)
      if (!paths_[step].empty())
        svg.open("path")
            .attribute("class", style_of("area", paint))
            .attribute("fill-opacity", opacity(step))
            .attribute("d", paths_[step].text())
            .close();
  }
  static constexpr std::size_t kSteps = 9;
  static double opacity(std::size_t step) { return 0.2 + 0.1 * static_cast<double>(step); }

 private:
  std::array<SvgPath, kSteps> paths_;
};

class Drawing {
 public:
  // `few`: dots may be larger and less transparent.
  Drawing(SvgWriter& svg, const PlotArea& area, bool few) : svg_(svg), area_(area), few_(few) {}

  void draw(const Points& points, const DrawnPoints& drawn) {
    draw_cells(points, drawn);
    std::vector<std::size_t> dots = drawn.single;
    if (!drawn.note.empty())  // the labelled point must stay visible
      for (const PointLabel& label : points.labels)
        if (shows(points, label.point)) dots.push_back(label.point);
    if (dots.empty()) return;
    if (points.rings) {
      svg_.open("g").attribute("class", style_of("line thin", points.paint));
      for (const std::size_t i : dots)
        svg_.open("circle")
            .attribute("cx", area_.x(points.x[i]))
            .attribute("cy", area_.y(points.y[i]))
            .attribute("r", kRing)
            .close();
      svg_.close();
      return;
    }
    svg_.open("g").attribute("class", style_of(few_ ? "dot few" : "dot", points.paint));
    for (const std::size_t i : dots)  // an element each: where they overlap they are darker
      svg_.open("path").attribute("d", SvgPath().dot(area_.x(points.x[i]), area_.y(points.y[i])).text()).close();
    svg_.close();
  }

  void draw(const Line& line, const DrawnPoints&) {
    svg_.path(style_of(line.dashed ? "line thin dashed" : "line", line.paint), path_of(line));
  }

  void draw(const Band& band, const DrawnPoints&) {
    SvgPath path;
    const auto there = [&](std::size_t i) {
      return drawable(band.x[i], band.low[i]) && drawable(band.x[i], band.high[i]);
    };
    for (std::size_t begin = 0; begin < band.x.size();) {
      std::size_t end = begin;
      while (end < band.x.size() && there(end)) ++end;
      for (std::size_t i = begin; i < end; ++i) {
        const double x = area_.x(band.x[i]), y = area_.y(band.high[i]);
        i == begin ? path.move_to(x, y) : path.line_to(x, y);
      }
      for (std::size_t i = end; i > begin; --i) path.line_to(area_.x(band.x[i - 1]), area_.y(band.low[i - 1]));
      if (end > begin) path.close();
      begin = end + 1;
    }
    svg_.path(style_of("area faint", band.paint), path);
  }

  void draw(const Bars& bars, const DrawnPoints&) {
    SvgPath path;
    const double zero = area_.y(0.0);
    for (std::size_t i = 0; i < bars.height.size(); ++i) {
      if (!drawable(bars.edge[i], bars.height[i]) || !drawable(bars.edge[i + 1], bars.height[i])) continue;
      const double left = area_.x(bars.edge[i]), right = area_.x(bars.edge[i + 1]), top = area_.y(bars.height[i]);
      const double gap = std::min(1.0, (right - left) / 8);  // so that neighbours can be told apart
      path.box(left + gap / 2, std::min(top, zero), right - left - gap, std::abs(zero - top));
    }
    svg_.path(style_of("area", bars.paint), path);
  }

  void draw(const HeatMap& map, const DrawnPoints&) {
    const auto [low, high] = extent(map);
    const std::size_t columns = map.x_edge.size() - 1;
    Shades shades;
    for (std::size_t i = 0; i < map.value.size(); ++i) {
      const std::size_t column = i % columns, row = i / columns;
      if (!std::isfinite(map.value[i])) continue;
      const double left = area_.x(map.x_edge[column]), right = area_.x(map.x_edge[column + 1]);
      const double bottom = area_.y(map.y_edge[row]), top = area_.y(map.y_edge[row + 1]);
      shades.add(high > low ? (map.value[i] / 2 - low / 2) / (high / 2 - low / 2) : 1.0, left, top, right - left,
                 bottom - top);
    }
    shades.draw(svg_, map.paint);
    draw_texts(map, columns);
  }

  void draw(const Reference& reference, const DrawnPoints&) {
    Line line;
    constexpr int kPieces = 64;  // many short ones, because a logarithmic axis bends it
    for (int i = 0; i <= kPieces; ++i) {
      line.x.push_back(area_.x.value_at(static_cast<double>(i) / kPieces));
      line.y.push_back(reference.rise * line.x.back() + reference.offset);
    }
    svg_.path(kReferenceStyle, path_of(line));
  }

  void draw_labels(const Points& points) {
    for (const PointLabel& label : points.labels)
      if (shows(points, label.point)) place(label.text, area_.x(points.x[label.point]), area_.y(points.y[label.point]));
  }

  static std::pair<double, double> extent(const HeatMap& map) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double value : map.value)
      if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
    return {low, high};
  }

 private:
  struct Box {
    double left, top, right, bottom;
    bool meets(const Box& other) const {
      return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
  };

  SvgPath path_of(const Line& line) const {
    SvgPath path;
    bool drawing = false;
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      const bool there = drawable(line.x[i], line.y[i]);
      if (there) {
        const double x = area_.x(line.x[i]), y = area_.y(line.y[i]);
        drawing ? path.line_to(x, y) : path.move_to(x, y);
      }
      drawing = there;
    }
    return path;
  }

  // In the middle of the cells; empty if one of them is wider than its cell.
  void draw_texts(const HeatMap& map, std::size_t columns) {
    constexpr double kHeight = 11.0;
    const auto x = [&](std::size_t i) { return area_.x(map.x_edge[i]); };
    const auto y = [&](std::size_t i) { return area_.y(map.y_edge[i]); };
    for (std::size_t i = 0; i < map.texts.size(); ++i) {
      const std::size_t column = i % columns, row = i / columns;
      if (text_width(map.texts[i], kHeight) + 4 > std::abs(x(column + 1) - x(column)) ||
          kHeight + 4 > std::abs(y(row + 1) - y(row)))
        return;
    }
    for (std::size_t i = 0; i < map.texts.size(); ++i) {
      const std::size_t column = i % columns, row = i / columns;
      if (map.texts[i].empty()) continue;
      svg_.open("text").attribute("class", "label middle").attribute("x", (x(column) + x(column + 1)) / 2);
      svg_.attribute("y", (y(row) + y(row + 1)) / 2 + 4).text(map.texts[i]).close();
    }
  }

  bool drawable(double x, double y) const { return area_.x.has_place(x) && area_.y.has_place(y); }
  bool shows(const Points& points, std::size_t i) const {
    return area_.x.shows(points.x[i]) && area_.y.shows(points.y[i]);
  }

  // Neighbours of one shade are one box. Shades follow the logarithm of the count: crowds differ by factors.
  void draw_cells(const Points& points, const DrawnPoints& drawn) {
    if (drawn.counts.empty()) return;
    const double width = area_.width / DrawnPoints::kColumns, height = area_.height / DrawnPoints::kRows;
    const double scale = 1.0 / math::log(static_cast<double>(std::max<std::uint64_t>(drawn.most, 3)));
    const auto strength = [&](std::uint64_t count) {
      const double part = count == 0 ? -1.0 : math::log(static_cast<double>(count)) * scale;
      return part < 0.0 ? part : std::floor(part * Shades::kSteps) / Shades::kSteps;
    };
    Shades shades;
    for (std::size_t row = 0; row < DrawnPoints::kRows; ++row) {
      const std::uint64_t* counts = drawn.counts.data() + row * DrawnPoints::kColumns;
      for (std::size_t begin = 0; begin < DrawnPoints::kColumns;) {
        const double shade = strength(counts[begin]);
        std::size_t end = begin;
        while (end < DrawnPoints::kColumns && strength(counts[end]) == shade) ++end;
        if (shade >= 0.0)
          shades.add(shade + 1e-9, static_cast<double>(begin) * width,
                     area_.height - static_cast<double>(row + 1) * height, static_cast<double>(end - begin) * width,
                     height);
        begin = end;
      }
    }
    shades.draw(svg_, points.paint);
  }

  // Beside the point if there is space for it, otherwise not at all.
  void place(const std::string& text, double x, double y) {
    constexpr double kGap = 6.0, kHeight = 11.0;
    const double width = text_width(text, kHeight);
    const std::array boxes = {Box{x + kGap, y - kHeight / 2, x + kGap + width, y + kHeight / 2},
                              Box{x - kGap - width, y - kHeight / 2, x - kGap, y + kHeight / 2},
                              Box{x - width / 2, y - kGap - kHeight, x + width / 2, y - kGap},
                              Box{x - width / 2, y + kGap, x + width / 2, y + kGap + kHeight}};
    for (const Box& box : boxes) {
      if (box.left < 0 || box.right > area_.width || box.top < 0 || box.bottom > area_.height) continue;
      if (std::any_of(taken_.begin(), taken_.end(), [&](const Box& other) { return box.meets(other); })) continue;
      taken_.push_back(box);
      svg_.open("text").attribute("class", "label").attribute("x", box.left).attribute("y", box.bottom - 1.5);
      svg_.text(text).close();
      return;
    }
  }

  SvgWriter& svg_;
  const PlotArea& area_;
  bool few_;
  std::vector<Box> taken_;
};

}  // namespace

void draw_marks(SvgWriter& svg, const std::vector<Mark>& marks, const std::vector<DrawnPoints>& drawn,
                const PlotArea& area) {
  std::size_t dots = 0;
  for (const DrawnPoints& points : drawn) dots += points.single.size() + (points.note.empty() ? 0 : kFew);
  Drawing drawing(svg, area, dots <= kFew);
  for (std::size_t i = 0; i < marks.size(); ++i)
    std::visit([&](const auto& mark) { drawing.draw(mark, drawn[i]); }, marks[i]);
  for (const Mark& mark : marks)
    if (const auto* points = std::get_if<Points>(&mark)) drawing.draw_labels(*points);
}

void draw_key(SvgWriter& svg, const Mark& mark, double x, double y) {
  const double end = x + kKeyWidth - 4;
  const auto line = [&](std::string_view style) { svg.path(style, SvgPath().move_to(x, y).line_to(end, y)); };
  std::visit(
      ByKind{
          [&](const Points& points) {
            if (points.rings) {
              svg.open("circle").attribute("class", style_of("line thin", points.paint));
              svg.attribute("cx", (x + end) / 2).attribute("cy", y).attribute("r", kRing).close();
            } else {
              svg.path(style_of("dot few", points.paint), SvgPath().dot((x + end) / 2, y));
            }
          },
          [&](const Line& l) { line(style_of(l.dashed ? "line thin dashed" : "line", l.paint)); },
          [&](const Band& band) { svg.path(style_of("area faint", band.paint), SvgPath().box(x, y - 5, end - x, 10)); },
          [&](const Bars& bars) { svg.path(style_of("area", bars.paint), SvgPath().box(x, y - 5, end - x, 10)); },
          [&](const HeatMap& map) {
            Shades shades;
            constexpr double kSteps = Shades::kSteps;
            for (double step = 0; step < kSteps; ++step)
              shades.add((step + 0.5) / kSteps, x + step * (end - x) / kSteps, y - 5, (end - x) / kSteps, 10);
            shades.draw(svg, map.paint);
          },
          [&](const Reference&) { line(kReferenceStyle); }},
      mark);
}

std::string legend_text(const Mark& mark) {
  return std::visit(ByKind{[](const HeatMap& map) {
                             const auto [low, high] = Drawing::extent(map);
                             if (map.name.empty() || !(low <= high)) return map.name;
                             return map.name + ", " + number_text(low, 3) + " to " + number_text(high, 3);
                           },
                           [](const auto& any) { return any.name; }},
                    mark);
}

}  // namespace plumb
