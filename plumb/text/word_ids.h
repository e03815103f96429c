// The ids of a document's words, in one pass: a word is looked up once in a table that holds its id, and the ids of a
// document are put in order at its end. What TermCounter and numbered() give where terms are single words.
//
// A word is added to the table when it is met first, so common words get the places where they are looked for. When
// some part of a vocabulary has been met, the rest is added at once, which is much less work than word by word. The
// table is bounded: it is begun anew when it holds too many, as a stream of words that the vocabulary does not know
// makes it do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/text_list.h"
#include "plumb/text/document_tally.h"
#include "plumb/text/row_sorter.h"
#include "plumb/text/stemmer.h"
#include "plumb/text/term_key.h"
#include "plumb/text/token_batch.h"
#include "plumb/text/token_table.h"
#include "plumb/text/tokeniser.h"
#include "plumb/text/vocabulary.h"
#include "plumb/text/word_bounds.h"
#include "plumb/text/word_scan.h"

namespace plumb {

// One per thread. The tokeniser must outlive it.
class WordIds {
 public:
  static bool serves(const TokenRules& rules) noexcept {
    return (rules.tokens == Tokens::word || rules.tokens == Tokens::ascii) && rules.longest_ngram == 1;
  }

  // Only for rules that it serves. The vocabulary must outlive it. Places are counted from `first_place` on: tests
  // begin near the largest.
  WordIds(const Tokeniser& tokeniser, const Vocabulary& vocabulary, std::uint32_t first_place = 1);
  // Ids are so many bits of the hashes of terms.
  WordIds(const Tokeniser& tokeniser, unsigned hash_bits);
  // So many words are remembered.
  static constexpr std::size_t kMostRemembered = std::size_t{1} << 18;

  struct Found {
    std::span<const std::uint32_t> id;  // ascending; valid until the next call
    std::span<const std::uint32_t> count;
    std::uint64_t unseen = 0;  // occurrences of terms without an id
  };
  // Throws Error(data) if the document is larger than 2 GiB.
  Found look_up(std::string_view document);

 private:
  // In place of ids, so that they come last: words without one, and words that are no terms.
  std::uint32_t unknown() const noexcept { return columns_; }
  std::uint32_t dropped() const noexcept { return columns_ + 1; }

  WordIds(const Tokeniser& tokeniser, const Vocabulary* vocabulary, std::uint32_t columns);

  void begin_document();
  void clear();
  void add_vocabulary();
  void add_words(std::size_t count);
  TokenTable::Slot& find_or_add(const TermKey& key, std::string_view text, std::optional<std::uint32_t> id = {});
  std::uint32_t find(std::string_view word);
  Found taken();

  const Tokeniser& tokeniser_;
  const Vocabulary* vocabulary_;  // or none, and then ids are hashes
  std::uint32_t columns_;
  RowSorter row_;
  bool whole_ = false;  // the table holds the vocabulary
  std::optional<Stemmer> stemmer_;
  WordScan scan_;
  WordBounds bounds_;
  TokenBatch batch_;

  TokenTable table_;  // the term: below columns_, or unknown() or dropped(); the value: of a long word, among texts_
  TextList texts_;    // of long words, whose keys are hashes

  DocumentTally tally_{1};  // of ids
  std::vector<std::uint32_t> ids_, counts_;
  std::string stripped_;
};

}  // namespace plumb
