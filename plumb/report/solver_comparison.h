// Solvers compared on one objective: the cost of each, and how close to the optimum it came.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/report/loss_surface.h"
#include "plumb/report/plot.h"
#include "plumb/report/style.h"
#include "plumb/solver/solver_options.h"

namespace plumb {

inline constexpr std::string_view kBiasName = "(bias)";

struct SolvedBy {
  std::string solver;
  std::uint64_t iterations = 0;
  double passes = 0.0;  // over the data
  double seconds = 0.0;
  double objective = 0.0;
  double gap = 0.0;  // certified, relative; infinite without a proof
  bool converged = false;
  std::vector<SolverStep> trace;
};

struct SolverComparison {
  std::string model;
  std::string target;
  std::uint64_t rows = 0;
  std::uint64_t features = 0;
  std::vector<SolvedBy> solvers;      // in the order of their list
  std::vector<std::string> left_out;  // "gis needs ...": one sentence for each that does not fit
  std::vector<std::string> warnings;
  std::vector<std::string> weights = {};  // the names of the weights, the bias last, if they are few
  LossSurface surface = {};               // for the figure; empty with more weights
};

std::string to_text(const SolverComparison& comparison, const Style& style);
std::string to_json(const SolverComparison& comparison);

// The surface that the solvers descended: for two classes, one feature and perhaps a bias, or two features without, a
// penalty on the features alone. Empty with more weights. Examples: the rows of the fits.
void add_surface(SolverComparison& comparison, double l2, bool bias, const Examples& examples);

// The optimality gap against passes over the data; and with at most two weights, the path of each solver, on the
// surface if there is one.
Figure solver_figure(const SolverComparison& comparison);

}  // namespace plumb
