#include "plumb/data/number_style.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace plumb::number_style_test {
namespace {

std::string read(std::string_view text, const NumberStyle& style) {
  const ParsedNumber number = parse_number(text, style);
  return number.fault == NumberFault::none ? number_text(number.value) : "-";
}

StyleGuess guess(const std::vector<std::string>& values, char decimal = 0, char thousands = 0) {
  StyleGuess guess(decimal, thousands);
  for (const std::string& value : values) guess.see(value);
  return guess;
}

TEST(NumberStyle, MarksAreReadWhereTheyMayStand) {
  const NumberStyle european{',', '.', ""}, american{'.', ',', ""}, swiss{'.', '\'', ""}, blank{',', ' ', ""};
  EXPECT_EQ(read("1.234,50", european), "1234.5");
  EXPECT_EQ(read("-1.234.567", european), "-1234567");
  EXPECT_EQ(read("1234,5", european), "1234.5");
  EXPECT_EQ(read("1,234.5", american), "1234.5");
  EXPECT_EQ(read("1'234.5", swiss), "1234.5");
  EXPECT_EQ(read("1 234,5", blank), "1234.5");
  EXPECT_EQ(read("1\u00A0234,5", blank), "1234.5");
  EXPECT_EQ(read("1,5e3", european), "1500");
  for (const char* text : {"1.23,5", "1234.567", "1.234.56", ".123", "1,2,3", "1..234", "x", "1,5 x"})
    EXPECT_EQ(read(text, european), "-") << text;
  EXPECT_EQ(read(std::string(100, '1'), european), "-");
}

TEST(NumberStyle, BesideADecimalCommaPointsPartThousandsAlthoughNoRowHadThemBefore) {
  EXPECT_EQ(guess({"2,5", "980,1"}).style(','), (NumberStyle{',', 0, ""}));
  EXPECT_EQ(read("2.196", {',', 0, ""}), "2196");
  EXPECT_EQ(read("2.196,5", {',', 0, ""}), "2196.5");
  EXPECT_EQ(read("2.19", {',', 0, ""}), "-");
  EXPECT_EQ(read("2,196", {'.', 0, "%"}), "-") << "a comma beside a decimal point may be either";
}

TEST(NumberStyle, AUnitStandsBeforeOrAfterTheNumber) {
  EXPECT_EQ(read("12,5 %", {',', 0, "%"}), "12.5");
  EXPECT_EQ(read("$-5", {'.', ',', "$"}), "-5");
  EXPECT_EQ(read("-$1,000", {'.', ',', "$"}), "-1000");
  EXPECT_EQ(read("5", {'.', ',', "$"}), "5");
  EXPECT_EQ(read("7 \u20AC", {'.', ',', "\u20AC"}), "7");
  EXPECT_EQ(read("$5%", {'.', ',', "$"}), "-");
  EXPECT_EQ(unit_of("-$5"), "$");
  EXPECT_EQ(unit_of("5 USD"), "");
}

TEST(StyleGuess, TheOnlyReadingThatFitsAllIsFound) {
  const StyleGuess european = guess({"1.234,50", "12", "3,5"});
  EXPECT_TRUE(european.fits(','));
  EXPECT_FALSE(european.fits('.'));
  EXPECT_EQ(european.style(','), (NumberStyle{',', '.', ""}));
  EXPECT_EQ(guess({"1,5", "2,25"}).style(','), (NumberStyle{',', 0, ""}));
  EXPECT_EQ(guess({"1,234,567", "2"}).style('.'), (NumberStyle{'.', ',', ""}));
  EXPECT_EQ(guess({"10 %", "5%"}).style('.'), (NumberStyle{'.', 0, "%"}));
  EXPECT_FALSE(guess({"1,5", "abc"}).fits());
  EXPECT_FALSE(guess({"5 %", "$5"}).fits());
}

TEST(StyleGuess, TwoReadingsAreAmbiguousUnlessTheyAgree) {
  EXPECT_TRUE(guess({"1,234", "2,345"}).ambiguous());
  EXPECT_EQ(guess({"12", "1,234", "2,345"}).telling(), "1,234");
  EXPECT_FALSE(guess({"12", "13"}).ambiguous());
  EXPECT_FALSE(guess({"1,234", "2,5"}).ambiguous());
  EXPECT_FALSE(guess({"1,234"}, ',').ambiguous());
  EXPECT_EQ(guess({"1,234"}, ',').style(','), (NumberStyle{',', 0, ""}));
  EXPECT_EQ(guess({"1,234"}, 0, ',').style('.'), (NumberStyle{'.', ',', ""}));
  EXPECT_EQ(guess({"1.234"}, ',').style(','), (NumberStyle{',', '.', ""}));
}

}  // namespace
}  // namespace plumb::number_style_test
