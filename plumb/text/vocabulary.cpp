#include "plumb/text/vocabulary.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/base/guarded.h"
#include "plumb/base/text.h"
#include "plumb/text/hashed_terms.h"
#include "plumb/text/number_table.h"

namespace plumb {

namespace {

std::unique_ptr<const NumberTable> index_of(const TextList& terms) {
  auto ids = std::make_unique<NumberTable>(terms.size());
  constexpr std::size_t batch = 32;
  std::array<std::uint64_t, batch> hashes;
  for (std::size_t from = 0; from < terms.size(); from += batch) {
    const std::size_t end = std::min(terms.size(), from + batch);
    for (std::size_t id = from; id < end; ++id) ids->prefetch(hashes[id - from] = term_hash(terms[id]));
    for (std::size_t id = from; id < end; ++id) {
      const auto same = [&](std::uint32_t other) { return terms[other] == terms[id]; };
      if (ids->find_or_add(hashes[id - from], same, [&](std::uint32_t i) { return term_hash(terms[i]); }) != id) {
        throw Error(ErrorCode::data,
                    "the vocabulary holds the term " + in_quotes(terms[id]) + " twice; each term was expected once");
      }
    }
  }
  return ids;
}

}  // namespace

// Made on first use; any thread may call.
class Vocabulary::Index {
 public:
  const NumberTable& of(const TextList& terms) {
    if (const NumberTable* const made = ready_.load(std::memory_order_acquire)) return *made;
    return made_.with([&](std::unique_ptr<const NumberTable>& made) -> const NumberTable& {
      if (made == nullptr) made = index_of(terms);
      ready_.store(made.get(), std::memory_order_release);
      return *made;
    });
  }

 private:
  Guarded<std::unique_ptr<const NumberTable>> made_;
  std::atomic<const NumberTable*> ready_ = nullptr;
};

Vocabulary::Vocabulary(TextList terms) : terms_(std::move(terms)), ids_(std::make_shared<Index>()) {
  terms_.shrink_to_fit();
  ids_->of(terms_);
}

static_assert(kNoTerm == NumberTable::kNone);

namespace {

// In batches whose places, and then whose texts, come from memory together: terms are selected in any order.
TextList chosen_tokens(const TermTree& all, std::span<const std::uint32_t> selected) {
  TextList texts;
  texts.reserve(selected.size(), 8 * selected.size());
  constexpr std::size_t batch = 64;
  std::array<TermTree::Place, batch> places;
  std::array<std::string_view, batch> tokens;
  for (std::size_t from = 0; from < selected.size(); from += batch) {
    const std::size_t count = std::min(selected.size() - from, batch);
    for (std::size_t i = from + batch; i < std::min(selected.size(), from + 2 * batch); ++i) all.prefetch(selected[i]);
    for (std::size_t i = 0; i < count; ++i) {
      places[i] = all.place(selected[from + i]);
      __builtin_prefetch(&all.list(places[i].list).ends()[places[i].index]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      tokens[i] = all.text(places[i]);
      __builtin_prefetch(tokens[i].data());
    }
    for (std::size_t i = 0; i < count; ++i) texts.add(tokens[i]);
  }
  texts.shrink_to_fit();
  return texts;
}

TextList chosen(const TermTree& all, std::span<const std::uint32_t> selected) {
  if (all.only_tokens()) return chosen_tokens(all, selected);
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
    : terms_(chosen(lexicon.terms(), selected)), ids_(std::make_shared<Index>()) {}

std::uint32_t Vocabulary::find(std::string_view term) const {
  if (ids_ == nullptr) return kNoTerm;
  return ids_->of(terms_).find(term_hash(term), [&](std::uint32_t id) { return terms_[id] == term; });
}

// In batches whose slots, and then whose terms, come from memory together.
std::vector<std::uint32_t> Vocabulary::ids(const TermCounts& piece) const {
  const TermTree& terms = piece.terms;
  const std::vector<std::uint32_t> used = piece.used_terms();
  std::vector<std::uint32_t> ids(terms.size(), kNoTerm);
  if (ids_ == nullptr) return ids;
  const NumberTable& table = ids_->of(terms_);
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
      table.prefetch(hashes[i]);
    }
    for (std::size_t i = 0; i < count; ++i)
      if (const std::uint32_t id = table.candidate(hashes[i]); id < terms_.size())
        __builtin_prefetch(terms_[id].data());
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view text = std::string_view(texts).substr(ends[i], ends[i + 1] - ends[i]);
      ids[used[from + i]] = table.find(hashes[i], [&](std::uint32_t id) { return terms_[id] == text; });
    }
  }
  return ids;
}

std::size_t Vocabulary::memory() const noexcept {
  return terms_.memory() + (ids_ == nullptr ? 0 : NumberTable::memory_for(terms_.size()));
}

}  // namespace plumb
