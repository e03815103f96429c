// Many small whole numbers at once, by their binary digits: plane p of some rows has bit p of each row's number, 64
// rows to a word. Adding numbers of all rows is then adding planes, three of one digit to one of it and one of the
// next, or seven to one of each of three digits: a few logical steps for hundreds of rows.
#pragma once

#include "plumb/math/kernels.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace plumb::math {

// Does the steps one after another for the rows of `words` words, at most kPlaneWords and a multiple of 8. Planes are
// `stride` words apart, slots kPlaneWords.
inline void add_planes(std::span<const PlaneStep> steps, const std::uint64_t* planes, std::size_t stride,
                       std::uint64_t* slots, std::size_t words) noexcept {
  kernels().add_planes(steps.data(), steps.size(), planes, stride, slots, words);
}

// numbers[i] = start[i] + sum_p 2^p (bit i of planes[p]), the sum taken off where bit i of `negative` is set. Rows are
// a multiple of 64; after the words of a plane 8 bytes more can be read.
inline void planes_to_numbers(std::span<const std::uint64_t* const> planes, const std::uint64_t* negative,
                              const std::int32_t* start, std::size_t rows, std::int32_t* numbers) noexcept {
  kernels().planes_to_numbers(planes.data(), planes.size(), negative, start, rows, numbers);
}

}  // namespace plumb::math
