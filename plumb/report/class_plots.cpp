#include "plumb/report/class_plots.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/math/special.h"
#include "plumb/report/posterior_plots.h"

namespace plumb {
namespace {

constexpr Paint kClassPaints[] = {Paint::blue, Paint::vermilion, Paint::green, Paint::purple};
constexpr std::size_t kMostPath = 12;  // maximum number of boundaries in a picture
constexpr double kClosest = 1e-3;      // of the margin
constexpr std::size_t kMostNamed = 6;  // closest rows with their numbers
constexpr double kContours[] = {0.1, 0.25, 0.75, 0.9};

struct Box {
  double low[2], high[2];
  double middle(int axis) const { return (low[axis] + high[axis]) / 2; }
  double span(int axis) const { return high[axis] - low[axis]; }
};

// The rows with a tenth of their span around them.
Box box_of(const ClassPlot& plot) {
  Box box{};
  const std::vector<double>* const values[] = {&plot.x, &plot.y};
  for (int axis = 0; axis < 2; ++axis) {
    const auto [low, high] = std::minmax_element(values[axis]->begin(), values[axis]->end());
    const double room = std::max((*high - *low) / 10, 1e-9 * std::max(1.0, std::abs(*high)));
    box.low[axis] = *low - room;
    box.high[axis] = *high + room;
  }
  return box;
}

double norm_of(const PlotPlane& plane) { return math::length(plane.w[0], plane.w[1]); }

// Where w.x + b = level crosses the box: two ends, or empty.
std::optional<Line> crossing(const PlotPlane& plane, double level, const Box& box) {
  Line line;
  const auto add = [&](double x, double y) {
    const double slack = 1e-9;
    if (line.x.size() == 2 || x < box.low[0] - slack * box.span(0) || x > box.high[0] + slack * box.span(0) ||
        y < box.low[1] - slack * box.span(1) || y > box.high[1] + slack * box.span(1))
      return;
    if (line.x.size() == 1 && std::abs(line.x[0] - x) <= slack * box.span(0) &&
        std::abs(line.y[0] - y) <= slack * box.span(1))
      return;
    line.x.push_back(x);
    line.y.push_back(y);
  };
  for (const double x : {box.low[0], box.high[0]})
    if (plane.w[1] != 0.0) add(x, (level - plane.bias - plane.w[0] * x) / plane.w[1]);
  for (const double y : {box.low[1], box.high[1]})
    if (plane.w[0] != 0.0) add((level - plane.bias - plane.w[1] * y) / plane.w[0], y);
  if (line.x.size() < 2) return {};
  return line;
}

// Where the second label has these probabilities.
void add_contours(Panel& panel, std::vector<Line> lines, const std::string& label, bool dashed) {
  std::string name = "probability ";
  for (const double p : kContours) name += (p == kContours[0] ? "" : ", ") + number_text(p);
  name += " of " + label;
  for (Line& line : lines) {
    line.name = std::exchange(name, "");
    line.paint = Paint::grey;
    line.dashed = dashed;
    panel.marks.emplace_back(std::move(line));
  }
}

std::vector<Mark> row_marks(const ClassPlot& plot) {
  std::vector<Mark> marks;
  for (std::size_t label = 0; label < plot.labels.size(); ++label) {
    Points points;
    points.name = plot.labels[label];
    points.paint = kClassPaints[label % std::size(kClassPaints)];
    for (std::size_t i = 0; i < plot.x.size(); ++i) {
      if (plot.label[i] != label) continue;
      points.x.push_back(plot.x[i]);
      points.y.push_back(plot.y[i]);
    }
    marks.push_back(std::move(points));
  }
  return marks;
}

Panel panel_of(const ClassPlot& plot, std::string title, const Box& box) {
  Panel panel;
  panel.title = std::move(title);
  panel.x = {.title = plot.x_name, .low = box.low[0], .high = box.high[0]};
  panel.y = {.title = plot.y_name, .low = box.low[1], .high = box.high[1]};
  return panel;
}

// The band between w.x + b = -reach and reach, clipped to the box.
std::optional<Band> band_of(const PlotPlane& plane, double reach, const Box& box) {
  if (plane.w[1] == 0.0) return {};
  Band band;
  band.paint = Paint::grey;
  band.name = "no row";
  constexpr int kPlaces = 200;
  for (int k = 0; k <= kPlaces; ++k) {
    const double x = box.low[0] + box.span(0) * k / kPlaces;
    const double a = (-reach - plane.bias - plane.w[0] * x) / plane.w[1];
    const double b = (reach - plane.bias - plane.w[0] * x) / plane.w[1];
    const double low = std::clamp(std::min(a, b), box.low[1], box.high[1]);
    const double high = std::clamp(std::max(a, b), box.low[1], box.high[1]);
    band.x.push_back(x);
    band.low.push_back(low);
    band.high.push_back(high);
  }
  return band;
}

// From the boundary's point nearest to the middle of the box, a fifth of the picture long, towards the second label. A
// right angle looks like one only if both axes have one scale.
std::optional<Line> normal_of(const PlotPlane& plane, const Box& box) {
  const std::optional<Line> boundary = crossing(plane, 0.0, box);
  if (!boundary) return {};
  const double x = (boundary->x[0] + boundary->x[1]) / 2, y = (boundary->y[0] + boundary->y[1]) / 2;
  const double size = std::max(std::abs(plane.w[0]) / box.span(0), std::abs(plane.w[1]) / box.span(1));
  const double step = 0.2 / size;
  const double dx = plane.w[0] * step, dy = plane.w[1] * step;
  // An arrow: the shaft, and two short lines back from its tip, in fractions of the picture.
  const double ux = dx / box.span(0), uy = dy / box.span(1), length = math::length(ux, uy);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Line line{{x, x + dx}, {y, y + dy}, "normal vector, in the units of the axes", Paint::green};
  for (const double side : {1.0, -1.0}) {
    const double hx = -0.03 * (ux + side * 0.5 * uy) / length, hy = -0.03 * (uy - side * 0.5 * ux) / length;
    line.x.insert(line.x.end(), {nan, x + dx, x + dx + hx * box.span(0)});
    line.y.insert(line.y.end(), {nan, y + dy, y + dy + hy * box.span(1)});
  }
  line.shapes_axes = false;
  return line;
}

}  // namespace

Panel plane_panel(const ClassPlot& plot) {
  const Box box = box_of(plot);
  Panel panel = panel_of(plot, "Rows and boundary", box);
  if (!plot.plane || !(norm_of(*plot.plane) > 0.0)) {
    panel.title = "Rows";
    panel.notes.push_back("no boundary: every weight is 0");
    panel.marks = row_marks(plot);
    return panel;
  }
  const PlotPlane& plane = *plot.plane;
  std::vector<double> margins;
  for (std::size_t i = 0; i < plot.x.size(); ++i) {
    const double score = plane.w[0] * plot.x[i] + plane.w[1] * plot.y[i] + plane.bias;
    margins.push_back((plot.label[i] == 1 ? score : -score) / norm_of(plane));
  }
  const double least = *std::min_element(margins.begin(), margins.end());
  const auto wrong = std::count_if(margins.begin(), margins.end(), [](double margin) { return margin < 0.0; });
  if (least > 0.0)
    if (std::optional<Band> band = band_of(plane, least * norm_of(plane), box))
      panel.marks.emplace_back(std::move(*band));
  for (Mark& mark : row_marks(plot)) panel.marks.push_back(std::move(mark));
  if (std::optional<Line> line = crossing(plane, 0.0, box)) {
    line->name = "boundary";
    line->paint = Paint::purple;
    panel.marks.emplace_back(std::move(*line));
  }
  if (plot.probabilities) {
    std::vector<Line> lines;
    for (const double p : kContours)
      if (std::optional<Line> line = crossing(plane, std::log(p / (1.0 - p)), box)) lines.push_back(std::move(*line));
    add_contours(panel, std::move(lines), plot.labels[1], true);
  }
  if (std::optional<Line> normal = normal_of(plane, box)) panel.marks.emplace_back(std::move(*normal));
  if (least > 0.0) {
    Points closest{{}, {}, "closest", Paint::grey};
    closest.rings = true;
    for (std::size_t i = 0; i < margins.size(); ++i) {
      if (margins[i] > least * (1.0 + kClosest)) continue;
      if (closest.labels.size() < kMostNamed)
        closest.labels.push_back({closest.x.size(), count_text(plot.number[i] + 1)});
      closest.x.push_back(plot.x[i]);
      closest.y.push_back(plot.y[i]);
    }
    panel.marks.emplace_back(std::move(closest));
    panel.notes.push_back("margin " + number_text(least, 3) + ": no row is nearer to the boundary");
  } else {
    panel.notes.push_back(counted(static_cast<std::uint64_t>(wrong), "row") + " of " + count_text(margins.size()) +
                          " on the wrong side");
  }
  return panel;
}

namespace {

// Predictions and scores on a grid over the picture. Each cell is two triangles, in which scores are treated as linear.
class Surface {
 public:
  Surface(const LinearModel& model, const PlotColumns& columns, const Box& box, int places)
      : box_(box), places_(places) {
    Predictor predictor(model);
    for (int i = 0; i <= places_; ++i)
      for (int j = 0; j <= places_; ++j) {
        said_.push_back(predictor.predict({{}, columns.row(place(0, i), place(1, j))}).label);
        const In scores = predictor.scores();
        width_ = model.parts().link == Link::vote ? 0 : scores.size();
        score_.insert(score_.end(), scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(width_));
      }
  }

  // Where the prediction changes.
  Line edges() const {
    return drawn([&](Corner from, Corner to) -> std::optional<double> {
      const std::size_t here = said_[at(from)], there = said_[at(to)];
      if (here == there) return std::nullopt;
      const double low = score(here, from) - score(there, from), high = score(here, to) - score(there, to);
      return low >= 0.0 && high <= 0.0 && low > high ? low / (low - high) : 0.5;  // halfway if votes or vetoes decide
    });
  }

  // Where the one score is `level`.
  Line contour(double level) const {
    return drawn([&](Corner from, Corner to) -> std::optional<double> {
      const double low = score(1, from) - level, high = score(1, to) - level;
      if ((low < 0.0) == (high < 0.0)) return std::nullopt;
      return low / (low - high);
    });
  }

 private:
  struct Corner {
    int i, j;
  };

  // crossing(from, to): at which fraction of the way from one corner to another the line crosses, if at all.
  template <class Crossing>
  Line drawn(Crossing&& crossing) const {
    Line line;
    for (int i = 0; i < places_; ++i)
      for (int j = 0; j < places_; ++j) {
        cut(line, crossing, {i, j}, {i + 1, j}, {i + 1, j + 1});
        cut(line, crossing, {i, j}, {i + 1, j + 1}, {i, j + 1});
      }
    return line;
  }

  double place(int axis, int k) const { return box_.low[axis] + box_.span(axis) * k / places_; }
  std::size_t at(Corner c) const { return static_cast<std::size_t>(c.i * (places_ + 1) + c.j); }
  // With two labels there is one score, that of the last; 0 if a model has none.
  double score(std::size_t label, Corner c) const {
    if (width_ < 2) return width_ == 0 || label == 0 ? 0.0 : score_[at(c)];
    return score_[at(c) * width_ + label];
  }

  static void add(Line& line, double x0, double y0, double x1, double y1) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    line.x.insert(line.x.end(), {x0, x1, nan});
    line.y.insert(line.y.end(), {y0, y1, nan});
  }
  template <class Crossing>
  void cut(Line& line, Crossing&& crossing, Corner a, Corner b, Corner c) const {
    double x[3], y[3];
    int found = 0;
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)}) {
      const std::optional<double> t = crossing(from, to);
      if (!t) continue;
      x[found] = place(0, from.i) + (place(0, to.i) - place(0, from.i)) * *t;
      y[found++] = place(1, from.j) + (place(1, to.j) - place(1, from.j)) * *t;
    }
    if (found == 2) add(line, x[0], y[0], x[1], y[1]);
    if (found < 3) return;  // three labels meet in the others
    for (int k = 0; k < 3; ++k) add(line, x[k], y[k], (x[0] + x[1] + x[2]) / 3, (y[0] + y[1] + y[2]) / 3);
  }

  const Box& box_;
  int places_;
  std::size_t width_ = 0;
  std::vector<std::size_t> said_;
  std::vector<double> score_;  // width_ of each position
};

// For a model without one hyperplane: a vote, more than two labels, or curves because columns come with their squares.
Panel region_panel(const LinearModel& model, const PlotColumns& columns, const ClassPlot& plot, const Examples& rows) {
  const bool vote = model.parts().link == Link::vote;
  const Box box = box_of(plot);
  Panel panel = panel_of(plot, vote ? "Rows and the vote's boundary" : "Rows and boundary", box);
  const Surface surface(model, columns, box, vote ? 240 : 96);  // a vote has no score to place an edge by
  for (Mark& mark : row_marks(plot)) panel.marks.push_back(std::move(mark));
  Line boundary = plot.probabilities ? surface.contour(0.0) : surface.edges();
  boundary.name = "boundary";
  boundary.paint = Paint::purple;
  if (!boundary.x.empty()) panel.marks.emplace_back(std::move(boundary));
  if (plot.probabilities) {
    std::vector<Line> lines;
    for (const double p : kContours)
      if (Line line = surface.contour(std::log(p / (1.0 - p))); !line.x.empty()) lines.push_back(std::move(line));
    add_contours(panel, std::move(lines), plot.labels[1], false);  // short pieces show no dashes
  }
  std::uint64_t wrong = 0;
  Predictor predictor(model);
  for (std::size_t b = 0; b < rows.blocks(); ++b)
    rows.block(b).for_each([&](const Example& example) {
      if (example.weight != 0.0 && predictor.predict(example.x).label != static_cast<std::size_t>(example.target))
        ++wrong;
    });
  panel.notes.push_back(counted(wrong, "row") + " of " + count_text(plot.x.size()) +
                        (vote ? " voted wrong" : " on the wrong side"));
  return panel;
}

}  // namespace

Panel path_panel(const ClassPlot& plot) {
  const Box box = box_of(plot);
  Panel panel = panel_of(plot, "The boundary after each mistake", box);
  std::vector<std::size_t> seen;  // those that cross the picture
  for (std::size_t k = 0; k < plot.path.size(); ++k)
    if (crossing(plot.path[k], 0.0, box)) seen.push_back(k);
  for (Mark& mark : row_marks(plot)) panel.marks.push_back(std::move(mark));
  const std::size_t shown = std::min(seen.size(), kMostPath);
  bool earlier = false;  // whether a dashed line has a name
  for (std::size_t k = 0; k < shown; ++k) {
    const std::size_t place = seen[shown < 2 ? seen.size() - 1 : k * (seen.size() - 1) / (shown - 1)];
    Line line = *crossing(plot.path[place], 0.0, box);
    const bool last = place + 1 == plot.path.size();
    line.paint = last ? Paint::purple : Paint::grey;
    line.dashed = !last;
    if (last) {
      line.name = "last";
    } else if (!std::exchange(earlier, true)) {
      line.name = place == 0 ? "first" : "earlier";
    }
    panel.marks.emplace_back(std::move(line));
  }
  const std::uint64_t all = std::max<std::uint64_t>(plot.boundaries, plot.path.size());
  const std::string many = count_text(all) + (all == 1 ? " boundary" : " boundaries");
  const bool outside = seen.size() < plot.path.size();
  if (shown == 0) {
    panel.notes.push_back("none of " + many + " crosses the picture");
  } else {
    panel.notes.push_back(shown < all ? count_text(shown) + " of " + many +
                                            (outside ? ", evenly of those that cross the picture" : ", evenly")
                                      : many);
    if (seen.back() + 1 != plot.path.size()) panel.notes.push_back("the last does not cross the picture");
  }
  return panel;
}

namespace {

double value_of(const Row& x, std::uint32_t feature) {
  if (x.dense()) return feature < x.value.size() ? x.value[feature] : 0.0;
  for (std::size_t t = 0; t < x.value.size(); ++t)
    if (x.index[t] == feature) return x.value[t];
  return 0.0;
}

}  // namespace

std::optional<Figure> class_figure(const LinearModel& model, const std::string& target, const Examples& rows, In path,
                                   std::uint64_t boundaries, const Examples* heldout) {
  const auto posterior_of_rows = [&]() -> std::optional<Figure> {
    if (heldout == nullptr || heldout->size() == 0) return posterior_figure(model, target, rows);
    std::optional<Figure> figure = posterior_figure(model, target, *heldout);
    if (!figure) return posterior_figure(model, target, rows);
    figure->subtitle = counted(heldout->size(), "held-out row");
    for (Panel& panel : figure->panels) panel.notes.push_back("held-out rows");
    return figure;
  };
  const bool vote = model.parts().link == Link::vote;
  const std::optional<PlotColumns> columns = plot_columns(model);
  const std::size_t labels = model.parts().labels.size();
  if (!columns || columns->columns.size() != 2 || labels > std::size(kClassPaints) || model.has_vetoes())
    return posterior_of_rows();
  const bool flat = model.features() == 2 && model.rows() == 1 && !vote;  // one straight line
  ClassPlot plot;
  plot.x_name = model.parts().map.name(columns->columns[0].feature);
  plot.y_name = model.parts().map.name(columns->columns[1].feature);
  plot.labels = model.parts().labels;
  plot.probabilities = model.parts().link == Link::logistic && labels == 2;
  for (std::size_t b = 0; b < rows.blocks(); ++b)
    rows.block(b).for_each([&](const Example& example) {
      if (example.weight == 0.0 || static_cast<std::size_t>(example.target) >= labels) return;
      plot.x.push_back(value_of(example.x, columns->columns[0].feature));
      plot.y.push_back(value_of(example.x, columns->columns[1].feature));
      plot.label.push_back(static_cast<std::size_t>(example.target));
      plot.number.push_back(example.number);
    });
  if (plot.x.empty()) return {};
  std::vector<double> w(2);
  for (std::uint64_t r = 0; (flat || (vote && labels == 2)) && r < model.rows(); ++r) {
    model.parts().weights.row_after(r, w);
    const PlotPlane plane{{w[0], w[1]}, model.parts().bias[r]};
    if (vote) {
      plot.path.push_back(plane);
    } else {
      plot.plane = plane;
    }
  }
  for (std::size_t k = 0; labels == 2 && k + 2 < path.size(); k += 3)
    plot.path.push_back({{path[k], path[k + 1]}, path[k + 2]});
  plot.boundaries = boundaries;
  Figure figure;
  figure.title = target + " from " + plot.x_name + " and " + plot.y_name;
  figure.panels.push_back(flat ? plane_panel(plot) : region_panel(model, *columns, plot, rows));
  if (!plot.path.empty()) figure.panels.push_back(path_panel(plot));
  if (std::optional<Figure> posterior = posterior_of_rows())
    for (Panel& panel : posterior->panels) figure.panels.push_back(std::move(panel));
  return figure;
}

}  // namespace plumb
