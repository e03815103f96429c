// Cholesky factor of a Gram matrix that may be singular: columns are taken in the order given, and a column that is
// nearly a combination of earlier ones is set aside ("aliased"), as in R's lm. A = U'U on the columns that are kept.
#pragma once

#include "plumb/base/span.h"
#include "plumb/math/kernels.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace plumb::math {

class Cholesky {
 public:
  // Called now and then with the number of columns done; an exception from it ends the work.
  using Tick = std::function<void(std::size_t done, std::size_t columns)>;

  // Which columns are aliased, besides those with a diagonal <= 0: those of which the earlier ones leave at most
  // `tolerance`, or at most `noise` (1 + |w|^2), where w are the coefficients of the column on the earlier ones,
  // because they multiply errors of the matrix by that. And all once `rank` are kept, since n rows have a rank of at
  // most n.
  struct Limits {
    Limits(double tolerance) : tolerance(tolerance) {}
    Limits(double tolerance, double noise, std::size_t rank) : tolerance(tolerance), noise(noise), rank(rank) {}
    double tolerance;
    double noise = 0.0;
    std::size_t rank = static_cast<std::size_t>(-1);
  };

  // gram_lower: p by p, row-major; only the lower triangle is read (as gram_add leaves it). The share left of a column
  // is the share of its diagonal that earlier columns do not explain.
  // It equals 1 - R^2 of column j on the earlier ones; below about p 2^-52 it is hidden by rounding. The matrix is
  // scaled by powers of two first, so units do not matter. Throws Error(data) for a number that is not finite,
  // Error(internal) for a wrong size.
  Cholesky(std::vector<double> gram_lower, std::size_t p, Limits limits, const Tick& tick = {},
           const Kernels& kernels = math::kernels());

  // The same in double-double, for a matrix given as its high and low parts: for columns so nearly dependent that their
  // Gram matrix in double cannot tell them apart. The share left is hidden by rounding below about p 2^-104. solve()
  // works with the factor rounded to doubles, inverse_diagonal() and inverse_form() with all of it.
  Cholesky(std::vector<double> gram_high, std::vector<double> gram_low, std::size_t p, Limits limits,
           const Tick& tick = {}, const Kernels& kernels = math::kernels());

  std::size_t size() const noexcept { return p_; }
  std::size_t rank() const noexcept { return rank_; }
  const std::vector<bool>& aliased() const noexcept { return aliased_; }
  // The share of column j that earlier columns left, aliased or not; 0 for a diagonal that is not above 0.
  double share_left(std::size_t j) const noexcept { return share_left_[j]; }

  // Solves A x = b on the kept columns; x is 0 where aliased, and b is not read there. b and x may be the same array.
  void solve(In b, Out x) const noexcept;

  // The diagonal of the inverse of the kept part; 0 where aliased.
  void inverse_diagonal(Out diagonal, const Tick& tick = {}) const;

  // a' A^-1 a on the kept columns; a is not read where aliased.
  double inverse_form(In a) const;

  // x' A x on the kept columns, as |U x|^2; x is not read where aliased.
  double form(In x) const;

  // An aliased column j as a sum of the kept ones before it: column j of A is A d except for the share left of it.
  void combination(std::size_t j, Out d) const;

  // U row by row, from the diagonal on: p (p + 1) / 2 numbers. The row of an aliased column is 0, and so is its place
  // in the rows above.
  std::vector<double> packed_root() const;
  // The rounding errors of the factor; empty if the factor is in doubles.
  std::vector<double> packed_root_low() const;

  // ||A|| ||inverse of A|| in the 1-norm, of the kept part scaled to diagonal entries in [1/2, 2): an estimate from
  // below, seldom by more than a factor of 3. 1 for rank 0. Costs a few solves.
  double condition_estimate() const;

 private:
  void scale_matrix();
  void eliminate(std::size_t begin, std::size_t end, const Limits& limits);
  void eliminate_exactly(const Limits& limits, const Tick& tick);
  // Decides about column i, of whose diagonal, `whole`, the earlier ones leave `left`.
  bool is_aliased(std::size_t i, double left, double whole, const Limits& limits);
  double exact_inverse_form(In a, std::size_t first) const;
  bool exact() const noexcept { return !low_.empty(); }
  void solve_scaled(Out x) const noexcept;
  void multiply_scaled(Out x) const noexcept;

  const Kernels* kernels_;
  std::size_t p_;
  std::size_t rank_ = 0;
  std::vector<double> u_;     // U above the diagonal; on and below it, while factoring, the rest of the matrix
  std::vector<double> root_;  // the diagonal of U, 0 where aliased; the diagonal of A until its column's turn comes
  std::vector<double> low_, root_low_;  // the rounding errors of both; empty if the factor is in doubles
  std::vector<double> scale_;           // powers of two: the matrix that is factored is scale_i A_ij scale_j
  std::vector<double> share_left_;
  std::vector<bool> aliased_;
};

}  // namespace plumb::math
