// The counts of terms in some documents, under local numbers. Texts are met once, here; whatever follows (the
// vocabularies of folds and subsets, document frequencies, rows) is done on numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "plumb/text/term_tree.h"
#include "plumb/text/tokeniser.h"

namespace plumb {

struct TermCounts {
  // By local id. Tokens and n-grams stand in order of first appearance in these documents; among them may be parts of
  // n-grams that are no terms themselves, and have no entries.
  TermTree terms;
  std::vector<std::uint64_t> offsets = {0};  // of each document's first entry, and the end: documents + 1
  std::vector<std::uint32_t> term;           // local ids; within a document in order of first appearance in it
  std::vector<std::uint32_t> count;

  std::uint64_t documents() const noexcept { return offsets.size() - 1; }
  std::size_t memory() const noexcept;
};

// Counts document after document: one pass over the bytes, equal to Tokeniser::terms and a map. One per thread.
class TermCounter {
 public:
  explicit TermCounter(const Tokeniser& tokeniser);  // which must outlive it
  ~TermCounter();
  TermCounter(TermCounter&&) noexcept;
  TermCounter& operator=(TermCounter&&) noexcept;

  // Throws Error(resources) if there would be 2^31 different terms.
  void add(std::string_view document);
  std::uint64_t documents() const noexcept;

  // What was counted since the last call; the counter can go on with other documents.
  TermCounts take();

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

// Rows of (id, count) with ids ascending.
struct TermRows {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> id;
  std::vector<std::uint32_t> count;
  std::uint64_t unseen = 0;  // occurrences of terms without an id

  std::uint64_t rows() const noexcept { return offsets.size() - 1; }
};

inline constexpr std::uint32_t kNoTerm = 0xFFFFFFFF;

// The counts under other numbers: `ids` has one for every local id, or kNoTerm for a term that is left out. Local terms
// that share an id are added up. Ids are below `columns`.
TermRows numbered(const TermCounts& counts, std::span<const std::uint32_t> ids, std::uint32_t columns);

}  // namespace plumb
