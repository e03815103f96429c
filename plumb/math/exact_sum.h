// Sums of doubles without rounding: a fixed-point number wide enough for all of them (Kulisch). Addition is then
// commutative and associative, so the result does not depend on order, threads or where the input was cut.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace plumb::math {

class ExactSum {
 public:
  // value * count; the value is finite. Together at most 2^63 values may be added.
  void add(double value, std::uint64_t count = 1) noexcept;
  // The double nearest to sum / divisor, ties to even, also if the sum itself is beyond the range of doubles; 0 <
  // divisor.
  double divided_by(std::uint64_t divisor) const noexcept;

 private:
  // Word i counts units of 2^(32 i - 1106). Doubles are multiples of 2^-1074, so word 0 stays empty: its bits serve the
  // rounding of a quotient. The largest sum, 2^63 2^1024, ends in word 68. Words may be negative or have more than 32
  // bits until they are carried.
  using Words = std::array<std::int64_t, 70>;

  static void carry(Words& words) noexcept;

  Words words_{};
  std::uint32_t uncarried_ = 0;  // additions since the last carry
};

}  // namespace plumb::math
