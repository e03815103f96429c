#include "plumb/text/word_ids.h"

#include <algorithm>
#include <array>

#include "plumb/base/error.h"
#include "plumb/text/hashed_terms.h"
#include "plumb/text/term_counts.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMostWordBytes = std::uint64_t{1} << 31;  // so that positions and counts have 32 bits
constexpr std::uint32_t kMostWordPlaces = std::uint32_t{1}
                                          << 31;  // before a document, which has fewer entries than that

}  // namespace

WordIds::WordIds(const Tokeniser& tokeniser, const Vocabulary* vocabulary, std::uint32_t columns)
    : tokeniser_(tokeniser), vocabulary_(vocabulary), columns_(columns), row_(columns + 2), scan_(tokeniser.rules()) {
  if (!tokeniser.rules().stem.empty()) stemmer_.emplace(tokeniser.rules().stem);
}
WordIds::WordIds(const Tokeniser& tokeniser, const Vocabulary& vocabulary, std::uint32_t first_place)
    : WordIds(tokeniser, &vocabulary, vocabulary.size()) {
  tally_.restart(first_place);
}
WordIds::WordIds(const Tokeniser& tokeniser, unsigned hash_bits)
    : WordIds(tokeniser, nullptr, std::uint32_t{1} << HashedTerms::checked_bits(hash_bits)) {}

WordIds::Found WordIds::look_up(std::string_view document) {
  if (document.size() > kMostWordBytes) {
    throw Error(ErrorCode::data, "a document of " + std::to_string(document.size()) + " bytes; at most " +
                                     std::to_string(kMostWordBytes) + " were expected");
  }
  begin_document();
  if (tokeniser_.rewrites()) {
    rewritten_ = tokeniser_.rewritten(document);
    document = rewritten_;
  }
  scan_.scan(document);
  bounds_.for_each_batch(scan_, tokeniser_.rules().min_length, [&](std::size_t count) { add_words(count); });
  return taken();
}

void WordIds::begin_document() {
  tally_.begin();
  if (table_.size() > kMostRemembered + (whole_ ? columns_ : 0)) clear();
  // A stemmed word is not in the vocabulary as it occurs in texts.
  if (!whole_ && vocabulary_ != nullptr && !stemmer_ && table_.size() > columns_ / 8 && columns_ <= kMostRemembered)
    add_vocabulary();
  if (tally_.first_place() < kMostWordPlaces) return;
  table_.for_each([](TokenTable::Slot& slot) { slot.place = 0; });
  tally_.restart(1);
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
      room.append(16, '\0');  // a key reads that many bytes
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

void WordIds::add_words(std::size_t count) {
  tally_.reserve(count);
  batch_.seek(table_, scan_.text(), bounds_, count);
  DocumentTally::Adder adder(tally_);
  for (std::size_t i = 0; i < count; ++i) {
    TokenTable::Slot* slot = batch_.find(i);
    if (slot == nullptr) [[unlikely]]
      slot = &find_or_add(batch_.key(i), {scan_.text() + bounds_.begin(i), bounds_.end(i) - bounds_.begin(i)});
    adder.add(slot->place, slot->term);
  }
  adder.put_back(tally_);
}

std::uint32_t WordIds::find(std::string_view word) {
  const std::string_view term = stemmer_ ? stemmer_->stem(word) : word;
  return vocabulary_ != nullptr ? vocabulary_->find(term)
                                : static_cast<std::uint32_t>(term_hash(term)) & (columns_ - 1);
}

// The slot of a word. Stop words and stems are handled once for each different word.
TokenTable::Slot& WordIds::find_or_add(const TermKey& key, std::string_view text, std::optional<std::uint32_t> id) {
  const auto same = [&](const TokenTable::Slot& slot) { return texts_[slot.value] == text; };
  const auto [slot, is_new] = table_.find_or_add(key, same);
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
  const DocumentTally::Entries entries = tally_.entries();
  const std::size_t found = entries.size();
  if (ids_.size() < found) {
    ids_.resize(2 * found);
    counts_.resize(2 * found);
  }
  row_.begin(found);
  std::uint32_t any = 0;
  for (const std::uint32_t count : entries.counts) any |= count;
  if (row_.narrow() && any < 256) {
    std::uint32_t* const keys = row_.next();
    for (std::size_t i = 0; i < found; ++i) keys[i] = entries.terms[i] << 8 | entries.counts[i];
    row_.end(keys + found);
  } else {
    for (std::size_t i = 0; i < found; ++i) row_.add(entries.terms[i], entries.counts[i]);
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
