// How often each value occurs, exactly, with memory proportional to the number of different values, not of rows.
// Entries are appended and, whenever they have doubled, sorted and merged; so no result depends on the order of calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace plumb {

template <class Key>
class ValueCounts {
 public:
  struct Entry {
    Key key;
    std::uint64_t count;
  };

  // If there are more than `limit` different values, only that fact is kept.
  explicit ValueCounts(std::uint64_t limit) : limit_(limit) {}

  void add(Key key, std::uint64_t count) {
    if (more_) return;
    entries_.push_back({std::move(key), count});
    if (entries_.size() >= next_merge_) merge();
  }

  struct Result {
    std::vector<Entry> entries;  // ascending by key; empty if there were more than the limit
    bool more = false;
  };
  Result take() {
    merge();
    return {std::move(entries_), more_};
  }

 private:
  void merge() {
    const auto by_key = [](const Entry& a, const Entry& b) { return a.key < b.key; };
    const auto sorted_end = entries_.begin() + static_cast<std::ptrdiff_t>(merged_);
    std::sort(sorted_end, entries_.end(), by_key);
    std::inplace_merge(entries_.begin(), sorted_end, entries_.end(), by_key);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (kept > 0 && entries_[kept - 1].key == entries_[i].key) {
        entries_[kept - 1].count += entries_[i].count;
      } else {
        if (kept != i) entries_[kept] = std::move(entries_[i]);
        ++kept;
      }
    }
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(kept), entries_.end());
    merged_ = kept;
    next_merge_ = std::max<std::size_t>(2 * kept, kFirstMerge);
    if (kept <= limit_) return;
    more_ = true;
    merged_ = 0;
    entries_ = {};
  }

  static constexpr std::size_t kFirstMerge = 4096;

  std::uint64_t limit_;
  std::vector<Entry> entries_;
  std::size_t merged_ = 0;  // how many are sorted and all different
  std::size_t next_merge_ = kFirstMerge;
  bool more_ = false;
};

// Keeps the `most` of them with the largest counts, largest first and equal ones by key.
template <class Entry>
void keep_commonest(std::vector<Entry>& entries, std::size_t most) {
  const auto end = entries.begin() + static_cast<std::ptrdiff_t>(std::min(most, entries.size()));
  std::partial_sort(entries.begin(), end, entries.end(), [](const Entry& a, const Entry& b) {
    return a.count != b.count ? a.count > b.count : a.key < b.key;
  });
  entries.erase(end, entries.end());
}

}  // namespace plumb
