#include "plumb/text/lexicon.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/text/ngram_table.h"
#include "plumb/text/number_table.h"
#include "plumb/text/term_key.h"
#include "plumb/text/token_table.h"

namespace plumb {
namespace {

TermKey key_of(std::string_view token) noexcept {
  std::array<char, 16> room{};  // a key reads that many bytes
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
    std::vector<std::uint32_t> numbers;  // by index, kNoTerm while there is none
    bool all = false;                    // have one
  };
  // For each list of a piece.
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
  // The same as numbers alone; for pieces already processed, by any thread.
  std::vector<std::uint32_t*> numbers_of(const TermTree& piece) {
    std::vector<std::uint32_t*> lists;
    for (std::size_t i = 0; i < piece.lists(); ++i) lists.push_back(known_.find(&piece.list(i))->second.numbers.data());
    return lists;
  }

 private:
  std::unordered_map<const TextList*, Of> known_;
};

// Adds the terms of a piece to the tree, in batches whose slots come from memory together.
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

// The same if all terms are tokens. Texts are ordered by first occurrence without reading them, mostly as whole lists;
// then their keys are looked up in parts of the hashes, each in a table of its own that fits in the nearer caches, and
// finally they are numbered.
class TokenMerger {
 public:
  explicit TokenMerger(TermTree& all) : all_(all) {}

  // The texts of a piece without a number yet. Mostly these are all in one list, that of the texts that its counter
  // first met there, and then the entries of the piece need not be read.
  void add(const TermCounts& counts, std::span<NumbersOfTexts::Of* const> known) {
    const TermTree& piece = counts.terms;
    const std::size_t own = piece.own_list();
    bool others = true;
    for (std::size_t i = 0; i < known.size(); ++i) others = others && (i == own || known[i]->all);
    const auto meet = [&](std::size_t term) {
      const TermTree::Place place = piece.place(term);
      if (known[place.list]->numbers[place.index] == kNoTerm)
        wait(piece, place.list, place.index, place.index + 1, known[place.list]->numbers);
    };
    if (!others && piece.is_lasting()) {  // which contains the terms of other pieces; most texts have numbers
      std::size_t list = 0;
      while (known[list]->all) ++list;
      const std::size_t least = piece.start(list);
      TermCounts::for_each_packed(counts.packed, [&](std::uint32_t term, std::uint32_t) {
        if (term >= least) meet(term);
      });
    } else if (!others) {
      for (std::size_t i = 0; i < piece.size(); ++i) meet(i);
    } else if (own < known.size() && !known[own]->all) {
      wait(piece, own, 0, static_cast<std::uint32_t>(known[own]->numbers.size()), known[own]->numbers);
    }
    if (own < known.size()) known[own]->all = true;
  }

  // Gives numbers to all that were added.
  void number(const Run& run) {
    const std::size_t parts = std::clamp<std::size_t>(std::bit_ceil(size_ / kInPart), 1, kMostParts);
    std::vector<Chunk> chunks((size_ + kInChunk - 1) / kInChunk);
    run.for_each(Phase::learning, chunks.size(), [&](std::size_t c) { fill(chunks[c], c, parts); });
    std::vector<std::uint32_t> first(size_);  // for each text the first equal one
    run.for_each(Phase::learning, parts, [&](std::size_t part) { find_first(chunks, part, first); });
    all_.reserve(size_);
    for (const Range& range : ranges_) {
      for (std::uint32_t i = range.begin; i < range.end; ++i) {
        std::uint32_t& number = first[range.at + (i - range.begin)];
        if (number == range.at + (i - range.begin)) {
          number = static_cast<std::uint32_t>(all_.size());
          if (range.list == TermTree::kNoList)
            all_.add_token((*range.texts)[i]);
          else
            all_.add_token(TermTree::Place{static_cast<std::uint32_t>(range.list), i});
        } else {
          number = first[number];  // an earlier one, which has its number
        }
        range.numbers[i] = number;
      }
    }
  }

 private:
  static constexpr std::size_t kInPart = 2048, kMostParts = 64, kInChunk = 8192;

  // Texts one after the other in one list.
  struct Range {
    const TextList* texts;
    std::size_t list;        // in the merged tree, or none
    std::uint32_t* numbers;  // of the texts of the list
    std::uint32_t begin, end;
    std::uint32_t at;  // how many wait before these
  };
  struct Waiting {
    TermKey key;
    std::uint64_t hash;
    std::uint32_t at;
  };
  // Some of the waiting texts, by parts of their hashes and in their order.
  struct Chunk {
    std::vector<Waiting> texts;
    std::vector<std::uint32_t> ends;
  };

  void wait(const TermTree& piece, std::size_t list, std::uint32_t begin, std::uint32_t end,
            std::vector<std::uint32_t>& numbers) {
    if (size_ + (end - begin) >= NumberTable::kMost) NumberTable::refuse_more();
    const TextList* const texts = &piece.list(list);
    std::fill(numbers.begin() + begin, numbers.begin() + end, 0);  // any that is one
    if (!ranges_.empty() && ranges_.back().texts == texts && ranges_.back().end == begin) {
      ranges_.back().end = end;
    } else {
      const auto [shared, is_new] = lists_.try_emplace(texts, TermTree::kNoList);
      if (is_new) shared->second = all_.share(piece, list);
      ranges_.push_back({texts, shared->second, numbers.data(), begin, end, static_cast<std::uint32_t>(size_)});
    }
    size_ += end - begin;
  }

  std::size_t range_of(std::uint32_t at) const noexcept {
    const auto behind = std::ranges::upper_bound(ranges_, at, {}, &Range::at);
    return static_cast<std::size_t>(behind - ranges_.begin()) - 1;
  }
  std::string_view text_at(std::uint32_t at) const noexcept {
    const Range& range = ranges_[range_of(at)];
    return (*range.texts)[range.begin + (at - range.at)];
  }

  void fill(Chunk& chunk, std::size_t number, std::size_t parts) const {
    const auto begin = static_cast<std::uint32_t>(number * kInChunk);
    const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(begin + kInChunk, size_));
    std::vector<Waiting> all;
    all.reserve(end - begin);
    chunk.ends.assign(parts + 1, 0);
    std::uint32_t at = begin;
    for (std::size_t r = range_of(begin); at < end; ++r) {
      const Range& range = ranges_[r];
      for (std::uint32_t i = range.begin + (at - range.at); i < range.end && at < end; ++i, ++at) {
        const TermKey key = key_of((*range.texts)[i]);
        all.push_back({key, key.hash(), at});
        ++chunk.ends[part_of(all.back().hash, parts) + 1];
      }
    }
    std::partial_sum(chunk.ends.begin(), chunk.ends.end(), chunk.ends.begin());
    std::vector<std::uint32_t> next(chunk.ends.begin(), chunk.ends.end() - 1);
    chunk.texts.resize(all.size());
    for (const Waiting& each : all) chunk.texts[next[part_of(each.hash, parts)]++] = each;
  }
  // By other bits than tables use, which are the uppermost.
  static std::size_t part_of(std::uint64_t hash, std::size_t parts) noexcept { return hash >> 40 & (parts - 1); }

  void find_first(std::span<const Chunk> chunks, std::size_t part, std::span<std::uint32_t> first) const {
    TokenTable table;
    std::size_t most = 0;
    for (const Chunk& chunk : chunks) most += chunk.ends[part + 1] - chunk.ends[part];
    table.reserve(most);
    for (const Chunk& chunk : chunks) {
      for (const Waiting& each :
           std::span(chunk.texts).subspan(chunk.ends[part], chunk.ends[part + 1] - chunk.ends[part])) {
        const auto same = [&](const TokenTable::Slot& slot) { return text_at(slot.term) == text_at(each.at); };
        const auto [slot, is_new] = table.find_or_add(each.key, same);
        if (is_new) slot.term = each.at;
        first[each.at] = slot.term;
      }
    }
  }

  TermTree& all_;
  std::vector<Range> ranges_;
  std::unordered_map<const TextList*, std::size_t> lists_;
  std::size_t size_ = 0;
};

}  // namespace

Lexicon Lexicon::merge(TermPieces pieces, const Run& run) {
  Lexicon lexicon;
  std::size_t all = 0;
  for (const TermCounts* const piece : pieces) all += piece->terms.is_lasting() ? 0 : piece->terms.size();
  lexicon.terms_.reserve(all);  // an upper bound; unused space takes no memory
  lexicon.number_pieces(pieces);
  NumbersOfTexts known;
  if (std::ranges::all_of(pieces, [](const TermCounts* piece) { return piece->terms.only_tokens(); })) {
    TokenMerger merger(lexicon.terms_);
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      run.report(Phase::learning, p, pieces.size());
      merger.add(*pieces[p], known.of(pieces[p]->terms));
    }
    merger.number(run);
    run.for_each(Phase::learning, lexicon.numberings_.size(), [&](std::size_t k) {
      const TermTree& terms = *lexicon.numberings_[k].terms;
      const std::vector<std::uint32_t*> lists = known.numbers_of(terms);
      std::vector<std::uint32_t>& numbers = lexicon.numberings_[k].numbers;
      numbers.reserve(terms.size());
      if (terms.is_lasting()) {
        for (std::size_t i = 0; i < terms.lists(); ++i)
          numbers.insert(numbers.end(), lists[i], lists[i] + terms.list(i).size());
      } else {
        for (std::size_t i = 0; i < terms.size(); ++i)
          numbers.push_back(lists[terms.place(i).list][terms.place(i).index]);
      }
    });
    return lexicon;
  }
  NumberTable table(all / 2);
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    run.report(Phase::learning, p, pieces.size());
    const TermTree& terms = pieces[p]->terms;
    std::vector<std::uint32_t>& numbers = lexicon.numberings_[lexicon.numbering_[p]].numbers;
    numbers.resize(terms.size());
    known.of(terms);
    merge_piece(terms, known.numbers_of(terms), table, lexicon.terms_, numbers);
  }
  return lexicon;
}

// Lasting trees that begin with the same list belong to one counter, and the largest contains the others.
void Lexicon::number_pieces(TermPieces pieces) {
  std::unordered_map<const TextList*, std::size_t> counters;
  for (const TermCounts* const piece : pieces) {
    const TermTree& terms = piece->terms;
    std::size_t which = numberings_.size();
    if (terms.is_lasting()) which = counters.try_emplace(terms.empty() ? nullptr : &terms.list(0), which).first->second;
    if (which == numberings_.size()) numberings_.push_back({&terms, {}});
    if (terms.size() > numberings_[which].terms->size()) numberings_[which].terms = &terms;
    numbering_.push_back(which);
    sizes_.push_back(terms.size());
  }
}

std::size_t Lexicon::memory() const noexcept {
  std::size_t bytes = terms_.memory();
  for (const Numbering& each : numberings_) bytes += each.numbers.capacity() * sizeof each.numbers[0];
  return bytes;
}

std::vector<std::uint32_t> ids_by_number(std::span<const std::uint32_t> selected, std::size_t lexicon_size) {
  std::vector<std::uint32_t> ids(lexicon_size, kNoTerm);
  for (std::size_t id = 0; id < selected.size(); ++id) ids[selected[id]] = static_cast<std::uint32_t>(id);
  return ids;
}

std::vector<std::uint32_t> piece_ids(std::span<const std::uint32_t> numbers, std::span<const std::uint32_t> by_number) {
  std::vector<std::uint32_t> ids(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) ids[i] = numbers[i] != kNoTerm ? by_number[numbers[i]] : kNoTerm;
  return ids;
}

}  // namespace plumb
