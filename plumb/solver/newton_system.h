// The linear system of a Newton step: the second derivative as a matrix and its Cholesky factor for few weights,
// conjugate gradients with a preconditioner for many.
#pragma once

#include <optional>
#include <vector>

#include "plumb/math/cholesky.h"
#include "plumb/objective/objective.h"

namespace plumb {

// An approximation of the second derivative at a point that is cheap to solve with: the Gram matrix of the columns
// under the mean curvature of the outputs, or for many columns a diagonal, of centred columns if there is an
// unpenalised bias. It removes the effect of units and correlations
// of the columns on conjugate gradients, L-BFGS and descent, and leaves the objective unchanged.
class Preconditioner {
 public:
  Preconditioner(Objective& f, const Objective::Point& point);
  void apply(In r, Out out) const;
  // The share of the residual of an unpenalised bias that each column of its output takes over; empty without such a
  // bias, or with a matrix.
  In means() const noexcept { return means_; }
  // Columns that it can move along.
  std::size_t rank() const noexcept { return factor_ ? factor_->rank() : columns_; }

 private:
  void set_factor(Objective& f, In curvature);
  void centre(Objective& f, const Objective::Point& point);

  std::size_t columns_;
  std::size_t outputs_;
  std::optional<math::Cholesky> factor_;
  std::vector<double> inverse_;
  std::vector<double> means_;  // of the columns, rows counted by their curvature
};

// Whether the second derivative is worth a matrix: decided by counts alone.
bool few_weights(const Objective& f);

class NewtonSystem {
 public:
  explicit NewtonSystem(Objective& f);
  bool direct() const noexcept { return direct_; }

  struct Direction {
    std::vector<double> d;   // nearly -H^-1 g
    std::vector<double> zd;  // X d; empty for a matrix that need not be precise
    double decrement = 0.0;  // -g.d
    bool judged = false;     // with a matrix: the columns that it sets aside are known to be only rounding
    double rest = 0.0;       // what the residual adds to the gap of w + d: the sum of r_j^2 / (2 ridge_j)
  };
  // `precise`: the residual is as small as a certificate needs. `enough`, if any: the limit below which a smaller
  // `rest` is useless, because a certificate of w + d does not need it.
  // `hessian`, if any, is that of the point.
  Direction solve(const Objective::Point& point, bool precise, double enough = 0.0, std::vector<double> hessian = {});
  // The direction of conjugate gradients when an Error stopped solve(): a descent direction, if a worse one. Otherwise
  // empty.
  In unfinished() const noexcept { return unfinished_; }

 private:
  Direction solve_directly(const Objective::Point& point, bool precise, std::vector<double> hessian);
  Direction solve_exactly(const Objective::Point& point);
  Direction solve_iteratively(const Objective::Point& point, bool precise, double enough);
  double rest_of(In r, In means) const;

  Objective& f_;
  bool direct_;
  std::vector<std::size_t> aside_;  // weights of columns that are sums of others but for rounding
  std::vector<double> unfinished_;
};

}  // namespace plumb
