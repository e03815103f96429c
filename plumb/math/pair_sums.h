// Sums in double-double as plain doubles: the high parts of all, and then their low parts, so that blocks of rows can
// return them and be combined.
#pragma once

#include <cstddef>

#include "plumb/base/span.h"
#include "plumb/math/double_double.h"

namespace plumb::math {

class PairSums {
 public:
  PairSums(Out numbers) : high(numbers.first(numbers.size() / 2)), low(numbers.last(numbers.size() / 2)) {}
  PairSums(Out high_parts, Out low_parts) : high(high_parts), low(low_parts) {}
  void add(std::size_t i, DoubleDouble value) const {
    const DoubleDouble sum = DoubleDouble(high[i], low[i]) + value;
    high[i] = sum.high;
    low[i] = sum.low;
  }
  // Sums stored in that form.
  static void combine(Out left, In right) {
    const PairSums sums(left);
    const std::size_t n = left.size() / 2;
    for (std::size_t i = 0; i < n; ++i) sums.add(i, {right[i], right[n + i]});
  }
  DoubleDouble operator[](std::size_t i) const { return {high[i], low[i]}; }

  Out high, low;
};

}  // namespace plumb::math
