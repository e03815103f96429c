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
#include "plumb/base/guarded.h"
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
  struct Of {
    std::vector<std::uint32_t> numbers;  // by index, kNoTerm as long as there is none
    bool all = false;                    // have one
  };
  // Of each list of a piece.
  std::vector<Of*> of(const TermTree& piece) {
    std::vector<Of*> lists;
    for (std::size_t i = 0; i < piece.lists(); ++i) {
      const TextList& texts = piece.list(i);
      Of& its = known_.try_emplace(&texts, Of{std::vector<std::uint32_t>(), texts.empty()}).first->second;
      if (its.numbers.empty()) its.numbers.assign(texts.size(), kNoTerm);
      lists.push_back(&its);
    }
    return lists;
  }
  // The same as numbers alone; of pieces that were met before, by any thread.
  std::vector<std::uint32_t*> numbers_of(const TermTree& piece) {
    std::vector<std::uint32_t*> lists;
    for (std::size_t i = 0; i < piece.lists(); ++i) lists.push_back(known_.find(&piece.list(i))->second.numbers.data());
    return lists;
  }

 private:
  std::unordered_map<const TextList*, Of> known_;
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
  TokenMerger(TermTree& all, std::size_t expected) : all_(all) { table_.reserve(expected); }

  // Gives numbers to the texts of a piece that have none. Mostly these are all in one list, that of the texts that its
  // counter first met there, and then the terms of the piece need not be looked at.
  void merge(const TermTree& piece, std::span<NumbersOfTexts::Of* const> known) {
    const std::size_t own = piece.own_list();
    bool others = true;
    for (std::size_t i = 0; i < known.size(); ++i) others = others && (i == own || known[i]->all);
    if (!others) {
      for (std::size_t i = 0; i < piece.size(); ++i) {
        const TermTree::Place place = piece.place(i);
        if (std::uint32_t& number = known[place.list]->numbers[place.index]; number == kNoTerm)
          meet(piece.text(place), number);
      }
    } else if (own < known.size() && !known[own]->all) {
      const TextList& texts = piece.list(own);
      for (std::size_t i = 0; i < texts.size(); ++i) meet(texts[i], known[own]->numbers[i]);
      known[own]->all = true;
    }
    meet_waiting();
  }

 private:
  static constexpr std::size_t kBatch = 64;
  struct Waiting {
    TermKey key;
    std::uint64_t hash;
    std::string_view text;
    std::uint32_t* number;
  };

  // In batches whose slots come from memory together.
  void meet(std::string_view text, std::uint32_t& number) {
    const TermKey key = key_of(text);
    waiting_[count_] = {key, key.hash(), text, &number};
    table_.prefetch(waiting_[count_].hash);
    if (++count_ == kBatch) meet_waiting();
  }

  void meet_waiting() {
    for (const Waiting& each : std::span(waiting_).first(std::exchange(count_, 0))) {
      const auto same = [&](const TokenTable::Slot& slot) { return all_.token(slot.term) == each.text; };
      const auto [slot, is_new] = table_.find_or_add(each.key, each.hash, same);
      if (is_new) {
        if (all_.size() >= NumberTable::kMost) NumberTable::refuse_more();
        slot.term = static_cast<std::uint32_t>(all_.size());
        slot.value = slot.term;
        all_.add_token(each.text);
      }
      *each.number = slot.term;
    }
  }

  TermTree& all_;
  TokenTable table_;
  std::array<Waiting, kBatch> waiting_;
  std::size_t count_ = 0;
};

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// What belongs to a term lies together, as terms come in any order.
struct TermSums {
  std::uint64_t count = 0;
  std::uint64_t first = kNever;
  std::uint32_t documents = 0;
};

// What one piece knows, by local id.
struct PieceStatistics {
  std::uint64_t rows = 0;
  std::vector<TermSums> terms;
  // In place of those, where terms that have entries are numbered in the order of their first ones, so that the number
  // is the rank: documents above, occurrences below.
  std::vector<std::uint64_t> sums;
  std::vector<std::uint32_t> class_documents;
  std::vector<std::uint64_t> class_rows;
};

// Of all rows, where nothing is asked about classes and entries are single words.
bool count_all(const TermCounts& piece, PieceStatistics& all) {
  constexpr std::uint32_t mask = (std::uint32_t{1} << TermCounts::kTermBits) - 1;
  constexpr std::size_t most = std::size_t{1} << 24;  // so that counts stay below 2^32
  if (piece.packed.size() > most) return false;
  std::uint32_t least = 0xFFFFFFFF;
  for (const std::uint32_t entry : piece.packed) least = std::min(least, entry);
  if (least >> TermCounts::kTermBits == 0) return false;
  all.sums.resize(piece.terms.size());
  for (const std::uint32_t entry : piece.packed)
    all.sums[entry & mask] += std::uint64_t{1} << 32 | entry >> TermCounts::kTermBits;
  all.rows = piece.documents();
  return true;
}

PieceStatistics piece_statistics(const TermCounts& piece, std::uint64_t first_row, std::uint64_t first_rank,
                                 const RowSet& rows, const RowClasses& classes) {
  PieceStatistics all;
  bool chosen = classes.classes == 0;
  for (std::uint64_t row = 0; row < piece.documents() && chosen; ++row) chosen = rows.has(first_row + row);
  if (chosen && count_all(piece, all)) return all;
  all.terms.resize(piece.terms.size());
  all.class_documents.resize(piece.terms.size() * classes.classes);
  all.class_rows.resize(classes.classes);
  for (std::uint64_t document = 0; document < piece.documents(); ++document) {
    const std::uint64_t row = first_row + document;
    if (!rows.has(row)) continue;
    ++all.rows;
    const std::uint32_t its_class = classes.classes > 0 ? classes.of_row[row] : 0;
    if (classes.classes > 0) ++all.class_rows[its_class];
    std::uint64_t rank = first_rank + piece.offsets[document];
    piece.for_each(document, [&](std::uint32_t which, std::uint32_t count) {
      TermSums& term = all.terms[which];
      term.first = std::min(term.first, rank++);
      term.count += count;
      ++term.documents;
      if (classes.classes > 0) ++all.class_documents[std::size_t{which} * classes.classes + its_class];
    });
  }
  return all;
}

// Sums and least ranks of whole numbers: pieces may come in any order.
void add(TermStatistics& all, std::span<TermSums> terms, const PieceStatistics& piece, std::uint64_t first_rank,
         std::span<const std::uint32_t> numbers) {
  const std::size_t classes = all.class_rows.size();
  all.rows += piece.rows;
  if (!piece.sums.empty()) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      TermSums& term = terms[numbers[i]];
      term.documents += static_cast<std::uint32_t>(piece.sums[i] >> 32);
      term.count += piece.sums[i] & 0xFFFFFFFF;
      term.first = std::min(term.first, piece.sums[i] != 0 ? first_rank + i : kNever);
    }
    return;
  }
  for (std::size_t c = 0; c < classes; ++c) all.class_rows[c] += piece.class_rows[c];
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const TermSums& term = piece.terms[i];
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
  std::size_t all = 0, texts = 0;
  for (const TermCounts* const piece : pieces) {
    all += piece->terms.size();
    std::size_t its = 0;
    for (std::size_t i = 0; i < piece->terms.lists(); ++i) its += piece->terms.list(i).size();
    texts = std::max(texts, its);  // different ones, all of one counter
  }
  lexicon.terms_.reserve(all);  // more than there will be; what is not used takes no memory
  lexicon.numbers_.resize(pieces.size());
  NumbersOfTexts known;
  if (std::ranges::all_of(pieces, [](const TermCounts* piece) { return piece->terms.only_tokens(); })) {
    TokenMerger merger(lexicon.terms_, texts);
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      run.report(Phase::learning, p, pieces.size());
      merger.merge(pieces[p]->terms, known.of(pieces[p]->terms));
    }
    run.for_each(Phase::learning, pieces.size(), [&](std::size_t p) {
      const TermTree& terms = pieces[p]->terms;
      const std::vector<std::uint32_t*> lists = known.numbers_of(terms);
      std::vector<std::uint32_t>& numbers = lexicon.numbers_[p];
      numbers.reserve(terms.size());
      for (std::size_t i = 0; i < terms.size(); ++i)
        numbers.push_back(lists[terms.place(i).list][terms.place(i).index]);
    });
    return lexicon;
  }
  NumberTable table(all / 2);
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    run.report(Phase::learning, p, pieces.size());
    lexicon.numbers_[p].resize(pieces[p]->terms.size());
    known.of(pieces[p]->terms);
    merge_piece(pieces[p]->terms, known.numbers_of(pieces[p]->terms), table, lexicon.terms_, lexicon.numbers_[p]);
  }
  return lexicon;
}

std::size_t Lexicon::memory() const noexcept {
  std::size_t bytes = terms_.memory();
  for (const auto& numbers : numbers_) bytes += numbers.capacity() * sizeof numbers[0];
  return bytes;
}

// Pieces are counted by themselves, and added up one after the other as they are done, so that their counts do not all
// wait in memory.
TermStatistics term_statistics(TermPieces pieces, const Lexicon& lexicon, const RowSet& rows, const Run& run,
                               const RowClasses& classes) {
  struct Sums {
    TermStatistics all;
    std::vector<TermSums> terms;
  };
  Sums sums{{}, std::vector<TermSums>(lexicon.size())};
  sums.all.class_documents.assign(lexicon.size() * classes.classes, 0);
  sums.all.class_rows.assign(classes.classes, 0);
  std::vector<std::uint64_t> first_row{0}, first_rank{0};
  for (const TermCounts* const piece : pieces) {
    first_row.push_back(first_row.back() + piece->documents());
    first_rank.push_back(first_rank.back() + std::max(piece->packed.size(), piece->terms.size()));
  }
  Guarded<Sums> guarded(std::move(sums));
  run.for_each(Phase::learning, pieces.size(), [&](std::size_t p) {
    const PieceStatistics found = piece_statistics(*pieces[p], first_row[p], first_rank[p], rows, classes);
    guarded.with([&](Sums& so_far) { add(so_far.all, so_far.terms, found, first_rank[p], lexicon.numbers(p)); });
  });
  auto [all, terms] = guarded.with([](Sums& done) { return std::move(done); });
  all.documents.reserve(terms.size());
  all.count.reserve(terms.size());
  all.first.reserve(terms.size());
  for (const TermSums& term : terms) {
    all.documents.push_back(term.documents);
    all.count.push_back(term.count);
    all.first.push_back(term.first);
  }
  return std::move(all);
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
