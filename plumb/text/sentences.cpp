#include "plumb/text/sentences.h"

#include <algorithm>
#include <optional>

#include "plumb/text/gap.h"
#include "plumb/text/unicode.h"

namespace plumb {
namespace {

constexpr std::string_view kAbbreviations[] = {"capt", "col", "dr",     "e.g", "esq", "fig", "gen", "gov", "hon",
                                               "i.e",  "lt",  "messrs", "mr",  "mrs", "ms",  "mt",  "no",  "prof",
                                               "rev",  "sen", "sgt",    "st",  "viz", "vol", "vs"};
constexpr std::size_t kLongest = 4096;  // bytes of a sentence: each of its occurrences has a copy of it
constexpr std::string_view kClosing[] = {"\"", "'", ")", "]", "_", "*", "\u201D", "\u2019", "\u00BB"};

bool blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

// The word that ends at `end`, as it is before a full stop; with full stops of its own: e.g, U.S.
std::string word_before(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t from = end;
  while (from > begin && !blank(text[from - 1]) && text[from - 1] != '(' && text[from - 1] != '"') --from;
  return lowered(text.substr(from, end - from));
}

bool abbreviates(std::string_view text, std::size_t begin, std::size_t stop) {
  const std::string word = word_before(text, begin, stop);
  return (character_count(word) == 1 && word != "i") ||
         std::find(std::begin(kAbbreviations), std::end(kAbbreviations), word) != std::end(kAbbreviations);
}

std::size_t past_closing(std::string_view text, std::size_t at) noexcept {
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view each : kClosing)
      if (text.substr(at).starts_with(each)) {
        at += each.size();
        more = true;
      }
    while (at < text.size() && (text[at] == '.' || text[at] == '!' || text[at] == '?')) {
      ++at;
      more = true;
    }
  }
  return at;
}

// Whether the next character behind blanks is a lowercase letter.
bool goes_on(std::string_view text, std::size_t at) {
  while (at < text.size() && blank(text[at])) ++at;
  if (at == text.size()) return false;
  const Character next = character_at(text, at);
  return is_word_character(next.code) && next.code != '_' &&
         lowered(text.substr(at, next.length)) == text.substr(at, next.length) &&
         !(next.code >= '0' && next.code <= '9');
}

// An empty line begins at this line end.
bool ends_paragraph(std::string_view text, std::size_t at) noexcept {
  for (++at; at < text.size() && blank(text[at]); ++at)
    if (text[at] == '\n') return true;
  return false;
}

void append_spaced(std::string& out, std::string_view text) {
  for (const char c : text) {
    const bool gap = blank(c) || c == '_';
    if (gap && (out.empty() || out.back() == ' ')) continue;
    out += gap ? ' ' : c;
  }
}

std::string with(std::string_view word, std::string_view before, std::string_view after) {
  std::string text;
  append_spaced(text, before);
  text += word;
  std::string rest;
  append_spaced(rest, after);
  if (!after.empty() && (blank(after.front()) || after.front() == '_') && !rest.starts_with(' ')) text += ' ';
  text += rest;
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace

std::size_t end_of_sentence(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n' && ends_paragraph(text, at)) return at;
    if (blank(c) && at - begin >= kLongest) return at;
    if (c != '.' && c != '!' && c != '?') continue;
    const std::size_t end = past_closing(text, at + 1);
    const bool ends = end == text.size() || blank(text[end]);
    if (ends && !goes_on(text, end) && !(c == '.' && end == at + 1 && abbreviates(text, begin, at))) return end;
    at = end - 1;
  }
  return text.size();
}

std::vector<Occurrence> occurrences_of(std::span<const std::string> words, std::string_view text) {
  std::vector<Occurrence> found;
  std::size_t sentence = 0;
  for (std::size_t begin = 0; begin < text.size(); ++sentence) {
    while (begin < text.size() && blank(text[begin])) ++begin;
    const std::size_t end = end_of_sentence(text, begin);
    const std::string_view own = text.substr(begin, end - begin);
    for (WordPlace word = next_word(own, 0); word.length > 0; word = next_word(own, word.end())) {
      const auto is = std::find(words.begin(), words.end(), plain_word(own.substr(word.begin, word.length)));
      if (is == words.end()) continue;
      const std::string_view before = own.substr(0, word.begin), after = own.substr(word.end());
      found.push_back({{begin + word.begin, word.length},
                       static_cast<std::size_t>(is - words.begin()),
                       sentence,
                       with(kGap, before, after),
                       with(own.substr(word.begin, word.length), before, after)});
    }
    begin = std::max(end, begin + 1);
  }
  return found;
}

}  // namespace plumb
