#include "plumb/text/vocabulary.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/text/hashed_terms.h"
#include "plumb/text/number_table.h"

namespace plumb {

Vocabulary::Vocabulary(TextList terms) : terms_(std::move(terms)) {
  terms_.shrink_to_fit();
  const auto ids = std::make_shared<NumberTable>(terms_.size());
  constexpr std::size_t batch = 32;
  std::array<std::uint64_t, batch> hashes;
  for (std::size_t from = 0; from < terms_.size(); from += batch) {
    const std::size_t end = std::min(terms_.size(), from + batch);
    for (std::size_t id = from; id < end; ++id) ids->prefetch(hashes[id - from] = term_hash(terms_[id]));
    for (std::size_t id = from; id < end; ++id) {
      const auto same = [&](std::uint32_t other) { return terms_[other] == terms_[id]; };
      if (ids->find_or_add(hashes[id - from], same, [&](std::uint32_t i) { return term_hash(terms_[i]); }) != id) {
        throw Error(ErrorCode::data,
                    "the vocabulary holds the term " + in_quotes(terms_[id]) + " twice; each term was expected once");
      }
    }
  }
  ids_ = ids;
}

static_assert(kNoTerm == NumberTable::kNone);

namespace {

TextList chosen(const TermTree& all, std::span<const std::uint32_t> selected) {
  TextList texts;
  std::size_t bytes = 0;
  for (const std::uint32_t number : selected) bytes += all.text_size(number);
  texts.reserve(selected.size(), bytes);
  std::string text;
  for (const std::uint32_t number : selected) {
    text.clear();
    all.append_text(number, text);
    texts.add(text);
  }
  return texts;
}

}  // namespace

Vocabulary::Vocabulary(const Lexicon& lexicon, std::span<const std::uint32_t> selected)
    : Vocabulary(chosen(lexicon.terms(), selected)) {}

std::uint32_t Vocabulary::find(std::string_view term) const noexcept {
  if (ids_ == nullptr) return kNoTerm;
  return ids_->find(term_hash(term), [&](std::uint32_t id) { return terms_[id] == term; });
}

// In batches whose slots, and then whose terms, come from memory together.
std::vector<std::uint32_t> Vocabulary::ids(const TermCounts& piece) const {
  const TermTree& terms = piece.terms;
  const std::vector<std::uint32_t> used = piece.used_terms();
  std::vector<std::uint32_t> ids(terms.size(), kNoTerm);
  if (ids_ == nullptr) return ids;
  constexpr std::size_t batch = 32;
  std::array<std::uint64_t, batch> hashes;
  std::array<std::size_t, batch + 1> ends{};
  std::string texts;
  for (std::size_t from = 0; from < used.size(); from += batch) {
    const std::size_t count = std::min(used.size() - from, batch);
    texts.clear();
    for (std::size_t i = 0; i < count; ++i) {
      terms.append_text(used[from + i], texts);
      ends[i + 1] = texts.size();
      hashes[i] = term_hash(std::string_view(texts).substr(ends[i]));
      ids_->prefetch(hashes[i]);
    }
    for (std::size_t i = 0; i < count; ++i)
      if (const std::uint32_t id = ids_->candidate(hashes[i]); id < terms_.size())
        __builtin_prefetch(terms_[id].data());
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view text = std::string_view(texts).substr(ends[i], ends[i + 1] - ends[i]);
      ids[used[from + i]] = ids_->find(hashes[i], [&](std::uint32_t id) { return terms_[id] == text; });
    }
  }
  return ids;
}

std::size_t Vocabulary::memory() const noexcept { return terms_.memory() + (ids_ == nullptr ? 0 : ids_->memory()); }

}  // namespace plumb
