#include "plumb/text/tokeniser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/text/gap.h"
#include "plumb/text/html.h"
#include "plumb/text/stemmer.h"
#include "plumb/text/unicode.h"

namespace plumb {
namespace {

bool takes_words(Tokens tokens) noexcept { return tokens == Tokens::word || tokens == Tokens::ascii; }

bool is_ascii_token(char32_t code) noexcept {
  return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || (code >= '0' && code <= '9');
}

using Strings = std::vector<std::string>;

// Maximal runs of characters for which `inside` holds.
template <class Inside>
Strings runs(std::string_view text, Inside inside) {
  Strings found;
  bool open = false;
  for (std::size_t at = 0; at < text.size();) {
    const Character next = character_at(text, at);
    const bool in_run = inside(next.code);
    if (in_run && !open) found.emplace_back();
    if (in_run) found.back() += text.substr(at, next.length);
    open = in_run;
    at += next.length;
  }
  return found;
}

Strings characters_of(std::string_view text) {
  Strings found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_at(text, at).length;
    found.emplace_back(text.substr(at, length));
    at += length;
  }
  return found;
}

// As scikit-learn does: two or more spaces of any kind become one blank; a single one stays as it is.
Strings with_single_spaces(const Strings& text) {
  const auto space = [&](std::size_t i) { return i < text.size() && is_space(character_at(text[i], 0).code); };
  Strings out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!space(i) || !space(i + 1)) {
      out.push_back(text[i]);
      continue;
    }
    while (space(i + 1)) ++i;
    out.emplace_back(" ");
  }
  return out;
}

std::string joined(const Strings& parts, std::size_t begin, std::size_t count, std::string_view between) {
  std::string out;
  for (std::size_t i = begin; i < begin + count; ++i) out.append(i == begin ? "" : between).append(parts[i]);
  return out;
}

void check(const TokenRules& rules) {
  if (rules.min_length < 1)
    throw Error(ErrorCode::usage, "the least length of a token is 0; at least 1 was expected", "--min-length 1");
  if (rules.shortest_ngram < 1 || rules.shortest_ngram > rules.longest_ngram ||
      rules.longest_ngram > Tokeniser::kLongestNgram) {
    throw Error(ErrorCode::usage,
                "n-grams from " + std::to_string(rules.shortest_ngram) + " to " + std::to_string(rules.longest_ngram) +
                    " were asked for; a range within 1 to " + std::to_string(Tokeniser::kLongestNgram) +
                    " was expected",
                "--ngrams 1-2");
  }
  if (rules.gap > kMostGapPlaces)
    throw Error(ErrorCode::usage,
                "words up to " + std::to_string(rules.gap) + " places from a gap were asked for; at most " +
                    std::to_string(kMostGapPlaces) + " were expected",
                "--gap 3");
  if (takes_words(rules.tokens)) return;
  if (!rules.stop_words.empty()) {
    throw Error(ErrorCode::usage, "stop words are for tokens that are words; these are characters", "--tokens word");
  }
  if (!rules.stem.empty()) {
    throw Error(ErrorCode::usage, "only words have a stem; these tokens are characters", "--tokens word");
  }
}

}  // namespace

Tokeniser::Tokeniser(TokenRules rules) : rules_(std::move(rules)) {
  check(rules_);
  if (!rules_.stem.empty()) Stemmer known(rules_.stem);
  for (const std::string& word : rules_.stop_words) stops_.push_back(rules_.lowercase ? lowered(word) : word);
  std::ranges::sort(stops_);
}

std::string Tokeniser::rewritten(std::string_view document) const {
  std::string text = mail_text(document, rules_.mail);
  if (rules_.html) text = without_html(text);
  return rules_.gap > 0 ? gap_terms(text, rules_.gap) : text;
}

std::string Tokeniser::prepared(std::string_view document) const {
  std::string text = rewritten(document);
  if (!rules_.lowercase) return text;
  if (rules_.tokens != Tokens::ascii) return lowered(text);
  // Characters beyond ASCII separate, whatever their lowercase form: the Kelvin sign is not a k.
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return text;
}

bool Tokeniser::is_stop_word(std::string_view token) const noexcept {
  return std::ranges::binary_search(stops_, token, std::less<>());
}

std::vector<std::string> Tokeniser::idle_stop_words() const {
  Strings idle;
  for (const std::string& word : rules_.stop_words) {
    const std::string text = rules_.lowercase ? lowered(word) : word;
    const Strings found = words_in(text);
    if (found.size() != 1 || found[0] != text) idle.push_back(word);
  }
  return idle;
}

// The runs that are long enough.
std::vector<std::string> Tokeniser::words_in(std::string_view text) const {
  Strings found = rules_.tokens == Tokens::ascii ? runs(text, is_ascii_token) : runs(text, is_word_character);
  std::erase_if(found, [&](const std::string& token) { return character_count(token) < rules_.min_length; });
  return found;
}

std::vector<std::string> Tokeniser::tokens(std::string_view document) const {
  const std::string text = prepared(document);
  Strings found = words_in(text);
  std::erase_if(found, [&](const std::string& token) { return is_stop_word(token); });
  if (!rules_.stem.empty()) {
    Stemmer stemmer(rules_.stem);
    for (std::string& token : found) token = stemmer.stem(token);
  }
  return found;
}

std::vector<std::string> Tokeniser::characters(std::string_view document) const {
  return with_single_spaces(characters_of(prepared(document)));
}

std::vector<std::string> Tokeniser::terms(std::string_view document) const {
  const std::size_t shortest = rules_.shortest_ngram, longest = rules_.longest_ngram;
  Strings out;
  const auto add = [&](const Strings& from, std::string_view between) {
    for (std::size_t n = shortest; n <= longest; ++n) {
      for (std::size_t i = 0; i + n <= from.size(); ++i) out.push_back(joined(from, i, n, between));
    }
  };
  if (takes_words(rules_.tokens)) {
    const Strings words = tokens(document);
    add(words, " ");
    return out;
  }

  const Strings text = characters(document);
  if (rules_.tokens == Tokens::character) {
    add(text, "");
    return out;
  }
  // A word shorter than an n-gram, blanks included, is one n-gram, once.
  for (const std::string& word :
       runs(joined(text, 0, text.size(), ""), [](char32_t code) { return !is_space(code); })) {
    const Strings padded = characters_of(" " + word + " ");
    if (padded.size() < shortest) out.push_back(joined(padded, 0, padded.size(), ""));
    add(padded, "");
  }
  return out;
}

}  // namespace plumb
