// From a document to its terms. Tokeniser::terms is the definition, in a few plain lines; every faster way
// (TermCounter, TermLookup) is tested against it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/text/token_rules.h"

namespace plumb {

// Immutable. Documents are UTF-8; an invalid byte is a character of its own that belongs to no word.
class Tokeniser {
 public:
  static constexpr std::uint32_t kLongestNgram = 255;

  // Throws Error(usage) for impossible rules: an unknown language, n-grams from 3 to 2, stop words of characters.
  explicit Tokeniser(TokenRules rules);

  const TokenRules& rules() const noexcept { return rules_; }

  // Every term, as often as it occurs: shorter n-grams before longer ones, each length in the order of the text (for
  // character_word: within each word). A word n-gram is its tokens joined by a blank.
  std::vector<std::string> terms(std::string_view document) const;

  // The tokens that make word n-grams: stop words removed, stemmed. Only for word and ascii.
  std::vector<std::string> tokens(std::string_view document) const;

  // The characters that make n-grams of characters: prepared, runs of blanks as one. Not for word and ascii.
  std::vector<std::string> characters(std::string_view document) const;

  // Whether the rules change documents before their characters are looked at, and how: the text of an e-mail, HTML
  // stripped, the words around a gap as terms.
  bool rewrites() const noexcept { return rules_.mail != Mail::none || rules_.html || rules_.gap > 0; }
  std::string rewritten(std::string_view document) const;

  // The document before it is split into tokens: rewritten, and in lowercase, if the rules say so.
  std::string prepared(std::string_view document) const;

  // Whether the token, as in the prepared text, is one of the stop words.
  bool is_stop_word(std::string_view token) const noexcept;

  // Stop words that never match, because by these rules they are not one token: "don't" is "don" and "t".
  std::vector<std::string> idle_stop_words() const;

 private:
  std::vector<std::string> words_in(std::string_view text) const;

  TokenRules rules_;
  std::vector<std::string> stops_;  // prepared and sorted
};

// The languages of TokenRules::stem, sorted: english, french, ...
std::vector<std::string> stem_languages();

}  // namespace plumb
