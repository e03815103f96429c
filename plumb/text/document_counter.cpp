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

void DocumentCounter::clear() {
  terms_.clear();
  tokens_index_.clear();
  ngrams_index_.clear();
  raw_index_.clear();
  raw_.clear();
  stem_of_raw_.clear();
  document_ = 0;
}

// The records of a batch. Whether a document has met a term before is not to be guessed, so it is a mask and no branch.
void DocumentCounter::count_all(TermIndex& index, std::size_t count) {
  reserve(count);
  std::uint32_t* const terms = entry_term_.data();
  std::uint32_t* const counts = entry_count_.data();
  const std::uint32_t document = document_;
  std::uint32_t found = found_;
  for (std::size_t i = 0; i < count; ++i) {
    TermIndex::Record& record = index[batch_[i]];
    const auto first = static_cast<std::uint32_t>(record.document != document);
    const std::uint32_t again = first - 1;  // all ones or zero
    const std::uint32_t at = (record.place & again) | (found & ~again);
    record.document = document;
    record.place = at;
    terms[at] = record.term;
    counts[at] = (counts[at] & again) + 1;
    found += first;
  }
  found_ = found;
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
  const TermIndex& index = rewritten_ ? raw_index_ : tokens_index_;
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
    // A character has at most 4 bytes; and of a short word the key tells whether it has one beyond ASCII.
    const bool surely = ascii || length >= 4 * std::size_t{min_length} ||
                        (length <= 8 && (token.key.low & 0x8080808080808080) == 0);
    kept += (surely ? length : characters_in(text + begin, length)) >= min_length ? 1 : 0;
  }
  if (rewritten_) {
    for (std::size_t i = 0; i < kept; ++i) {
      const Token& token = batch[i];
      batch_[i] = rewritten(token.key, token.hash, {text + token.begin, token.length});
    }
    kept = static_cast<std::size_t>(std::remove(batch_.begin(), batch_.begin() + kept, kDropped) - batch_.begin());
  } else {
    for (std::size_t i = 0; i < kept; ++i) batch_[i] = tokens_index_.candidate(batch[i].hash);
    for (std::size_t i = 0; i < kept; ++i) {
      const Token& token = batch[i];
      if (!tokens_index_.is(batch_[i], token.key) || token.key.is_hash()) [[unlikely]] {
        batch_[i] = record_of(token.key, token.hash, {text + token.begin, token.length});
      }
    }
  }
  if (rules_.shortest_ngram == 1) count_all(tokens_index_, kept);
  if (rules_.longest_ngram > 1) tokens_.insert(tokens_.end(), batch_.begin(), batch_.begin() + kept);
}

std::uint32_t DocumentCounter::record_of(const TermKey& key, std::uint64_t hash, std::string_view text) {
  const std::size_t next = terms_.size();
  expect_room(next);
  const auto same = [&](std::uint32_t term) { return terms_.token(term) == text; };
  const std::uint32_t record = tokens_index_.find_or_add(key, hash, static_cast<std::uint32_t>(next), same);
  if (tokens_index_[record].term == next) terms_.add_token(text);
  return record;
}

// Stop words and stems are seen to once for each different token.
std::uint32_t DocumentCounter::rewritten(const TermKey& key, std::uint64_t hash, std::string_view text) {
  const std::size_t next = raw_.size();
  expect_room(next);
  const auto same = [&](std::uint32_t raw) { return raw_[raw] == text; };
  const std::uint32_t raw = raw_index_[raw_index_.find_or_add(key, hash, static_cast<std::uint32_t>(next), same)].term;
  if (raw == next) {
    raw_.add(text);
    stem_of_raw_.push_back(tokeniser_.is_stop_word(text) ? kDropped : stemmed(text));
  }
  return stem_of_raw_[raw];
}

std::uint32_t DocumentCounter::stemmed(std::string_view text) {
  stem_ = stemmer_ ? stemmer_->stem(text) : text;
  const std::size_t length = stem_.size();
  stem_.append(16, '\0');
  const TermKey key = TermKey::of_text(stem_.data(), length);
  return record_of(key, key.hash(), std::string_view(stem_).substr(0, length));
}

// prefixes_[i] is the record of the n-gram that begins with token i: first of n - 1 tokens, then of n.
void DocumentCounter::add_ngrams(std::uint32_t n) {
  if (n == 2) prefixes_ = tokens_;
  TermIndex& prefix_index = n == 2 ? tokens_index_ : ngrams_index_;
  const std::size_t count = tokens_.size() - n + 1;
  std::array<std::uint64_t, kBatch> hashes;
  for (std::size_t from = 0; from < count; from += kBatch) {
    const std::size_t size = std::min(kBatch, count - from);
    const std::uint32_t* const prefix = prefixes_.data() + from;
    const std::uint32_t* const last = tokens_.data() + from + n - 1;
    for (std::size_t i = 0; i < size; ++i) {
      hashes[i] = TermKey::of_ngram(prefix[i], last[i], n).hash();
      ngrams_index_.prefetch(hashes[i]);
    }
    for (std::size_t i = 0; i < size; ++i) batch_[i] = ngrams_index_.candidate(hashes[i]);
    for (std::size_t i = 0; i < size; ++i) {
      const TermKey key = TermKey::of_ngram(prefix[i], last[i], n);
      if (ngrams_index_.is(batch_[i], key)) continue;
      const std::size_t next = terms_.size();
      expect_room(next);
      batch_[i] = ngrams_index_.find_or_add(key, hashes[i], static_cast<std::uint32_t>(next),
                                            [](std::uint32_t) { return true; });
      if (ngrams_index_[batch_[i]].term != next) continue;
      terms_.add_ngram({prefix_index[prefix[i]].term, tokens_index_[last[i]].term});
    }
    std::copy_n(batch_.begin(), size, prefixes_.begin() + static_cast<std::ptrdiff_t>(from));
    if (n >= rules_.shortest_ngram) count_all(ngrams_index_, size);
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
  batch_[0] = record_of(key, key.hash(), text);
  count_all(tokens_index_, 1);
}

}  // namespace plumb
