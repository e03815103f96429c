#include "plumb/feature/fill.h"

#include <algorithm>
#include <cmath>

#include "plumb/math/double_double.h"
#include "plumb/math/exact_sum.h"

namespace plumb {
namespace {

using Weighted = std::pair<double, double>;  // value, weight

// In units of powers of two, so that no product or sum leaves the range of doubles.
double weighted_mean(const std::vector<Weighted>& values) {
  double largest_value = 0.0, largest_weight = 0.0;
  for (const auto& [value, weight] : values) {
    largest_value = std::max(largest_value, std::abs(value));
    largest_weight = std::max(largest_weight, weight);
  }
  if (largest_value == 0.0) return 0.0;
  const int of_values = std::ilogb(largest_value), of_weights = std::ilogb(largest_weight);
  math::DoubleDouble sum, total;
  for (const auto& [value, weight] : values) {
    const double unit_weight = std::scalbn(weight, -of_weights);
    sum = sum + math::two_product(std::scalbn(value, -of_values), unit_weight);
    total = total + unit_weight;
  }
  return std::scalbn(static_cast<double>(sum / total), of_values);
}

double exact_mean(const std::vector<Weighted>& values) {
  math::ExactSum sum;
  for (const Weighted& each : values) sum.add(each.first);
  return sum.divided_by(values.size());
}

}  // namespace

double weighted_median(std::vector<Weighted> values) {
  std::sort(values.begin(), values.end());
  math::DoubleDouble total, below;
  for (const Weighted& each : values) total = total + each.second;
  const math::DoubleDouble half{total.high / 2, total.low / 2};
  for (std::size_t i = 0; i < values.size(); ++i) {
    below = below + values[i].second;
    if (below == half && i + 1 < values.size()) return values[i].first / 2 + values[i + 1].first / 2;
    if (below > half) return values[i].first;
  }
  return values.empty() ? 0.0 : values.back().first;
}

Fill fill_of(const Tables& tables, std::size_t column, std::optional<std::size_t> weight, const RowSet& rows,
             Missing missing) {
  Fill fill;
  std::vector<Weighted> values;
  for (const Table& table : tables.pieces)
    for (std::uint64_t row = 0; row < table.rows; ++row) {
      if (!rows.has(table.first_row + row)) continue;
      const double value = table.columns[column].numbers[row];
      const double of_row = weight ? table.columns[*weight].numbers[row] : 1.0;
      if (std::isnan(value)) {
        ++fill.missing;
      } else if (of_row > 0.0) {
        ++fill.values;
        if (missing != Missing::zero) values.emplace_back(value, of_row);
      }
    }
  if (values.empty()) return fill;
  if (missing == Missing::median) fill.value = weighted_median(std::move(values));
  if (missing == Missing::mean) fill.value = weight ? weighted_mean(values) : exact_mean(values);
  return fill;
}

}  // namespace plumb
