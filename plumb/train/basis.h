// The columns of a least-squares fit in coordinates in which they are orthonormal. With z = (1, x - centre) and U'U =
// sum s z z', a row becomes t = U^-T z: then s |t|^2 is its leverage, and |t|^2 times the residual variance is the
// variance of the fit at x. Two triangular steps replace an explicit inverse, which would have fewer digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plumb/base/span.h"
#include "plumb/data/examples.h"

namespace plumb {

// Among the numbers of a fit, if leverages are unknown: a bound on their error.
inline constexpr const char* kLeverageError = "leverage_error";

class Basis {
 public:
  // For z: one number for the bias, if there is one, then one per feature.
  struct Parts {
    std::vector<std::int64_t> exponent;  // column j is in units of 2^exponent[j], here and in the root
    std::vector<double> centre;          // c_j: near the mean of column j, or 0
    std::vector<double> root;            // U row by row, from the diagonal on; a diagonal of 0 marks an aliased column
    std::vector<double> root_low = {};   // its rounding errors; empty: not known
  };

  // Throws Error(model) if the sizes fit neither a fit with a bias nor one without, or a number is impossible for U.
  explicit Basis(Parts parts);

  const Parts& parts() const noexcept { return parts_; }
  std::size_t features() const noexcept { return parts_.exponent.size(); }
  bool bias() const noexcept { return bias_; }
  std::size_t size() const noexcept { return features() + (bias_ ? 1 : 0); }
  std::size_t rank() const noexcept { return rank_; }
  bool exact() const noexcept { return !parts_.root_low.empty(); }  // U is in double-double
  // Whether that many rows are cheap to transform in double-double: some tenths of a second.
  bool exact_for(std::uint64_t rows) const noexcept;

  // t has size() numbers, 0 for aliased columns.
  void whiten(const Row& x, Out t) const noexcept;
  // The same in double-double, for an exact basis.
  void whiten(const Row& x, In lows, std::span<const std::uint32_t> lows_of, Out high, Out low) const noexcept;
  // z, with its numbers `stride` apart; the low parts are those of feature `lows_of[k]` each. EightRows continues from
  // here with eight rows at a time.
  void write_shifted(const Row& x, double* z, std::size_t stride) const noexcept;
  void write_shifted(const Row& x, In lows, std::span<const std::uint32_t> lows_of, double* high, double* low,
                     std::size_t stride) const noexcept;
  std::size_t row_begin(std::size_t i) const noexcept { return i * size() - i * (i - 1) / 2; }

  // Sum of squares of feature j after removing the bias; the inverse of U'U has its diagonal in these units too.
  double squares(std::size_t j) const noexcept;

 private:
  Parts parts_;
  std::vector<double> scale_;  // 2^-exponent
  bool bias_ = false;
  std::size_t rank_ = 0;
};

}  // namespace plumb
