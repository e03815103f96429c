#include "plumb/text/gap.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "plumb/text/unicode.h"
#include "plumb/text/words.h"

namespace plumb {
namespace {

constexpr std::size_t kNear = 5;  // words to each side whose places do not matter
constexpr std::size_t kEndings[] = {2, 3};
constexpr std::string_view kApostrophe = "\u02BC";  // a letter, so that it is part of a term

struct Mark {
  std::string_view text, name;
};
constexpr std::array<Mark, 15> kMarks = {{{",", "COMMA"},
                                          {";", "SEMICOLON"},
                                          {":", "COLON"},
                                          {".", "STOP"},
                                          {"!", "EXCLAMATION"},
                                          {"?", "QUESTION"},
                                          {"\"", "QUOTE"},
                                          {"\u201C", "QUOTE"},
                                          {"\u201D", "QUOTE"},
                                          {"(", "BRACKET"},
                                          {")", "BRACKET"},
                                          {"--", "DASH"},
                                          {"\u2013", "DASH"},
                                          {"\u2014", "DASH"},
                                          {"\u2026", "STOP"}}};

struct Token {
  std::string text;
  bool word = false;
};
using Sequence = std::vector<Token>;

bool is_number(std::string_view word) noexcept {
  return std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Token word_token(std::string_view word) {
  if (is_number(word)) return {"NUMBER"};
  Token token{plain_word(word), true};
  for (std::size_t at = token.text.find('\''); at != token.text.npos; at = token.text.find('\'', at))
    token.text.replace(at, 1, kApostrophe);
  return token;
}

Sequence tokens_of(std::string_view text) {
  Sequence tokens;
  for (std::size_t at = 0; at < text.size();) {
    const WordPlace word = next_word(text, at);
    while (at < word.begin) {
      const auto mark = std::find_if(kMarks.begin(), kMarks.end(),
                                     [&](const Mark& each) { return text.substr(at).starts_with(each.text); });
      if (mark != kMarks.end()) tokens.push_back({std::string(mark->name)});
      at += mark != kMarks.end() ? mark->text.size() : character_at(text, at).length;
    }
    if (word.length > 0) tokens.push_back(word_token(text.substr(word.begin, word.length)));
    at = word.end();
  }
  return tokens;
}

// One side of the gap, the nearest token first; then START or END, and nothing.
class Side {
 public:
  Side(Sequence tokens, bool before) : tokens_(std::move(tokens)), before_(before) {
    if (before_) std::reverse(tokens_.begin(), tokens_.end());
    tokens_.push_back({before_ ? "START" : "END"});
  }
  std::size_t size() const noexcept { return tokens_.size(); }
  const Token& operator[](std::size_t i) const noexcept { return tokens_[i]; }

  // The term of this side whose parts, the nearest to the gap first, are these.
  std::string term(const std::vector<std::string>& parts) const {
    std::string text;
    for (const std::string& part : parts)
      text = before_ ? part + (text.empty() ? "" : "_") + text : text + (text.empty() ? "" : "_") + part;
    return before_ ? text + std::string(kGap) : std::string(kGap) + text;
  }

 private:
  Sequence tokens_;
  bool before_;
};

void add_side(const Side& side, std::size_t places, std::vector<std::string>& terms) {
  for (std::size_t i = 0; i < std::min(side.size(), kNear); ++i)
    if (side[i].word) terms.push_back(side[i].text);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(side.size(), places); ++i) {
    parts.push_back(side[i].text);
    terms.push_back(side.term(parts));
    parts.back() = "X";
  }
  if (side.size() > 1) terms.push_back(side.term({side[0].text, side[1].text}));
  if (!side[0].word) return;
  const std::string& nearest = side[0].text;
  for (const std::size_t letters : kEndings) {
    const std::size_t count = character_count(nearest);
    if (count <= letters) continue;
    std::size_t at = 0;
    for (std::size_t i = 0; i < count - letters; ++i) at += character_at(nearest, at).length;
    terms.push_back(side.term({"X" + nearest.substr(at)}));
  }
}

}  // namespace

std::string gap_terms(std::string_view text, std::uint32_t places) {
  const std::size_t gap = std::min(text.find(kGap), text.size());
  const Side before(tokens_of(text.substr(0, gap)), true);
  const Side after(tokens_of(text.substr(std::min(gap + kGap.size(), text.size()))), false);
  std::vector<std::string> terms;
  add_side(before, places, terms);
  add_side(after, places, terms);
  terms.push_back(before[0].text + std::string(kGap) + after[0].text);
  std::string joined;
  for (const std::string& term : terms) joined += (joined.empty() ? "" : " ") + term;
  return joined;
}

}  // namespace plumb
