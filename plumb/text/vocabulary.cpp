#include "plumb/text/vocabulary.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/text.h"
#include "plumb/text/hashed_terms.h"

namespace plumb {

Vocabulary::Vocabulary(TermTexts terms) : terms_(std::move(terms)) {
  if (terms_.size() >= kNoTerm / 2) {
    throw Error(ErrorCode::data,
                "there are " + std::to_string(terms_.size()) + " terms; at most 2147483646 were expected",
                "--min-df 2");
  }
  terms_.shrink_to_fit();
  slots_.assign(std::bit_ceil(2 * terms_.size() + 1), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t id = 0; id < terms_.size(); ++id) {
    std::size_t at = term_hash(terms_[id]) & mask;
    for (; slots_[at] != 0; at = (at + 1) & mask) {
      if (terms_[slots_[at] - 1] == terms_[id]) {
        throw Error(ErrorCode::data,
                    "the vocabulary holds the term " + in_quotes(terms_[id]) + " twice; each term was expected once");
      }
    }
    slots_[at] = static_cast<std::uint32_t>(id + 1);
  }
}

namespace {

TermTexts chosen(const TermTree& all, std::span<const std::uint32_t> selected) {
  TermTexts texts;
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
  if (slots_.empty()) return kNoTerm;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = term_hash(term) & mask; slots_[at] != 0; at = (at + 1) & mask) {
    if (terms_[slots_[at] - 1] == term) return slots_[at] - 1;
  }
  return kNoTerm;
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

std::size_t Vocabulary::memory() const noexcept { return terms_.memory() + slots_.capacity() * sizeof slots_[0]; }

}  // namespace plumb
