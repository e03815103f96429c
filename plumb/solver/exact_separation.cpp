#include "plumb/solver/exact_separation.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "plumb/solver/class_pairs.h"
#include "plumb/solver/exact_simplex.h"

namespace plumb {
namespace {

using math::BigInteger;

// The columns without penalty, in whole numbers of units of a power of two each.
struct FreeColumns {
  std::vector<std::size_t> place;  // of a column of the matrix among those without penalty
  std::vector<int> unit;           // 2^unit divides every value
  std::size_t count = 0;
  std::size_t entries = 0;

  explicit FreeColumns(const Objective& f) : place(f.matrix().columns(), kHeld) {
    for (std::size_t j = 0; j < place.size(); ++j)
      if (!(f.ridge()[j] > 0.0)) place[j] = count++;
    unit.assign(count, std::numeric_limits<int>::max());
    for (std::size_t i = 0; i < f.matrix().rows(); ++i)
      for_each(f.matrix().row(i), [&](std::size_t j, double x) {
        unit[j] = std::min(unit[j], lowest_bit(x));
        ++entries;
      });
    for (int& each : unit)
      if (each == std::numeric_limits<int>::max()) each = 0;
  }

  // use(place, value) of those of a row that are not 0.
  template <class Use>
  void for_each(const Row& row, Use&& use) const {
    for (std::size_t e = 0; e < row.value.size(); ++e) {
      const std::size_t j = place[row.index.empty() ? e : row.index[e]];
      if (j != kHeld && row.value[e] != 0.0) use(j, row.value[e]);
    }
  }

  static constexpr std::size_t kHeld = static_cast<std::size_t>(-1);
};

// A_i of every pair: its row for the weights of its own class, and the other way round for those of the other.
std::vector<ExactSimplex::Column> columns_of(const Objective& f, const ClassPairs& pairs, const FreeColumns& free) {
  std::vector<ExactSimplex::Column> columns;
  pairs.for_each([&](std::size_t i, std::size_t, std::size_t own, std::size_t other) {
    ExactSimplex::Column column;
    for (const auto& [output, sign] : {std::pair(own, 1.0), std::pair(other, -1.0)})
      if (output < f.outputs())
        free.for_each(f.matrix().row(i), [&](std::size_t j, double x) {
          column.push_back({output * free.count + j, BigInteger::of(sign * x, -free.unit[j])});
        });
    columns.push_back(std::move(column));
  });
  return columns;
}

// In the layout of all weights.
std::vector<double> spread(const Objective& f, const FreeColumns& free, std::span<const BigInteger> d) {
  std::vector<int> unit;
  for (std::size_t k = 0; k < f.outputs(); ++k) unit.insert(unit.end(), free.unit.begin(), free.unit.end());
  const std::vector<math::DoubleDouble> weights = as_weights(d, unit);
  const std::size_t p = f.matrix().columns();
  std::vector<double> all(f.size());
  for (std::size_t at = 0; at < all.size(); ++at)
    if (const std::size_t j = free.place[at % p]; j != FreeColumns::kHeld)
      all[at] = weights[at / p * free.count + j].high;
  return all;
}

}  // namespace

std::optional<Separation> exact_separation(const Objective& f) {
  const ClassPairs pairs(f);
  if (pairs.size() > kMostExactEntries || f.matrix().entries() > kMostExactEntries) return {};
  const FreeColumns free(f);
  const std::size_t size = f.outputs() * free.count;
  const std::size_t each = f.outputs() == 1 ? 1 : 2 * (pairs.size() / f.matrix().rows());
  if (size == 0) return Separation();
  if ((size + 1) * (size + 1) > kMostExactEntries || free.entries * each > kMostExactEntries) return {};

  std::vector<ExactSimplex::Column> columns = columns_of(f, pairs, free);
  std::vector<BigInteger> target(size);
  for (const ExactSimplex::Column& column : columns)
    for (const auto& [place, value] : column) target[place] -= value;
  ExactSimplex some(columns, std::move(target), f.run());
  if (!some.solve()) return {};
  if (some.feasible()) return Separation();
  Separation found{Separation::Kind::quasi, spread(f, free, some.direction()), {}};

  // Whether one has every row strictly on its right side: Gordan's alternative, sum a_i A_i = 0 with shares of sum 1.
  for (ExactSimplex::Column& column : columns) column.push_back({size, BigInteger(1)});
  target.assign(size + 1, BigInteger());
  target.back() = BigInteger(1);
  ExactSimplex all(std::move(columns), std::move(target), f.run());
  if (!all.solve() || all.feasible()) return found;
  const std::vector<BigInteger> direction = all.direction();
  return Separation{Separation::Kind::complete, spread(f, free, std::span(direction).first(size)), {}};
}

}  // namespace plumb
