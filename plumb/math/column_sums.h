// Sums of columns and of their squares, about a number for each column; and products of rows with the same weights.
#pragma once

#include "plumb/base/span.h"
#include "plumb/math/kernels.h"

#include <cassert>
#include <cmath>
#include <cstddef>
#include <span>

namespace plumb::math {

// The number that a column is summed about, and the step of the grid that it is on. Sums are right for any; but many
// terms of more than 2^26 steps cost time, and many of less than one cost digits.
struct MomentGrid {
  double about = 0.0, step = 0.0;  // a step of 0: no grid

  // For a column whose numbers are mostly within `spread` of `centre`: the step is 2^-20 to 2^-19 of it, or the
  // distance between doubles of that size. No grid if squares of a step would underflow or overflow, or spread is 0.
  static MomentGrid around(double centre, double spread) noexcept {
    if (!(spread > 0.0) || !std::isfinite(spread) || !std::isfinite(centre)) return {};
    int exponent = std::ilogb(spread) - 20;
    if (centre != 0.0 && std::ilogb(centre) - 49 > exponent) exponent = std::ilogb(centre) - 49;
    constexpr int kMostExponent = 400;
    if (exponent < -kMostExponent || exponent > kMostExponent) return {};
    MomentGrid grid{0.0, std::ldexp(1.0, exponent)};
    const double shift = grid.shift();
    grid.about = (centre + shift) - shift;
    return grid;
  }

  bool has_steps() const noexcept { return step > 0.0; }
  double shift() const noexcept { return 0x1.8p52 * step; }  // its last digit is one step
  double back() const noexcept { return shift() + about; }
  double most() const noexcept { return has_steps() ? 0x1p53 * (step * step) : -1.0; }  // limit of the sum of squares
};

// The size of the arrays below for p columns.
constexpr std::size_t in_eights(std::size_t p) noexcept { return (p + 7) / 8 * 8; }

// Adds sum_i d_ij and sum_i d_ij^2 for j < p and d_ij = x_ij - about_j; row i is at row[i], consecutive numbers for a
// step of 1, and every second for 2. `about` is three arrays, shift, back and most of the grids, 0 after p; 0, about_j
// and -1 for a column without a grid.
// `sums` is four arrays: sums of d, their rounding errors, sums of squares, and their rounding errors. They are off by
// 2^-104 of themselves, and by 2^-53 times the sum of a step of the grid times (|d_ij| + that). If squares of one of
// the columns 8 k to 8 k + 7 add up to more than its most, these columns are added to `plain`: four such arrays, of
// d_ij too, which are off by 2^-104 of themselves and (n + 2)^2 2^-105 of the sum of absolute terms, for the n rows
// since they were 0. Otherwise rows is added to counted[k]. Meanwhile prefetches the beginnings of as many rows,
// `stride` numbers apart from `next` on, unless it is null; the addresses need not be valid.
inline void moments_about_add(const double* const* row, std::size_t step, std::size_t rows, std::size_t p,
                              const double* about, double* sums, double* plain, double* counted, const double* next,
                              std::size_t stride) noexcept {
  assert(step == 1 || step == 2);
  kernels().moments_about_add(row, step, rows, p, about, sums, plain, counted, next, stride);
}

// Adds w d_j and w d_j^2 for j < p and d_j = x_j - about_j, x as a row above, to four arrays of in_eights(p) numbers:
// sums of the former, their low parts, and the same of the latter, with the steps of DoubleDouble. `about` has as many,
// 0 after p.
inline void weighted_moments_add(const double* x, std::size_t step, std::size_t p, double weight, In about,
                                 Out sums) noexcept {
  assert((step == 1 || step == 2) && about.size() == in_eights(p) && sums.size() == 4 * in_eights(p));
  kernels().weighted_moments_add(x, step, p, weight, about.data(), sums.data());
}

// out_i = the dot of w with row i of x, with the same bits.
inline void dots(const double* x, std::size_t stride, In w, Out out) noexcept {
  kernels().dots(x, out.size(), stride, w.size(), w.data(), out.data());
}

}  // namespace plumb::math
