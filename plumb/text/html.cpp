#include "plumb/text/html.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "plumb/text/unicode.h"

namespace plumb {
namespace {

constexpr std::size_t npos = std::string_view::npos;

// HTML 4.01, section 24.2: the names of U+00A0 to U+00FF, in order.
constexpr std::string_view kLatin1Names[] = {
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",    "copy",   "ordf",
    "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn", "sup2",   "sup3",   "acute",  "micro",
    "para",   "middot", "cedil",  "sup1",   "ordm",   "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave",
    "Aacute", "Acirc",  "Atilde", "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",
    "Igrave", "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",
    "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",  "szlig",  "agrave", "aacute",
    "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil", "egrave", "eacute", "ecirc",  "euml",   "igrave",
    "iacute", "icirc",  "iuml",   "eth",    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide",
    "oslash", "ugrave", "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};
static_assert(std::size(kLatin1Names) == 96);

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char small(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool begins_with(std::string_view text, std::string_view small_word) noexcept {
  return text.size() >= small_word.size() &&
         std::equal(small_word.begin(), small_word.end(), text.begin(), [](char a, char b) { return a == small(b); });
}

// Behind the ">" that ends the tag at the start of text; npos if there is none. A value in quotes may hold one.
std::size_t tag_end(std::string_view text) noexcept {
  char quote = 0;
  bool value = false;  // an equals sign was the last that is not a blank
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '>') {
      return i + 1;
    } else if (value && (c == '"' || c == '\'')) {
      quote = c;
      value = false;
    } else if (c != ' ' && c != '\t' && c != '\n') {
      value = c == '=';
    }
  }
  // A quote that is never closed was none.
  const std::size_t end = text.find('>');
  return end == npos ? npos : end + 1;
}

std::size_t behind(std::string_view text, std::string_view what, std::size_t from) noexcept {
  const std::size_t at = text.find(what, from);
  return at == npos ? npos : at + what.size();
}

// Where the markup at the start of text, a "<", ends; 0 if it is none.
std::size_t markup_length(std::string_view text) noexcept {
  if (text.size() < 2) return 0;
  if (text.starts_with("<!--")) {
    const std::size_t end = behind(text, "-->", 4);
    if (end != npos) return end;
  }
  const char next = text[1];
  if (!is_letter(next) && next != '/' && next != '!' && next != '?') return 0;
  const std::size_t end = tag_end(text);
  if (end == npos) return 0;
  for (const std::string_view element : {std::string_view("script"), std::string_view("style")}) {
    if (!begins_with(text.substr(1), element) || is_letter(text[1 + element.size()])) continue;
    for (std::size_t close = text.find("</", end); close != npos; close = text.find("</", close + 2)) {
      if (!begins_with(text.substr(close + 2), element)) continue;
      const std::size_t length = tag_end(text.substr(close));
      return length == npos ? text.size() : close + length;
    }
  }
  return end;
}

struct Reference {
  char32_t code;
  std::size_t length;
};

std::optional<char32_t> by_name(std::string_view name) noexcept {
  if (name == "amp") return '&';
  if (name == "lt") return '<';
  if (name == "gt") return '>';
  if (name == "quot") return '"';
  if (name == "apos") return '\'';
  const auto* const found = std::ranges::find(kLatin1Names, name);
  if (found == std::end(kLatin1Names)) return std::nullopt;
  return static_cast<char32_t>(0xA0 + (found - std::begin(kLatin1Names)));
}

std::optional<char32_t> by_number(std::string_view digits) noexcept {
  const bool hex = !digits.empty() && small(digits[0]) == 'x';
  if (hex) digits.remove_prefix(1);
  if (digits.empty()) return std::nullopt;
  std::uint32_t code = 0;
  for (const char digit : digits) {
    const char c = small(digit);
    if (c >= '0' && c <= '9') {
      code = code * (hex ? 16 : 10) + static_cast<std::uint32_t>(c - '0');
    } else if (hex && c >= 'a' && c <= 'f') {
      code = code * 16 + static_cast<std::uint32_t>(c - 'a' + 10);
    } else {
      return std::nullopt;
    }
    if (code > 0x10FFFF) return std::nullopt;
  }
  if (code == 0 || (code >= 0xD800 && code <= 0xDFFF)) return std::nullopt;
  return code;
}

// The character reference at the start of text, an "&".
std::optional<Reference> reference(std::string_view text) noexcept {
  constexpr std::size_t longest = 10;  // &#x10FFFF;
  const std::size_t end = text.substr(0, longest).find(';');
  if (end == npos || end < 2) return std::nullopt;
  const std::string_view inside = text.substr(1, end - 1);
  const std::optional<char32_t> code = inside[0] == '#' ? by_number(inside.substr(1)) : by_name(inside);
  if (!code) return std::nullopt;
  return Reference{*code, end + 1};
}

}  // namespace

std::string without_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find_first_of("<&", at), text.size());
    out += text.substr(at, next - at);
    at = next;
    if (at == text.size()) break;
    if (text[at] == '<') {
      if (const std::size_t length = markup_length(text.substr(at))) {
        out.push_back(' ');
        at += length;
        continue;
      }
    } else if (const std::optional<Reference> found = reference(text.substr(at))) {
      append_character(out, found->code);
      at += found->length;
      continue;
    }
    out.push_back(text[at++]);
  }
  return out;
}

}  // namespace plumb
