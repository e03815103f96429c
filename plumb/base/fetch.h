// Prefetching memory before it is needed.
#pragma once

namespace plumb {

// Prefetches the cache line at this address, which will be read soon. Any address is allowed.
inline void fetch(const void* at) noexcept {
  __builtin_prefetch(at);
  // g++ treats a function that only prefetches as one without effect, and removes its calls.
  asm volatile("");
}

// The same into the second-level cache, so that the first keeps what is in use.
inline void fetch_near(const void* at) noexcept {
  __builtin_prefetch(at, 0, 1);
  asm volatile("");
}

}  // namespace plumb
