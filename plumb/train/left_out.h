// What those who leave a row out ask of it and of what is left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "plumb/data/examples.h"

namespace plumb::left_out {

template <class Visit>
void for_each_value(const Row& x, Visit&& visit) {
  for (std::size_t i = 0; i < x.value.size(); ++i)
    if (x.value[i] != 0.0) visit(x.dense() ? static_cast<std::uint32_t>(i) : x.index[i], x.value[i]);
}

// A spread this far below that of all rows (plumb/math/column_sums.h), or below what triple-doubles keep of their
// squares with some bits to spare, has fewer than ten sure digits after a difference of sums. Where all rows together
// have no more, there was nothing to lose.
inline bool lost(double spread, double of_all, double squares_of_all) {
  const double sure = std::max(0x1p-30 * of_all, 0x1p-110 * squares_of_all);
  return of_all > sure && spread <= sure;
}

inline double value_of(const Row& x, std::uint32_t feature) {
  if (x.dense()) return x.value[feature];
  if (x.index.empty() || x.index.back() < feature) return 0.0;
  const auto found = std::lower_bound(x.index.begin(), x.index.end(), feature);
  const bool there = found != x.index.end() && *found == feature;
  return there ? x.value[static_cast<std::size_t>(found - x.index.begin())] : 0.0;
}

}  // namespace plumb::left_out
