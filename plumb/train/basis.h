// The columns of a least-squares fit in coordinates in which they are orthonormal. With z = (1, x - centre) and
// U'U = sum s z z', a row becomes t = U^-T z: then s |t|^2 is its leverage, and |t|^2 times the residual variance is
// the variance of the fit at x. Two triangular steps do what an explicit inverse would do with fewer digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plumb/base/span.h"
#include "plumb/data/examples.h"

namespace plumb {

class Basis {
 public:
  // Of z: one number for the bias, if there is one, then one per feature.
  struct Parts {
    std::vector<std::int64_t> exponent;  // column j is in units of 2^exponent[j], here and in the root
    std::vector<double> centre;          // c_j: near the mean of column j, or 0
    std::vector<double> root;  // U row after row, from the diagonal on; a diagonal of 0 marks an aliased column
  };

  // Throws Error(model) if the sizes fit neither a fit with a bias nor one without, or a number cannot be one of U.
  explicit Basis(Parts parts);

  const Parts& parts() const noexcept { return parts_; }
  std::size_t features() const noexcept { return parts_.exponent.size(); }
  bool bias() const noexcept { return bias_; }
  std::size_t size() const noexcept { return features() + (bias_ ? 1 : 0); }
  std::size_t rank() const noexcept { return rank_; }

  // t has size() numbers, 0 for aliased columns.
  void whiten(const Row& x, Out t) const noexcept;

  // The same for eight rows side by side: row `lane` has its numbers at lane, lane + 8, ... of 8 size() numbers.
  void place(const Row& x, Out eight, std::size_t lane) const noexcept { write_shifted(x, &eight[lane], 8); }  // z
  void whiten_eight(Out eight) const noexcept;  // t from z
  // U^-1 t from t: a row's pull on the weights, in the units here. It goes through U by columns().
  void solve_eight(In columns, Out eight) const noexcept;
  std::vector<double> columns() const;

  // Sum of squares of what the bias leaves of feature j; the inverse of U'U has its diagonal in these units too.
  double squares(std::size_t j) const noexcept;

 private:
  void write_shifted(const Row& x, double* z, std::size_t stride) const noexcept;
  std::size_t row_begin(std::size_t i) const noexcept { return i * size() - i * (i - 1) / 2; }

  Parts parts_;
  std::vector<double> scale_;  // 2^-exponent
  bool bias_ = false;
  std::size_t rank_ = 0;
};

}  // namespace plumb
