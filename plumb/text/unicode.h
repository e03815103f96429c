// Characters as in Python's str, since Python defines scikit-learn's token rule: \w, isspace and lower(). The
// properties are those of utf8proc (Unicode 14); unicode_test.cpp compares them with Python's, code point by code
// point.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb {

struct Character {
  char32_t code;       // kNoCharacter for a byte that is not UTF-8
  std::size_t length;  // in bytes
};

inline constexpr char32_t kNoCharacter = 0xFFFFFFFF;

// The character that begins at `at`, which is below text.size().
Character character_at(std::string_view text, std::size_t at) noexcept;
void append_character(std::string& out, char32_t code);

// Letters, numbers of any kind and the underscore: \w of Python's re. Marks are not included, so a decomposed e with
// acute ends a word.
bool is_word_character(char32_t code) noexcept;
bool is_space(char32_t code) noexcept;

// Python's str.lower(): the full mapping of Unicode, where I with a dot above becomes i and a combining dot, and sigma
// at the end of a word the final sigma. Bytes that are not UTF-8 stay.
std::string lowered(std::string_view text);

// One character of `text`, at `at`. The context matters only for sigma.
struct Folded {
  char32_t code;  // its lowercase form, or itself
  bool word;      // is_word_character
  bool dotted;    // a combining dot, U+0307, follows the lowercase form: only for U+0130
};
Folded folded_at(std::string_view text, std::size_t at, Character character) noexcept;

// The number of characters; a byte that is not UTF-8 counts as one.
std::size_t character_count(std::string_view text) noexcept;

}  // namespace plumb
