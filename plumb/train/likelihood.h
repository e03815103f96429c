// Maximises a likelihood, or Firth's penalised likelihood, with some weights held at their values: by Newton's method
// on the matrix of second derivatives. Refits of inference use it: profile intervals, tests of terms, Firth's
// estimates. F is minus the log-likelihood, and with Firth's penalty (Biometrika 80, 1993) minus l + log det I / 2,
// where I is the observed information of all columns, held ones too.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "plumb/math/cholesky.h"
#include "plumb/objective/objective.h"

namespace plumb {

// |U^-T x_i|^2 of every row, where U is the packed root of a matrix over the columns: the leverage of a row of weight 1
// and curvature 1.
std::vector<double> row_distances(const DesignMatrix& x, const std::vector<double>& root, const Run& run);

class Likelihood {
 public:
  // f has no penalty. `aside`: weights that are 0 because their columns are linear combinations of others, or empty.
  // firth: only for one score a row of two labels.
  Likelihood(Objective& f, bool firth, std::vector<bool> aside);

  // Weights that a fit keeps where they start; a linear form of the others that it keeps too.
  struct Held {
    std::vector<bool> weights = {};  // empty: none
    std::vector<double> form = {};   // empty: none
  };
  struct Found {
    Objective::Point point;        // its gradient is that of F
    std::vector<double> hessian;   // I
    std::vector<double> steps_by;  // with Firth's penalty: nearly the second derivative of F
    double value = kInfinity;      // F
    double decrement = 0.0;   // g' H^-1 g over the weights that may move: twice the distance to the optimum, nearly
    double multiplier = 0.0;  // of the form: the slope of F along it
    std::uint64_t steps = 0;
    bool converged = false;
  };
  // Throws Error(data) if I has no factor at the start.
  Found minimise(std::vector<double> start, const Held& held, std::uint64_t most_steps = 200);

  // The factor of the information there, of all columns that are not set aside.
  math::Cholesky factor(const Found& found) const { return factor(found.hessian, {}); }
  Objective& objective() noexcept { return f_; }
  const std::vector<bool>& aside() const noexcept { return aside_; }

 private:
  Found at(std::vector<double> w);
  math::Cholesky factor(std::vector<double> hessian, const std::vector<bool>& held) const;

  Objective& f_;
  bool firth_;
  std::vector<bool> aside_;
};

}  // namespace plumb
