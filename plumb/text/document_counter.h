// The terms of one document after the other, with numbers that stay from document to document.
//
// One pass over a document: its words are found as runs of bits (WordScan), each becomes a key (TermKey), and keys are
// looked up in batches, so that the slots of a batch come from memory together. The term's slot shows whether this
// document has met the term before (DocumentTally).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/text/document_tally.h"
#include "plumb/text/ngram_table.h"
#include "plumb/text/stemmer.h"
#include "plumb/text/term_key.h"
#include "plumb/text/term_tree.h"
#include "plumb/text/token_batch.h"
#include "plumb/text/token_table.h"
#include "plumb/text/tokeniser.h"
#include "plumb/text/word_bounds.h"
#include "plumb/text/word_scan.h"

namespace plumb {

class DocumentCounter {
 public:
  // The tokeniser must outlive it. Places are counted from `first_place` on: tests begin near the largest.
  explicit DocumentCounter(const Tokeniser& tokeniser, std::uint32_t first_place = 1);

  // Terms and their counts, in order of first appearance; valid until the next call. Throws Error(data) if the document
  // is larger than 2 GiB, Error(resources) if there would be 2^31 different terms.
  using Entries = DocumentTally::Entries;
  Entries count(std::string_view document);

  const TermTree& terms() const noexcept { return terms_; }
  // Returns the terms so far; the next document begins with none. Tokens are remembered, up to a limit, because the
  // next piece will contain most of them. If terms are unchanged words the tree is a lasting one, and their numbers
  // continue.
  TermTree take();
  // Forgets all terms.
  void clear();

 private:
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kMostRemembered = std::size_t{1} << 18;
  static constexpr std::size_t kMostLists = 256;  // of texts, shared by every tree of terms

  void add_words(std::string_view document);
  void add_tokens(std::size_t count);
  template <bool counted, bool kept>
  void look_up(std::size_t count);
  void rewrite(std::size_t count);
  template <bool counted>
  void add_ngrams(std::uint32_t n);
  void add_characters(std::string_view document);
  void space_characters(std::string_view text);
  void add_character_ngrams(std::size_t begin, std::size_t end);
  void add_characters_between(std::size_t begin, std::size_t end);

  std::string_view text_of(std::size_t i) const noexcept {
    return {scan_.text() + bounds_.begin(i), bounds_.end(i) - bounds_.begin(i)};
  }
  std::uint32_t stem_of(const TermKey& key, std::string_view text);
  void expect_terms(std::size_t more) const;
  TokenTable::Slot& slot_of(const TermKey& key, std::string_view text);
  std::uint32_t begin_term(std::uint64_t text_place);
  void begin_piece();
  void restart_places();

  const Tokeniser& tokeniser_;
  const TokenRules& rules_;
  bool rewritten_;  // tokens are dropped or stemmed
  bool lasting_;    // terms are tokens, and keep their numbers
  WordScan scan_;
  WordBounds bounds_;
  TokenBatch batch_;
  std::optional<Stemmer> stemmer_;

  // The term that a stemmed token counts for.
  struct Stem {
    std::uint64_t text_place;
    std::uint32_t term;
    std::uint32_t place;
  };

  TermTree terms_;
  TokenTable tokens_table_;  // the value: the place of the text among those of terms_
  NgramTable ngrams_table_;
  std::size_t ngrams_ = 0;

  // If tokens are rewritten: the tokens as in the text. Their value is the number among raw_texts_, their term that of
  // the stem. In tokens_table_ the term is then the number of the stem too.
  TokenTable raw_table_;
  TextList raw_texts_;
  std::vector<Stem> stems_ = {{}};  // the first is kDropped

  // The place of a slot tells whether its term was met in this document, and in this piece (from piece_place_ on):
  // before that its term is invalid.
  std::uint32_t piece_place_;
  DocumentTally tally_;
  std::vector<std::uint32_t> tokens_;    // terms, in the order of the document
  std::vector<std::uint32_t> prefixes_;  // the n-grams that begin with each
  std::string rewritten_text_, stem_;
  std::string spaced_;                 // characters, and
  std::vector<std::uint32_t> starts_;  // where each begins
};

}  // namespace plumb
