#include "plumb/data/kind_guess.h"

#include <gtest/gtest.h>

#include <string>

namespace plumb::kind_guess_test {
namespace {

// The guess for a column with that many numbers, `distinct` of them different, and that many words.
Kind guess(int numbers, int words, int distinct = 1) {
  KindGuess guess;
  for (int i = 0; i < numbers; ++i) guess.see(std::to_string(i % distinct));
  for (int i = 0; i < words; ++i) guess.see("word");
  return guess.kind();
}

TEST(KindGuess, NineNumbersInTenAreAColumnOfNumbers) {
  EXPECT_EQ(guess(9, 1), Kind::number);
  EXPECT_EQ(guess(8, 1), Kind::category);
  EXPECT_EQ(guess(900, 100), Kind::number);
  EXPECT_EQ(guess(899, 100), Kind::category);
}

TEST(KindGuess, HalfOfThemAreIfTheyAreTooVariousToBeCodes) {
  EXPECT_EQ(guess(50, 50, 21), Kind::number);
  EXPECT_EQ(guess(50, 50, 20), Kind::category);
  EXPECT_EQ(guess(49, 50, 21), Kind::category);
}

TEST(KindGuess, EmptyValuesDoNotCount) {
  KindGuess guess;
  EXPECT_EQ(guess.kind(), Kind::category) << "nothing but empty values";
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(guess.see(i % 2 == 0 ? "" : "  "));
  EXPECT_EQ(guess.kind(), Kind::category);
  guess.see("1");
  EXPECT_EQ(guess.kind(), Kind::number);
}

TEST(KindGuess, LongDifferentValuesAreRunningText) {
  const auto guess = [](const std::vector<std::string>& values) {
    KindGuess guess;
    for (const std::string& value : values) guess.see(value);
    return guess.kind();
  };
  EXPECT_EQ(guess({"it was good fun", "a thin plot indeed", "see it again soon"}), Kind::text);
  EXPECT_EQ(guess({"it was good fun", "1", "a thin plot indeed", "see it again soon"}), Kind::text);
  EXPECT_EQ(guess({"good", "a thin plot", "see it"}), Kind::category) << "few words";
  EXPECT_EQ(guess({"yes I do agree", "yes I do agree", "no I do not", "no I do not"}), Kind::category) << "codes";
  EXPECT_EQ(guess({"it was good fun", "a thin plot indeed"}), Kind::category) << "two tell nothing";
}

TEST(KindGuess, WordsOfLongTextsCountForShortOnes) {
  const auto guess = [](int words) {
    KindGuess guess;
    std::string text;
    for (int i = 0; i < words; ++i) text += "so ";
    guess.see(text);
    for (int i = 0; i < 4095; ++i) guess.see("word" + std::to_string(i));
    return guess.kind();
  };
  EXPECT_EQ(guess(3 * 4095 + 4), Kind::text);
  EXPECT_EQ(guess(3 * 4095 + 3), Kind::category);
  EXPECT_EQ(guess(100000), Kind::text);
}

TEST(KindGuess, NumbersWrittenWronglyAreMeantAsNumbers) {
  for (const char* value : {"1,5", "0x10", "nan", "1e400", "1_000"}) {
    KindGuess guess;
    EXPECT_TRUE(guess.see(value)) << value;
    EXPECT_EQ(guess.kind(), Kind::number) << value;
  }
  EXPECT_FALSE(KindGuess().see("n/a"));
}

}  // namespace
}  // namespace plumb::kind_guess_test
