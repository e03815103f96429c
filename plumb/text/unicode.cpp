#include "plumb/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

namespace plumb {
namespace {

constexpr char32_t kCapitalSigma = 0x3A3, kSigma = 0x3C3, kFinalSigma = 0x3C2;
constexpr char32_t kCapitalIWithDot = 0x130;

unsigned char byte_at(std::string_view text, std::size_t i) noexcept {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

unsigned category(char32_t code) noexcept {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(code))->category;
}

bool is_word(unsigned category) noexcept {
  static_assert(UTF8PROC_CATEGORY_LU == 1 && UTF8PROC_CATEGORY_LO == 5 && UTF8PROC_CATEGORY_ND == 9 &&
                UTF8PROC_CATEGORY_NO == 11);
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
         (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO);
}

constexpr bool in(unsigned what, std::initializer_list<unsigned> set) noexcept {
  return std::ranges::find(set, what) != set.end();
}

// Characters that are case-ignorable for another reason than their category: Word_Break is MidLetter, MidNumLet or
// Single_Quote.
constexpr char32_t kIgnorableMarks[] = {0x27,   0x2E,   0x3A,   0xB7,   0x387,  0x55F,  0x5F4,  0x2018, 0x2019,
                                        0x2024, 0x2027, 0xFE13, 0xFE52, 0xFE55, 0xFF07, 0xFF0E, 0xFF1A};

// Unicode 3.13, D136.
bool case_ignorable(char32_t code) noexcept {
  return in(category(code), {UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME, UTF8PROC_CATEGORY_CF, UTF8PROC_CATEGORY_LM,
                             UTF8PROC_CATEGORY_SK}) ||
         std::ranges::binary_search(kIgnorableMarks, code);
}

// Unicode 3.13, D135, of characters that are not case-ignorable: letters with a case, and the Other_Lowercase and
// Other_Uppercase among the rest: ordinal indicators, Roman numerals, letters in circles and squares.
bool cased(char32_t code) noexcept {
  return in(category(code), {UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LL, UTF8PROC_CATEGORY_LT}) || code == 0xAA ||
         code == 0xBA || (code >= 0x2160 && code <= 0x217F) || (code >= 0x24B6 && code <= 0x24E9) ||
         (code >= 0x1F130 && code <= 0x1F149) || (code >= 0x1F150 && code <= 0x1F169) ||
         (code >= 0x1F170 && code <= 0x1F189);
}

std::size_t length_before(std::string_view text, std::size_t at) noexcept {
  std::size_t begin = at - 1;
  while (begin > 0 && at - begin < 4 && (byte_at(text, begin) & 0xC0) == 0x80) --begin;
  return character_at(text, begin).length == at - begin ? at - begin : 1;
}

// Final_Sigma of Unicode 3.13, table 3-17: after a cased letter, and not before one, case-ignorables in between.
bool ends_word(std::string_view text, std::size_t at, std::size_t after) noexcept {
  bool letter_before = false;
  while (at > 0 && !letter_before) {
    at -= length_before(text, at);
    const char32_t code = character_at(text, at).code;
    if (case_ignorable(code)) continue;
    if (!cased(code)) return false;
    letter_before = true;
  }
  if (!letter_before) return false;
  while (after < text.size()) {
    const Character next = character_at(text, after);
    if (!case_ignorable(next.code)) return !cased(next.code);
    after += next.length;
  }
  return true;
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) noexcept {
  const unsigned lead = byte_at(text, at);
  const auto rest = [&](std::size_t i) { return char32_t{byte_at(text, at + i)} ^ 0x80; };  // above 63 if it is invalid
  if (lead < 0x80) return {lead, 1};
  if (lead >= 0xC2 && lead < 0xE0 && rest(1) < 64) return {(lead & 0x1Fu) << 6 | rest(1), 2};
  if (lead >= 0xE0 && lead < 0xF0 && rest(1) < 64 && rest(2) < 64) {
    const char32_t code = (lead & 0xFu) << 12 | rest(1) << 6 | rest(2);
    if (code >= 0x800 && (code < 0xD800 || code > 0xDFFF)) return {code, 3};
  }
  if (lead >= 0xF0 && lead < 0xF5 && rest(1) < 64 && rest(2) < 64 && rest(3) < 64) {
    const char32_t code = (lead & 0x7u) << 18 | rest(1) << 12 | rest(2) << 6 | rest(3);
    if (code >= 0x10000 && code <= 0x10FFFF) return {code, 4};
  }
  return {kNoCharacter, 1};
}

void append_character(std::string& out, char32_t code) {
  const auto push = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    push(code);
  } else if (code < 0x800) {
    push(0xC0 | code >> 6);
    push(0x80 | (code & 63));
  } else if (code < 0x10000) {
    push(0xE0 | code >> 12);
    push(0x80 | (code >> 6 & 63));
    push(0x80 | (code & 63));
  } else {
    push(0xF0 | code >> 18);
    push(0x80 | (code >> 12 & 63));
    push(0x80 | (code >> 6 & 63));
    push(0x80 | (code & 63));
  }
}

bool is_word_character(char32_t code) noexcept { return is_word(category(code)) || code == '_'; }

bool is_space(char32_t code) noexcept {
  return code == ' ' || (code >= 0x9 && code <= 0xD) || (code >= 0x1C && code <= 0x1F) || code == 0x85 ||
         code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

Folded folded_at(std::string_view text, std::size_t at, Character character) noexcept {
  const char32_t code = character.code;
  const utf8proc_property_t& is = *utf8proc_get_property(static_cast<utf8proc_int32_t>(code));
  const bool word = is_word(is.category) || code == '_';
  if (is.lowercase_seqindex == 0xFFFF) return {code, word, false};  // utf8proc's mark for "itself"
  if (code == kCapitalSigma) return {ends_word(text, at, at + character.length) ? kFinalSigma : kSigma, word, false};
  if (code == kCapitalIWithDot) return {'i', word, true};
  return {static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code))), word, false};
}

std::string lowered(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character next = character_at(text, at);
    if (next.code == kNoCharacter) {
      out.push_back(text[at]);
    } else {
      const Folded folded = folded_at(text, at, next);
      append_character(out, folded.code);
      if (folded.dotted) append_character(out, 0x307);
    }
    at += next.length;
  }
  return out;
}

std::size_t character_count(std::string_view text) noexcept {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += character_at(text, at).length) ++count;
  return count;
}

}  // namespace plumb
