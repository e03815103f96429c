// Sparse rows as a file gives them: for each row its (index, value) pairs, and what the indices are called.
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
  Array<std::uint32_t> index;                // ascending within a row, none twice
  Values value;
  std::vector<std::string> names;  // of index 0, 1, ... of this piece; empty where the index itself is the name
  std::uint32_t first = 0;         // ... after this is added to it: 1 where indices count from 0 and names from f1

  // What a reader saw of the indices while it had them at hand: rows ascend, and this is where all of them lie. It
  // holds for as many entries as there were then.
  struct Order {
    std::uint32_t least = 0, most = 0;
    std::size_t entries = 0;
  };
  Order seen;

  std::size_t rows() const noexcept { return offsets.size() - 1; }
  // None if nothing was seen, or if entries were left out since.
  const Order* order() const noexcept { return seen.entries > 0 && seen.entries == index.size() ? &seen : nullptr; }
  std::span<const std::uint32_t> row(std::size_t r) const noexcept {
    return std::span(index).subspan(offsets[r], offsets[r + 1] - offsets[r]);
  }
};

}  // namespace plumb
