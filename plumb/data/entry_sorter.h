// Sorts the entries of the last, still open row by index. Needs no memory of its own per row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "plumb/data/entries.h"

namespace plumb {

class EntrySorter {
 public:
  // The row that starts at `from`. Entries of one index keep their order.
  void sort(Entries& entries, std::size_t from) {
    order(entries, from);
    std::vector<std::uint32_t>& out = entries.index.own();
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      out[from + i] = index(i);
      entries.value.push(value(i));
    }
  }
  // As above, and entries of one index become one: their values are added in their order.
  void sort_and_add(Entries& entries, std::size_t from) {
    order(entries, from);
    entries.index.resize(from);
    for (std::size_t i = 0; i < keys_.size();) {
      const std::uint32_t same = index(i);
      double sum = value(i++);
      for (; i < keys_.size() && index(i) == same; ++i) sum += value(i);
      entries.index.push_back(same);
      entries.value.push(sum);
    }
  }

 private:
  // Takes the row's values out of the entries.
  void order(Entries& entries, std::size_t from) {
    keys_.resize(entries.index.size() - from);
    values_.resize(keys_.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = std::uint64_t{entries.index[from + i]} << 32 | i;
    std::sort(keys_.begin(), keys_.end());
    entries.value.decode(from, values_);
    entries.value.truncate(from);
  }
  std::uint32_t index(std::size_t i) const { return static_cast<std::uint32_t>(keys_[i] >> 32); }
  double value(std::size_t i) const { return values_[keys_[i] & 0xFFFFFFFF]; }

  std::vector<std::uint64_t> keys_;  // index, then original position in the row
  std::vector<double> values_;       // in the original order
};

}  // namespace plumb
