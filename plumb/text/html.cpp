#include "plumb/text/html.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include "plumb/text/entities.h"
#include "plumb/text/unicode.h"

namespace plumb {
namespace {

constexpr std::size_t npos = std::string_view::npos;

static_assert(std::size(kEntities) == 253 && std::ranges::is_sorted(kEntities, {}, &Entity::name));

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char small(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool begins_with(std::string_view text, std::string_view small_word) noexcept {
  return text.size() >= small_word.size() &&
         std::equal(small_word.begin(), small_word.end(), text.begin(), [](char a, char b) { return a == small(b); });
}

constexpr std::string_view kHidden[] = {"script", "style"};  // elements whose content is not shown
constexpr std::size_t kLongestQuoted = 4096;

// Finds markup in one text. Failed searches are not repeated, and values in quotes have a maximum length, so that the
// time is proportional to the text, whatever it contains.
class Markup {
 public:
  explicit Markup(std::string_view text) : text_(text), last_close_(text.rfind('>')) {}

  // Where the markup that begins at `at`, a "<", ends; `at` if it is not markup.
  std::size_t end(std::size_t at) {
    if (last_close_ == npos || at + 1 > last_close_) return at;
    if (text_.substr(at).starts_with("<!--") && comments_close_) {
      const std::size_t close = text_.find("-->", at + 4);
      if (close != npos) return close + 3;
      comments_close_ = false;
    }
    const char next = text_[at + 1];
    if (!is_letter(next) && next != '/' && next != '!' && next != '?') return at;
    const std::size_t end = tag_end(at);
    for (std::size_t i = 0; i < std::size(kHidden); ++i) {
      if (!begins_with(text_.substr(at + 1), kHidden[i]) || is_letter(text_[at + 1 + kHidden[i].size()])) continue;
      if (const std::size_t hidden = hidden_end(i, end); hidden != npos) return hidden;
    }
    return end;
  }

 private:
  // Behind the ">" that ends the tag, which exists. A value in quotes may contain one; a quote that is not closed soon
  // does not count. If no ">" is left outside of quotes, quotes have no meaning from there on.
  std::size_t tag_end(std::size_t at) noexcept {
    bool value = false;  // an equals sign was the last character that is not a blank
    for (std::size_t i = at + 1; i <= last_close_ && quotes_; ++i) {
      const char c = text_[i];
      if (c == '>') return i + 1;
      if (value && (c == '"' || c == '\'')) {
        const std::size_t close = text_.substr(0, std::min(text_.size(), i + kLongestQuoted)).find(c, i + 1);
        if (close != npos && close < last_close_) i = close;
        value = false;
      } else if (c != ' ' && c != '\t' && c != '\n') {
        value = c == '=';
      }
    }
    quotes_ = false;
    return text_.find('>', at) + 1;
  }

  // Behind the end tag of the element, npos if there is none.
  std::size_t hidden_end(std::size_t element, std::size_t from) {
    if (!closes_[element]) return npos;
    for (std::size_t close = text_.find("</", from); close != npos; close = text_.find("</", close + 2)) {
      if (!begins_with(text_.substr(close + 2), kHidden[element])) continue;
      return close > last_close_ ? text_.size() : tag_end(close);
    }
    closes_[element] = false;
    return npos;
  }

  std::string_view text_;
  std::size_t last_close_;  // the last ">" of all
  bool quotes_ = true;
  bool comments_close_ = true;
  bool closes_[std::size(kHidden)] = {true, true};
};

struct Reference {
  char32_t code;
  std::size_t length;
};

std::optional<char32_t> by_name(std::string_view name) noexcept {
  const auto* const found = std::ranges::lower_bound(kEntities, name, {}, &Entity::name);
  if (found == std::end(kEntities) || found->name != name) return std::nullopt;
  return found->code;
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
  Markup markup(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find_first_of("<&", at), text.size());
    out += text.substr(at, next - at);
    at = next;
    if (at == text.size()) break;
    if (text[at] == '<') {
      if (const std::size_t end = markup.end(at); end != at) {
        out.push_back(' ');
        at = end;
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
