// Sparse rows as in a file: the (index, value) pairs of each row, and the names of the indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/base/borrowed.h"
#include "plumb/data/values.h"

namespace plumb {

struct Entries {
  std::vector<std::uint64_t> offsets = {0};  // row r is entries offsets[r] to offsets[r + 1]
  Array<std::uint32_t> index;                // ascending and distinct within a row
  Values value;
  std::vector<std::string> names;  // of index 0, 1, ... of this piece; empty if the index itself is the name
  std::uint32_t first = 0;         // ... after adding this to it: 1 if indices count from 0 and names from f1

  // What a reader saw of the indices while parsing: rows ascend, and all of them lie in this range. It is valid for the
  // number of entries at that time.
  struct Order {
    std::uint32_t least = 0, most = 0;
    std::size_t entries = 0;
  };
  Order seen;

  std::size_t rows() const noexcept { return offsets.size() - 1; }
  // Empty if nothing was seen, or if entries were removed since.
  const Order* order() const noexcept { return seen.entries > 0 && seen.entries == index.size() ? &seen : nullptr; }
  std::span<const std::uint32_t> row(std::size_t r) const noexcept {
    return std::span(index).subspan(offsets[r], offsets[r + 1] - offsets[r]);
  }
};

}  // namespace plumb
