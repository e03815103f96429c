// The objective over the one or two weights of a model: the surface that solvers descend.
#pragma once

#include <span>
#include <vector>

#include "plumb/data/examples.h"
#include "plumb/report/plot.h"
#include "plumb/solver/solver_options.h"

namespace plumb {

enum class Loss;

// value[r * x.size() + c] at the weights (x[c], y[r]); y is empty with one weight.
struct LossSurface {
  std::vector<double> x, y, value;
  bool empty() const noexcept { return value.empty(); }
};

// Around the traces, if they have one or two weights: for two classes (targets 0 and 1), or numbers, by one feature, or
// two without a bias. l2 applies to the features alone.
LossSurface loss_surface(Loss loss, double l2, bool bias, const Examples& examples,
                         std::span<const std::vector<SolverStep>> traces);

// Lines of equal value, from `least` up, as one mark: closer together near the bottom. Only for two weights.
Line contours(const LossSurface& surface, double least);

}  // namespace plumb
