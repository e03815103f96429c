// Bell curves of many numbers, without a row that they were made of.

#if defined(PLUMB_MATH_BELLS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_MATH_BELLS_INL_H
#undef PLUMB_MATH_BELLS_INL_H
#else
#define PLUMB_MATH_BELLS_INL_H
#endif

#include "plumb/math/column_sums-inl.h"
#include "plumb/math/lanes-inl.h"

#include <bit>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace plumb::math {
namespace HWY_NAMESPACE {

// sum t / r is kept as a fraction N/D, with D the product of all r, which is asked for as well: N/D + t/r is
// (N r + D t) / (D r). No term is negative, so that no digits are lost, and nothing is divided before the end.
struct OwnBells {
  const double* table;
  std::size_t width;
  Eight less_take, less_lift, above, below;
  Bits<8> signs;  // of what is left of a variance

  PLUMB_LANES OwnBells(const BellTable& bells, std::size_t k)
      : table(bells.numbers + k * 4 * bells.width),
        width(bells.width),
        less_take(-bells.take),
        less_lift(-bells.lift),
        above(0.0),
        below(1.0),
        signs(0) {}

  PLUMB_LANES void add(Eight x, std::size_t j) {
    const Eight off = (x - Eight::load(table + j)) - Eight::load(table + width + j);
    const Eight square = off * off * Eight::load(table + 2 * width + j);
    const Eight left = fma(less_take, square, fma(less_lift, Eight::load(table + 3 * width + j), Eight(1.0)));
    signs = signs | bits(left - Eight(0x1p-10));
    above = fma(above, left, below * square);
    below = below * left;
  }
  PLUMB_LANES void finish(OwnBell& found) const {
    double lane[8];
    from_bits(signs).store(lane);
    std::uint64_t any = 0;
    for (const double each : lane) any |= std::bit_cast<std::uint64_t>(each);
    found.enough = any >> 63 == 0;
    found.squares = folded(above / below);
    with_one_nan(below).store(found.ratio);
  }
};

struct OtherBells {
  const double* table;
  std::size_t width;
  Eight sum;

  PLUMB_LANES OtherBells(const BellTable& bells, std::size_t k)
      : table(bells.numbers + k * 4 * bells.width), width(bells.width), sum(0.0) {}
  PLUMB_LANES void add(Eight x, std::size_t j) {
    const Eight off = (x - Eight::load(table + j)) - Eight::load(table + width + j);
    sum = fma(off * off, Eight::load(table + 2 * width + j), sum);
  }
};

// Both at once: there are the registers.
struct TwoBells {
  OwnBells own;
  OtherBells other;
  PLUMB_LANES explicit TwoBells(const BellTable& bells) : own(bells, bells.label), other(bells, 1 - bells.label) {}
  PLUMB_LANES void add(Eight x, std::size_t j) {
    own.add(x, j);
    other.add(x, j);
  }
};

// Loops of their own, so that all sums stay in registers.
template <std::size_t step, class All, class Some, class Sums>
PLUMB_LANES void add_numbers(const double* x, std::size_t n, Sums& sums) {
  std::size_t j = 0;  // with a step, eight are read up to the number after the last
  for (; j + (step == 1 ? 8 : 9) <= n; j += 8) sums.add(All()(x + step * j), j);
  if (j < n) sums.add(Some(n - j)(x + step * j), j);
}

template <std::size_t step, class All, class Some>
PLUMB_LANES void two_bells(const double* x, std::size_t n, const BellTable& bells, OwnBell& own, double* others) {
  TwoBells sums(bells);
  add_numbers<step, All, Some>(x, n, sums);
  sums.own.finish(own);
  others[1 - bells.label] = folded(sums.other.sum);
}

inline void bell_squares(const double* x, std::size_t step, std::size_t n, const BellTable& bells, OwnBell& own,
                         double* others) noexcept {
  if (bells.classes == 2) {
    if (step == 1)
      two_bells<1, AllEight, FirstOfEight>(x, n, bells, own, others);
    else
      two_bells<2, EvenEight, FirstEvens>(x, n, bells, own, others);
    return;
  }
  double gathered[kMostBells];
  if (step == 2) {
    std::size_t j = 0;
    for (; j + 9 <= n; j += 8) EvenEight()(x + 2 * j).store(gathered + j);
    for (; j < n; ++j) gathered[j] = x[2 * j];
    x = gathered;
  }
  OwnBells sums(bells, bells.label);
  add_numbers<1, AllEight, FirstOfEight>(x, n, sums);
  sums.finish(own);
  for (std::size_t k = 0; k < bells.classes; ++k) {
    if (k == bells.label) continue;
    OtherBells other(bells, k);
    add_numbers<1, AllEight, FirstOfEight>(x, n, other);
    others[k] = folded(other.sum);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::math
HWY_AFTER_NAMESPACE();

#endif
