#include "plumb/base/huge_pages.h"

#include <cstdlib>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace plumb {

void* allocate_huge(std::size_t bytes) {
  constexpr std::size_t border = std::size_t{2} << 20;
  const std::size_t whole = (bytes + border - 1) / border * border;
  void* const memory = std::aligned_alloc(border, whole);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  madvise(memory, whole, MADV_HUGEPAGE);  // the result is not checked
#endif
  return memory;
}

void release_huge(void* memory) noexcept { std::free(memory); }

}  // namespace plumb
