#include "plumb/solver/exact_alternative.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "plumb/math/big_integer.h"
#include "plumb/solver/exact_simplex.h"
#include "plumb/solver/row_arithmetic.h"

namespace plumb {
namespace {

using math::BigInteger;

}  // namespace

// sum a_i A_i = e, a >= 0, where A_i is (y_i (x_i, 1), 1) and e = (0, ..., 0, 1).
std::optional<ExactAlternative> exact_alternative(const RowTable& rows, bool bias, const Run& run,
                                                  std::span<const std::uint64_t> only) {
  const std::size_t p = rows.examples().features(), size = p + (bias ? 2 : 1);
  std::vector<std::uint64_t> chosen(only.begin(), only.end());
  if (only.empty())
    for (std::uint64_t i = 0; i < rows.size() && i <= kMostExactEntries; ++i) chosen.push_back(i);
  if (size * size > kMostExactEntries || chosen.size() > kMostExactEntries) return {};

  RowReader reader(rows);
  std::vector<int> unit(p, std::numeric_limits<int>::max());  // 2^unit divides every value of the feature
  std::size_t entries = 0;
  for (const std::uint64_t i : chosen)
    for_each_entry(reader.row(i), [&](std::size_t j, double x) {
      if (x == 0.0) return;
      unit[j] = std::min(unit[j], lowest_bit(x));
      ++entries;
    });
  if (entries > kMostExactEntries) return {};
  std::vector<ExactSimplex::Column> columns;
  for (const std::uint64_t i : chosen) {
    const double y = rows.target(i) > 0.5 ? 1.0 : -1.0;
    ExactSimplex::Column column;
    for_each_entry(reader.row(i), [&](std::size_t j, double x) {
      if (x != 0.0) column.push_back({j, BigInteger::of(y * x, -unit[j])});
    });
    if (bias) column.push_back({p, BigInteger(y > 0.0 ? 1 : -1)});
    column.push_back({size - 1, BigInteger(1)});
    columns.push_back(std::move(column));
  }

  std::vector<BigInteger> target(size);
  target.back() = BigInteger(1);
  ExactSimplex simplex(std::move(columns), std::move(target), run);
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
  // But for its last entry, the direction has every row on its right side. The feature's own unit is taken back.
  for (int& each : unit)
    if (each == std::numeric_limits<int>::max()) each = 0;
  if (bias) unit.push_back(0);
  const std::vector<BigInteger> direction = simplex.direction();
  found.weights = as_weights(std::span(direction).first(size - 1), unit);
  if (bias) {
    found.bias = found.weights.back().high;
    found.weights.pop_back();
  }
  return found;
}

}  // namespace plumb
