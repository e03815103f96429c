#include "plumb/text/gap.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "plumb/text/testing.h"
#include "plumb/text/tokeniser.h"
#include "plumb/text/unicode.h"
#include "plumb/text/words.h"

namespace plumb::gap_test {
namespace {

std::vector<std::string> terms(std::string_view text, std::uint32_t places) {
  std::vector<std::string> found = Tokeniser({.min_length = 1, .lowercase = false, .gap = places}).terms(text);
  std::sort(found.begin(), found.end());
  return found;
}

bool has(const std::vector<std::string>& terms, std::string_view term) {
  return std::find(terms.begin(), terms.end(), term) != terms.end();
}

TEST(Gap, TermsShowTheWordsAroundItAndTheirPlaces) {
  EXPECT_EQ(terms("I know ____ he", 2),
            (std::vector<std::string>{"Xnow____", "Xow____", "____X_END", "____he", "____he_END", "he", "i", "i_X____",
                                      "i_know____", "know", "know____", "know____he"}));
}

TEST(Gap, PlacesGoAsFarAsAskedAndNotBeyondTheText) {
  const std::vector<std::string> three = terms("a b c d ____ e f g h", 3);
  for (const char* term : {"d____", "c_X____", "b_X_X____", "____e", "____X_f", "____X_X_g"})
    EXPECT_TRUE(has(three, term));
  EXPECT_FALSE(has(three, "a_X_X_X____"));
  EXPECT_TRUE(has(terms("____ e", 3), "START____"));
  EXPECT_TRUE(has(terms("____", 3), "START____END"));
}

TEST(Gap, WordsFarFromItAreNoTerms) {
  const std::vector<std::string> found = terms("far a b c d e ____ f g h i j away", 1);
  EXPECT_TRUE(has(found, "a"));
  EXPECT_TRUE(has(found, "j"));
  EXPECT_FALSE(has(found, "far"));
  EXPECT_FALSE(has(found, "away"));
}

TEST(Gap, CaseIsIgnoredAndMarksAndNumbersHaveNames) {
  EXPECT_EQ(terms("The Cat, ____ DON'T know 12.", 3), terms("the cat, ____ don\u2019t know 99.", 3));
  const std::vector<std::string> found = terms("the cat, ____ don't know", 2);
  EXPECT_TRUE(has(found, "COMMA____"));
  EXPECT_TRUE(has(found, "cat_X____"));
  EXPECT_TRUE(has(found, "____don\u02BCt"));
  EXPECT_TRUE(has(terms("at 10 ____", 1), "NUMBER____"));
}

TEST(Gap, OnlyTheFirstGapCountsAndATextWithoutOneIsBeforeIt) {
  EXPECT_TRUE(has(terms("a ____ b ____ c", 1), "a____b"));
  EXPECT_TRUE(has(terms("a b", 1), "b____END"));
}

// A word that has a place in one text has the same term wherever the rest differs.
RC_GTEST_PROP(GapProperties, TermsAreWholeTokensForAnyText, ()) {
  const std::string before = *rc::gen::arbitrary<std::string>(), after = *rc::gen::arbitrary<std::string>();
  const std::string text = before + " ____ " + after, joined = gap_terms(text, 3);
  std::size_t blanks = static_cast<std::size_t>(std::count(joined.begin(), joined.end(), ' '));
  RC_ASSERT(terms(text, 3).size() == blanks + 1);  // the rule for words cuts nowhere else
}

TEST(Words, AreRunsOfLettersAndDigitsWithApostrophesInside) {
  std::vector<std::string> found;
  const std::string text = "'Tis O'Neil's well-known _it\u2019s_ 3rd caf\u00E9, isn't'";
  for (WordPlace word = next_word(text, 0); word.length > 0; word = next_word(text, word.end()))
    found.push_back(plain_word(text.substr(word.begin, word.length)));
  EXPECT_EQ(found, (std::vector<std::string>{"tis", "o'neil's", "well", "known", "it's", "3rd", "caf\u00E9", "isn't"}));
}

}  // namespace
}  // namespace plumb::gap_test
