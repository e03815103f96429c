// The simplex method without rounding, for small systems: sum a_i A_i = t, a >= 0, in whole numbers alone. What it says
// is so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/math/big_integer.h"
#include "plumb/math/double_double.h"

namespace plumb {

// Phase one of the method, which starts from columns that are not there (artificial) and drives them out. With B the
// basis and D = |det B| all kept numbers are whole: adjoint = D B^-1, values = D B^-1 t, prices = D pi (Edmonds'
// integer pivoting: each new number is a determinant, so the division by the last D leaves nothing over).
class ExactSimplex {
 public:
  struct Entry {
    std::size_t place;
    math::BigInteger value;
  };
  using Column = std::vector<Entry>;

  ExactSimplex(std::vector<Column> columns, std::vector<math::BigInteger> target, const Run& run);

  // False: it would take more than some seconds.
  bool solve();
  // Whether the columns alone make t.
  bool feasible() const;
  // use(column, share) of those with a share above 0.
  template <class Use>
  void for_each_share(Use&& use) const {
    for (std::size_t r = 0; r < size_; ++r)
      if (basis_[r] < columns_.size() && values_[r].sign() > 0)
        use(basis_[r], math::quotient(values_[r], determinant_));
  }
  // Where they do not: d with d.A_i >= 0 for all i and d.t < 0.
  std::vector<math::BigInteger> direction() const;

 private:
  math::BigInteger times(const std::vector<math::BigInteger>& row, const Column& column);
  std::size_t first_rising();
  std::size_t steepest();
  std::optional<bool> pivot(std::size_t entering);

  std::vector<Column> columns_;
  std::size_t size_;
  const Run& run_;
  std::vector<bool> turned_;  // equations that stand here with the other sign, so that t >= 0
  std::vector<std::vector<math::BigInteger>> adjoint_;
  std::vector<math::BigInteger> values_, prices_;
  std::vector<std::size_t> basis_;
  math::BigInteger determinant_{1};
  std::uint64_t work_ = 0;
};

// What the rows may be for it: entries of the matrix, and those of a square one.
inline constexpr std::size_t kMostExactEntries = 100'000;

// The lowest set bit of a double stands for 2^this.
int lowest_bit(double value);

// whole[j] 2^-unit[j], with a common factor that makes the largest about 1, rounded to double-doubles.
std::vector<math::DoubleDouble> as_weights(std::span<const math::BigInteger> whole, std::span<const int> unit);

}  // namespace plumb
