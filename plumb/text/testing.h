// Documents for tests: repeated words of all lengths, with every kind of character between and inside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/base/random.h"
#include "plumb/text/token_rules.h"

namespace plumb {

// Draws one after the other.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : key_{seed, 0} {}
  std::uint64_t below(std::uint64_t bound) noexcept { return key_.below(next_++, bound); }

 private:
  RandomKey key_;
  std::uint64_t next_ = 0;
};

inline std::string random_document(Draws& random, bool ascii = false) {
  static constexpr std::string_view plain[] = {"a",
                                               "I",
                                               "The",
                                               "the",
                                               "of",
                                               "running",
                                               "Runs",
                                               "x2",
                                               "don't",
                                               "_under_",
                                               "A_B",
                                               "2026",
                                               "e-mail",
                                               "zz",
                                               "<br>",
                                               "&amp;",
                                               "U.S.A.",
                                               "fifteen_letter",
                                               "sixteen_letters_",
                                               "a_word_that_is_longer_than_any_key_can_hold",
                                               "AND",
                                               "Not",
                                               "good"};
  static constexpr std::string_view beyond[] = {"caf\u00E9",
                                                "\u00C9TAT",
                                                "\u03A3",
                                                "\u039F\u0394\u039F\u03A3",
                                                "a\u03A3.",
                                                "\u0130stanbul",
                                                "\u023A\u023A\u023A",
                                                "\u212A",
                                                "\u4E2D\u6587",
                                                "\u4E2D",
                                                "e\u0301",
                                                "\U0001F600",
                                                "\u00BD",
                                                "\u2167",
                                                "\u24B6",
                                                "\u0E01\u0E33",
                                                "\xFF",
                                                "\xC3",
                                                "\xE2\x82",
                                                "\u0391\u039D\u0391\u0393\u039D\u03A9\u03A3\u0397\u03A3"};
  static constexpr std::string_view gaps[] = {" ",  " ",    " ", " ", "  ",   ", ",       ". ",
                                              "\t", "\n\n", "-", "",  "</p>", "<p a='>'>"};
  static constexpr std::string_view odd_gaps[] = {"\u00A0", "\u3000", "\u2028 ", "\u00B7", "\x1C"};
  const auto pick = [&](const auto& from) { return from[random.below(std::size(from))]; };
  std::string text;
  const std::uint64_t words = random.below(4) == 0 ? random.below(200) : random.below(20);
  const bool mixed = !ascii && random.below(2) == 0;
  for (std::uint64_t i = 0; i < words; ++i) {
    text += mixed && random.below(3) == 0 ? pick(beyond) : pick(plain);
    if (random.below(8) == 0) text += std::string(random.below(80), static_cast<char>('a' + random.below(26)));
    text += mixed && random.below(8) == 0 ? pick(odd_gaps) : pick(gaps);
    if (random.below(50) == 0) text.push_back('\0');
  }
  return text;
}

// One of each kind, and mixtures.
inline std::vector<TokenRules> sample_rules() {
  std::vector<TokenRules> rules(16);
  rules[1].tokens = Tokens::ascii;
  rules[2].longest_ngram = 2;
  rules[3] = {.min_length = 1, .shortest_ngram = 2, .longest_ngram = 4};
  rules[4] = {.min_length = 3, .lowercase = false};
  rules[5] = {.stop_words = {"the", "and", "of", "caf\u00E9", "a_word_that_is_longer_than_any_key_can_hold"}};
  rules[6] = {.longest_ngram = 3, .stop_words = {"the"}, .stem = "english"};
  rules[7] = {.longest_ngram = 2, .html = true};
  rules[8] = {.tokens = Tokens::ascii, .min_length = 1, .longest_ngram = 2, .lowercase = false};
  rules[9] = {.tokens = Tokens::character, .longest_ngram = 3};
  rules[10] = {.tokens = Tokens::character, .shortest_ngram = 5, .longest_ngram = 6, .lowercase = false};
  rules[11] = {.tokens = Tokens::character_word, .shortest_ngram = 2, .longest_ngram = 5};
  rules[12] = {.tokens = Tokens::character_word, .shortest_ngram = 7, .longest_ngram = 7, .html = true};
  rules[13] = {.shortest_ngram = 3, .longest_ngram = 3, .stem = "french"};
  rules[14] = {.min_length = 1, .lowercase = false, .gap = 2};
  rules[15].mail = Mail::strip;
  return rules;
}

}  // namespace plumb
