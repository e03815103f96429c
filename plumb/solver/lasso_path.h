// The optima of an objective for one penalty after another, from large to small, each from the one before. Least
// squares with few columns needs the rows only for their Gram matrix. docs/sparse_models.md.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "plumb/objective/objective.h"
#include "plumb/solver/solver.h"

namespace plumb {

// The ridge and the lasso of each column at a penalty of 1 of either kind, and a ridge beside them. needless: see
// needless_columns() in proximal_newton.h.
struct PathUnits {
  std::vector<double> ridge, lasso, fixed_ridge;
  std::vector<std::size_t> needless = {};
};
struct PathPenalty {
  double l1 = 0.0, l2 = 0.0;
};

struct PathFit {
  std::vector<double> w;  // in the units of the matrix, as in Objective
  double loss = 0.0;      // without penalties
  double value = 0.0;
  double gap = 0.0;
  std::uint64_t iterations = 0;
};

class PathFollower {
 public:
  virtual ~PathFollower() = default;
  // All weights with a penalty 0, the others at their optimum. Called once, first.
  virtual PathFit null() = 0;
  // The least l1 at which this is the optimum.
  virtual double largest() const = 0;
  virtual PathFit at(const PathPenalty& penalty) = 0;
};

// `f` must outlive the follower, which changes its penalties.
std::unique_ptr<PathFollower> follow_rows(Objective& f, PathUnits units, const SolverOptions& options);

// Sums over rows with the squared loss: all that its path depends on. Columns and targets are taken relative to `mean`
// and `target_mean` if there is an unpenalised bias.
struct SquareSums {
  std::size_t columns = 0;  // without that bias
  bool free_bias = false;
  double weight = 0.0;
  double squared_target = 0.0;
  double target = 0.0;          // sum of s y
  std::vector<double> sum;      // of s x_j
  std::vector<double> product;  // of s x_j y
  std::vector<double> gram;     // both triangles

  void add(const SquareSums& other, double times);
  // sum s (y - b - x.w)^2 for weights as in PathFit, whose bias is that of columns and targets as they are.
  double squared_error(In w, In mean, double target_mean) const;
};
struct SquareMeans {
  std::vector<double> column;  // 0 without an unpenalised bias
  double target = 0.0;
};
// Whether sums pay: by counts alone.
bool worth_square_sums(const DesignMatrix& x);
SquareMeans square_means(const DesignMatrix& x, bool free_bias, const Run& run);
SquareSums square_sums(const DesignMatrix& x, const SquareMeans& about, bool free_bias, const Run& run);
// The sums must outlive the follower.
std::unique_ptr<PathFollower> follow_sums(const SquareSums& sums, const SquareMeans& about, PathUnits units,
                                          const SolverOptions& options);

}  // namespace plumb
