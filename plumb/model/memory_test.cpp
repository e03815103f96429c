#include "plumb/model/memory_test.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace plumb {

MemoryCount memory;

}  // namespace plumb

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(std::size_t size) {
  using plumb::memory;
  void* const piece = std::malloc(size);
  if (piece == nullptr) throw std::bad_alloc();
  ++memory.pieces;
  memory.largest = std::max(memory.largest.load(), size);
  memory.most_live = std::max(memory.most_live.load(), memory.live += malloc_usable_size(piece));
  return piece;
}

void operator delete(void* piece) noexcept {
  if (piece != nullptr) plumb::memory.live -= malloc_usable_size(piece);
  std::free(piece);
}

void operator delete(void* piece, std::size_t) noexcept { operator delete(piece); }
#endif
