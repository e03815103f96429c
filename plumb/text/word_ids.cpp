#include "plumb/text/word_ids.h"

#include <algorithm>
#include <array>

#include "plumb/base/error.h"
#include "plumb/text/hashed_terms.h"
#include "plumb/text/html.h"
#include "plumb/text/term_counts.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;   // so that positions and counts have 32 bits
constexpr std::uint32_t kMostPlaces = std::uint32_t{1} << 31;  // before a document, which has fewer entries than that

}  // namespace

// The entries of a document, kept at hand while some are added: there is room for them.
struct WordIds::Tally {
  std::uint64_t* entries;
  std::uint32_t first_place;
  std::uint32_t found;

  // An occurrence more. Whether the document has met the word before is not to be guessed, so it is a mask and no
  // branch.
  [[gnu::always_inline]] void add(TokenTable::Slot& slot) noexcept {
    const auto first = static_cast<std::uint32_t>(slot.place < first_place);
    const std::uint32_t again = first - 1;  // all ones or zero
    const std::uint32_t at = ((slot.place - first_place) & again) | (found & ~again);
    const std::uint64_t before = std::uint64_t{first} - 1;
    entries[at] = ((entries[at] & before) | std::uint64_t{slot.term} << 32) + 1;
    slot.place = first_place + at;
    found += first;
  }
};

WordIds::WordIds(const Tokeniser& tokeniser, const Vocabulary* vocabulary, std::uint32_t columns)
    : tokeniser_(tokeniser), vocabulary_(vocabulary), columns_(columns), row_(columns + 2), scan_(tokeniser.rules()) {
  if (!tokeniser.rules().stem.empty()) stemmer_.emplace(tokeniser.rules().stem);
}
WordIds::WordIds(const Tokeniser& tokeniser, const Vocabulary& vocabulary, std::uint32_t first_place)
    : WordIds(tokeniser, &vocabulary, vocabulary.size()) {
  document_place_ = first_place;
}
WordIds::WordIds(const Tokeniser& tokeniser, unsigned hash_bits)
    : WordIds(tokeniser, nullptr, std::uint32_t{1} << HashedTerms::checked_bits(hash_bits)) {}

WordIds::Found WordIds::look_up(std::string_view document) {
  if (document.size() > kMostBytes) {
    throw Error(ErrorCode::data, "a document of " + std::to_string(document.size()) + " bytes; at most " +
                                     std::to_string(kMostBytes) + " were expected");
  }
  begin_document();
  if (tokeniser_.rules().html) {
    stripped_ = without_html(document);
    document = stripped_;
  }
  scan_.scan(document);
  WordBounds::for_each_batch(scan_, tokeniser_.rules().min_length,
                             [&](const WordBounds& bounds, std::size_t count) { add_words(bounds, count); });
  return taken();
}

void WordIds::begin_document() {
  document_place_ += found_;
  found_ = 0;
  if (table_.size() > kMostRemembered + (whole_ ? columns_ : 0)) clear();
  // What is stemmed is not in the vocabulary as it stands in texts.
  if (!whole_ && vocabulary_ != nullptr && !stemmer_ && table_.size() > columns_ / 8 && columns_ <= kMostRemembered)
    add_vocabulary();
  if (document_place_ < kMostPlaces) return;
  table_.for_each([](TokenTable::Slot& slot) { slot.place = 0; });
  document_place_ = 1;
}

void WordIds::clear() {
  table_.clear();
  whole_ = false;
  texts_.clear();
}

// In batches whose slots come from memory together.
void WordIds::add_vocabulary() {
  table_.reserve(columns_);
  constexpr std::uint32_t batch = 32;
  std::array<TermKey, batch> keys;
  std::string room;
  for (std::uint32_t from = 0; from < columns_; from += batch) {
    const std::uint32_t count = std::min(columns_ - from, batch);
    for (std::uint32_t i = 0; i < count; ++i) {
      room = vocabulary_->text(from + i);
      const std::size_t length = room.size();
      room.append(16, '\0');  // a key reads so many bytes
      keys[i] = TermKey::of_text(room.data(), length);
      table_.prefetch(keys[i].hash());
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string_view text = vocabulary_->text(from + i);
      if (!text.empty()) find_or_add(keys[i], text, from + i);
    }
  }
  whole_ = true;
}

// The words of a batch are looked for together, so that their slots come from memory together.
void WordIds::add_words(const WordBounds& bounds, std::size_t count) {
  table_.reserve(count);
  if (entries_.size() < found_ + count + 1) entries_.resize(2 * (found_ + count + 1));
  std::array<Word, WordBounds::kMost> words;
  const char* const text = scan_.text();
  const TokenTable::Places places(table_);
  for (std::size_t i = 0; i < count; ++i) {
    const TermKey key = TermKey::of_text(text + bounds.begin[i], bounds.end[i] - bounds.begin[i]);
    words[i] = {key, places.expect(key.hash())};
  }
  Tally tally{entries_.data(), document_place_, found_};
  for (std::size_t i = 0; i < count; ++i) {
    TokenTable::Slot* slot = words[i].slot;
    if (!(slot->key == words[i].key)) [[unlikely]]
      slot = TokenTable::beside(slot);
    if (!(slot->key == words[i].key) | words[i].key.is_hash()) [[unlikely]]
      slot = &find_or_add(words[i].key, {text + bounds.begin[i], bounds.end[i] - bounds.begin[i]});
    tally.add(*slot);
  }
  found_ = tally.found;
}

std::uint32_t WordIds::find(std::string_view word) {
  const std::string_view term = stemmer_ ? stemmer_->stem(word) : word;
  return vocabulary_ != nullptr ? vocabulary_->find(term)
                                : static_cast<std::uint32_t>(term_hash(term)) & (columns_ - 1);
}

// The slot of a word. Stop words and stems are seen to once for each different word.
TokenTable::Slot& WordIds::find_or_add(const TermKey& key, std::string_view text, std::optional<std::uint32_t> id) {
  const auto same = [&](const TokenTable::Slot& slot) { return texts_[slot.value] == text; };
  const auto [slot, is_new] = table_.find_or_add(key, key.hash(), same);
  if (!is_new) return slot;
  slot.value = texts_.size();
  if (key.is_hash()) texts_.add(text);
  if (tokeniser_.is_stop_word(text)) {
    slot.term = dropped();
    return slot;
  }
  if (!id) id = find(text);
  slot.term = *id == kNoTerm ? unknown() : *id;
  return slot;
}

// In the order of ids; words that share one become one entry. Words without an id come last.
WordIds::Found WordIds::taken() {
  if (ids_.size() < found_) {
    ids_.resize(2 * std::size_t{found_});
    counts_.resize(2 * std::size_t{found_});
  }
  row_.begin(found_);
  std::uint64_t any = 0;
  for (std::uint32_t i = 0; i < found_; ++i) any |= entries_[i];
  if (row_.narrow() && (any & 0xFFFFFFFF) < 256) {
    std::uint32_t* const keys = row_.next();
    for (std::uint32_t i = 0; i < found_; ++i)
      keys[i] = static_cast<std::uint32_t>(entries_[i] >> 32) << 8 | static_cast<std::uint32_t>(entries_[i]);
    row_.end(keys + found_);
  } else {
    for (std::uint32_t i = 0; i < found_; ++i)
      row_.add(static_cast<std::uint32_t>(entries_[i] >> 32), static_cast<std::uint32_t>(entries_[i]));
  }
  std::size_t size = 0;
  std::uint64_t unseen = 0;
  const auto put = [&](std::uint32_t id, std::uint32_t count) {
    if (id >= columns_) {
      unseen += id == unknown() ? count : 0;
      return;
    }
    ids_[size] = id;
    counts_[size++] = count;
  };
  if (!row_.all_narrow()) {
    row_.take(put);
    return {std::span(ids_).first(size), std::span(counts_).first(size), unseen};
  }
  const std::span<const std::uint32_t> keys = row_.sorted();
  std::size_t known = keys.size();
  for (; known > 0 && keys[known - 1] >> 8 >= columns_; --known)
    unseen += keys[known - 1] >> 8 == unknown() ? keys[known - 1] & 0xFF : 0;
  bool twice = false;
  for (std::size_t i = 0; i < known; ++i) {
    ids_[i] = keys[i] >> 8;
    counts_[i] = keys[i] & 0xFF;
  }
  for (std::size_t i = 1; i < known; ++i) twice |= ids_[i] == ids_[i - 1];
  if (!twice) return {std::span(ids_).first(known), std::span(counts_).first(known), unseen};
  RowSorter::add_equal(keys.first(known), put);
  return {std::span(ids_).first(size), std::span(counts_).first(size), unseen};
}

}  // namespace plumb
