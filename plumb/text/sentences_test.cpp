#include "plumb/text/sentences.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace plumb::sentences_test {
namespace {

std::vector<std::string> sentences(std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
    const std::size_t end = end_of_sentence(text, at);
    if (end > at) found.emplace_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return found;
}

using Texts = std::vector<std::string>;

TEST(Sentences, EndAtAMarkWithABlankBehindIt) {
  EXPECT_EQ(sentences("It rained. Did it? Yes!  It cost 3.50 at least."),
            (Texts{"It rained.", "Did it?", "Yes!", "It cost 3.50 at least."}));
  EXPECT_EQ(sentences("\"Come in!\" he said. (He smiled.) Then..."),
            (Texts{"\"Come in!\" he said.", "(He smiled.)", "Then..."}));
}

TEST(Sentences, DoNotEndBehindAbbreviationsAndSingleLetters) {
  EXPECT_EQ(sentences("Mr. J. Smith met Dr. Wood. He left."), (Texts{"Mr. J. Smith met Dr. Wood.", "He left."}));
  EXPECT_EQ(sentences("Fruit, e.g. Apples. So do I. We left."), (Texts{"Fruit, e.g. Apples.", "So do I.", "We left."}));
}

TEST(Sentences, EndAtAnEmptyLineAndNotAtALineEnd) {
  EXPECT_EQ(sentences("THE STORM\n\nIt rained\nall day. We\nstayed\n \nEnd"),
            (Texts{"THE STORM", "It rained\nall day.", "We\nstayed", "End"}));
}

TEST(Sentences, AreCutIfTheyGoOnForThousandsOfWords) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "weather ";
  const std::vector<std::string> found = sentences(text);
  EXPECT_GT(found.size(), 15U);
  for (const std::string& each : found) EXPECT_LT(each.size(), 4200U);
  EXPECT_EQ(sentences("So " + std::string(100'000, '.') + "x. Then").size(), 2U);
}

const std::vector<std::string> kWords = {"weather", "whether"};

TEST(Occurrences, HaveTheirPlaceTheirSentenceAndTheGap) {
  const std::string text = "Whether it\n  rains, the _weather_ is mine. No weather-beaten man asks\u2019weather.";
  const std::vector<Occurrence> found = occurrences_of(kWords, text);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].word, 1U);
  EXPECT_EQ(found[0].gapped, "____ it rains, the weather is mine.");
  EXPECT_EQ(found[1].word, 0U);
  EXPECT_EQ(found[1].sentence, 0U);
  EXPECT_EQ(found[1].gapped, "Whether it rains, the ____ is mine.");
  EXPECT_EQ(found[1].whole, "Whether it rains, the weather is mine.");
  EXPECT_EQ(found[2].sentence, 1U);
  EXPECT_EQ(found[2].gapped, "No ____-beaten man asks\u2019weather.");
  for (const Occurrence& each : found)
    EXPECT_EQ(plain_word(text.substr(each.place.begin, each.place.length)), kWords[each.word]);
}

TEST(Occurrences, AWordWithAnApostropheIsNotThePartBeforeIt) {
  const std::vector<std::string> words = {"its", "it's"};
  const std::vector<Occurrence> found = occurrences_of(words, "It\u2019s late, it's cold, and its its.");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].word, 1U);
  EXPECT_EQ(found[1].word, 1U);
  EXPECT_EQ(found[2].word, 0U);
  EXPECT_TRUE(occurrences_of(kWords, "the weather's end").empty());
}

// The gap is where the word was, whatever the text: nothing else of it is lost but blanks and underscores.
RC_GTEST_PROP(OccurrencesProperties, TheGapStandsForTheWordAlone, ()) {
  const std::string before = *rc::gen::arbitrary<std::string>(), after = *rc::gen::arbitrary<std::string>();
  const std::string text = before + " weather " + after;
  for (const Occurrence& each : occurrences_of(kWords, text)) {
    const std::size_t gap = each.gapped.find("____");
    RC_ASSERT(gap != std::string::npos);
    RC_ASSERT(each.gapped.find('_', gap + 4) == std::string::npos);
    std::string put_back = each.gapped;
    put_back.replace(gap, 4, text.substr(each.place.begin, each.place.length));
    RC_ASSERT(put_back == each.whole);
  }
}

}  // namespace
}  // namespace plumb::sentences_test
