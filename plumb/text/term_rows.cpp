#include <utility>

#include "plumb/text/row_sorter.h"
#include "plumb/text/term_counts.h"

namespace plumb {

TermRows numbered(const TermCounts& counts, std::span<const std::uint32_t> ids, std::uint32_t columns) {
  TermRows rows;
  rows.offsets.reserve(counts.offsets.size());
  rows.id.reserve(counts.packed.size());
  rows.count.reserve(counts.packed.size());
  RowSorter row(columns);
  for (std::uint64_t document = 0; document < counts.documents(); ++document) {
    counts.for_each(document, [&](std::uint32_t term, std::uint32_t count) {
      if (ids[term] == kNoTerm) {
        rows.unseen += count;
      } else {
        row.add(ids[term], count);
      }
    });
    row.take([&](std::uint32_t id, std::uint32_t count) {
      rows.id.push_back(id);
      rows.count.push_back(count);
    });
    rows.offsets.push_back(rows.id.size());
  }
  return rows;
}

}  // namespace plumb
