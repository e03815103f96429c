#include <bit>
#include <utility>

#include "plumb/text/row_sorter.h"
#include "plumb/text/term_counts.h"

namespace plumb {
namespace {

// Of many ids a piece holds few, so its rows are put in order by the places of its own ids among each other: tables
// stay in the nearest caches.
struct Places {
  std::vector<std::uint32_t> of_term;  // by local id; kNoTerm as it was
  std::vector<std::uint32_t> id;       // by place, ascending
};

constexpr std::uint32_t kMostMarked = std::uint32_t{1} << 20;  // with more columns a bit for each is too much to clear

Places places_of(std::span<const std::uint32_t> ids, std::uint32_t columns) {
  Places places{{ids.begin(), ids.end()}, {}};
  std::vector<std::uint64_t> there(columns / 64 + 1);
  for (const std::uint32_t id : ids)
    if (id != kNoTerm) there[id / 64] |= std::uint64_t{1} << id % 64;
  std::vector<std::uint32_t> place_of_id(columns);
  for (std::size_t word = 0; word < there.size(); ++word)
    for (std::uint64_t bits = there[word]; bits != 0; bits &= bits - 1) {
      const std::size_t id = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
      place_of_id[id] = static_cast<std::uint32_t>(places.id.size());
      places.id.push_back(static_cast<std::uint32_t>(id));
    }
  for (std::uint32_t& each : places.of_term)
    if (each != kNoTerm) each = place_of_id[each];
  return places;
}

template <class IdOf>
TermRows in_order(const TermCounts& counts, std::span<const std::uint32_t> places, std::uint32_t columns, IdOf id_of) {
  TermRows rows;
  rows.offsets.reserve(counts.offsets.size());
  rows.id.reserve(counts.packed.size());
  rows.count.reserve(counts.packed.size());
  std::vector<std::uint32_t> id, count;  // of one row
  RowSorter row(columns);
  for (std::uint64_t document = 0; document < counts.documents(); ++document) {
    counts.for_each(document, [&](std::uint32_t term, std::uint32_t times) {
      if (places[term] == kNoTerm) {
        rows.unseen += times;
      } else {
        row.add(places[term], times);
      }
    });
    const std::uint64_t most = counts.offsets[document + 1] - counts.offsets[document];
    if (id.size() < most) {
      id.resize(most);
      count.resize(most);
    }
    std::size_t size = 0;
    row.take([&](std::uint32_t place, std::uint32_t times) {
      id[size] = id_of(place);
      count[size++] = times;
    });
    rows.id.insert(rows.id.end(), id.data(), id.data() + size);
    rows.count.insert(rows.count.end(), count.data(), count.data() + size);
    rows.offsets.push_back(rows.id.size());
  }
  return rows;
}

}  // namespace

TermRows numbered(const TermCounts& counts, std::span<const std::uint32_t> ids, std::uint32_t columns) {
  if (columns <= RowSorter::kMostDense || columns > kMostMarked || counts.packed.size() < columns / 8)
    return in_order(counts, ids, columns, [](std::uint32_t id) { return id; });
  const Places places = places_of(ids, columns);
  return in_order(counts, places.of_term, static_cast<std::uint32_t>(places.id.size()),
                  [&](std::uint32_t place) { return places.id[place]; });
}

}  // namespace plumb
