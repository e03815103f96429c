#include "plumb/solver/exact_plane.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plumb/math/exact_sum.h"
#include "plumb/math/norm.h"
#include "plumb/solver/row_arithmetic.h"

namespace plumb {
namespace {

using math::DoubleDouble;

constexpr std::uint64_t kMostMultiples = 4096;
constexpr std::uint64_t kMostLooks = 10'000'000;  // entries of rows that are looked at: some tenths of a second
constexpr double kLeastProduct = 0x1p-960;        // below, the tail of a product may be lost

DoubleDouble dot2(const Row& x, In w) noexcept {
  return x.dense() ? math::dot2(x.value, w) : math::sparse_dot2(x.index, x.value, w);
}

// The sign of w.x + b; 0 also where it cannot be told.
int exact_sign(const Row& x, In w, double b) {
  math::ExactSum sum;
  sum.add(b);
  bool told = true;
  for_each_entry(x, [&](std::size_t j, double value) {
    if (value == 0.0 || w[j] == 0.0 || !told) return;
    const DoubleDouble product = math::two_product(value, w[j]);
    told = std::isfinite(product.high) && std::abs(product.high) >= kLeastProduct;
    if (!told) return;
    sum.add(product.high);
    sum.add(product.low);
  });
  const double total = told ? sum.divided_by(1) : 0.0;
  return total > 0.0 ? 1 : total < 0.0 ? -1 : 0;
}

}  // namespace

bool has_apart(const RowTable& rows, In w, double b) {
  RowReader reader(rows);
  const double norm = math::norm(w);
  if (!std::isfinite(norm) || !std::isfinite(b)) return false;
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    const Row x = reader.row(i);
    const double y = rows.target(i) > 0.5 ? 1.0 : -1.0;
    const auto entries = static_cast<double>(x.value.size()) + 8.0;
    // What double-double may have lost; where that is too much, without rounding.
    const double size = norm * math::norm(x.value) + std::abs(b);
    const double score = y * (dot2(x, w) + b).high;
    if (score > entries * entries * 0x1p-100 * size && score > kLeastProduct) continue;
    if (exact_sign(x, w, b) * y <= 0.0) return false;
  }
  return true;
}

std::optional<ExactPlane> plane_in_doubles(const RowTable& rows, std::span<const DoubleDouble> w, double b, bool bias) {
  ExactPlane plane;
  for (const DoubleDouble& each : w) plane.weights.push_back(each.high);
  plane.bias = b;
  if (has_apart(rows, plane.weights, plane.bias)) return plane;
  RowReader reader(rows);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::uint64_t entries = rows.size() * std::max<std::uint64_t>(w.size(), 1);
  const std::uint64_t multiples = std::clamp<std::uint64_t>(kMostLooks / entries, 16, kMostMultiples);
  for (std::uint64_t k = 0; k < multiples; ++k) {
    const DoubleDouble factor =
        1.0 + DoubleDouble(static_cast<double>(k)) / DoubleDouble(static_cast<double>(multiples) + 0.5);
    for (std::size_t j = 0; j < w.size(); ++j) plane.weights[j] = static_cast<double>(w[j] * factor);
    plane.bias = 0.0;
    if (bias) {
      // Between the nearest scores of the classes; a neighbour may do where the middle itself is rounded onto one.
      DoubleDouble least(kInfinity), most(-kInfinity);
      for (std::uint64_t i = 0; i < rows.size(); ++i) {
        const DoubleDouble score = dot2(reader.row(i), plane.weights);
        if (rows.target(i) > 0.5)
          least = score < least ? score : least;
        else
          most = most < score ? score : most;
      }
      if (!(most < least)) continue;
      plane.bias = static_cast<double>((least + most) * DoubleDouble(-0.5));
    }
    if (has_apart(rows, plane.weights, plane.bias)) return plane;
  }
  return {};
}

}  // namespace plumb
