#include "plumb/report/style.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace plumb::style_test {

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  for (const std::string& line : lines(text)) most = std::max(most, display_width(line));
  return most;
}

TEST(Style, NumbersHaveFourDigitsAndAllOfTheirWholePart) {
  EXPECT_EQ(four_digits(0.803371), "0.8034");
  EXPECT_EQ(four_digits(12345.678), "12346");
  EXPECT_EQ(four_digits(-9999.96), "-10000");
  EXPECT_EQ(four_digits(2.5e9), "2.5e+09");
  EXPECT_EQ(three_digits(31.6227766017), "31.6");
  EXPECT_EQ(two_decimals(-1234.5), "-1234.50");
}

TEST(Style, EscapeCodesTakeNoColumns) {
  EXPECT_EQ(display_width("\x1b[1mgr\xc3\xb6\xc3\x9f"
                          "e\x1b[0m"),
            5u);
}

TEST(Style, ALineThatFitsStaysAsItIs) { EXPECT_EQ(fitted("a  b   c\n\n  d\n", 8), "a  b   c\n\n  d\n"); }

TEST(Style, ALongLineGoesOnBelowTheWordsBehindItsHeading) {
  EXPECT_EQ(fitted("  saved     one two three four\n", 24), "  saved     one two\n            three four\n");
}

TEST(Style, ALongParagraphGoesOnTwoColumnsIn) {
  EXPECT_EQ(fitted("warning: one two three", 14), "warning: one\n  two three");
}

TEST(Style, ItemsThreeBlanksApartStayTogether) {
  EXPECT_EQ(fitted("  held out  accuracy 0.9 (0.8 to 1)   auc 0.9", 40),
            "  held out  accuracy 0.9 (0.8 to 1)\n            auc 0.9");
}

TEST(Style, AWordLongerThanTheLineStaysWhole) {
  const std::string path(50, 'x');
  EXPECT_NE(fitted("cannot open " + path + " today", 30).find(path), std::string::npos);
}

TextTable numbers(std::size_t columns, const std::string& name) {
  TextTable table;
  std::vector<std::string> heading = {"feature"}, row = {name};
  for (std::size_t i = 0; i < columns; ++i) {
    heading.push_back("column" + std::to_string(i));
    row.push_back("1234567");
  }
  table.add(heading);
  table.add(row);
  return table;
}

TEST(TextTable, AWideTableIsSplitIntoGroupsOfColumnsBesideTheFirst) {
  const std::string text = numbers(12, "height").text(Style{false, 60});
  EXPECT_LE(widest(text), 60u);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NE(text.find("column" + std::to_string(i)), std::string::npos);
  EXPECT_EQ(lines(text).size(), 3u * 2u + 2u) << "three groups of two lines each, with an empty line between";
}

TEST(TextTable, WordsWrapInsideTheirCells) {
  TextTable table(TextTable::Align::left);
  table.add({"trait", "logistic"});
  table.add({"training", "a convex problem that has one answer whatever the start was, found with a certificate"});
  const std::string text = table.text(Style{false, 40});
  EXPECT_LE(widest(text), 40u);
  EXPECT_NE(text.find("certificate"), std::string::npos);
}

TEST(TextTable, ANameTooLongForItsColumnStandsOnALineOfItsOwn) {
  const std::string name(70, 'n');
  const std::vector<std::string> all = lines(numbers(3, name).text(Style{false, 60}));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1], name);
  EXPECT_NE(all[2].find("1234567"), std::string::npos);
}

}  // namespace plumb::style_test
