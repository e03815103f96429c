// Sorting of numbers that are keys.
#pragma once

#include "plumb/math/kernels.h"

#include <cstddef>
#include <cstdint>

namespace plumb::math {

// n keys in ascending order: where they are then, in `keys` or in `room`, which has as much room; the other is not of
// use any more. For some hundreds: it takes n log n steps, few of which are taken one by one.
inline const std::uint32_t* sort_keys(std::uint32_t* keys, std::size_t n, std::uint32_t* room) noexcept {
  return kernels().sort_keys(keys, n, room);
}

// Whether that is sooner than sorting by digits.
inline bool sorts_at_once() noexcept { return kernels().simd != Simd::scalar; }

}  // namespace plumb::math
