#include "plumb/report/solver_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/base/json_writer.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/report/trace.h"

namespace plumb {
namespace {

double best_objective(const SolverComparison& comparison) {
  double best = std::numeric_limits<double>::infinity();
  for (const SolvedBy& solved : comparison.solvers)
    for (const SolverStep& step : solved.trace) best = std::min(best, step.loss);
  return best;
}

Paint paint_of(std::size_t i) {
  constexpr Paint kPaints[] = {Paint::blue, Paint::vermilion, Paint::green, Paint::purple, Paint::grey};
  return kPaints[i % std::size(kPaints)];
}

}  // namespace

std::string to_text(const SolverComparison& comparison, const Style&) {
  std::vector<std::vector<std::string>> cells = {
      {"solver", "steps", "passes", "seconds", "objective", "above best", "certified gap"}};
  double best = std::numeric_limits<double>::infinity();
  for (const SolvedBy& solved : comparison.solvers) best = std::min(best, solved.objective);
  for (const SolvedBy& solved : comparison.solvers)
    cells.push_back({solved.solver, count_text(solved.iterations), number_text(solved.passes, 4),
                     number_text(solved.seconds, 3), number_text(solved.objective, 10),
                     number_text(best > 0.0 ? solved.objective / best - 1.0 : solved.objective - best, 2),
                     (std::isfinite(solved.gap) ? number_text(solved.gap, 2) : std::string("none")) +
                         (solved.converged ? "" : "  short of the optimum")});
  std::vector<std::size_t> width(cells[0].size());
  for (const auto& row : cells)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  std::string text = counted(comparison.solvers.size(), "solver") + " of " + comparison.model + ": " +
                     escaped_for_terminal(comparison.target) + " from " + counted(comparison.features, "feature") +
                     " on " + counted(comparison.rows, "row") + "\n";
  for (const auto& row : cells) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space(width[c] - row[c].size(), ' ');
      const bool left = c == 0 || c + 1 == row.size();
      line += (c == 0 ? "" : "  ") + (left ? row[c] + space : space + row[c]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  for (const std::string& each : comparison.left_out) text += "  left out  " + escaped_for_terminal(each) + "\n";
  return text;
}

std::string to_json(const SolverComparison& comparison) {
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object().member("schema", 1).member("command", "compare").member("model", comparison.model);
  json.member("target", comparison.target).member("rows", comparison.rows).member("features", comparison.features);
  json.key("solvers").begin_array();
  for (const SolvedBy& solved : comparison.solvers) {
    json.begin_object()
        .member("solver", solved.solver)
        .member("iterations", solved.iterations)
        .member("passes", solved.passes)
        .member("seconds", solved.seconds)
        .member("objective", solved.objective)
        .member("converged", solved.converged)
        .key("gap");
    if (std::isfinite(solved.gap)) {
      json.value(solved.gap);
    } else {
      json.null();
    }
    add_trace(json, solved.trace);
    json.end_object();
  }
  json.end_array().key("left_out").begin_array();
  for (const std::string& each : comparison.left_out) json.value(each);
  json.end_array().key("warnings").begin_array();
  for (const std::string& each : comparison.warnings) json.value(each);
  return json.end_array().end_object().take();
}

Figure solver_figure(const SolverComparison& comparison) {
  Figure figure;
  figure.title = "Solvers of " + comparison.model + " for " + comparison.target;
  figure.subtitle = counted(comparison.features, "feature") + ", " + counted(comparison.rows, "row");
  const double best = best_objective(comparison);
  Panel descent;
  descent.title = "What is left to gain";
  descent.x = {.title = "passes over the data"};
  descent.y = {.title = "objective above the best / best", .logarithmic = true};
  for (std::size_t i = 0; i < comparison.solvers.size(); ++i) {
    Line line;
    line.name = comparison.solvers[i].solver;
    line.paint = paint_of(i);
    line.dashed = i >= 5;
    for (const SolverStep& step : comparison.solvers[i].trace) {
      line.x.push_back(step.passes);
      line.y.push_back(std::max(best > 0.0 ? step.loss / best - 1.0 : step.loss - best, 1e-16));
    }
    descent.marks.push_back(std::move(line));
  }
  figure.panels.push_back(std::move(descent));
  Panel path;
  path.title = "The way over the weights";
  path.x = {.title = "first weight"};
  path.y = {.title = "second weight, or bias"};
  for (std::size_t i = 0; i < comparison.solvers.size(); ++i) {
    Line line;
    line.name = comparison.solvers[i].solver;
    line.paint = paint_of(i);
    line.dashed = i >= 5;
    for (const SolverStep& step : comparison.solvers[i].trace) {
      if (step.weights.size() != 2) continue;
      line.x.push_back(step.weights[0]);
      line.y.push_back(step.weights[1]);
    }
    if (!line.x.empty()) path.marks.push_back(std::move(line));
  }
  if (!path.marks.empty()) figure.panels.push_back(std::move(path));
  return figure;
}

}  // namespace plumb
