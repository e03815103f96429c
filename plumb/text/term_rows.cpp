#include <utility>

#include "plumb/text/row_sorter.h"
#include "plumb/text/term_counts.h"

namespace plumb {

TermRows numbered(const TermCounts& counts, std::span<const std::uint32_t> ids, std::uint32_t columns) {
  TermRows rows;
  rows.offsets.reserve(counts.offsets.size());
  std::size_t entries = 0;
  for (const std::uint32_t term : counts.term) entries += ids[term] != kNoTerm ? 1 : 0;
  rows.id.reserve(entries);
  rows.count.reserve(entries);
  RowSorter row(columns);
  for (std::uint64_t document = 0; document < counts.documents(); ++document) {
    row.clear();
    for (std::uint64_t k = counts.offsets[document]; k < counts.offsets[document + 1]; ++k) {
      const std::uint32_t id = ids[counts.term[k]];
      if (id == kNoTerm) {
        rows.unseen += counts.count[k];
      } else {
        row.add(id, counts.count[k]);
      }
    }
    row.sorted([&](std::uint32_t id, std::uint32_t count) {
      rows.id.push_back(id);
      rows.count.push_back(count);
    });
    rows.offsets.push_back(rows.id.size());
  }
  return rows;
}

}  // namespace plumb
