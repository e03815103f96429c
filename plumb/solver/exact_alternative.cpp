#include "plumb/solver/exact_alternative.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plumb/math/big_integer.h"
#include "plumb/solver/row_arithmetic.h"

namespace plumb {
namespace {

using math::BigInteger;

constexpr std::uint64_t kMostWork = 2'000'000'000;  // products of words: some seconds
constexpr std::size_t kMostEntries = 100'000;       // of the matrix, and of the rows
constexpr int kLongStall = 20;                      // steps without progress, after which Bland's rule ends any circle

struct Entry {
  std::size_t place;
  BigInteger value;
};
using Column = std::vector<Entry>;

// sum a_i A_i = e, a >= 0, where A_i is (y_i (x_i, 1), 1) and e = (0, ..., 0, 1): phase one of the simplex method,
// which starts from columns that are not there (artificial) and drives them out. With B the basis and D = |det B| all
// kept numbers are whole: adjoint = D B^-1, values = D B^-1 e, prices = D pi (Edmonds' integer pivoting: each new
// number is a determinant, so the division by the last D leaves nothing over).
//
// If the artificial columns cannot all go, pi A_i <= 0 for all i and pi e > 0: then -pi, but for its last entry, has
// every row on its right side.
class Simplex {
 public:
  Simplex(std::vector<Column> columns, std::size_t size, const Run& run)
      : columns_(std::move(columns)),
        size_(size),
        run_(run),
        adjoint_(size, std::vector<BigInteger>(size)),
        values_(size),
        prices_(size, BigInteger(1)),
        basis_(size) {
    for (std::size_t r = 0; r < size; ++r) {
      adjoint_[r][r] = BigInteger(1);
      basis_[r] = columns_.size() + r;
    }
    values_.back() = BigInteger(1);
  }

  // False: too much work.
  bool solve() {
    int stalled = 0;
    while (true) {
      run_.report(Phase::fitting, 0, 0);
      const std::size_t entering = stalled < kLongStall ? steepest() : first_rising();
      if (entering == columns_.size()) return true;
      const std::optional<bool> progress = pivot(entering);
      if (!progress || work_ > kMostWork) return false;
      stalled = *progress ? 0 : stalled + 1;
    }
  }

  // Whether the rows' own columns alone make e.
  bool feasible() const {
    for (std::size_t r = 0; r < size_; ++r)
      if (basis_[r] >= columns_.size() && values_[r].sign() != 0) return false;
    return true;
  }
  template <class Use>
  void for_each_share(Use&& use) const {
    for (std::size_t r = 0; r < size_; ++r)
      if (basis_[r] < columns_.size() && values_[r].sign() > 0)
        use(basis_[r], math::quotient(values_[r], determinant_));
  }
  const std::vector<BigInteger>& prices() const { return prices_; }

 private:
  BigInteger times(const std::vector<BigInteger>& row, const Column& column) {
    BigInteger sum;
    for (const Entry& each : column) {
      work_ += row[each.place].words() * each.value.words() + 1;
      sum += row[each.place] * each.value;
    }
    return sum;
  }

  std::size_t first_rising() {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (times(prices_, columns_[i]).sign() > 0) return i;
    return columns_.size();
  }
  std::size_t steepest() {
    std::size_t best = columns_.size();
    BigInteger most;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (BigInteger rise = times(prices_, columns_[i]); rise.sign() > 0 && most < rise) {
        most = std::move(rise);
        best = i;
      }
    return best;
  }

  // Whether the artificial columns have lost; nothing if there is no row to leave, which cannot be: a sum is bounded.
  std::optional<bool> pivot(std::size_t entering) {
    std::vector<BigInteger> along(size_);
    for (std::size_t r = 0; r < size_; ++r) along[r] = times(adjoint_[r], columns_[entering]);
    const BigInteger rise = times(prices_, columns_[entering]);
    std::size_t leaving = size_;
    for (std::size_t r = 0; r < size_; ++r) {
      if (along[r].sign() <= 0) continue;
      if (leaving == size_) {
        leaving = r;
        continue;
      }
      const BigInteger here = values_[r] * along[leaving], there = values_[leaving] * along[r];
      if (here < there || (here == there && basis_[r] < basis_[leaving])) leaving = r;
    }
    if (leaving == size_) return {};
    const bool progress = values_[leaving].sign() != 0;
    const BigInteger determinant = along[leaving];
    const auto replace = [&](BigInteger& number, const BigInteger& factor, const BigInteger& of_leaving) {
      work_ += number.words() * determinant.words() * 2 + factor.words() * of_leaving.words() + 4;
      number = exact_quotient(determinant * number - factor * of_leaving, determinant_);
    };
    for (std::size_t r = 0; r < size_; ++r) {
      if (r == leaving) continue;
      for (std::size_t c = 0; c < size_; ++c) replace(adjoint_[r][c], along[r], adjoint_[leaving][c]);
      replace(values_[r], along[r], values_[leaving]);
    }
    for (std::size_t c = 0; c < size_; ++c) replace(prices_[c], rise, adjoint_[leaving][c]);
    determinant_ = determinant;
    basis_[leaving] = entering;
    return progress;
  }

  std::vector<Column> columns_;
  std::size_t size_;
  const Run& run_;
  std::vector<std::vector<BigInteger>> adjoint_;
  std::vector<BigInteger> values_, prices_;
  std::vector<std::size_t> basis_;
  BigInteger determinant_{1};
  std::uint64_t work_ = 0;
};

// The lowest set bit of a double stands for 2^this.
int lowest_bit(double value) {
  int exponent = 0;
  auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent -= 53;
  for (; mantissa % 2 == 0; mantissa /= 2) ++exponent;
  return exponent;
}

}  // namespace

std::optional<ExactAlternative> exact_alternative(const RowTable& rows, bool bias, const Run& run,
                                                  std::span<const std::uint64_t> only) {
  const std::size_t p = rows.examples().features(), size = p + (bias ? 2 : 1);
  std::vector<std::uint64_t> chosen(only.begin(), only.end());
  if (only.empty())
    for (std::uint64_t i = 0; i < rows.size() && i <= kMostEntries; ++i) chosen.push_back(i);
  if (size * size > kMostEntries || chosen.size() > kMostEntries) return {};

  RowReader reader(rows);
  std::vector<int> unit(p, std::numeric_limits<int>::max());  // 2^unit divides every value of the feature
  std::size_t entries = 0;
  for (const std::uint64_t i : chosen)
    for_each_entry(reader.row(i), [&](std::size_t j, double x) {
      if (x != 0.0) unit[j] = std::min(unit[j], lowest_bit(x));
      ++entries;
    });
  if (entries > kMostEntries) return {};
  std::vector<Column> columns;
  for (const std::uint64_t i : chosen) {
    const double y = rows.target(i) > 0.5 ? 1.0 : -1.0;
    Column column;
    for_each_entry(reader.row(i), [&](std::size_t j, double x) {
      if (x != 0.0) column.push_back({j, BigInteger::of(y * x, -unit[j])});
    });
    if (bias) column.push_back({p, BigInteger(y > 0.0 ? 1 : -1)});
    column.push_back({size - 1, BigInteger(1)});
    columns.push_back(std::move(column));
  }

  Simplex simplex(std::move(columns), size, run);
  if (!simplex.solve()) return {};
  ExactAlternative found;
  if (simplex.feasible()) {
    Combination& zero = found.zero.emplace();
    simplex.for_each_share([&](std::size_t column, double share) {
      zero.shares.push_back({chosen[column], share, rows.target(chosen[column]) > 0.5 ? 1.0 : -1.0});
    });
    std::sort(zero.shares.begin(), zero.shares.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
    zero.exact = true;
    zero.residual = residual_of(rows, bias, zero.shares);
    return found;
  }
  // In units of the largest weight; the feature's own unit is taken back.
  const std::vector<BigInteger>& prices = simplex.prices();
  const auto exponent_of = [&](std::size_t j) {
    return prices[j].approximate().exponent - (j < p && unit[j] != std::numeric_limits<int>::max() ? unit[j] : 0);
  };
  std::int64_t largest = std::numeric_limits<std::int64_t>::min();
  for (std::size_t j = 0; j + 1 < size; ++j)
    if (prices[j].sign() != 0) largest = std::max(largest, exponent_of(j));
  const auto weight = [&](std::size_t j) {
    if (prices[j].sign() == 0) return math::DoubleDouble(0.0);
    const BigInteger::Approximate high = prices[j].approximate();
    const BigInteger::Approximate low =
        (prices[j] - BigInteger::of(high.mantissa, static_cast<int>(high.exponent))).approximate();
    const auto scaled = [&](const BigInteger::Approximate& part) {
      const std::int64_t exponent = exponent_of(j) - high.exponent + part.exponent - largest;
      return std::ldexp(-part.mantissa, static_cast<int>(std::max<std::int64_t>(exponent, -3000)));
    };
    return math::two_sum(scaled(high), scaled(low));
  };
  for (std::size_t j = 0; j < p; ++j) found.weights.push_back(weight(j));
  if (bias) found.bias = weight(p).high;
  return found;
}

}  // namespace plumb
