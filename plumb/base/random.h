// Random draws keyed by (seed, stream, index): a pure function, so no draw depends on scheduling or on other draws.
// Philox 4x32-10: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace plumb {

// THE list of streams: one name per use, so that no two uses share draws. Numbers are part of the results: never reuse.
enum class Stream : std::uint64_t {
  split = 1,      // which rows go to training, test and validation, or to which fold
  bootstrap = 2,  // 0: which group a row belongs to; r + 1: the draws of resample r
  order = 10,     // in which order an online learner sees rows: pass by pass
  start = 11,     // weights to start from
  sample = 12,    // the sample of rows for a first fit
  refits = 13,    // the rows of the refits of a bootstrap, resample by resample
};

// A value; copies are cheap and any thread may use it.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;

  // The same seed, other draws.
  RandomKey with_stream(std::uint64_t other) const noexcept { return {seed, other}; }
  // `number` tells repetitions of one use apart (epochs, repeats); it is below 2^48.
  RandomKey with_stream(Stream name, std::uint64_t number = 0) const noexcept {
    return {seed, static_cast<std::uint64_t>(name) << 48 | number};
  }

  std::uint64_t bits(std::uint64_t index) const noexcept;
  // A multiple of 2^-53 in [0, 1).
  double uniform(std::uint64_t index) const noexcept;
  // In [0, bound); bound is at least 1. floor(X bound / 2^128) for a draw X of 128 bits, so the chance of each value
  // is within 2^-128 of 1/bound.
  std::uint64_t below(std::uint64_t index, std::uint64_t bound) const noexcept;

  // A permutation of 0, ..., n - 1 (Fisher and Yates), from the draws 0, ..., n - 1 of this stream.
  std::vector<std::uint64_t> shuffled(std::uint64_t n) const;
};

// The block function itself: ten rounds over a counter of four words under a key of two.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) noexcept;

}  // namespace plumb
