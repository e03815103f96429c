#include <algorithm>
#include <limits>

#include "plumb/text/row_sorter.h"
#include "plumb/text/term_counts.h"

namespace plumb {
namespace {

// The entries of a document under their ids. What has none is added to `unseen`, all to `terms`.
void add_entries(const TermCounts& counts, std::uint64_t document, std::span<const std::uint32_t> ids, RowSorter& row,
                 std::uint64_t& terms, std::uint64_t& unseen) {
  constexpr std::uint32_t mask = (std::uint32_t{1} << TermCounts::kTermBits) - 1;
  const std::uint32_t* entry = counts.packed.data() + counts.offsets[document];
  const std::uint32_t* const end = counts.packed.data() + counts.offsets[document + 1];
  std::uint64_t all = 0, without = 0;
  std::uint32_t* next = row.next();
  // Whether a term has an id is not to be guessed: it is written, and passed over or not.
  for (; row.narrow() && entry != end && *entry > mask; ++entry) {
    const std::uint32_t id = ids[*entry & mask], count = *entry >> TermCounts::kTermBits;
    *next = id << 8 | count;
    next += id != kNoTerm ? 1 : 0;
    without += id != kNoTerm ? 0 : count;
    all += count;
  }
  row.end(next);
  terms += all;
  unseen += without;
  if (entry == end) return;
  // The first entry of three words, and all behind it.
  const auto before = static_cast<std::uint64_t>(entry - counts.packed.data()) - counts.offsets[document];
  std::uint64_t passed = 0;
  counts.for_each(document, [&](std::uint32_t term, std::uint32_t count) {
    if (passed++ < before) return;  // each of them was one word
    terms += count;
    if (ids[term] == kNoTerm)
      unseen += count;
    else
      row.add(ids[term], count);
  });
}

// None if a count is above `most`.
template <class Count>
std::optional<RowsOfTerms<Count>> rows_of(const TermCounts& counts, std::span<const std::uint32_t> ids,
                                          std::uint32_t columns, std::uint32_t most) {
  RowsOfTerms<Count> rows;
  rows.offsets.reserve(counts.offsets.size());
  rows.id.reserve(counts.packed.size());
  rows.count.reserve(counts.packed.size());
  std::vector<std::uint32_t> id;  // of one row
  std::vector<Count> count;
  std::uint32_t largest = 0;
  RowSorter row(columns);
  for (std::uint64_t document = 0; document < counts.documents(); ++document) {
    const std::uint64_t room = counts.offsets[document + 1] - counts.offsets[document];
    row.begin(room + 1);  // one more, for what is written and passed over
    add_entries(counts, document, ids, row, rows.terms, rows.unseen);
    if (id.size() < room) {
      id.resize(room);
      count.resize(room);
    }
    std::uint32_t* next_id = id.data();
    Count* next_count = count.data();
    std::uint32_t any = 0;
    row.take([&](std::uint32_t its_id, std::uint32_t times) {
      any = std::max(any, times);
      *next_id++ = its_id;
      *next_count++ = static_cast<Count>(times);
    });
    largest = std::max(largest, any);
    rows.id.insert(rows.id.end(), id.data(), next_id);
    rows.count.insert(rows.count.end(), count.data(), next_count);
    rows.offsets.push_back(rows.id.size());
  }
  if (largest > most) return {};
  return rows;
}

}  // namespace

TermRows numbered(const TermCounts& counts, std::span<const std::uint32_t> ids, std::uint32_t columns) {
  return *rows_of<std::uint32_t>(counts, ids, columns, std::numeric_limits<std::uint32_t>::max());
}

std::optional<RowsOfTerms<float>> numbered_as_floats(const TermCounts& counts, std::span<const std::uint32_t> ids,
                                                     std::uint32_t columns) {
  return rows_of<float>(counts, ids, columns, std::uint32_t{1} << std::numeric_limits<float>::digits);
}

}  // namespace plumb
