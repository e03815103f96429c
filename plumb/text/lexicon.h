// All terms of all pieces, and statistics of each over some of the rows. Texts are compared once, in Lexicon::merge;
// the statistics of a subset of rows, and so the vocabulary of a fold, follow from numbers alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "plumb/base/run.h"
#include "plumb/data/row_set.h"
#include "plumb/text/term_counts.h"
#include "plumb/text/term_selection.h"
#include "plumb/text/term_tree.h"

namespace plumb {

using TermPieces = std::span<const TermCounts* const>;  // in the order of rows

class Lexicon {
 public:
  // Terms, and parts of n-grams, are numbered by first occurrence, so the numbers do not depend on where pieces were
  // cut.
  static Lexicon merge(TermPieces pieces, const Run& run);

  std::size_t size() const noexcept { return terms_.size(); }
  const TermTree& terms() const noexcept { return terms_; }
  // For a piece: local id -> number; kNoTerm for a term of a lasting tree that occurs in none of the pieces.
  std::span<const std::uint32_t> numbers(std::size_t piece) const noexcept {
    return std::span(numberings_[numbering_[piece]].numbers).first(sizes_[piece]);
  }
  // Pieces of one counter may share numbers: those of a piece are the first ones of its numbering.
  std::size_t numberings() const noexcept { return numberings_.size(); }
  std::size_t numbering_of(std::size_t piece) const noexcept { return numbering_[piece]; }
  std::span<const std::uint32_t> numbering(std::size_t which) const noexcept { return numberings_[which].numbers; }
  std::size_t memory() const noexcept;

 private:
  struct Numbering {
    const TermTree* terms;  // while the lexicon is made
    std::vector<std::uint32_t> numbers;
  };
  void number_pieces(TermPieces pieces);

  TermTree terms_;
  std::vector<Numbering> numberings_;
  std::vector<std::size_t> numbering_, sizes_;  // of each piece
};

// By number. A term that occurs in no chosen row has documents 0.
struct TermStatistics {
  std::uint64_t rows = 0;                      // chosen
  std::vector<std::uint32_t> documents;        // chosen rows that contain the term
  std::vector<std::uint64_t> count;            // occurrences in them
  std::vector<std::uint64_t> first;            // ascends with the first occurrence in a chosen row
  std::vector<std::uint32_t> class_documents;  // [number * classes + class], if classes were given
  std::vector<std::uint64_t> class_rows;       // chosen rows of each class
};

// The classes of all rows, for chi2 and mutual information; empty without classes.
struct RowClasses {
  std::span<const std::uint32_t> of_row = {};
  std::uint32_t classes = 0;
};

// Over the rows of the set, which has row numbers of all pieces.
TermStatistics term_statistics(TermPieces pieces, const Lexicon& lexicon, const RowSet& rows, const Run& run,
                               const RowClasses& classes = {});

// The numbers of the kept terms, in the order of their ids: by decreasing document frequency, ties by first occurrence.
std::vector<std::uint32_t> select_terms(const TermStatistics& statistics, const TermSelection& selection);

// The score of a term by TermSelection::ranking, for reports.
double term_score(const TermStatistics& statistics, std::uint32_t number, TermRanking ranking);

// number -> id, kNoTerm for those left out. `numbered` needs it through numbers(piece): see piece_ids.
std::vector<std::uint32_t> ids_by_number(std::span<const std::uint32_t> selected, std::size_t lexicon_size);
// local id -> id, of a piece or of a numbering.
std::vector<std::uint32_t> piece_ids(std::span<const std::uint32_t> numbers, std::span<const std::uint32_t> by_number);

}  // namespace plumb
