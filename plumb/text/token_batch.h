// Tokens that are looked up together, so that their slots come from memory together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "plumb/text/term_key.h"
#include "plumb/text/token_table.h"
#include "plumb/text/word_bounds.h"

namespace plumb {

class TokenBatch {
 public:
  // Makes the keys of the words and prefetches their slots. Slots stay in place while the words are added.
  void seek(TokenTable& table, const char* text, const WordBounds& bounds, std::size_t count) {
    table.reserve(count);
    const TokenTable::Places places(table);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t begin = bounds.begin(i);
      const TermKey key = TermKey::of_text(text + begin, bounds.end(i) - begin);
      keys_[i] = key;
      slots_[i] = places.expect(key.hash());
    }
  }
  const TermKey& key(std::size_t i) const noexcept { return keys_[i]; }
  // The slot of a word, if it is one of the first two and its key is not a hash; otherwise null.
  [[gnu::always_inline]] TokenTable::Slot* find(std::size_t i) const noexcept {
    TokenTable::Slot* slot = slots_[i];
    if (!(slot->key == keys_[i])) [[unlikely]] {
      slot = TokenTable::beside(slot);
      if (!(slot->key == keys_[i])) return nullptr;
    }
    return keys_[i].is_hash() ? nullptr : slot;
  }

 private:
  std::array<TermKey, WordBounds::kMost> keys_;
  std::array<TokenTable::Slot*, WordBounds::kMost> slots_;
};

}  // namespace plumb
