// Operations on one row, in any of the forms of RowReader::with_row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plumb/base/span.h"
#include "plumb/data/row_table.h"
#include "plumb/math/dense.h"
#include "plumb/math/sparse.h"
#include "plumb/solver/count_rows.h"

namespace plumb {

// use(j, x_j) for each stored entry.
template <class X, class Use>
void for_each_entry(const X& x, Use&& use) {
  for (std::size_t t = 0; t < x.value.size(); ++t)
    use(x.dense() ? t : std::size_t{x.index[t]}, static_cast<double>(x.value[t]));
}

inline double dot(const Row& x, In w) noexcept {
  return x.dense() ? math::dot(x.value, w) : math::sparse_dot(x.index, x.value, w);
}
inline double dot(const FloatRow& x, In w) noexcept { return math::sparse_dot(x.index, x.value, w); }

inline double dot(const CountRow& x, In w) noexcept { return math::count_dot(x.entries, w, x.kept); }

// y += a x.
inline void axpy(double a, const Row& x, Out y) noexcept {
  if (x.dense()) {
    math::axpy(a, x.value, y);
  } else {
    math::sparse_axpy(a, x.index, x.value, y);
  }
}
inline void axpy(double a, const FloatRow& x, Out y) noexcept { math::sparse_axpy(a, x.index, x.value, y); }
// y is the result of the last dot().
inline void axpy(double a, const CountRow& x, Out y) noexcept { math::count_axpy(a, x.entries, x.kept, y); }

// |x|^2, the same bits for all forms.
template <class X>
double squared_norm(const X& x) noexcept {
  double sum = 0.0;
  for (const double value : x.value) sum += value * value;
  return sum;
}
inline double squared_norm(const CountRow& x) noexcept {  // of whole numbers, exact while below 2^53
  std::uint64_t sum = 0;
  for (const std::uint32_t entry : x.entries) sum += (entry & 255) * (entry & 255);
  return static_cast<double>(sum);
}

// Throws Error(data) if |x|^2 of a row overflows: no result could then be finite.
void expect_finite_norms(const RowTable& rows);

}  // namespace plumb
