#include "plumb/text/term_counts.h"

#include <algorithm>
#include <numeric>

namespace plumb {

// Counting sort, twice: entries by column, then back by row. Both keep the order of what is equal, so rows end with
// their columns ascending; three passes that take no comparison.
TermRows numbered(const TermCounts& counts, std::span<const std::uint32_t> ids, std::uint32_t columns) {
  TermRows rows;
  std::vector<std::uint64_t> column_at(std::size_t{columns} + 1);
  for (std::size_t k = 0; k < counts.term.size(); ++k) {
    const std::uint32_t id = ids[counts.term[k]];
    if (id == kNoTerm) {
      rows.unseen += counts.count[k];
    } else {
      ++column_at[id + 1];
    }
  }
  std::partial_sum(column_at.begin(), column_at.end(), column_at.begin());

  struct Entry {
    std::uint32_t row;
    std::uint32_t count;
  };
  std::vector<Entry> by_column(column_at.back());
  rows.offsets.assign(counts.offsets.size(), 0);
  for (std::size_t row = 0; row < counts.documents(); ++row) {
    for (std::uint64_t k = counts.offsets[row]; k < counts.offsets[row + 1]; ++k) {
      const std::uint32_t id = ids[counts.term[k]];
      if (id == kNoTerm) continue;
      by_column[column_at[id]++] = {static_cast<std::uint32_t>(row), counts.count[k]};
    }
  }
  // Now column_at[id] is where column id ends. A row meets an id again only right after itself.
  std::vector<std::uint32_t> last(counts.documents(), kNoTerm);
  const auto for_each_entry = [&](auto&& use) {
    std::ranges::fill(last, kNoTerm);
    std::uint64_t k = 0;
    for (std::uint32_t id = 0; id < columns; ++id) {
      for (; k < column_at[id]; ++k) {
        use(by_column[k], id, last[by_column[k].row] == id);
        last[by_column[k].row] = id;
      }
    }
  };
  for_each_entry([&](const Entry& entry, std::uint32_t, bool again) { rows.offsets[entry.row + 1] += again ? 0 : 1; });
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  rows.id.resize(rows.offsets.back());
  rows.count.resize(rows.offsets.back());
  std::vector<std::uint64_t> at(rows.offsets.begin(), rows.offsets.end() - 1);
  for_each_entry([&](const Entry& entry, std::uint32_t id, bool again) {
    if (again) {
      rows.count[at[entry.row] - 1] += entry.count;
    } else {
      rows.id[at[entry.row]] = id;
      rows.count[at[entry.row]++] = entry.count;
    }
  });
  return rows;
}

}  // namespace plumb
