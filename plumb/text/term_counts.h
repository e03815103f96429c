// The counts of terms in some documents, under local numbers. Texts are processed once, here; everything later (the
// vocabularies of folds and subsets, document frequencies, rows) uses numbers.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "plumb/text/term_tree.h"
#include "plumb/text/tokeniser.h"

namespace plumb {

struct TermCounts {
  // By local id. Tokens and n-grams are in order of first appearance in these documents, or, in a lasting tree, in all
  // documents that their counter met before; so there may be terms without entries, such as parts of n-grams that are
  // not terms themselves.
  TermTree terms;
  std::vector<std::uint64_t> offsets = {0};  // into packed: of each document's first entry, and the end
  // An entry is one word, the local id below and the count in the upper 8 bits. If one of them does not fit, it takes
  // three: 0, the id, the count. Memory is the bottleneck of counting, so entries are small.
  std::vector<std::uint32_t> packed;

  std::uint64_t documents() const noexcept { return offsets.size() - 1; }
  // Calls use(local id, count) for each entry of the document, in order of first appearance in it.
  template <class Use>
  void for_each(std::uint64_t document, Use use) const {
    for_each_packed(std::span(packed).subspan(offsets[document], offsets[document + 1] - offsets[document]), use);
  }
  template <class Use>
  static void for_each_packed(std::span<const std::uint32_t> packed, Use use);
  // Those that have entries, ascending.
  std::vector<std::uint32_t> used_terms() const;
  std::size_t memory() const noexcept;

  static constexpr unsigned kTermBits = 24;
  // Adds an entry to `packed`.
  static void pack(std::uint32_t term, std::uint32_t count, std::vector<std::uint32_t>& packed) {
    if (count >> 8 == 0 && term >> kTermBits == 0)
      packed.push_back(count << kTermBits | term);
    else
      packed.insert(packed.end(), {0, term, count});
  }
};

template <class Use>
void TermCounts::for_each_packed(std::span<const std::uint32_t> packed, Use use) {
  const std::uint32_t* entry = packed.data();
  for (const std::uint32_t* const end = entry + packed.size(); entry != end; ++entry) {
    const std::uint32_t count = *entry >> kTermBits;
    if (count != 0) {
      use(*entry & ((std::uint32_t{1} << kTermBits) - 1), count);
    } else {
      use(entry[1], entry[2]);
      entry += 2;
    }
  }
}

// Counts document after document: one pass over the bytes, with the same result as Tokeniser::terms and a map. One per
// thread, and best kept from piece to piece, so that its tables need not grow again (as TermCounters does).
class TermCounter {
 public:
  explicit TermCounter(const Tokeniser& tokeniser);  // must outlive it
  ~TermCounter();
  TermCounter(TermCounter&&) noexcept;
  TermCounter& operator=(TermCounter&&) noexcept;

  // Throws Error(resources) if there would be 2^31 different terms.
  void add(std::string_view document);
  std::uint64_t documents() const noexcept;

  // The counts since the last call; the counter can go on with other documents.
  TermCounts take();

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

// Idle counters, to be reused. Any thread may count.
class TermCounters {
 public:
  explicit TermCounters(const Tokeniser& tokeniser) : tokeniser_(tokeniser) {}  // must outlive it
  ~TermCounters();
  TermCounters(const TermCounters&) = delete;
  TermCounters& operator=(const TermCounters&) = delete;

  // The counts of documents 0, ..., count - 1.
  TermCounts count(std::size_t count, const std::function<std::string_view(std::size_t)>& document);

 private:
  static constexpr std::size_t kMost = 64;  // idle ones

  const Tokeniser& tokeniser_;
  std::array<std::atomic<TermCounter*>, kMost> waiting_ = {};
};

// Rows of (id, count) with ids ascending.
template <class Count>
struct RowsOfTerms {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> id;
  std::vector<Count> count;
  std::uint64_t terms = 0;   // occurrences of any
  std::uint64_t unseen = 0;  // of those without an id

  std::uint64_t rows() const noexcept { return offsets.size() - 1; }
};
using TermRows = RowsOfTerms<std::uint32_t>;

inline constexpr std::uint32_t kNoTerm = 0xFFFFFFFF;

// The counts under other numbers: `ids` has one for every local id, or kNoTerm for a term that is left out. Local terms
// that share an id are added up. Ids are below `columns`.
TermRows numbered(const TermCounts& counts, std::span<const std::uint32_t> ids, std::uint32_t columns);

// The same with counts of one byte: fresh memory costs more than sorting does. Counts above 255 are returned
// separately, with their places.
struct SmallRows : RowsOfTerms<std::uint8_t> {
  struct Large {
    std::uint64_t place;
    std::uint32_t count;
  };
  std::vector<Large> large;

  // All counts, at full width.
  std::vector<std::uint32_t> counts() const;
};
// For TermCounts::packed, in whose memory the ids are written, and TermCounts::offsets.
SmallRows numbered_in_place(std::vector<std::uint32_t> packed, std::span<const std::uint64_t> offsets,
                            std::span<const std::uint32_t> ids, std::uint32_t columns);

}  // namespace plumb
