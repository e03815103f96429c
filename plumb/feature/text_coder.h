// Texts -> values, by a BagOfWords: the ids of the terms of a piece, then their counts as weights. The same code makes
// the features of training rows and of rows to predict.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plumb/base/guarded.h"
#include "plumb/data/table.h"
#include "plumb/data/values.h"
#include "plumb/feature/text_term.h"
#include "plumb/text/hashed_terms.h"
#include "plumb/text/term_counts.h"
#include "plumb/text/tokeniser.h"
#include "plumb/text/vocabulary.h"

namespace plumb {

// The counts of the texts of one column of a piece, made as they are parsed.
class CountedTexts final : public Extract {
 public:
  // `positions` as in BagOfWords.
  CountedTexts(TokenRules rules, std::uint32_t positions, TermCounts counts)
      : rules_(std::move(rules)), positions_(positions), counts_(std::move(counts)) {}

  const TermCounts& counts() const noexcept { return counts_; }
  bool made_by(const TokenRules& rules, std::uint32_t positions) const {
    return rules_ == rules && positions_ == positions;
  }
  std::uint64_t bytes() const noexcept override { return counts_.memory(); }
  std::uint64_t entries() const noexcept override { return counts_.packed.size(); }
  std::shared_ptr<const Extract> of_rows(std::span<const std::uint64_t> rows) const override;

  // local id -> id, for a vocabulary that was learnt from these counts among others, so that terms need not be looked
  // up by their texts. There may be more of them than terms here, if pieces share them. The last one is remembered. For
  // any thread.
  struct KnownIds {
    std::shared_ptr<const Vocabulary> vocabulary;
    std::vector<std::uint32_t> ids;
  };
  void remember(std::shared_ptr<const KnownIds> known) const;
  // The packed entries, for a column that is used up: rows are then made in their memory. May be called only once.
  std::vector<std::uint32_t> given_away() const;
  std::shared_ptr<const KnownIds> known_ids(const Vocabulary* vocabulary) const;  // or null

 private:
  TokenRules rules_;
  std::uint32_t positions_;
  mutable TermCounts counts_;
  mutable std::atomic<bool> gone_ = false;
  mutable Guarded<std::shared_ptr<const KnownIds>> known_;
};

// Tells a source to count the texts of a column.
Extractor counting_extractor(std::shared_ptr<const Tokeniser> tokeniser, std::uint32_t positions, bool keep_documents);

// The counts made while the column was parsed; for a column that still has its texts they are made now. Throws
// Error(internal) if they were made by other rules.
std::shared_ptr<const CountedTexts> counted_texts(const Tokeniser& tokeniser, std::uint32_t positions,
                                                  const Column& column);

class TextCoder {
 public:
  // The bag must outlive it. Throws Error(model) if it contradicts itself: it may come from an untrusted file.
  explicit TextCoder(const BagOfWords& bag);

  const std::shared_ptr<const Tokeniser>& tokeniser() const noexcept { return tokeniser_; }
  // "free", "not good"; for hashed terms "#123" if no term was met.
  std::string name(std::uint32_t id) const;

  struct Rows {
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint32_t> id;  // ascending in each row
    Values value;
    std::uint64_t terms = 0;   // occurrences of any term
    std::uint64_t unseen = 0;  // without an id
  };
  // A used-up column gives its rows away if it has them; call it only once.
  Rows rows(const Column& column, bool used_up = false) const;

  // Tells a source to make the rows of a column on the threads that parse. The coder is kept alive.
  static Extractor extractor(std::shared_ptr<const TextCoder> coder, bool keep_documents);

 private:
  class Coded;

  Rows rows_of(const CountedTexts& counted, bool used_up) const;
  Rows rows_of(std::vector<std::uint64_t> offsets, std::vector<std::uint32_t> id, const TermRows& counted) const;
  std::vector<std::uint32_t> ids(const TermCounts& counts) const;
  Values weights(const Rows& rows, const std::vector<std::uint32_t>& count) const;

  const BagOfWords& bag_;
  std::shared_ptr<const Tokeniser> tokeniser_;
  std::vector<double> idf_;  // of each id
};

// ln((1 + n) / (1 + df)) + 1, the smooth idf of scikit-learn.
double inverse_document_frequency(std::uint64_t documents, std::uint64_t with_term);

}  // namespace plumb
