// Memory for tables that are read at random places: large ones ask for huge pages, since such a read waits more often
// for the address than for the bytes.
//
// Only tables much larger than the addresses that a processor caches (6 to 12 MiB in pages of 4 KiB) do so: below that
// a read gains some twentieth, while a huge page that a virtual machine must first get from its host was seen to take
// 40 ms, longer than counting a megabyte of text.
#pragma once

#include <cstddef>
#include <limits>
#include <new>

namespace plumb {

// Memory for that many bytes, starting at a multiple of 2 MiB; a hint that the system may ignore.
void* allocate_huge(std::size_t bytes);
void release_huge(void* memory) noexcept;

// For containers: memory of 32 MiB and more; it begins at a cache line, so that an object the size of a line, or of
// half a line, lies in one line.
template <class T>
struct HugePages {
  using value_type = T;
  static constexpr std::size_t kLeast = std::size_t{32} << 20;
  static constexpr std::align_val_t kLine{64};

  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>&) noexcept {}  // NOLINT(google-explicit-constructor): containers convert

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    return static_cast<T*>(bytes < kLeast ? ::operator new(bytes, kLine) : allocate_huge(bytes));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (count * sizeof(T) < kLeast)
      ::operator delete(memory, kLine);
    else
      release_huge(memory);
  }
  bool operator==(const HugePages&) const = default;
};

}  // namespace plumb
