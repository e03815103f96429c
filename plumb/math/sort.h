// Sorting of numbers that are keys.
#pragma once

#include "plumb/math/kernels.h"

#include <cstddef>
#include <cstdint>

namespace plumb::math {

// n keys in ascending order. Returns where they are, in `keys` or in `room`, which has the same size; the other then
// has no meaning. For some hundreds of keys: it takes n log n steps, most of them several at once.
inline const std::uint32_t* sort_keys(std::uint32_t* keys, std::size_t n, std::uint32_t* room) noexcept {
  return kernels().sort_keys(keys, n, room);
}

// Whether that is faster than sorting by digits.
inline bool sorts_at_once() noexcept { return kernels().simd != Simd::scalar; }

}  // namespace plumb::math
