// Rows of small counts beside weights that are whole numbers of 16 bits: scores without rounding, and so in any order.
// The first kTallied columns have a byte each, their count, in every row. Another column is named as often as it
// counts: by 16 bits if it is one of the next kNear, else by 32. A row lies as bytes, near names, far names.
#pragma once

#include "plumb/math/kernels.h"

#include <cstddef>
#include <cstdint>

namespace plumb::math {

constexpr std::size_t kTallied = 256;
constexpr std::uint32_t kNear = 0xffff;  // a near name of this value names nothing
constexpr std::size_t kNearStep = 8, kFarStep = 2;

constexpr std::size_t filled_up(std::size_t n, std::size_t step) noexcept { return (n + step - 1) / step * step; }

// Where the weight of a column is: a far name is that less kFarPlaces.
constexpr std::size_t kFarPlaces = kTallied + kNear + 1;
constexpr std::size_t tally_place(std::uint32_t column) noexcept {
  return column < kFarPlaces - 1 ? column : std::size_t{column} + 1;
}
// How many weights there are. The one before kFarPlaces and the last are of no column and stay 0: names that fill up a
// row are theirs.
constexpr std::size_t tally_places(std::uint32_t columns) noexcept {
  return (columns < kFarPlaces ? kFarPlaces : tally_place(columns)) + 1;
}

// sum_j x_j w_j. As long as |w| sum_j x_j is below 2^31.
inline std::int32_t tally_score(const TallyRow& row, const std::int16_t* w) noexcept {
  return kernels().tally_score(row, w);
}
// w += sign x, sign 1 or -1.
inline void tally_move(const TallyRow& row, int sign, std::int16_t* w) noexcept { kernels().tally_move(row, sign, w); }

}  // namespace plumb::math
