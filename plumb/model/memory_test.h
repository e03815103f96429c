// Counts the memory that a test program allocates, for tests of memory bounds. Not counted under sanitizers, which have
// their own allocator.
#pragma once

#include <atomic>
#include <cstddef>

namespace plumb {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool memory_is_counted = false;
#else
inline constexpr bool memory_is_counted = true;
#endif

struct MemoryCount {
  std::atomic<std::size_t> pieces{0};     // allocated since the program started
  std::atomic<std::size_t> largest{0};    // the largest single block; a test may reset it
  std::atomic<std::size_t> live{0};       // bytes in use now
  std::atomic<std::size_t> most_live{0};  // and the maximum so far; a test may reset it
};
extern MemoryCount memory;

}  // namespace plumb
