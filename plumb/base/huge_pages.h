// Memory for tables that are looked into at random places: large ones ask for huge pages, as what such a look waits for
// is more often the address than the bytes.
//
// Only those that are much larger than what a processor keeps addresses of (6 to 12 MiB in pages of 4 KiB): below that
// a look gains some twentieth, while a huge page that a virtual machine has to ask its host for first was seen to take
// 40 ms, more than counting a megabyte of text.
#pragma once

#include <cstddef>
#include <limits>
#include <new>

namespace plumb {

// Memory for so many bytes, from a border of 2 MiB on; a hint to the system, which may not heed it.
void* allocate_huge(std::size_t bytes);
void release_huge(void* memory) noexcept;

// For containers: memory of 32 MiB and more; all begins at the border of a cache line, so that what has the size of
// one, or half of it, lies in one.
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
