#include "plumb/text/lexicon.h"

#include <string_view>
#include <unordered_map>

#include "plumb/base/error.h"

namespace plumb {

Lexicon Lexicon::merge(TermPieces pieces, const Run& run) {
  Lexicon lexicon;
  std::unordered_map<std::string_view, std::uint32_t> tokens;
  std::unordered_map<std::uint64_t, std::uint32_t> ngrams;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    run.report(Phase::learning, p, pieces.size());
    const TermTree& terms = pieces[p]->terms;
    std::vector<std::uint32_t>& of_piece = lexicon.numbers_.emplace_back(terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto next = static_cast<std::uint32_t>(lexicon.size());
      if (terms.is_token(i)) {
        of_piece[i] = tokens.try_emplace(terms.token(i), next).first->second;
        if (of_piece[i] == next) lexicon.terms_.add_token(terms.token(i));
      } else {
        const TermTree::Parts parts{of_piece[terms.parts(i).prefix], of_piece[terms.parts(i).last]};
        of_piece[i] = ngrams.try_emplace(std::uint64_t{parts.prefix} << 32 | parts.last, next).first->second;
        if (of_piece[i] == next) lexicon.terms_.add_ngram(parts);
      }
    }
  }
  return lexicon;
}

std::size_t Lexicon::memory() const noexcept {
  std::size_t bytes = terms_.memory();
  for (const auto& numbers : numbers_) bytes += numbers.capacity() * sizeof numbers[0];
  return bytes;
}

TermStatistics term_statistics(TermPieces pieces, const Lexicon& lexicon, const RowSet& rows, const Run& run,
                               const RowClasses& classes) {
  constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  TermStatistics all;
  all.documents.assign(lexicon.size(), 0);
  all.count.assign(lexicon.size(), 0);
  all.first.assign(lexicon.size(), never);
  all.class_documents.assign(lexicon.size() * classes.classes, 0);
  all.class_rows.assign(classes.classes, 0);
  std::uint64_t row = 0, entries = 0;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    run.report(Phase::learning, p, pieces.size());
    const TermCounts& piece = *pieces[p];
    const std::span<const std::uint32_t> numbers = lexicon.numbers(p);
    for (std::uint64_t d = 0; d < piece.documents(); ++d, ++row) {
      if (!rows.has(row)) continue;
      ++all.rows;
      if (classes.classes > 0) ++all.class_rows[classes.of_row[row]];
      std::uint64_t rank = entries + piece.offsets[d];
      piece.for_each(d, [&](std::uint32_t term, std::uint32_t count) {
        const std::uint32_t number = numbers[term];
        ++all.documents[number];
        all.count[number] += count;
        all.first[number] = std::min(all.first[number], rank++);
        if (classes.classes > 0) ++all.class_documents[std::size_t{number} * classes.classes + classes.of_row[row]];
      });
    }
    entries += piece.packed.size();
  }
  return all;
}

std::vector<std::uint32_t> ids_by_number(std::span<const std::uint32_t> selected, std::size_t lexicon_size) {
  std::vector<std::uint32_t> ids(lexicon_size, kNoTerm);
  for (std::size_t id = 0; id < selected.size(); ++id) ids[selected[id]] = static_cast<std::uint32_t>(id);
  return ids;
}

std::vector<std::uint32_t> piece_ids(std::span<const std::uint32_t> numbers, std::span<const std::uint32_t> by_number) {
  std::vector<std::uint32_t> ids(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) ids[i] = by_number[numbers[i]];
  return ids;
}

}  // namespace plumb
