// Asking for memory before it is needed.
#pragma once

namespace plumb {

// The cache line at this address will be read soon. Any address will do.
inline void fetch(const void* at) noexcept {
  __builtin_prefetch(at);
  // g++ takes a function that does nothing but prefetch for one without effect, and leaves its calls out.
  asm volatile("");
}

// The same, but not before something else: into the second cache, so that the first keeps what is in use.
inline void fetch_near(const void* at) noexcept {
  __builtin_prefetch(at, 0, 1);
  asm volatile("");
}

}  // namespace plumb
