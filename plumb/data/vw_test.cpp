#include "plumb/data/vw.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "plumb/base/number.h"
#include "plumb/data/testing.h"

namespace plumb::vw_test {
namespace {

VwRows parsed(const std::string& text) { return parse_vw(text, guess_vw(text)); }
TextFault fault_of(const std::string& text, const VwForm& form = {}) {
  return fault_in([&] { parse_vw(text, form); });
}

TEST(Vw, LabelsNamespacesAndValuesAreRead) {
  const VwRows rows = parsed("1 | price:.23 sqft:0.25 year\n-1 |a x:2 y |b:0.5 x:4 z\n0.5 |\n");
  EXPECT_EQ(rows.rows, 3u);
  EXPECT_EQ(rows.label, (std::vector<double>{1, -1, 0.5}));
  EXPECT_EQ(text_of(rows.entries), "price:0.23 sqft:0.25 year:1\na^x:2 a^y:1 b^x:2 b^z:0.5\n\n");
  EXPECT_TRUE(rows.importance.empty() && rows.base.empty() && rows.tag.codes.empty());
}

TEST(Vw, ImportanceBaseAndTagHaveTheirDefaults) {
  const VwRows rows = parsed("1 2 0.5 'a| x\n0 | x\n1 3 b|n x\n1 'c | x\n");
  EXPECT_EQ(rows.importance, (std::vector<double>{2, 1, 3, 1}));
  EXPECT_EQ(rows.base, (std::vector<double>{0.5, 0, 0, 0}));
  EXPECT_EQ(rows.tag.levels, (std::vector<std::string>{"a", "", "b", "c"}));
  EXPECT_EQ(rows.tag.codes, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(Vw, LinesWithoutLabelsAreRead) {
  const VwRows rows = parsed("| a\nt1| b\n |c d\n");
  EXPECT_TRUE(rows.label.empty());
  EXPECT_EQ(text_of(rows.entries), "a:1\nb:1\nc^d:1\n");
}

TEST(Vw, LineEndsAndBlanksChangeNothing) {
  const std::string expected = text_of(parsed("1 |n a:2 b\n2 | c\n").entries);
  for (const char* text :
       {"1 |n a:2 b\r\n2 | c", "1 |n a:2 b\r2 | c\r", "\n 1\t|n  a:2\tb \n\n2 |  c\t\n \n", "1 |n a:2 |n b\n2 | c\n"})
    EXPECT_EQ(text_of(parsed(text).entries), expected) << text;
  EXPECT_EQ(parsed("\n1 | a\n2 | a\n\n3 | a\n").lines, (std::vector<Table::Lines>{{0, 2}, {2, 5}}));
}

TEST(Vw, AFeatureThatComesAgainIsAddedAndCounted) {
  const VwRows rows = parsed("1 | b:1 a:0.5 b:2 |x y:7\n1 | a:0.25 b:4 | a^c:1 |a c:1 c\n");
  EXPECT_EQ(text_of(rows.entries), "a:0.5 b:3 x^y:7\na:0.25 a^c:3 b:4\n");
  EXPECT_EQ(rows.mended.rows, 2u);
  EXPECT_EQ(rows.mended.first_line, 1u);
}

TEST(Vw, BadLinesAreFaultsAtTheirPlace) {
  struct Case {
    const char* line;
    std::uint64_t column;
    const char* message;
  };
  for (const std::string& after : {std::string(), "\n" + std::string(100, ' ') + "\n1 | a\n"})
    for (const Case& each : {
             Case{"1 a b", 1, "this line has no |; label | feature:value ... was expected"},
             Case{"7| a", 1, "\"7\" touches the |, so it is a tag and not a label"},
             Case{"1 2 3 4 | a", 7, "\"4\" is a fourth word before the |; label, importance and base were expected"},
             Case{"| a", 1, "this line has no label, others have one"},
             Case{"1:2:0.4 | a", 1, "the label is \"1:2:0.4\", which is not a number"},
             Case{"1 2 | a", 3, "\"2\" is the first importance; the first lines have none"},
             Case{"1 x| a", 3, "\"x\" is the first tag; the first lines have none"},
             Case{"1 | a :3", 7, "a value stands here without its feature; feature:value was expected"},
             Case{"1 |:3 a", 4, "a namespace with a scale and no name starts here; a name was expected"},
             Case{"1 | abc: 3", 9, "\"abc\" has a colon and no value; a number was expected"},
             Case{"1 | a:", 7, "\"a\" has a colon and no value; a number was expected"},
             Case{"1 | a:x", 7, "the value of \"a\" is \"x\", which is not a number"},
             Case{"1 |n:nan a", 6, "the value of \"n\" is \"nan\", which is not a finite number"},
             Case{"1 | a:1:2", 7, "the value of \"a\" is \"1:2\", which is not a number"},
             Case{"1 | a:1e400", 7, "the value of \"a\" is \"1e400\", which is too large"},
             Case{"1 |n:1e200 b a:1e200", 14, "feature \"a\" times the scale of its namespace is too large"},
             Case{"1 | a:1e308 a:1e308", 1, "the values of feature \"a\" in this row add up to more than 1.8e308"},
             Case{"1 | a\xff", 5, "the feature \"a\\xff\" is not valid UTF-8 text"},
         }) {
      const TextFault fault = fault_of(std::string("1 | a\r\n\n") + each.line + after);
      EXPECT_EQ(fault.place.line, 3u) << each.line;
      EXPECT_EQ(fault.place.column, each.column) << each.line;
      EXPECT_EQ(fault.message.substr(0, std::string(each.message).size()), each.message);
      EXPECT_FALSE(fault.hint.empty()) << each.line;
    }
  EXPECT_EQ(fault_of("1 | a\n", {.label = false}).message, "\"1\" is the first label; the first lines have none");
}

TEST(Vw, WhatStandsBeforeTheBarIsNotJudgedIfItIsPassedOver) {
  EXPECT_EQ(text_of(parse_vw("1 | a\nx y z w| b\n7| c\n", {.passed_over = true}).entries), "a:1\nb:1\nc:1\n");
}

TEST(Vw, IsToldFromOtherText) {
  for (const char* text : {"1 | a b\n", "\n| a\n", "-1 2.5 'tag| a\n", "1 |n:2 a\n", "'t| a\n"})
    EXPECT_TRUE(recognises_vw(text)) << text;
  for (const char* text : {"", "a,b\n1,2\n", "x|y\n1|2\n", "1 1:1\n", "{\"a\": \"|\"}\n", "a b | c\n"})
    EXPECT_FALSE(recognises_vw(text)) << text;
}

// Rows written out against the same rows kept as maps of sums.
RC_GTEST_PROP(VwProperty, WhatIsWrittenIsRead, ()) {
  std::string text;
  std::vector<double> labels;
  std::vector<std::map<std::string, double>> rows;
  const int count = *rc::gen::inRange(0, 20);
  for (int r = 0; r < count; ++r) {
    labels.push_back(*rc::gen::inRange(-99, 99) / 4.0);
    text += number_text(labels.back()) + " ";
    auto& row = rows.emplace_back();
    const int spaces = *rc::gen::inRange(1, 4);
    for (int s = 0; s < spaces; ++s) {
      const std::string space = *rc::gen::element("", "n", "other");
      text += "|" + space;
      const int entries = *rc::gen::inRange(0, 6);
      for (int e = 0; e < entries; ++e) {
        const std::string name = *rc::gen::element("a", "b", "feature^with^hats", "c'd", "0");
        const double value = *rc::gen::inRange(-4000, 4000) / 16.0;  // sums are exact
        row[space.empty() ? name : space + "^" + name] += value;
        text += *rc::gen::element(" ", "  ", "\t") + name + ":" + number_text(value);
      }
      text += " ";
    }
    text += *rc::gen::element("\n", "\r\n", "\n\n");
  }
  const VwRows read = parsed(text);
  RC_ASSERT(read.label == labels);
  RC_ASSERT(read.entries.rows() == rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    RC_ASSERT(read.entries.row(r).size() == rows[r].size());
    for (std::size_t i = read.entries.offsets[r]; i < read.entries.offsets[r + 1]; ++i) {
      RC_ASSERT(rows[r].at(read.entries.names[read.entries.index[i]]) == read.entries.value[i]);
      if (i > read.entries.offsets[r]) RC_ASSERT(read.entries.index[i - 1] < read.entries.index[i]);
    }
  }
}

// Scraps of the grammar in any order: mostly wrong, and wrong in the same way however the text is cut.
RC_GTEST_PROP(VwProperty, CutsAtLineEndsChangeNothing, ()) {
  const auto scraps = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "1 | a b:2\n", "0.5 |n a:1e3 |m:2 a\r\n", "-1 |\r", "\n", " ", "1 ", "| c", " a:3", "|", "'t", ":", "\r\n"));
  std::string text;
  for (const std::string& each : scraps) text += each;
  for (const std::size_t cut : cuts_of(text))
    RC_ASSERT(same_if_cut(text, cut, [](std::string_view part) { return parse_vw(part, {}); }));
}

}  // namespace
}  // namespace plumb::vw_test
