// Scores of rows of counts by whole weights (tally.h). Columns that nearly every row has are multiplied in registers;
// of the others weights are added up one by one, four sums side by side, as gathers are no sooner than that.

#if defined(PLUMB_MATH_TALLY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PLUMB_MATH_TALLY_INL_H
#undef PLUMB_MATH_TALLY_INL_H
#else
#define PLUMB_MATH_TALLY_INL_H
#endif

#include "plumb/math/lanes-inl.h"
#include "plumb/math/tally.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace plumb::math {
namespace HWY_NAMESPACE {

using TallyTag = hn::ScalableTag<std::int16_t>;
using TallyBytes = hn::Rebind<std::uint8_t, TallyTag>;

PLUMB_LANES std::int32_t tallied_score(const std::uint8_t* counts, const std::int16_t* w) {
#if HWY_TARGET == HWY_SCALAR
  std::int32_t sum = 0;
  for (std::size_t k = 0; k < kTallied; ++k) sum += counts[k] * w[k];
  return sum;
#else
  const TallyTag tag;
  const hn::RepartitionToWide<TallyTag> wide;
  auto sum = hn::Zero(wide), rest = hn::Zero(wide);
  for (std::size_t k = 0; k < kTallied; k += hn::MaxLanes(tag)) {
    const auto x = hn::PromoteTo(tag, hn::LoadU(TallyBytes(), counts + k));
    sum = hn::ReorderWidenMulAccumulate(wide, x, hn::LoadU(tag, w + k), sum, rest);
  }
  return hn::GetLane(hn::SumOfLanes(wide, hn::Add(sum, rest)));
#endif
}

inline std::int32_t tally_score(const TallyRow& row, const std::int16_t* w) noexcept {
  const std::uint8_t* at = row.begin + kTallied;
  const std::int16_t *const near = w + kTallied, *const far = w + kFarPlaces;
  std::int32_t a = 0, b = 0, c = 0, d = 0;
  for (std::size_t t = 0; t < row.near; t += kNearStep, at += kNearStep * sizeof(std::uint16_t)) {
    std::uint64_t one, two;
    std::memcpy(&one, at, sizeof one);
    std::memcpy(&two, at + sizeof one, sizeof two);
    a += near[one & kNear];
    b += near[one >> 16 & kNear];
    c += near[one >> 32 & kNear];
    d += near[one >> 48];
    a += near[two & kNear];
    b += near[two >> 16 & kNear];
    c += near[two >> 32 & kNear];
    d += near[two >> 48];
  }
  for (std::size_t t = 0; t < row.far; t += kFarStep, at += kFarStep * sizeof(std::uint32_t)) {
    std::uint64_t one;
    std::memcpy(&one, at, sizeof one);
    a += far[one & 0xffff'ffff];
    b += far[one >> 32];
  }
  return a + b + c + d + tallied_score(row.begin, w);
}

inline void tally_move(const TallyRow& row, int sign, std::int16_t* w) noexcept {
  const auto step = static_cast<std::int16_t>(sign);
  const TallyTag tag;
  const auto steps = hn::Set(tag, step);
  for (std::size_t k = 0; k < kTallied; k += hn::MaxLanes(tag)) {
    const auto x = hn::PromoteTo(tag, hn::LoadU(TallyBytes(), row.begin + k));
    hn::StoreU(hn::Add(hn::LoadU(tag, w + k), hn::Mul(steps, x)), tag, w + k);
  }
  const std::uint8_t* at = row.begin + kTallied;
  std::int16_t *const near = w + kTallied, *const far = w + kFarPlaces;
  for (std::size_t t = 0; t < row.near; ++t, at += sizeof(std::uint16_t)) {
    std::uint16_t name;
    std::memcpy(&name, at, sizeof name);
    near[name] = static_cast<std::int16_t>(near[name] + step);
  }
  at = row.begin + kTallied + filled_up(row.near, kNearStep) * sizeof(std::uint16_t);
  for (std::size_t t = 0; t < row.far; ++t, at += sizeof(std::uint32_t)) {
    std::uint32_t name;
    std::memcpy(&name, at, sizeof name);
    far[name] = static_cast<std::int16_t>(far[name] + step);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plumb::math
HWY_AFTER_NAMESPACE();

#endif
