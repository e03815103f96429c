#include "plumb/text/word_ids.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/text/hashed_terms.h"
#include "plumb/text/html.h"
#include "plumb/text/term_counts.h"

namespace plumb {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;   // so that positions and counts have 32 bits
constexpr std::uint32_t kMostPlaces = std::uint32_t{1} << 31;  // before a document, which has fewer entries than that
constexpr int kDigitBits = 6;                                  // ids of 18 bits are sorted in three passes

}  // namespace

// The entries of a document, kept at hand while some are added: there is room for them.
struct WordIds::Tally {
  std::uint64_t* entries;
  std::uint32_t first_place;
  std::uint32_t found;

  // An occurrence more. Whether the document has met the word before is not to be guessed, so it is a mask and no
  // branch.
  [[gnu::always_inline]] void add(Slot& slot) noexcept {
    const auto first = static_cast<std::uint32_t>(slot.place < first_place);
    const std::uint32_t again = first - 1;  // all ones or zero
    const std::uint32_t at = ((slot.place - first_place) & again) | (found & ~again);
    const std::uint64_t before = std::uint64_t{first} - 1;
    entries[at] = ((entries[at] & before) | std::uint64_t{slot.id} << 32) + 1;
    slot.place = first_place + at;
    found += first;
  }
};

WordIds::WordIds(const Tokeniser& tokeniser, const Vocabulary* vocabulary, std::uint32_t columns)
    : tokeniser_(tokeniser),
      vocabulary_(vocabulary),
      columns_(columns),
      scan_(tokeniser.rules()),
      slots_(kFirstSlots),
      mask_(kFirstSlots - 1) {
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
  put_in_order();
  return taken();
}

void WordIds::begin_document() {
  document_place_ += found_;
  found_ = 0;
  if (size_ > kMostRemembered + (whole_ ? columns_ : 0)) clear();
  // What is stemmed is not in the vocabulary as it stands in texts.
  if (!whole_ && vocabulary_ != nullptr && !stemmer_ && size_ > columns_ / 8 && columns_ <= kMostRemembered)
    add_vocabulary();
  if (document_place_ < kMostPlaces) return;
  for (Slot& slot : slots_) slot.place = 0;
  document_place_ = 1;
}

void WordIds::clear() {
  std::ranges::fill(slots_, Slot{});
  size_ = 0;
  whole_ = false;
  texts_.clear();
}

// In batches whose slots come from memory together.
void WordIds::add_vocabulary() {
  grow(size_ + columns_);
  constexpr std::uint32_t batch = 32;
  std::array<Word, batch> words;
  std::string room;
  for (std::uint32_t from = 0; from < columns_; from += batch) {
    const std::uint32_t count = std::min(columns_ - from, batch);
    for (std::uint32_t i = 0; i < count; ++i) {
      room = vocabulary_->text(from + i);
      const std::size_t length = room.size();
      room.append(16, '\0');  // a key reads so many bytes
      words[i].key = TermKey::of_text(room.data(), length);
      words[i].hash = words[i].key.hash();
      __builtin_prefetch(&slots_[first_of(words[i].hash)], 1);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string_view text = vocabulary_->text(from + i);
      if (!text.empty()) find_or_add(words[i], text, from + i);
    }
  }
  whole_ = true;
}

// The words of a batch are looked for together, so that their slots come from memory together.
void WordIds::add_words(const WordBounds& bounds, std::size_t count) {
  if (8 * (size_ + count) > 5 * slots_.size()) grow(size_ + count);
  if (entries_.size() < found_ + count + 1) entries_.resize(2 * (found_ + count + 1));
  std::array<Word, WordBounds::kMost> words;
  const char* const text = scan_.text();
  for (std::size_t i = 0; i < count; ++i) {
    const TermKey key = TermKey::of_text(text + bounds.begin[i], bounds.end[i] - bounds.begin[i]);
    const std::uint64_t hash = key.hash();
    __builtin_prefetch(&slots_[first_of(hash)], 1);
    words[i] = {key, hash};
  }
  Tally tally{entries_.data(), document_place_, found_};
  for (std::size_t i = 0; i < count; ++i) {
    // The first of the line or the second, without a branch; seldom another.
    Slot* slot = &slots_[first_of(words[i].hash)];
    slot += slot->key == words[i].key ? 0 : 1;
    if (!(slot->key == words[i].key) | words[i].key.is_hash()) [[unlikely]]
      slot = &find_or_add(words[i], {text + bounds.begin[i], bounds.end[i] - bounds.begin[i]});
    tally.add(*slot);
  }
  found_ = tally.found;
}

std::uint32_t WordIds::find(std::string_view word) {
  const std::string_view term = stemmer_ ? stemmer_->stem(word) : word;
  return vocabulary_ != nullptr ? vocabulary_->find(term)
                                : static_cast<std::uint32_t>(term_hash(term)) & (columns_ - 1);
}

// The slot of a word; there is room for one more. Stop words and stems are seen to once for each different word.
WordIds::Slot& WordIds::find_or_add(const Word& word, std::string_view text, std::optional<std::uint32_t> id) {
  std::size_t at = first_of(word.hash);
  for (; slots_[at].key.high != 0; at = (at + 1) & mask_)
    if (slots_[at].key == word.key && (!word.key.is_hash() || texts_[slots_[at].text] == text)) return slots_[at];
  Slot& slot = slots_[at];
  slot = {word.key, 0, 0, static_cast<std::uint32_t>(texts_.size()), 0};
  if (word.key.is_hash()) texts_.add(text);
  ++size_;
  if (tokeniser_.is_stop_word(text)) {
    slot.id = dropped();
    return slot;
  }
  if (!id) id = find(text);
  slot.id = *id == kNoTerm ? unknown() : *id;
  return slot;
}

void WordIds::grow(std::size_t size) {
  std::size_t slots = slots_.size();
  while (8 * size > 5 * slots) slots *= 2;
  std::vector<Slot, HugePages<Slot>> old(slots);
  old.swap(slots_);
  mask_ = slots - 1;
  for (const Slot& slot : old) {
    if (slot.key.high == 0) continue;
    std::size_t at = first_of(slot.key.hash());
    while (slots_[at].key.high != 0) at = (at + 1) & mask_;
    slots_[at] = slot;
  }
}

// By digits of the id from the lowest on, each pass keeping the order of the last one; short rows by comparing.
void WordIds::put_in_order() {
  constexpr std::uint32_t few = 24;
  if (found_ < few) {
    std::sort(entries_.begin(), entries_.begin() + found_);
    return;
  }
  if (other_.size() < entries_.size()) other_.resize(entries_.size());
  switch ((std::bit_width(dropped()) + kDigitBits - 1) / kDigitBits) {
    case 1: return sort_by_digits<1>();
    case 2: return sort_by_digits<2>();
    case 3: return sort_by_digits<3>();
    case 4: return sort_by_digits<4>();
    case 5: return sort_by_digits<5>();
    default: return sort_by_digits<6>();
  }
}

template <unsigned passes>
void WordIds::sort_by_digits() {
  constexpr std::size_t digits = std::size_t{1} << kDigitBits;
  std::array<std::array<std::uint32_t, digits>, passes> place = {};
  std::uint64_t* from = entries_.data();
  std::uint64_t* to = other_.data();
  const std::size_t count = found_;
  const auto digit = [](std::uint64_t entry, unsigned pass) {
    return entry >> (32 + static_cast<unsigned>(kDigitBits) * pass) & (digits - 1);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t entry = from[i];
#pragma GCC unroll 6
    for (unsigned pass = 0; pass < passes; ++pass) ++place[pass][digit(entry, pass)];
  }
  for (unsigned pass = 0; pass < passes; ++pass) {
    std::uint32_t* const at = place[pass].data();
    std::uint32_t before = 0;
    for (std::size_t d = 0; d < digits; ++d) before += std::exchange(at[d], before);
    for (std::size_t i = 0; i < count; ++i) to[at[digit(from[i], pass)]++] = from[i];
    std::swap(from, to);
  }
  if (passes % 2 == 1) entries_.swap(other_);
}

// Words that share an id become one entry.
WordIds::Found WordIds::taken() {
  std::uint32_t known = found_;
  std::uint64_t unseen = 0;
  for (; known > 0 && entries_[known - 1] >> 32 >= columns_; --known)
    if (entries_[known - 1] >> 32 == unknown()) unseen += entries_[known - 1] & 0xFFFFFFFF;
  if (ids_.size() < known) {
    ids_.resize(2 * known);
    counts_.resize(2 * known);
  }
  std::size_t size = 0;
  std::uint64_t last = columns_;
  for (std::uint32_t i = 0; i < known; ++i) {
    const std::uint64_t id = entries_[i] >> 32;
    size -= id == last ? 1 : 0;
    counts_[size] = (id == last ? counts_[size] : 0) + static_cast<std::uint32_t>(entries_[i]);
    ids_[size++] = static_cast<std::uint32_t>(id);
    last = id;
  }
  return {std::span(ids_).first(size), std::span(counts_).first(size), unseen};
}

}  // namespace plumb
