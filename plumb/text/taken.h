// Lists that are filled, given away and filled anew, piece after piece.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace plumb {

// What the list holds, with little room to spare; the list is empty then, and has room for as much again. Pieces are
// about as large as the last one, so mostly the memory itself is given away and nothing is copied.
template <class T, class Allocator>
std::vector<T, Allocator> taken(std::vector<T, Allocator>& list) {
  const std::size_t size = list.size();
  const bool fits = list.capacity() <= size + size / 8;
  std::vector<T, Allocator> all = fits ? std::move(list) : std::vector<T, Allocator>(list);
  list = {};
  list.reserve(size + size / 16);
  return all;
}

}  // namespace plumb
