#include "plumb/text/words.h"

#include "plumb/text/unicode.h"

namespace plumb {
namespace {

constexpr char32_t kCurlyApostrophe = 0x2019;

bool inside_word(char32_t code) noexcept { return code != '_' && code != kNoCharacter && is_word_character(code); }

bool apostrophe(char32_t code) noexcept { return code == '\'' || code == kCurlyApostrophe; }

}  // namespace

WordPlace next_word(std::string_view text, std::size_t at) noexcept {
  Character character{};
  for (; at < text.size(); at += character.length) {
    character = character_at(text, at);
    if (inside_word(character.code)) break;
  }
  std::size_t end = at;
  while (end < text.size()) {
    character = character_at(text, end);
    std::size_t next = end + character.length;
    if (apostrophe(character.code) && next < text.size()) {
      character = character_at(text, next);
      next += character.length;
    }
    if (!inside_word(character.code)) break;
    end = next;
  }
  return {at, end - at};
}

std::string plain_word(std::string_view word) {
  std::string plain = lowered(word);
  constexpr std::string_view kCurly = "\u2019";
  for (std::size_t at = plain.find(kCurly); at != plain.npos; at = plain.find(kCurly, at))
    plain.replace(at, kCurly.size(), "'");
  return plain;
}

}  // namespace plumb
