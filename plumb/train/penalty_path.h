// --l2 auto for classes: the penalty with the least cross-validated loss. Definition and cost:
// docs/logistic_regression.md, "The penalty".
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/objective/loss.h"
#include "plumb/train/trainer.h"

namespace plumb {

struct PenaltyPath {
  std::vector<double> l2;    // descending, 10^(k/2)
  std::vector<double> loss;  // mean loss of each row by the fit without its fold
  std::size_t best = 0;      // with the least loss, the largest l2 if equal
  std::size_t folds = 0;

  // Into the record, and a warning if the best is the last that was tried.
  void add_to(Trained& fit) const;
};

// A fit with this l2, which starts from problem.start if there is one.
using FitAt = std::function<Trained(double l2, const Problem& problem, const Run& run)>;

// Throws Error(data) for a class with a single row, Error(interrupted) if a fit was asked to stop. units: the units of
// the penalty (unit_penalties).
PenaltyPath choose_penalty(const Problem& problem, Loss loss, std::span<const double> units, const FitAt& fit_at,
                           const Run& run);

}  // namespace plumb
