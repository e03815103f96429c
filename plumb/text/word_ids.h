// The ids of a document's words, in one pass: a word is looked up once in a table of ids, and the ids of a document are
// sorted at its end. The result is that of TermCounter and numbered() if terms are single words.
//
// A word is added to the table when it is first met, so common words get the first places. When some part of a
// vocabulary has been met, the rest is added at once, which is much less work than word by word. The table is bounded:
// it starts again when it has too many words, as with a stream of words that the vocabulary does not know.
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

  // Only for rules that it supports. The vocabulary must outlive it. Places are counted from `first_place` on: tests
  // begin near the largest.
  WordIds(const Tokeniser& tokeniser, const Vocabulary& vocabulary, std::uint32_t first_place = 1);
  // Ids are that many bits of the hashes of terms.
  WordIds(const Tokeniser& tokeniser, unsigned hash_bits);
  // How many words are remembered.
  static constexpr std::size_t kMostRemembered = std::size_t{1} << 18;

  struct Found {
    std::span<const std::uint32_t> id;  // ascending; valid until the next call
    std::span<const std::uint32_t> count;
    std::uint64_t unseen = 0;  // occurrences of terms without an id
  };
  // Throws Error(data) if the document is larger than 2 GiB.
  Found look_up(std::string_view document);

 private:
  // Special ids, which sort last: words without an id, and words that are not terms.
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
  const Vocabulary* vocabulary_;  // or null, and then ids are hashes
  std::uint32_t columns_;
  RowSorter row_;
  bool whole_ = false;  // the table contains the vocabulary
  std::optional<Stemmer> stemmer_;
  WordScan scan_;
  WordBounds bounds_;
  TokenBatch batch_;

  TokenTable table_;  // term: below columns_, or unknown() or dropped(); value: place of a long word in texts_
  TextList texts_;    // of long words, whose keys are hashes

  DocumentTally tally_{1};  // of ids
  std::vector<std::uint32_t> ids_, counts_;
  std::string rewritten_;
};

}  // namespace plumb
