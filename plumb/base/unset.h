// A vector that does not set numbers to 0 when it grows: for large arrays that several threads write at once, so that
// each takes its own part of the memory from the system.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace plumb {

template <class T>
struct UnsetAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };
  UnsetAllocator() = default;
  template <class U>
  UnsetAllocator(const UnsetAllocator<U>&) noexcept {}

  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... From>
  void construct(U* place, From&&... from) {
    ::new (static_cast<void*>(place)) U(std::forward<From>(from)...);
  }
};

template <class T>
using UnsetVector = std::vector<T, UnsetAllocator<T>>;

}  // namespace plumb
