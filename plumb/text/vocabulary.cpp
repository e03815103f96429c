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

std::vector<std::uint32_t> Vocabulary::ids(const TermTree& terms) const {
  std::vector<std::uint32_t> ids(terms.size());
  std::string text;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    text.clear();
    terms.append_text(i, text);
    ids[i] = find(text);
  }
  return ids;
}

std::size_t Vocabulary::memory() const noexcept { return terms_.memory() + (ids_ == nullptr ? 0 : ids_->memory()); }

}  // namespace plumb
