#include <algorithm>
#include <span>
#include <utility>

#include "plumb/text/row_sorter.h"
#include "plumb/text/term_counts.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace plumb {
namespace {

using Packed = std::span<const std::uint32_t>;  // the entries of a document

// The counts of one-word entries together; there are fewer than 2^24 of them.
std::uint64_t sum_of_counts(const std::uint32_t* entry, const std::uint32_t* end) {
  std::uint64_t sum = 0;
#ifdef __SSE2__
  __m128i sums = _mm_setzero_si128();
  for (; end - entry >= 4; entry += 4) {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(entry));
    sums = _mm_add_epi32(sums, _mm_srli_epi32(four, TermCounts::kTermBits));
  }
  alignas(16) std::uint32_t lanes[4];
  _mm_store_si128(reinterpret_cast<__m128i*>(lanes), sums);
  for (const std::uint32_t lane : lanes) sum += lane;
#endif
  for (; entry != end; ++entry) sum += *entry >> TermCounts::kTermBits;
  return sum;
}

// The counts under their ids. Terms without an id are added to `unseen`, all to `terms`.
void add_entries(Packed entries, std::span<const std::uint32_t> ids, RowSorter& row, std::uint64_t& terms,
                 std::uint64_t& unseen) {
  constexpr std::uint32_t mask = (std::uint32_t{1} << TermCounts::kTermBits) - 1;
  const std::uint32_t* entry = entries.data();
  const std::uint32_t* const end = entry + entries.size();
  std::uint64_t all = 0, without = 0;
  std::uint32_t* const begin = row.next();
  std::uint32_t* next = begin;
  // Whether a term has an id is unpredictable: it is written, and overwritten or not.
  for (; row.narrow() && entry != end && *entry > mask; ++entry) {
    const std::uint32_t id = ids[*entry & mask];
    *next = id << 8 | *entry >> TermCounts::kTermBits;
    next += id != kNoTerm ? 1 : 0;
  }
  row.end(next);
  all += sum_of_counts(entries.data(), entry);
  if (next - begin != entry - entries.data()) {
    without = all;
    for (const std::uint32_t* each = begin; each != next; ++each) without -= *each & 0xFF;
  }
  // The first entry of three words, and all behind it.
  TermCounts::for_each_packed({entry, end}, [&](std::uint32_t term, std::uint32_t count) {
    all += count;
    if (ids[term] == kNoTerm)
      without += count;
    else
      row.add(ids[term], count);
  });
  terms += all;
  unseen += without;
}

// Sorted pairs as ids and counts. False if an id occurs twice: then they are invalid.
bool split_pairs(std::span<const std::uint32_t> pairs, std::uint32_t* id, std::uint8_t* count) {
  std::size_t i = 0;
  bool twice = false;
#ifdef __SSE2__
  __m128i equal = _mm_setzero_si128();
  const auto load = [&](std::size_t at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(pairs.data() + at));
  };
  for (; i + 16 < pairs.size(); i += 16) {  // there is a next one to compare with
    __m128i counts[4];
    for (std::size_t k = 0; k < 4; ++k) {
      const __m128i four = load(i + 4 * k), ids = _mm_srli_epi32(four, 8);
      counts[k] = _mm_and_si128(four, _mm_set1_epi32(0xFF));
      equal = _mm_or_si128(equal, _mm_cmpeq_epi32(ids, _mm_srli_epi32(load(i + 4 * k + 1), 8)));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(id + i + 4 * k), ids);
    }
    const __m128i bytes =
        _mm_packus_epi16(_mm_packs_epi32(counts[0], counts[1]), _mm_packs_epi32(counts[2], counts[3]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(count + i), bytes);
  }
  twice = _mm_movemask_epi8(equal) != 0;
#endif
  for (; i < pairs.size(); ++i) {
    id[i] = pairs[i] >> 8;
    count[i] = static_cast<std::uint8_t>(pairs[i] & 0xFF);
    twice |= i > 0 && id[i] == pairs[i - 1] >> 8;
  }
  return !twice;
}

}  // namespace

TermRows numbered(const TermCounts& counts, std::span<const std::uint32_t> ids, std::uint32_t columns) {
  SmallRows small = numbered_in_place(counts.packed, counts.offsets, ids, columns);
  TermRows rows{std::move(small.offsets), std::move(small.id), small.counts(), small.terms, small.unseen};
  return rows;
}

std::vector<std::uint32_t> SmallRows::counts() const {
  std::vector<std::uint32_t> all(count.begin(), count.end());
  for (const Large& each : large) all[each.place] = each.count;
  return all;
}

// The entries of a document are loaded before its ids are written, and there are never more ids: nothing unread is
// overwritten.
SmallRows numbered_in_place(std::vector<std::uint32_t> packed, std::span<const std::uint64_t> offsets,
                            std::span<const std::uint32_t> ids, std::uint32_t columns) {
  SmallRows rows;
  rows.offsets.reserve(offsets.size());
  rows.count.resize(packed.size());
  RowSorter row(columns);
  std::uint64_t at = 0;
  for (std::size_t document = 0; document + 1 < offsets.size(); ++document) {
    const Packed entries = Packed(packed).subspan(offsets[document], offsets[document + 1] - offsets[document]);
    row.begin(entries.size() + 1);  // one extra, for an entry that is written and overwritten
    add_entries(entries, ids, row, rows.terms, rows.unseen);
    std::uint32_t* next_id = packed.data() + at;
    std::uint8_t* next_count = rows.count.data() + at;
    const auto put = [&](std::uint32_t id, std::uint32_t times) {
      if (times > 255) [[unlikely]]
        rows.large.push_back({static_cast<std::uint64_t>(next_id - packed.data()), times});
      *next_id++ = id;
      *next_count++ = static_cast<std::uint8_t>(times);
    };
    if (!row.all_narrow()) {
      row.take(put);
    } else if (const std::span<const std::uint32_t> pairs = row.sorted(); split_pairs(pairs, next_id, next_count)) {
      next_id += pairs.size();
    } else {
      RowSorter::add_equal(pairs, put);
    }
    at = static_cast<std::uint64_t>(next_id - packed.data());
    rows.offsets.push_back(at);
  }
  // Releases the rest if that is worth a copy.
  const auto cut = [at](auto& list) {
    list.resize(at);
    if (list.capacity() > at + at / 4) list.shrink_to_fit();
  };
  cut(packed);
  cut(rows.count);
  rows.id = std::move(packed);
  return rows;
}

}  // namespace plumb
