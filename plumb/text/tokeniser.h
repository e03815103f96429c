// From a document to its terms. Tokeniser::terms is the plain definition: a few lines that can be read, and what every
// faster way (TermCounter, TermLookup) is held against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/text/token_rules.h"

namespace plumb {

// Immutable. Documents are UTF-8; a byte that is none is a character of its own that no word holds.
class Tokeniser {
 public:
  static constexpr std::uint32_t kLongestNgram = 255;

  // Throws Error(usage) if a rule cannot be kept: an unknown language, n-grams from 3 to 2, stop words of characters.
  explicit Tokeniser(TokenRules rules);

  const TokenRules& rules() const noexcept { return rules_; }

  // Every term, as often as it occurs: shorter n-grams before longer ones, each length in the order of the text (for
  // character_word: within each word). A word n-gram is its tokens joined by a blank.
  std::vector<std::string> terms(std::string_view document) const;

  // The tokens of which word n-grams are made: stop words gone, stems taken. Only for word and ascii.
  std::vector<std::string> tokens(std::string_view document) const;

  // The characters of which n-grams of characters are made: prepared, runs of blanks as one. Not for word and ascii.
  std::vector<std::string> characters(std::string_view document) const;

  // The document as tokens are looked for in it: HTML stripped, letters small, as far as the rules ask for it.
  std::string prepared(std::string_view document) const;

  // Whether the token, which is as in the prepared text, is one of the stop words.
  bool is_stop_word(std::string_view token) const noexcept;

  // Stop words that can stop nothing, since by these rules they are not one token: "don't" is "don" and "t".
  std::vector<std::string> idle_stop_words() const;

 private:
  std::vector<std::string> words_in(std::string_view text) const;

  TokenRules rules_;
  std::vector<std::string> stops_;  // prepared and sorted
};

// The languages of TokenRules::stem, sorted: english, french, ...
std::vector<std::string> stem_languages();

}  // namespace plumb
