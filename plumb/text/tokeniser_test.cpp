#include "plumb/text/tokeniser.h"

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace {

using namespace plumb;
using Strings = std::vector<std::string>;

Strings terms(const char* document, TokenRules rules = {}) { return Tokeniser(std::move(rules)).terms(document); }

TEST(Tokeniser, AWordIsARunOfTwoOrMoreLettersDigitsAndUnderscoresMadeSmall) {
  EXPECT_EQ(terms("It's 3 o'clock, U.S.A. naive e-mail x2 a_b"),
            (Strings{"it", "clock", "naive", "mail", "x2", "a_b"}));
}

TEST(Tokeniser, AnAsciiTokenHoldsNoUnderscoreAndNothingBeyondAscii) {
  const TokenRules rules{.tokens = Tokens::ascii};
  EXPECT_EQ(terms("It's 3 o'clock, U.S.A. na\u00EFve e-mail x2 a_bc", rules),
            (Strings{"it", "clock", "na", "ve", "mail", "x2", "bc"}));
  EXPECT_EQ(terms("\u212Aelvin", rules), Strings{"elvin"});  // the Kelvin sign, whose lowercase form is k
}

TEST(Tokeniser, WordNgramsStandInTheOrderOfTheTextAndShorterOnesFirst) {
  const TokenRules rules{.min_length = 1, .longest_ngram = 3};
  EXPECT_EQ(terms("a b c", rules), (Strings{"a", "b", "c", "a b", "b c", "a b c"}));
  EXPECT_EQ(terms("a b c", {.min_length = 1, .shortest_ngram = 3, .longest_ngram = 3}), Strings{"a b c"});
  EXPECT_EQ(terms("a", {.min_length = 1, .shortest_ngram = 2, .longest_ngram = 3}), Strings{});
}

TEST(Tokeniser, StopWordsGoBeforeNgramsAreMadeAndBeforeStemming) {
  const TokenRules rules{.longest_ngram = 2, .stop_words = {"THE", "running"}, .stem = "english"};
  EXPECT_EQ(terms("the runs of the running", rules), (Strings{"run", "of", "run of"}));
}

TEST(Tokeniser, StopWordsThatAreNotOneTokenAreNamed) {
  const Tokeniser tokeniser({.stop_words = {"don't", "The", "a", "of"}});
  EXPECT_EQ(tokeniser.idle_stop_words(), (Strings{"don't", "a"}));
}

TEST(Tokeniser, CharactersAreCountedWithRunsOfSpacesAsOneBlank) {
  EXPECT_EQ(terms("Ab \n c\nd", {.tokens = Tokens::character, .shortest_ngram = 2, .longest_ngram = 2}),
            (Strings{"ab", "b ", " c", "c\n", "\nd"}));
  EXPECT_EQ(terms("", {.tokens = Tokens::character}), Strings{});
}

TEST(Tokeniser, CharactersWithinWordsHaveABlankAtBothEndsAndAShortWordIsOneNgram) {
  EXPECT_EQ(terms("ab  c", {.tokens = Tokens::character_word, .shortest_ngram = 3, .longest_ngram = 4}),
            (Strings{" ab", "ab ", " ab ", " c "}));
  EXPECT_EQ(terms("c", {.tokens = Tokens::character_word, .shortest_ngram = 4, .longest_ngram = 5}), Strings{" c "});
  EXPECT_EQ(terms(" \t", {.tokens = Tokens::character_word}), Strings{});
}

TEST(Tokeniser, LettersStayCapitalWhenAskedTo) {
  EXPECT_EQ(terms("Go GO", {.lowercase = false}), (Strings{"Go", "GO"}));
  EXPECT_EQ(terms("Go GO", {.tokens = Tokens::ascii, .lowercase = false}), (Strings{"Go", "GO"}));
}

TEST(Tokeniser, HtmlIsStrippedWhenAskedTo) {
  EXPECT_EQ(terms("<p class=\"x>y\">Fish &amp; chips</p>caf&eacute;", {.html = true}),
            (Strings{"fish", "chips", "caf\u00E9"}));
}

TEST(Tokeniser, RulesThatCannotBeKeptAreRefusedWithAHint) {
  const TokenRules bad[] = {{.min_length = 0},
                            {.shortest_ngram = 3, .longest_ngram = 2},
                            {.shortest_ngram = 0},
                            {.longest_ngram = 256},
                            {.stem = "englisch"},
                            {.tokens = Tokens::character, .stem = "english"},
                            {.tokens = Tokens::character_word, .stop_words = {"the"}}};
  for (const TokenRules& rules : bad) {
    try {
      const Tokeniser refused(rules);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_FALSE(error.hint().empty()) << error.message();
    }
  }
}

}  // namespace
