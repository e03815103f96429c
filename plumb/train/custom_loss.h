// A custom loss as a model to fit: plumb::fit(data, plumb::CustomLoss{...}). examples/custom_loss.cpp has one. Only C++
// can define it, so it has no name on the command line; the fitted model is saved like any other.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>

namespace plumb {

class RowLoss;
struct TrainerEntry;

// Functions of the score w.x + b, or of the slope, and of the target of a row. They may run on several threads at once.
struct CustomLoss {
  using Function = std::function<double(double, double)>;

  std::string name;
  Function value;       // (score, target): convex in the score, never negative
  Function slope;       // (score, target): the derivative of the value
  Function conjugate;   // (slope, target): sup over scores of slope * score - value; the certificate needs it
  Function curve = {};  // (score, target): the second derivative; without it, from differences of the slope
  bool labels = false;  // targets are -1 and +1, for two classes (of more, one against the rest); otherwise numbers
  double slope_low = -std::numeric_limits<double>::infinity();  // bounds of the slope: where the conjugate is finite
  double slope_high = std::numeric_limits<double>::infinity();
  double curve_bound = std::numeric_limits<double>::infinity();  // upper bound of the curve, if there is one
  // For the fit.
  double l2 = 0.0;
  bool bias = true;
  double tolerance = 1e-8;  // of the optimality gap, relative to the objective
  std::string solver = "auto";
};

// The loss over many rows. Throws Error(usage) for a loss whose parts contradict each other at some scores and targets:
// a slope that is not the derivative of the value, a conjugate that is not the value's, a value that is not convex.
std::unique_ptr<RowLoss> row_loss(const CustomLoss& loss);

// An entry like those of trainer_list. The result keeps the loss.
std::shared_ptr<const TrainerEntry> custom_trainer(const CustomLoss& loss);

}  // namespace plumb
