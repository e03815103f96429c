#include "plumb/text/lexicon.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/text/ngram_table.h"
#include "plumb/text/number_table.h"
#include "plumb/text/term_key.h"
#include "plumb/text/token_table.h"

namespace plumb {
namespace {

TermKey key_of(std::string_view token) noexcept {
  std::array<char, 16> room{};  // a key reads so many bytes
  if (token.size() >= room.size()) return TermKey::of_text(token.data(), token.size());
  std::memcpy(room.data(), token.data(), token.size());
  return TermKey::of_text(room.data(), token.size());
}

std::uint64_t hash_of(std::string_view token) noexcept { return key_of(token).hash(); }

std::uint64_t hash_of(TermTree::Parts parts) noexcept {
  return NgramTable::hash_of(std::uint64_t{parts.prefix} << 32 | parts.last);
}

// The numbers of the texts that pieces share: a text is looked up when it is first met, and not in every piece.
class NumbersOfTexts {
 public:
  // By list and index, kNoTerm as long as there is none. Valid until the next call.
  std::span<std::uint32_t* const> of(const TermTree& piece) {
    lists_.clear();
    for (std::size_t i = 0; i < piece.lists(); ++i) {
      std::vector<std::uint32_t>& numbers = numbers_[&piece.list(i)];
      if (numbers.empty()) numbers.assign(piece.list(i).size(), kNoTerm);
      lists_.push_back(numbers.data());
    }
    return lists_;
  }

 private:
  std::unordered_map<const TextList*, std::vector<std::uint32_t>> numbers_;
  std::vector<std::uint32_t*> lists_;
};

// Puts the terms of a piece into the tree, in batches whose slots come from memory together.
void merge_piece(const TermTree& piece, std::span<std::uint32_t* const> known, NumberTable& table, TermTree& all,
                 std::span<std::uint32_t> numbers) {
  constexpr std::size_t batch = 32;
  std::array<std::uint64_t, batch> hashes;
  const auto hash_of_number = [&](std::uint32_t i) {
    return all.is_token(i) ? hash_of(all.token(i)) : hash_of(all.parts(i));
  };
  const auto known_number = [&](std::size_t i) -> std::uint32_t& {
    return known[piece.place(i).list][piece.place(i).index];
  };
  const auto parts_of = [&](std::size_t i) {
    return TermTree::Parts{numbers[piece.parts(i).prefix], numbers[piece.parts(i).last]};
  };
  for (std::size_t begin = 0; begin < piece.size();) {
    std::size_t end = begin;
    for (; end < piece.size() && end < begin + batch; ++end) {
      if (piece.is_token(end)) {
        if (known_number(end) != kNoTerm) continue;
        hashes[end - begin] = hash_of(piece.token(end));
      } else if (std::max(piece.parts(end).prefix, piece.parts(end).last) >= begin) {
        break;  // one of its parts has no number yet
      } else {
        hashes[end - begin] = hash_of(parts_of(end));
      }
      table.prefetch(hashes[end - begin]);
    }
    for (std::size_t i = begin; i < end; ++i)
      if (!piece.is_token(i)) all.prefetch(table.candidate(hashes[i - begin]));
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t next = all.size();
      if (piece.is_token(i)) {
        std::uint32_t& number = known_number(i);
        if (number == kNoTerm) {
          const std::string_view token = piece.token(i);
          const auto same = [&](std::uint32_t other) { return all.is_token(other) && all.token(other) == token; };
          number = table.find_or_add(hashes[i - begin], same, hash_of_number);
          if (number == next) all.add_token(token);
        }
        numbers[i] = number;
      } else {
        const TermTree::Parts parts = parts_of(i);
        const auto same = [&](std::uint32_t number) { return !all.is_token(number) && all.parts(number) == parts; };
        numbers[i] = table.find_or_add(hashes[i - begin], same, hash_of_number);
        if (numbers[i] == next) all.add_ngram(parts);
      }
    }
    begin = end;
  }
}

// The same where all terms are tokens: they are found by their keys, and few texts are looked at.
class TokenMerger {
 public:
  explicit TokenMerger(TermTree& all) : all_(all) {}

  void merge(const TermTree& piece, std::span<std::uint32_t* const> known, std::span<std::uint32_t> numbers) {
    std::size_t waiting = 0;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      const TermTree::Place place = piece.place(i);
      numbers[i] = known[place.list][place.index];
      if (numbers[i] != kNoTerm) continue;
      const TermKey key = key_of(piece.token(i));
      waiting_[waiting] = {key, key.hash(), i};
      table_.prefetch(waiting_[waiting].hash);
      if (++waiting == kBatch) meet(piece, std::exchange(waiting, 0), known, numbers);
    }
    meet(piece, waiting, known, numbers);
  }

 private:
  static constexpr std::size_t kBatch = 64;
  struct Waiting {
    TermKey key;
    std::uint64_t hash;
    std::size_t local;
  };

  void meet(const TermTree& piece, std::size_t count, std::span<std::uint32_t* const> known,
            std::span<std::uint32_t> numbers) {
    for (const Waiting& each : std::span(waiting_).first(count)) {
      const std::string_view token = piece.token(each.local);
      const auto same = [&](const TokenTable::Slot& slot) { return all_.token(slot.term) == token; };
      const auto [slot, is_new] = table_.find_or_add(each.key, each.hash, same);
      if (is_new) {
        if (all_.size() >= NumberTable::kMost) NumberTable::refuse_more();
        slot.term = static_cast<std::uint32_t>(all_.size());
        slot.value = slot.term;
        all_.add_token(token);
      }
      const TermTree::Place place = piece.place(each.local);
      numbers[each.local] = known[place.list][place.index] = slot.term;
    }
  }

  TermTree& all_;
  TokenTable table_;
  std::array<Waiting, kBatch> waiting_;
};

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// What one piece knows, by local id. What belongs to a term lies together, as terms come in any order.
struct PieceStatistics {
  struct Term {
    std::uint64_t count = 0;
    std::uint64_t first = kNever;
    std::uint32_t documents = 0;
  };
  std::uint64_t rows = 0;
  std::vector<Term> terms;
  std::vector<std::uint32_t> class_documents;
  std::vector<std::uint64_t> class_rows;
};

// Of all rows, where nothing is asked about classes and entries are single words. Terms that have entries are numbered
// in the order of their first ones, so the number is the rank.
bool count_all(const TermCounts& piece, std::uint64_t first_rank, PieceStatistics& all) {
  constexpr std::uint32_t mask = (std::uint32_t{1} << TermCounts::kTermBits) - 1;
  constexpr std::size_t most = std::size_t{1} << 24;  // so that counts stay below 2^32
  if (piece.packed.size() > most) return false;
  std::uint32_t least = 0xFFFFFFFF;
  for (const std::uint32_t entry : piece.packed) least = std::min(least, entry);
  if (least >> TermCounts::kTermBits == 0) return false;
  std::vector<std::uint64_t> sums(piece.terms.size());  // documents above, occurrences below
  for (const std::uint32_t entry : piece.packed)
    sums[entry & mask] += std::uint64_t{1} << 32 | entry >> TermCounts::kTermBits;
  for (std::size_t i = 0; i < sums.size(); ++i)
    all.terms[i] = {sums[i] & 0xFFFFFFFF, first_rank + i, static_cast<std::uint32_t>(sums[i] >> 32)};
  all.rows = piece.documents();
  return true;
}

PieceStatistics piece_statistics(const TermCounts& piece, std::uint64_t first_row, std::uint64_t first_rank,
                                 const RowSet& rows, const RowClasses& classes) {
  const std::size_t terms = piece.terms.size();
  PieceStatistics all{0, std::vector<PieceStatistics::Term>(terms), std::vector<std::uint32_t>(terms * classes.classes),
                      std::vector<std::uint64_t>(classes.classes)};
  bool chosen = classes.classes == 0;
  for (std::uint64_t row = 0; row < piece.documents() && chosen; ++row) chosen = rows.has(first_row + row);
  if (chosen && count_all(piece, first_rank, all)) return all;
  for (std::uint64_t document = 0; document < piece.documents(); ++document) {
    const std::uint64_t row = first_row + document;
    if (!rows.has(row)) continue;
    ++all.rows;
    const std::uint32_t its_class = classes.classes > 0 ? classes.of_row[row] : 0;
    if (classes.classes > 0) ++all.class_rows[its_class];
    std::uint64_t rank = first_rank + piece.offsets[document];
    piece.for_each(document, [&](std::uint32_t which, std::uint32_t count) {
      PieceStatistics::Term& term = all.terms[which];
      term.first = std::min(term.first, rank++);
      term.count += count;
      ++term.documents;
      if (classes.classes > 0) ++all.class_documents[std::size_t{which} * classes.classes + its_class];
    });
  }
  return all;
}

void add(TermStatistics& all, std::span<PieceStatistics::Term> terms, const PieceStatistics& piece,
         std::span<const std::uint32_t> numbers) {
  const std::size_t classes = all.class_rows.size();
  all.rows += piece.rows;
  for (std::size_t c = 0; c < classes; ++c) all.class_rows[c] += piece.class_rows[c];
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const PieceStatistics::Term& term = piece.terms[i];
    if (term.documents == 0) continue;
    const std::size_t number = numbers[i];
    terms[number].documents += term.documents;
    terms[number].count += term.count;
    terms[number].first = std::min(terms[number].first, term.first);
    for (std::size_t c = 0; c < classes; ++c) {
      all.class_documents[number * classes + c] += piece.class_documents[i * classes + c];
    }
  }
}

}  // namespace

Lexicon Lexicon::merge(TermPieces pieces, const Run& run) {
  Lexicon lexicon;
  std::size_t all = 0;
  for (const TermCounts* const piece : pieces) all += piece->terms.size();
  lexicon.terms_.reserve(all);  // more than there will be; what is not used takes no memory
  const bool tokens = std::ranges::all_of(pieces, [](const TermCounts* piece) { return piece->terms.only_tokens(); });
  NumberTable table(tokens ? 0 : all / 2);
  TokenMerger merger(lexicon.terms_);
  NumbersOfTexts known;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    run.report(Phase::learning, p, pieces.size());
    lexicon.numbers_.emplace_back(pieces[p]->terms.size());
    if (tokens)
      merger.merge(pieces[p]->terms, known.of(pieces[p]->terms), lexicon.numbers_.back());
    else
      merge_piece(pieces[p]->terms, known.of(pieces[p]->terms), table, lexicon.terms_, lexicon.numbers_.back());
  }
  return lexicon;
}

std::size_t Lexicon::memory() const noexcept {
  std::size_t bytes = terms_.memory();
  for (const auto& numbers : numbers_) bytes += numbers.capacity() * sizeof numbers[0];
  return bytes;
}

// Pieces are counted by themselves, some at a time, so that their counts do not all wait in memory.
TermStatistics term_statistics(TermPieces pieces, const Lexicon& lexicon, const RowSet& rows, const Run& run,
                               const RowClasses& classes) {
  TermStatistics all;
  std::vector<PieceStatistics::Term> terms(lexicon.size());
  all.class_documents.assign(lexicon.size() * classes.classes, 0);
  all.class_rows.assign(classes.classes, 0);
  std::vector<std::uint64_t> first_row{0}, first_rank{0};
  for (const TermCounts* const piece : pieces) {
    first_row.push_back(first_row.back() + piece->documents());
    first_rank.push_back(first_rank.back() + std::max(piece->packed.size(), piece->terms.size()));
  }
  const std::size_t wave = std::size_t{2} * run.executor.threads();
  for (std::size_t from = 0; from < pieces.size(); from += wave) {
    run.report(Phase::learning, from, pieces.size());
    std::vector<PieceStatistics> found(std::min(wave, pieces.size() - from));
    run.executor.for_each(found.size(), [&](std::size_t i) {
      const std::size_t p = from + i;
      found[i] = piece_statistics(*pieces[p], first_row[p], first_rank[p], rows, classes);
    });
    for (std::size_t i = 0; i < found.size(); ++i) add(all, terms, found[i], lexicon.numbers(from + i));
  }
  for (const PieceStatistics::Term& term : terms) {
    all.documents.push_back(term.documents);
    all.count.push_back(term.count);
    all.first.push_back(term.first);
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
