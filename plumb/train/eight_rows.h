// Eight rows in parallel on their way into the coordinates of a Basis: z, then t = U^-T z, then u = U^-1 t, the
// influence of a row on the weights. In double, or in double-double if the basis is: then t has twice as many digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plumb/math/double_double.h"
#include "plumb/train/basis.h"

namespace plumb {

// The basis must outlive it. One for each thread.
class EightRows {
 public:
  EightRows(const Basis& basis, bool exact);

  // z of a row, whose low parts are those of the features `lows_of`.
  void place(const Row& x, In lows, std::span<const std::uint32_t> lows_of, std::size_t lane) noexcept;
  void whiten() noexcept;  // t from z
  void solve();            // u from t

  math::DoubleDouble number(std::size_t i, std::size_t lane) const noexcept {
    return {high_[8 * i + lane], exact_ ? low_[8 * i + lane] : 0.0};
  }
  // |t|^2: the leverage of one copy of the row.
  math::DoubleDouble distance(std::size_t lane) const noexcept;
  // The influence on the user's bias, u_0 - sum_j c_j u_j: the columns are shifted by c.
  math::DoubleDouble bias_pull(std::size_t lane) const noexcept;

 private:
  void divide(std::size_t i, double by, double by_low) noexcept;

  const Basis& basis_;
  bool exact_;
  std::vector<double> high_, low_;             // number i of row `lane` at 8 i + lane
  std::vector<double> columns_, columns_low_;  // U by columns, made when it is needed
};

}  // namespace plumb
