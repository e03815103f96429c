// Sums of bit planes by adders of whole registers: what is added is told by a list of steps, the same for all rows.

#if defined(PLUMB_MATH_PLANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_MATH_PLANES_INL_H
#undef PLUMB_MATH_PLANES_INL_H
#else
#define PLUMB_MATH_PLANES_INL_H
#endif

#include "plumb/math/lanes-inl.h"

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace plumb::math {
namespace HWY_NAMESPACE {

using WordsTag = hn::CappedTag<std::uint64_t, 8>;
using WordsOf = hn::Vec<WordsTag>;

// Three bits to two: a becomes their sum's lower bit, and the higher is returned.
PLUMB_LANES WordsOf add_bits(WordsOf& a, WordsOf b, WordsOf c) {
  const WordsOf differ = hn::Xor(a, b);
  const WordsOf carry = hn::Or(hn::And(a, b), hn::And(differ, c));
  a = hn::Xor(differ, c);
  return carry;
}

inline void add_planes(const PlaneStep* steps, std::size_t n, const std::uint64_t* planes, std::size_t stride,
                       std::uint64_t* slots, std::size_t words) noexcept {
  const WordsTag tag;
  const auto at = [&](std::int32_t place) PLUMB_LANES_ATTR -> const std::uint64_t* {
    return place >= 0 ? planes + static_cast<std::size_t>(place) * stride
                      : slots + static_cast<std::size_t>(~place) * kPlaneWords;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const PlaneStep& step = steps[i];
    const std::uint64_t *const a = at(step.from[0]), *const b = at(step.from[1]), *const c = at(step.from[2]);
    std::uint64_t *const sum = slots + step.to[0] * kPlaneWords, *const carry = slots + step.to[1] * kPlaneWords;
    if (step.count == 3) {
      for (std::size_t w = 0; w < words; w += hn::MaxLanes(tag)) {
        WordsOf x = hn::LoadU(tag, a + w);
        hn::StoreU(add_bits(x, hn::LoadU(tag, b + w), hn::LoadU(tag, c + w)), tag, carry + w);
        hn::StoreU(x, tag, sum + w);
      }
      continue;
    }
    const std::uint64_t *const d = at(step.from[3]), *const e = at(step.from[4]), *const f = at(step.from[5]),
                               *const g = at(step.from[6]);
    std::uint64_t* const carry2 = slots + step.to[2] * kPlaneWords;
    for (std::size_t w = 0; w < words; w += hn::MaxLanes(tag)) {
      WordsOf x = hn::LoadU(tag, a + w);
      WordsOf two = add_bits(x, hn::LoadU(tag, b + w), hn::LoadU(tag, c + w));
      const WordsOf second = add_bits(x, hn::LoadU(tag, d + w), hn::LoadU(tag, e + w));
      const WordsOf third = add_bits(x, hn::LoadU(tag, f + w), hn::LoadU(tag, g + w));
      hn::StoreU(add_bits(two, second, third), tag, carry2 + w);
      hn::StoreU(two, tag, carry + w);
      hn::StoreU(x, tag, sum + w);
    }
  }
}

inline void planes_to_numbers(const std::uint64_t* const* planes, std::size_t count, const std::uint64_t* negative,
                              const std::int32_t* start, std::size_t rows, std::int32_t* numbers) noexcept {
  const hn::CappedTag<std::int32_t, 16> tag;
  constexpr std::size_t lanes = hn::MaxLanes(hn::CappedTag<std::int32_t, 16>());
  const auto mask = [&](const std::uint64_t* plane, std::size_t row) PLUMB_LANES_ATTR {
    if constexpr (lanes >= 8) {
      return hn::LoadMaskBits(tag, reinterpret_cast<const std::uint8_t*>(plane) + row / 8);
    } else {
      const std::uint8_t bits[8] = {static_cast<std::uint8_t>(plane[row / 64] >> row % 64)};
      return hn::LoadMaskBits(tag, bits);
    }
  };
  for (std::size_t row = 0; row < rows; row += lanes) {
    auto sum = hn::Zero(tag);
    for (std::size_t p = 0; p < count; ++p)
      sum = hn::IfThenElse(mask(planes[p], row), hn::Add(sum, hn::Set(tag, std::int32_t{1} << p)), sum);
    sum = hn::IfThenElse(mask(negative, row), hn::Neg(sum), sum);
    hn::StoreU(hn::Add(sum, hn::LoadU(tag, start + row)), tag, numbers + row);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::math
HWY_AFTER_NAMESPACE();

#endif
