#include "plumb/text/document_counter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/text/unicode.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;  // so that positions and counts have 32 bits
constexpr std::size_t kMostTerms = (std::size_t{1} << 31) - 1;
constexpr std::uint32_t kDropped = 0;
constexpr std::uint32_t kMostPlaces = std::uint32_t{1} << 31;  // before a document, which has fewer entries than that

TermTree::Place place_in(std::uint64_t value) noexcept {
  return {static_cast<std::uint32_t>(value >> 32), static_cast<std::uint32_t>(value)};
}

bool of_words(Tokens tokens) noexcept { return tokens == Tokens::word || tokens == Tokens::ascii; }

}  // namespace

DocumentCounter::DocumentCounter(const Tokeniser& tokeniser, std::uint32_t first_place)
    : tokeniser_(tokeniser),
      rules_(tokeniser.rules()),
      rewritten_(!rules_.stop_words.empty() || !rules_.stem.empty()),
      lasting_(of_words(rules_.tokens) && rules_.longest_ngram == 1 && !rewritten_),
      scan_(rules_),
      piece_place_(first_place),
      tally_(first_place) {
  if (lasting_) terms_ = TermTree::lasting();
  if (!rules_.stem.empty()) stemmer_.emplace(rules_.stem);
}

DocumentCounter::Entries DocumentCounter::count(std::string_view document) {
  if (document.size() > kMostBytes) {
    throw Error(ErrorCode::data, "a document of " + std::to_string(document.size()) + " bytes; at most " +
                                     std::to_string(kMostBytes) + " were expected");
  }
  tally_.begin();
  if (tally_.first_place() >= kMostPlaces) restart_places();
  if (of_words(rules_.tokens)) {
    add_words(document);
  } else {
    add_characters(document);
  }
  return tally_.entries();
}

TermTree DocumentCounter::take() {
  TermTree taken = terms_.take();
  if (tokens_table_.size() + raw_table_.size() > kMostRemembered || taken.lists() > kMostLists)
    clear();
  else
    begin_piece();
  return taken;
}

void DocumentCounter::clear() {
  begin_piece();
  terms_.clear();
  tokens_table_.clear();
  raw_table_.clear();
  raw_texts_.clear();
  stems_.resize(1);
}

void DocumentCounter::begin_piece() {
  tally_.begin(1);  // one extra, because a token that is not counted has a place and no entry
  piece_place_ = tally_.first_place();
  ngrams_ = 0;
}

// Places start again: 0 means unused, 1 an earlier document of this piece.
void DocumentCounter::restart_places() {
  const auto restart = [&](auto& each) { each.place = each.place >= piece_place_ ? 1 : 0; };
  tokens_table_.for_each(restart);
  ngrams_table_.for_each(restart);
  std::ranges::for_each(stems_, restart);
  piece_place_ = 1;
  tally_.restart(2);
}

void DocumentCounter::expect_terms(std::size_t more) const {
  if (terms_.size() + more <= kMostTerms) return;
  throw Error(ErrorCode::resources, "more than 2147483647 different terms in one piece; fewer were expected",
              "--hash-bits 22");
}

// The slot of a token, whose text is kept if it is new.
TokenTable::Slot& DocumentCounter::slot_of(const TermKey& key, std::string_view text) {
  const auto same = [&](const TokenTable::Slot& slot) { return terms_.text(place_in(slot.value)) == text; };
  const auto [slot, is_new] = tokens_table_.find_or_add(key, same);
  if (is_new) {
    if (lasting_) {
      expect_terms(1);
      slot.term = static_cast<std::uint32_t>(terms_.size());
    }
    const TermTree::Place place = terms_.store(text);
    slot.value = std::uint64_t{place.list} << 32 | place.index;
  }
  return slot;
}

// The number of a token that this piece has not met yet.
std::uint32_t DocumentCounter::begin_term(std::uint64_t text_place) {
  expect_terms(1);
  terms_.add_token(place_in(text_place));
  return static_cast<std::uint32_t>(terms_.size() - 1);
}

void DocumentCounter::add_words(std::string_view document) {
  if (tokeniser_.rewrites()) {
    rewritten_text_ = tokeniser_.rewritten(document);
    document = rewritten_text_;
  }
  scan_.scan(document);
  tokens_.clear();
  bounds_.for_each_batch(scan_, rules_.min_length, [&](std::size_t count) { add_tokens(count); });
  for (std::uint32_t n = 2; n <= rules_.longest_ngram && n <= tokens_.size(); ++n) {
    if (n >= rules_.shortest_ngram)
      add_ngrams<true>(n);
    else
      add_ngrams<false>(n);
  }
}

void DocumentCounter::add_tokens(std::size_t count) {
  tally_.reserve(count);
  batch_.seek(rewritten_ ? raw_table_ : tokens_table_, scan_.text(), bounds_, count);
  if (rewritten_)
    rewrite(count);
  else if (rules_.longest_ngram == 1)
    look_up<true, false>(count);  // lasting
  else if (rules_.shortest_ngram == 1)
    look_up<true, true>(count);
  else
    look_up<false, true>(count);
}

// Terms are counted, and kept as parts of longer ones.
template <bool counted, bool kept>
void DocumentCounter::look_up(std::size_t count) {
  const std::uint32_t piece_place = piece_place_, document_place = tally_.first_place();
  const std::size_t before = tokens_.size();
  if (kept) tokens_.resize(before + count);
  std::uint32_t* const sequence = tokens_.data() + before;
  DocumentTally::Adder adder(tally_);
  for (std::size_t i = 0; i < count; ++i) {
    TokenTable::Slot* slot = batch_.find(i);
    if (slot == nullptr) [[unlikely]]
      slot = &slot_of(batch_.key(i), text_of(i));
    if (kept && slot->place < piece_place) [[unlikely]]
      slot->term = begin_term(slot->value);
    if (kept) sequence[i] = slot->term;
    if (counted)
      adder.add(slot->place, slot->term);
    else
      slot->place = document_place;
  }
  adder.put_back(tally_);
}

void DocumentCounter::rewrite(std::size_t count) {
  DocumentTally::Adder adder(tally_);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t number = stem_of(batch_.key(i), text_of(i));
    if (number == kDropped) continue;
    Stem& stem = stems_[number];
    if (stem.place < piece_place_) stem.term = begin_term(stem.text_place);
    if (rules_.shortest_ngram == 1)
      adder.add(stem.place, stem.term);
    else
      stem.place = tally_.first_place();
    tokens_.push_back(stem.term);
  }
  adder.put_back(tally_);
}

// The number of the stem. Stop words and stems are handled once for each different token.
std::uint32_t DocumentCounter::stem_of(const TermKey& token, std::string_view text) {
  const auto same = [&](const TokenTable::Slot& slot) { return raw_texts_[slot.value] == text; };
  const auto [raw, is_new] = raw_table_.find_or_add(token, same);
  if (!is_new) return raw.term;
  raw.value = raw_texts_.size();
  raw_texts_.add(text);
  raw.term = kDropped;
  if (tokeniser_.is_stop_word(text)) return kDropped;
  stem_ = stemmer_ ? stemmer_->stem(text) : text;
  const std::size_t length = stem_.size();
  stem_.append(16, '\0');  // a key reads that many bytes
  const TermKey key = TermKey::of_text(stem_.data(), length);
  TokenTable::Slot& slot = slot_of(key, std::string_view(stem_).substr(0, length));
  if (slot.term == kDropped) {
    slot.term = static_cast<std::uint32_t>(stems_.size());
    stems_.push_back({slot.value, 0, 0});
  }
  return raw.term = slot.term;
}

// prefixes_[i] is the n-gram that begins with token i: first of n - 1 tokens, then of n. While the n-grams of a batch
// are counted, the slots of the next one are prefetched, one beside each: memory has all the time of counting to load
// them.
template <bool counted>
void DocumentCounter::add_ngrams(std::uint32_t n) {
  if (n == 2) prefixes_ = tokens_;
  const std::size_t count = tokens_.size() - n + 1;
  const std::uint32_t piece_place = piece_place_, document_place = tally_.first_place();
  std::uint32_t* const prefixes = prefixes_.data();
  const std::uint32_t* const last = tokens_.data() + n - 1;
  struct Expected {
    std::uint64_t parts, hash;
  };
  std::array<Expected, 2 * kBatch> expected;  // this batch and the next, in turn
  const auto expect = [&](const NgramTable::Places& places, std::size_t i) {
    const std::uint64_t parts = std::uint64_t{prefixes[i]} << 32 | last[i];
    const std::uint64_t hash = NgramTable::hash_of(parts);
    places.prefetch(hash);
    expected[i % expected.size()] = {parts, hash};
  };
  for (std::size_t i = 0; i < std::min(kBatch, count); ++i) expect(NgramTable::Places(ngrams_table_), i);
  for (std::size_t from = 0; from < count; from += kBatch) {
    const std::size_t size = std::min(kBatch, count - from);
    const std::size_t following = std::min(kBatch, count - from - size);
    expect_terms(size);
    tally_.reserve(size);
    ngrams_table_.reserve(ngrams_, size, piece_place);
    const NgramTable::Places places(ngrams_table_);
    // Every third is new, unpredictably: each is written as if it were.
    const auto first_term = static_cast<std::uint32_t>(terms_.size());
    std::uint64_t* const nodes = terms_.begin_ngrams(size);
    std::uint32_t added = 0;
    DocumentTally::Adder adder(tally_);
    for (std::size_t i = 0; i < size; ++i) {
      if (i < following) expect(places, from + kBatch + i);
      const auto [parts, hash] = expected[(from + i) % expected.size()];
      NgramTable::Slot& slot = places.slot_of(parts, hash, piece_place);
      const bool is_new = slot.place < piece_place;
      nodes[added] = parts;
      slot.parts = parts;
      slot.term = is_new ? first_term + added : slot.term;
      added += is_new ? 1 : 0;
      prefixes[from + i] = slot.term;
      if constexpr (counted)
        adder.add(slot.place, slot.term);
      else
        slot.place = document_place;
    }
    adder.put_back(tally_);
    terms_.end_ngrams(size - added);
    ngrams_ += added;
  }
}

void DocumentCounter::add_characters(std::string_view document) {
  space_characters(tokeniser_.prepared(document));
  const std::size_t characters = starts_.size() - 1;
  if (rules_.tokens == Tokens::character) {
    add_character_ngrams(0, characters);
    return;
  }
  for (std::size_t begin = 0; begin + 1 < characters;) {
    std::size_t end = begin + 1;
    while (spaced_[starts_[end]] != ' ') ++end;
    add_character_ngrams(begin, end + 1);
    begin = end;
  }
}

// The text from which n-grams of characters are made. Two or more spaces of any kind become one blank; within words,
// where every space is a border, so does one, and there is a blank at both ends.
void DocumentCounter::space_characters(std::string_view text) {
  const bool within_words = rules_.tokens == Tokens::character_word;
  spaced_.assign(within_words ? " " : "");
  starts_.assign(within_words ? 1 : 0, 0);
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    std::size_t end = at + character.length;
    bool blank = false;
    if (is_space(character.code)) {
      blank = within_words;
      for (; end < text.size(); blank = true) {
        const Character next = character_at(text, end);
        if (!is_space(next.code)) break;
        end += next.length;
      }
    }
    if (!(within_words && blank && spaced_.ends_with(' '))) {
      starts_.push_back(static_cast<std::uint32_t>(spaced_.size()));
      spaced_ += blank ? std::string_view(" ") : text.substr(at, character.length);
    }
    at = end;
  }
  if (within_words && !spaced_.ends_with(' ')) {
    starts_.push_back(static_cast<std::uint32_t>(spaced_.size()));
    spaced_ += ' ';
  }
  starts_.push_back(static_cast<std::uint32_t>(spaced_.size()));
  spaced_.append(16, '\0');
}

// Of the characters [begin, end).
void DocumentCounter::add_character_ngrams(std::size_t begin, std::size_t end) {
  const bool short_word = rules_.tokens == Tokens::character_word && end - begin < rules_.shortest_ngram;
  if (short_word) add_characters_between(begin, end);
  for (std::size_t n = rules_.shortest_ngram; n <= rules_.longest_ngram && n <= end - begin; ++n) {
    for (std::size_t i = begin; i + n <= end; ++i) add_characters_between(i, i + n);
  }
}

void DocumentCounter::add_characters_between(std::size_t begin, std::size_t end) {
  const std::string_view text(spaced_.data() + starts_[begin], starts_[end] - starts_[begin]);
  const TermKey key = TermKey::of_text(text.data(), text.size());
  TokenTable::Slot& slot = slot_of(key, text);
  if (slot.place < piece_place_) slot.term = begin_term(slot.value);
  tally_.reserve(1);
  DocumentTally::Adder adder(tally_);
  adder.add(slot.place, slot.term);
  adder.put_back(tally_);
}

}  // namespace plumb
