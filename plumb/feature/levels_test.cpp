#include "plumb/feature/levels.h"

#include <gtest/gtest.h>

namespace plumb::levels_test {
namespace {

using Texts = std::vector<std::string>;

TEST(Levels, AreSortedAsNumbersIfAllAreNumbers) {
  Texts numbers = {"10", "", "9", "-1", "9.0"}, words = {"b", "", "10", "9", "B"};
  sort_levels(numbers);
  sort_levels(words);
  EXPECT_EQ(numbers, (Texts{"-1", "9", "9.0", "10", ""}));
  EXPECT_EQ(words, (Texts{"10", "9", "B", "b", ""}));
}

TEST(Labels, ThatAreEqualNumbersAreOne) {
  EXPECT_EQ(labels_among({"2", "1.0", "", "1", "+1"}), (Texts{"+1", "2"}));
  EXPECT_EQ(labels_among({"1", "1.0", "x"}), (Texts{"1", "1.0", "x"})) << "words, as one of them is";
  EXPECT_EQ(labels_among({""}), Texts{});
}

TEST(Labels, AreFoundByTextOrByNumber) {
  const Texts numbers = {"0", "1"}, words = {"1", "no"};
  EXPECT_EQ(LabelCodes(numbers).find("1"), 1u);
  EXPECT_EQ(LabelCodes(numbers).find("1.0"), 1u);
  EXPECT_EQ(LabelCodes(numbers).find("2"), std::nullopt);
  EXPECT_EQ(LabelCodes(numbers).find("x"), std::nullopt);
  EXPECT_EQ(LabelCodes(words).find("1.0"), std::nullopt) << "labels that are words are matched as words";
  EXPECT_EQ(LabelCodes(words).find("no"), 1u);
}

}  // namespace
}  // namespace plumb::levels_test
