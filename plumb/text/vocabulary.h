// The terms that have a column. Immutable once made: learnt (select_terms), given by the user, or read from a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "plumb/base/text_list.h"
#include "plumb/text/lexicon.h"
#include "plumb/text/term_counts.h"

namespace plumb {

class Vocabulary {
 public:
  Vocabulary() = default;
  // Ids in the order given. Throws Error(data) if a term occurs twice.
  explicit Vocabulary(TextList terms);
  // The selected terms of a lexicon, ids in their order. The index by text is made when it is needed: training needs
  // only numbers.
  Vocabulary(const Lexicon& lexicon, std::span<const std::uint32_t> selected);

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(terms_.size()); }
  const TextList& terms() const noexcept { return terms_; }
  std::string_view text(std::uint32_t id) const noexcept { return terms_[id]; }
  std::uint32_t find(std::string_view term) const;  // kNoTerm if unknown

  // For a piece: local id -> id, kNoTerm for terms that are not in this vocabulary, or that have no entries in the
  // piece.
  std::vector<std::uint32_t> ids(const TermCounts& piece) const;

  std::size_t memory() const noexcept;
  bool operator==(const Vocabulary& other) const noexcept { return terms_ == other.terms_; }

 private:
  class Index;

  TextList terms_;
  std::shared_ptr<Index> ids_;  // shared by copies, because terms never change; null for no terms
};

}  // namespace plumb
