#include "plumb/text/document_counter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/text/html.h"
#include "plumb/text/unicode.h"

namespace plumb {
namespace {

constexpr std::size_t kBatch = 64;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;  // so that positions and counts have 32 bits
constexpr std::size_t kMostTerms = (std::size_t{1} << 31) - 1;
constexpr std::uint32_t kDropped = 0xFFFFFFFF;

struct Token {
  TermKey key;
  std::uint64_t hash;
  std::uint32_t begin;
  std::uint32_t length;
};

constexpr std::uint64_t kTop = std::uint64_t{1} << 63;

// std::popcount is a call where the compiler may not take the instruction for granted.
std::size_t bits_in(std::uint64_t x) noexcept {
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  return ((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56;
}

std::size_t characters_in(const char* text, std::size_t bytes) noexcept {
  return static_cast<std::size_t>(std::count_if(text, text + bytes, [](char c) { return (c & 0xC0) != 0x80; }));
}

bool of_words(Tokens tokens) noexcept { return tokens == Tokens::word || tokens == Tokens::ascii; }

void expect_room(std::size_t terms) {
  if (terms < kMostTerms) return;
  throw Error(ErrorCode::resources, "more than 2147483647 different terms in one piece; fewer were expected",
              "--hash-bits 22");
}

}  // namespace

DocumentCounter::DocumentCounter(const Tokeniser& tokeniser)
    : tokeniser_(tokeniser),
      rules_(tokeniser.rules()),
      rewritten_(!rules_.stop_words.empty() || !rules_.stem.empty()),
      scan_(rules_) {
  if (!rules_.stem.empty()) stemmer_.emplace(rules_.stem);
}

DocumentCounter::Entries DocumentCounter::count(std::string_view document) {
  if (document.size() > kMostBytes) {
    throw Error(ErrorCode::data, "a document of " + std::to_string(document.size()) + " bytes; at most " +
                                     std::to_string(kMostBytes) + " were expected");
  }
  ++document_;
  found_ = 0;
  if (of_words(rules_.tokens)) {
    add_words(document);
  } else {
    add_characters(document);
  }
  return {std::span(entry_term_).first(found_), std::span(entry_count_).first(found_)};
}

TermTree DocumentCounter::take_terms() {
  index_.clear();
  raw_index_.clear();
  raw_ = {};
  number_of_raw_.clear();
  met_.clear();
  document_ = 0;
  return std::exchange(terms_, {});
}

// Without a branch, as whether a document has met a term before is not to be guessed.
inline void DocumentCounter::count_one(std::uint32_t number, std::uint32_t& document, std::uint32_t& place) noexcept {
  const bool again = document == document_;
  const std::uint32_t at = again ? place : static_cast<std::uint32_t>(found_);
  document = document_;
  place = at;
  entry_term_[at] = number;
  entry_count_[at] = (again ? entry_count_[at] : 0) + 1;
  found_ += again ? 0 : 1;
}

void DocumentCounter::add_words(std::string_view document) {
  if (rules_.html) {
    stripped_ = without_html(document);
    document = stripped_;
  }
  scan_.scan(document);
  tokens_.clear();
  const std::span<const std::uint64_t> words = scan_.words();
  // In ASCII, runs of one byte are taken out here, where 64 are looked at together: every sixth word of English.
  const bool drop_single = scan_.ascii() && rules_.min_length > 1;
  std::array<std::uint32_t, 2 * kBatch + 64> bounds;  // where words begin and end, in turn
  std::size_t filled = 0;
  std::uint64_t before = 0, kept_before = 0;
  for (std::size_t k = 0; k < words.size(); ++k) {
    std::uint64_t word = words[k];
    const std::uint64_t last = word >> 63;
    if (drop_single) {
      const std::uint64_t next = k + 1 < words.size() ? words[k + 1] : 0;
      word &= (word << 1 | before) | (word >> 1 | next << 63);
    }
    std::uint64_t changes = word ^ (word << 1 | kept_before);
    before = last;
    kept_before = word >> 63;
    const std::size_t count = bits_in(changes);
    // Eight at a time, whether there are so many or not: one branch that is seldom guessed wrong.
    for (std::size_t i = 0; i < count; i += 8) {
      for (std::size_t j = 0; j < 8; ++j) {
        bounds[filled + i + j] =
            static_cast<std::uint32_t>(64 * k) + static_cast<std::uint32_t>(__builtin_ctzll(changes | kTop));
        changes &= changes - 1;
      }
    }
    filled += count;
    if (filled >= 2 * kBatch - 8) {
      add_tokens(bounds.data(), filled / 2);
      bounds[0] = bounds[filled - 1];
      filled %= 2;
    }
  }
  if (kept_before != 0) bounds[filled++] = static_cast<std::uint32_t>(scan_.size());
  add_tokens(bounds.data(), filled / 2);
  for (std::uint32_t n = 2; n <= rules_.longest_ngram && n <= tokens_.size(); ++n) add_ngrams(n);
}

void DocumentCounter::add_tokens(const std::uint32_t* bounds, std::size_t count) {
  std::array<Token, 2 * kBatch> batch;
  const TermIndex& index = rewritten_ ? raw_index_ : index_;
  const char* const text = scan_.text();
  const bool ascii = scan_.ascii();
  const std::uint32_t min_length = rules_.min_length;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t begin = bounds[2 * i], length = bounds[2 * i + 1] - begin;
    Token& token = batch[kept];
    token.key = TermKey::of_text(text + begin, length);
    token.hash = token.key.hash();
    token.begin = begin;
    token.length = length;
    index.prefetch(token.hash);
    kept += (ascii ? length : characters_in(text + begin, length)) >= min_length ? 1 : 0;
  }
  reserve(kept);
  if (rewritten_) {
    for (std::size_t i = 0; i < kept; ++i)
      add_rewritten(batch[i].key, batch[i].hash, {text + batch[i].begin, batch[i].length});
    return;
  }
  const bool keep_tokens = rules_.longest_ngram > 1, count_tokens = rules_.shortest_ngram == 1;
  for (std::size_t i = 0; i < kept; ++i) {
    const Token& token = batch[i];
    TermIndex::Slot* slot = &index_.home(token.hash);
    if (!(slot->key == token.key) || token.key.is_hash()) [[unlikely]] {
      slot = &slot_of(token.key, token.hash, {text + token.begin, token.length});
    }
    if (count_tokens) count_one(slot->number, slot->document, slot->place);
    if (keep_tokens) tokens_.push_back(slot->number);
  }
}

TermIndex::Slot& DocumentCounter::slot_of(const TermKey& key, std::uint64_t hash, std::string_view text) {
  bool is_new;
  TermIndex::Slot& slot = index_.find_or_add(
      key, hash, [&](std::uint32_t i) { return terms_.token(i) == text; }, is_new);
  if (is_new) {
    expect_room(slot.number);
    terms_.add_token(text);
  }
  return slot;
}

// Stop words and stems are seen to once for each different token.
void DocumentCounter::add_rewritten(const TermKey& key, std::uint64_t hash, std::string_view text) {
  bool is_new;
  const auto same = [&](std::uint32_t i) { return raw_[i] == text; };
  const std::uint32_t raw = raw_index_.find_or_add(key, hash, same, is_new).number;
  if (is_new) {
    raw_.add(text);
    number_of_raw_.push_back(tokeniser_.is_stop_word(text) ? kDropped : stemmed(text));
    met_.resize(terms_.size());
  }
  const std::uint32_t number = number_of_raw_[raw];
  if (number == kDropped) return;
  tokens_.push_back(number);
  if (rules_.shortest_ngram == 1) count_one(number, met_[number].document, met_[number].place);
}

std::uint32_t DocumentCounter::stemmed(std::string_view text) {
  stem_ = stemmer_ ? stemmer_->stem(text) : text;
  const std::size_t length = stem_.size();
  stem_.append(16, '\0');
  const TermKey key = TermKey::of_text(stem_.data(), length);
  return slot_of(key, key.hash(), std::string_view(stem_).substr(0, length)).number;
}

// prefixes_[i] is the number of the n-gram that begins with token i: first of n - 1 tokens, then of n.
void DocumentCounter::add_ngrams(std::uint32_t n) {
  if (n == 2) prefixes_ = tokens_;
  const std::size_t count = tokens_.size() - n + 1;
  std::array<std::uint64_t, kBatch> hashes;
  for (std::size_t from = 0; from < count; from += kBatch) {
    const std::size_t size = std::min(kBatch, count - from);
    for (std::size_t i = 0; i < size; ++i) {
      hashes[i] = TermKey::of_ngram(prefixes_[from + i], tokens_[from + i + n - 1]).hash();
      index_.prefetch(hashes[i]);
    }
    reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
      const TermTree::Parts parts{prefixes_[from + i], tokens_[from + i + n - 1]};
      bool is_new;
      TermIndex::Slot& slot = index_.find_or_add(
          TermKey::of_ngram(parts.prefix, parts.last), hashes[i], [](std::uint32_t) { return true; }, is_new);
      if (is_new) {
        expect_room(slot.number);
        terms_.add_ngram(parts);
      }
      if (n >= rules_.shortest_ngram) count_one(slot.number, slot.document, slot.place);
      prefixes_[from + i] = slot.number;
    }
  }
}

// Room for so many entries more.
void DocumentCounter::reserve(std::size_t more) {
  if (entry_term_.size() >= found_ + more + 1) return;
  entry_term_.resize(2 * (found_ + more + 1));
  entry_count_.resize(entry_term_.size());
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

// The text as n-grams are taken from it. Two or more spaces of any kind become one blank; within words, where every
// space is a border, so does one, and there is a blank at both ends.
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
  reserve(1);
  TermIndex::Slot& slot = slot_of(key, key.hash(), text);
  count_one(slot.number, slot.document, slot.place);
}

}  // namespace plumb
