// The rules that split a document into terms: user options, which the model keeps. docs/text.md derives each rule.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/option_types.h"
#include "plumb/text/mail.h"

namespace plumb {

// word: runs of Unicode letters, digits and underscores, as scikit-learn's (?u)\b\w\w+\b. ascii: runs of A-Z, a-z and
// 0-9; everything else separates. character: n-grams of characters over the whole text, spaces included.
// character_word: the same within words, each with a space at both ends.
enum class Tokens { word, ascii, character, character_word };

template <>
struct EnumNames<Tokens> {
  static constexpr std::string_view names[] = {"word", "ascii", "char", "char-word"};
};

struct TokenRules {
  Tokens tokens = Tokens::word;
  std::uint32_t min_length = 2;  // of a word or ascii token, in characters, before stemming
  std::uint32_t shortest_ngram = 1;
  std::uint32_t longest_ngram = 1;
  bool lowercase = true;
  std::vector<std::string> stop_words = {};  // tokens that are removed before n-grams are made
  std::string stem = {};                     // a language of stem_languages(), or empty
  Mail mail = Mail::none;                    // the text of e-mails
  bool html = false;                         // tags are separators, character references become their characters
  std::uint32_t gap = 0;                     // not 0: the words are those of gap_terms, with that many places

  bool operator==(const TokenRules&) const = default;
};

}  // namespace plumb
