// The terms of one document after the other, under numbers that stay from document to document.
//
// One pass over a document: its words are found as runs of bits (WordScan), each becomes a key (TermKey), and keys are
// looked up in batches, so that the slots of a batch come from memory together. Whether a document has met a term
// before is in the term's record, so there is no sorting and no map per document.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/text/stemmer.h"
#include "plumb/text/term_index.h"
#include "plumb/text/term_tree.h"
#include "plumb/text/tokeniser.h"
#include "plumb/text/word_scan.h"

namespace plumb {

class DocumentCounter {
 public:
  explicit DocumentCounter(const Tokeniser& tokeniser);  // which must outlive it

  // Term and how often, in order of first appearance; valid until the next call. Throws Error(data) if the document is
  // larger than 2 GiB, Error(resources) if there would be 2^31 different terms.
  struct Entries {
    std::span<const std::uint32_t> term;
    std::span<const std::uint32_t> count;
  };
  Entries count(std::string_view document);

  const TermTree& terms() const noexcept { return terms_; }
  // Forgets all terms, and keeps its room.
  void clear();

 private:
  static constexpr std::size_t kBatch = 64;

  void add_words(std::string_view document);
  void add_tokens(const std::uint32_t* bounds, std::size_t count);
  void add_ngrams(std::uint32_t n);
  void add_characters(std::string_view document);
  void space_characters(std::string_view text);
  void add_character_ngrams(std::size_t begin, std::size_t end);
  void add_characters_between(std::size_t begin, std::size_t end);

  std::uint32_t record_of(const TermKey& key, std::uint64_t hash, std::string_view text);
  std::uint32_t rewritten(const TermKey& key, std::uint64_t hash, std::string_view text);
  std::uint32_t stemmed(std::string_view text);
  void count_all(TermIndex& index, std::size_t count);
  void reserve(std::size_t more);

  const Tokeniser& tokeniser_;
  const TokenRules& rules_;
  bool rewritten_;  // tokens are dropped or stemmed
  WordScan scan_;
  std::optional<Stemmer> stemmer_;

  TermTree terms_;
  TermIndex tokens_index_;
  TermIndex ngrams_index_;  // apart, so that the tokens' stays small

  // Where tokens are rewritten: they as they stand in the text, and the record of the stem of each, or kDropped.
  TextList raw_;
  TermIndex raw_index_;
  std::vector<std::uint32_t> stem_of_raw_;

  std::uint32_t document_ = 0;                           // counted from 1
  std::uint32_t found_ = 0;                              // entries of this document
  std::vector<std::uint32_t> entry_term_, entry_count_;  // that many, and room for more
  std::array<std::uint32_t, 2 * kBatch> batch_;          // records
  std::vector<std::uint32_t> tokens_;                    // records, in the order of the document
  std::vector<std::uint32_t> prefixes_;                  // records of the n-grams that begin with each
  std::string stripped_, stem_;
  std::string spaced_;                 // characters, and
  std::vector<std::uint32_t> starts_;  // where each begins
};

}  // namespace plumb
