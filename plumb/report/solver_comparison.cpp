#include "plumb/report/solver_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/base/json_writer.h"
#include "plumb/base/number.h"
#include "plumb/base/text.h"
#include "plumb/base/utf8.h"
#include "plumb/objective/loss.h"
#include "plumb/report/trace.h"
#include "plumb/train/trainer.h"

namespace plumb {
namespace {

double best_objective(const SolverComparison& comparison) {
  double best = std::numeric_limits<double>::infinity();
  for (const SolvedBy& solved : comparison.solvers)
    for (const SolverStep& step : solved.trace) best = std::min(best, step.loss);
  return best;
}

constexpr Paint kSolverPaints[] = {Paint::blue, Paint::vermilion, Paint::green, Paint::purple};

constexpr double kLeastDrawn = 1e-15;  // of the objective: smaller gaps are drawn as this

// As many more solvers are dashed.
Paint paint_of(std::size_t i) { return kSolverPaints[i % std::size(kSolverPaints)]; }

// Over two weights, with lines of equal loss; over one, along the curve of the loss.
Panel path_panel(const SolverComparison& comparison, double best) {
  Panel path;
  path.title = "Path of the weights";
  const auto name = [&](std::size_t k) {
    return k < comparison.weights.size() ? "weight of " + comparison.weights[k] : std::string("weight");
  };
  path.x = {.title = name(0)};
  path.y = {.title = comparison.weights.size() == 2 && comparison.weights[1] == kBiasName ? "bias" : name(1)};
  const LossSurface& surface = comparison.surface;
  const bool curve = !surface.empty() && surface.y.empty();
  if (curve) {
    path.y.title = "objective";
    path.marks.push_back(Line{surface.x, surface.value, "objective", Paint::grey});
  } else if (!surface.empty()) {
    path.x.low = surface.x.front();
    path.x.high = surface.x.back();
    path.y.low = surface.y.front();
    path.y.high = surface.y.back();
    path.marks.push_back(contours(surface, best));
  }
  bool drawn = false;
  for (std::size_t i = 0; i < comparison.solvers.size(); ++i) {
    Line line;
    line.name = comparison.solvers[i].solver;
    line.paint = paint_of(i);
    line.dashed = i >= std::size(kSolverPaints);
    for (const SolverStep& step : comparison.solvers[i].trace) {
      if (step.weights.size() != (curve ? 1 : 2)) continue;
      line.x.push_back(step.weights[0]);
      line.y.push_back(curve ? step.loss : step.weights[1]);
    }
    if (line.x.empty()) continue;
    drawn = true;
    path.marks.push_back(Points{{line.x.back()}, {line.y.back()}, "", line.paint});
    path.marks.push_back(std::move(line));
  }
  if (!drawn) path.marks.clear();
  return path;
}

}  // namespace

std::string to_text(const SolverComparison& comparison, const Style& style) {
  TextTable table;
  constexpr std::size_t kGap = 6;
  table.set_left(kGap);
  table.add({"solver", "steps", "passes", "seconds", "objective", "above best", "certified gap"});
  double best = std::numeric_limits<double>::infinity();
  for (const SolvedBy& solved : comparison.solvers) best = std::min(best, solved.objective);
  for (const SolvedBy& solved : comparison.solvers)
    table.add({solved.solver, count_text(solved.iterations), number_text(solved.passes, 4),
               number_text(solved.seconds, 3), short_number(solved.objective, 6),
               // Like the certified gap, a share of the solver's own value, so that the two can be compared.
               number_text(best > 0.0 ? 1.0 - best / solved.objective : solved.objective - best, 2),
               (std::isfinite(solved.gap) ? number_text(solved.gap, 2) : std::string("none")) +
                   (solved.converged ? "" : ", short of the optimum")});
  std::string text = counted(comparison.solvers.size(), "solver") + " of " + comparison.model + ": " +
                     escaped_for_terminal(comparison.target) + " from " + counted(comparison.features, "feature") +
                     " on " + counted(comparison.rows, "row") + "\n";
  text += table.text(style);
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

void add_surface(SolverComparison& comparison, double l2, bool bias, const Examples& examples) {
  std::vector<std::vector<SolverStep>> traces;
  for (const SolvedBy& solved : comparison.solvers) traces.push_back(solved.trace);
  const auto& names = EnumNames<Loss>::names;
  const auto found = std::find(std::begin(names), std::end(names), comparison.model);
  const bool squared = listed_trainer(comparison.model) != nullptr && found == std::end(names);
  if (squared || found != std::end(names))
    comparison.surface = loss_surface(squared ? Loss::squared : static_cast<Loss>(found - std::begin(names)), l2, bias,
                                      examples, traces);
}

Figure solver_figure(const SolverComparison& comparison) {
  Figure figure;
  figure.title = "Solvers of " + comparison.model + " for " + comparison.target;
  figure.subtitle = counted(comparison.features, "feature") + ", " + counted(comparison.rows, "row");
  const double best = best_objective(comparison);
  Panel descent;
  descent.title = "Optimality gap";
  descent.x = {.title = "passes over the data", .logarithmic = true};
  descent.y = {.title = "(objective - best) / best", .logarithmic = true};
  for (std::size_t i = 0; i < comparison.solvers.size(); ++i) {
    Line line;
    line.name = comparison.solvers[i].solver;
    line.paint = paint_of(i);
    line.dashed = i >= std::size(kSolverPaints);
    for (const SolverStep& step : comparison.solvers[i].trace) {
      line.x.push_back(step.passes);
      line.y.push_back(std::max(best > 0.0 ? step.loss / best - 1.0 : step.loss - best, kLeastDrawn));
    }
    descent.marks.push_back(std::move(line));
  }
  figure.panels.push_back(std::move(descent));
  Panel path = path_panel(comparison, best);
  if (!path.marks.empty()) figure.panels.push_back(std::move(path));
  return figure;
}

}  // namespace plumb
