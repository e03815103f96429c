#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "plumb/base/guarded.h"
#include "plumb/text/lexicon.h"

namespace plumb {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// The data of a term are adjacent, because terms come in any order.
struct TermSums {
  std::uint64_t count = 0;
  std::uint64_t first = kNever;
  std::uint32_t documents = 0;
};

// Pieces whose terms have the same numbers, in their order.
struct Part {
  std::vector<std::size_t> pieces;
  std::size_t terms = 0;
  std::size_t entries = 0;
};

// Few enough entries that the counts of one-word entries together stay below 2^32, and few enough pieces that threads
// find enough to do.
std::vector<Part> parts_of(TermPieces pieces, const Lexicon& lexicon) {
  constexpr std::size_t most_entries = std::size_t{1} << 24, most_pieces = 16;
  std::vector<Part> parts;
  std::vector<std::size_t> open(lexicon.numberings(), 0);  // the largest part of each numbering, from 1 on
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    std::size_t& at = open[lexicon.numbering_of(p)];
    const std::size_t entries = pieces[p]->packed.size();
    if (at == 0 || parts[at - 1].pieces.size() == most_pieces || parts[at - 1].entries + entries > most_entries) {
      parts.emplace_back();
      at = parts.size();
    }
    Part& part = parts[at - 1];
    part.pieces.push_back(p);
    part.terms = std::max(part.terms, pieces[p]->terms.size());
    part.entries += entries;
  }
  return parts;
}

// Where pieces begin among all rows and entries.
struct Starts {
  std::vector<std::uint64_t> row{0}, rank{0};
};

// The statistics of the pieces of a part, by local id.
struct PartStatistics {
  std::uint64_t rows = 0;
  std::vector<std::uint64_t> sums;                             // documents above, occurrences below
  std::vector<std::pair<std::uint32_t, std::uint32_t>> large;  // term and occurrences that are not in sums
  std::vector<std::uint64_t> first;                            // of non-zero sums; empty if all rows are chosen
  std::vector<std::uint32_t> class_documents;
  std::vector<std::uint64_t> class_rows;
};

class PartCounter {
 public:
  PartCounter(TermPieces pieces, const Starts& starts, const RowSet& rows, bool all, const RowClasses& classes)
      : pieces_(pieces), starts_(starts), rows_(rows), all_(all), classes_(classes) {}

  PartStatistics count(const Part& part) const {
    constexpr std::size_t most = std::size_t{1} << 22;  // beyond that, adds directly to the sums of all parts
    PartStatistics found;
    found.sums.resize(part.terms);
    found.class_rows.resize(classes_.classes);
    if (part.terms * classes_.classes <= most) found.class_documents.resize(part.terms * classes_.classes);
    if (!all_) found.first.resize(part.terms);
    for (const std::size_t p : part.pieces) {
      if (all_ && classes_.classes == 0)
        count_all(*pieces_[p], found);
      else
        count_chosen(p, found);
    }
    return found;
  }

  // For each chosen row: use(its entries, the rank of the first, its class).
  template <class Use>
  void for_each_row(std::size_t p, Use use) const {
    const TermCounts& piece = *pieces_[p];
    for (std::uint64_t document = 0; document < piece.documents(); ++document) {
      const std::uint64_t row = starts_.row[p] + document, at = piece.offsets[document];
      if (!all_ && !rows_.has(row)) continue;
      use(std::span(piece.packed).subspan(at, piece.offsets[document + 1] - at), starts_.rank[p] + at,
          classes_.classes > 0 ? classes_.of_row[row] : 0);
    }
  }

 private:
  static void add(PartStatistics& found, std::uint32_t term, std::uint32_t count) {
    constexpr std::uint32_t most = 255;
    found.sums[term] += std::uint64_t{1} << 32 | (count <= most ? count : 0);
    if (count > most) [[unlikely]]
      found.large.emplace_back(term, count);
  }

  static void count_all(const TermCounts& piece, PartStatistics& found) {
    found.rows += piece.documents();
    TermCounts::for_each_packed(piece.packed,
                                [&](std::uint32_t term, std::uint32_t count) { add(found, term, count); });
  }

  void count_chosen(std::size_t p, PartStatistics& found) const {
    const std::size_t classes = found.class_documents.empty() ? 0 : classes_.classes;
    for_each_row(p, [&](std::span<const std::uint32_t> entries, std::uint64_t rank, std::uint32_t its_class) {
      ++found.rows;
      if (classes_.classes > 0) ++found.class_rows[its_class];
      TermCounts::for_each_packed(entries, [&](std::uint32_t term, std::uint32_t count) {
        if (!all_ && found.sums[term] == 0) found.first[term] = rank;
        ++rank;
        add(found, term, count);
        if (classes > 0) ++found.class_documents[term * classes + its_class];
      });
    });
  }

  TermPieces pieces_;
  const Starts& starts_;
  const RowSet& rows_;
  bool all_;
  const RowClasses& classes_;
};

struct Sums {
  TermStatistics all;
  std::vector<TermSums> terms;

  // Sums and minimum ranks of whole numbers: parts may come in any order.
  void add(const PartStatistics& part, std::span<const std::uint32_t> numbers) {
    const std::size_t classes = all.class_rows.size();
    all.rows += part.rows;
    for (std::size_t c = 0; c < classes; ++c) all.class_rows[c] += part.class_rows[c];
    for (std::size_t i = 0; i < part.sums.size(); ++i) {
      if (part.sums[i] == 0) continue;
      const std::size_t number = numbers[i];
      terms[number].documents += static_cast<std::uint32_t>(part.sums[i] >> 32);
      terms[number].count += part.sums[i] & 0xFFFFFFFF;
      if (!part.first.empty()) terms[number].first = std::min(terms[number].first, part.first[i]);
      for (std::size_t c = 0; c < classes && !part.class_documents.empty(); ++c)
        all.class_documents[number * classes + c] += part.class_documents[i * classes + c];
    }
    for (const auto& [term, count] : part.large) terms[numbers[term]].count += count;
  }
};

}  // namespace

// Parts are counted separately, and added one after the other as they finish, so that their counts do not all wait in
// memory.
TermStatistics term_statistics(TermPieces pieces, const Lexicon& lexicon, const RowSet& rows, const Run& run,
                               const RowClasses& classes) {
  Sums sums{{}, std::vector<TermSums>(lexicon.size())};
  sums.all.class_documents.assign(lexicon.size() * classes.classes, 0);
  sums.all.class_rows.assign(classes.classes, 0);
  Starts starts;
  for (const TermCounts* const piece : pieces) {
    starts.row.push_back(starts.row.back() + piece->documents());
    starts.rank.push_back(starts.rank.back() + piece->packed.size());
  }
  const bool all_rows = rows.count() == starts.row.back();
  const PartCounter counter(pieces, starts, rows, all_rows, classes);
  const std::vector<Part> parts = parts_of(pieces, lexicon);
  Guarded<Sums> guarded(std::move(sums));
  run.for_each(Phase::learning, parts.size(), [&](std::size_t i) {
    const PartStatistics found = counter.count(parts[i]);
    guarded.with([&](Sums& so_far) {
      so_far.add(found, lexicon.numbering(lexicon.numbering_of(parts[i].pieces.front())));
      if (classes.classes == 0 || !found.class_documents.empty()) return;
      for (const std::size_t p : parts[i].pieces) {
        const std::span<const std::uint32_t> numbers = lexicon.numbers(p);
        counter.for_each_row(p, [&](std::span<const std::uint32_t> entries, std::uint64_t, std::uint32_t its_class) {
          TermCounts::for_each_packed(entries, [&](std::uint32_t term, std::uint32_t) {
            ++so_far.all.class_documents[std::size_t{numbers[term]} * classes.classes + its_class];
          });
        });
      }
    });
  });
  auto [all, terms] = guarded.with([](Sums& done) { return std::move(done); });
  all.documents.reserve(terms.size());
  all.count.reserve(terms.size());
  all.first.reserve(terms.size());
  for (const TermSums& term : terms) {
    all.documents.push_back(term.documents);
    all.count.push_back(term.count);
    // Numbers are in order of first occurrence in any row.
    all.first.push_back(all_rows ? all.first.size() : term.first);
  }
  return std::move(all);
}

}  // namespace plumb
