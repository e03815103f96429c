// Puts the entries of the last row, still open, in ascending order of their index. Needs no memory of its own per row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "plumb/data/entries.h"

namespace plumb {

class EntrySorter {
 public:
  // The row that starts at `from`. Entries of one index stay in the order they were given in.
  void sort(Entries& entries, std::size_t from) {
    const std::size_t count = entries.index.size() - from;
    keys_.resize(count);
    values_.resize(count);
    for (std::size_t i = 0; i < count; ++i) keys_[i] = std::uint64_t{entries.index[from + i]} << 32 | i;
    std::sort(keys_.begin(), keys_.end());
    entries.value.decode(from, values_);
    entries.value.truncate(from);
    for (std::size_t i = 0; i < count; ++i) {
      entries.index[from + i] = static_cast<std::uint32_t>(keys_[i] >> 32);
      entries.value.push(values_[keys_[i] & 0xFFFFFFFF]);
    }
  }

 private:
  std::vector<std::uint64_t> keys_;  // index, then place in the row
  std::vector<double> values_;
};

}  // namespace plumb
