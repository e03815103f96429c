// The key of a long text is its start and its hash: two different texts stay different, and memory is bounded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/base/digest.h"

namespace plumb {

using Hash = std::array<std::uint64_t, 2>;

inline constexpr std::size_t kLongestText = 64;

inline std::string text_key(std::string_view text, const Hash& hash) {
  if (text.size() <= kLongestText) return std::string(text);
  std::size_t cut = 48;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  std::string key(text.substr(0, cut));
  key += "...";
  return key + hex16(hash[0]) + hex16(hash[1]);
}

// The part of a key that is shown to people.
inline std::string shown_key(std::string key) {
  constexpr std::size_t hash_digits = 32;
  // Only a cut text can be this long and end in its hash; others are at most kLongestText long.
  if (key.size() > kLongestText) key.resize(key.size() - hash_digits);
  return key;
}

}  // namespace plumb
