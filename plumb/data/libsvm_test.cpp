#include "plumb/data/libsvm.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "plumb/base/number.h"
#include "plumb/data/testing.h"

namespace plumb::libsvm_test {
namespace {

LibsvmRows parsed(const std::string& text, Kind label = Kind::number) {
  return parse_libsvm(text, {label, guess_libsvm(text).form.query});
}

TextFault fault_of(const std::string& text, Kind label = Kind::number) {
  return fault_in([&] { parsed(text, label); });
}

TEST(Libsvm, LabelsAndPairsAreRead) {
  const LibsvmRows rows = parsed("+1 1:0.5 3:-2e3\n-1\n0.25 0:1 4294967294:.5\n");
  EXPECT_EQ(rows.rows, 3u);
  EXPECT_EQ(rows.label.numbers, (std::vector<double>{1, -1, 0.25}));
  EXPECT_EQ(text_of(rows.entries), "1:0.5 3:-2000\n\n0:1 4294967294:0.5\n");
  EXPECT_EQ(rows.lines_ended, 3u);
}

TEST(Libsvm, LineEndsBlanksAndCommentsChangeNothing) {
  const std::string plain = "1 1:2 3:4\n-1 2:5\n";
  for (const char* text :
       {"1 1:2 3:4\n-1 2:5", "1 1:2 3:4\r\n-1 2:5\r\n", "1 1:2 3:4\r-1 2:5\r", "  1\t1:2 \t 3:4  \n-1 2:5 \n",
        "# 9 9:9\n\n1 1:2 3:4 # 9:9\n \t\n-1 2:5 #\n\r\n", "1 1:2 3:4\n\n\n\n-1 2:5\n"}) {
    EXPECT_EQ(text_of(parsed(text).entries), text_of(parsed(plain).entries)) << text;
    EXPECT_EQ(parsed(text).label.numbers, (std::vector<double>{1, -1})) << text;
  }
}

// Far from both ends of the text entries are parsed in another way than near them, and in a third way if every value is
// 1.
RC_GTEST_PROP(LibsvmProperty, RowsAreReadAlikeByThemselvesAndAmongOthers, ()) {
  const bool ones = *rc::gen::inRange(0, 3) == 0;
  std::string text, alone, values;
  const int rows = *rc::gen::inRange(1, 30);
  for (int row = 0; row < rows; ++row) {
    std::string line = *rc::gen::element("1", "-1", "+1", "2.5", " 3", "-0.25");
    std::uint64_t index = 0;
    for (int entries = *rc::gen::inRange(0, 40); entries > 0; --entries) {
      index += *rc::gen::element(1, 2, 9, 100, 20000, 3000000);
      line += *rc::gen::weightedElement<std::string>({{20, " "}, {1, "  "}, {1, "\t"}}) + std::to_string(index) + ":";
      line += ones && *rc::gen::inRange(0, 200) != 0
                  ? "1"
                  : *rc::gen::element("1", "0", "-1", "0.5", "0.123456", "-3.25", "1.0", "12.5", "0.1234567890123456",
                                      "0.01234567890123456", "0.001234567890123456", "9.123456789012345678", "1e-3",
                                      "0.12345678901234567890", ".5", "1234567", "12345678");
    }
    line += *rc::gen::weightedElement<std::string>({{20, ""}, {1, " "}, {1, " # 9:9"}, {1, "\r"}});
    line += "\n";
    const LibsvmRows one = parsed(line);
    RC_ASSERT(one.rows == 1u);
    alone += text_of(one.entries);
    values += number_text(one.label.numbers[0]) + " ";
    text += line;
  }
  const LibsvmRows all = parsed(text);
  std::string labels;
  for (const double label : all.label.numbers) labels += number_text(label) + " ";
  RC_ASSERT(text_of(all.entries) == alone);
  RC_ASSERT(labels == values);
  RC_ASSERT(all.mended.rows == 0u);
}

// Far from the end of the text entries are parsed in another way than near it.
TEST(Libsvm, EntriesOfAnyLengthAreReadAlikeWhereverTheyStand) {
  std::string rest;
  for (int i = 0; i < 40; ++i) rest += "1 1:1\n";
  for (const char* index : {"7", "12", "1234567", "12345678", "123456789", "4294967294"})
    for (const char* value :
         {"1", "0", "-1", "1.5", "0.12", "-0.1234567890123456", "0.12345678901234567", "12.5e-3", "1.", "0.00000001",
          "1e0", "123456789012345678901234567890", "1234567.1234567890123456789"})
      for (const char* end : {"\n", "\r\n", "\r", " \n", "\t\n", " # 1\n", "\t5000000000:2\n"}) {
        const std::string line = "1 " + std::string(index) + ":" + value + end;
        if (line.find("5000000000") != line.npos) {
          EXPECT_EQ(fault_of(line).place.column, fault_of(line + rest).place.column) << line;
          continue;
        }
        const std::string near = text_of(parsed(line).entries), far = text_of(parsed(line + rest).entries);
        EXPECT_EQ(far.substr(0, near.size()), near) << line;
        const std::string behind = text_of(parsed(rest + line + rest).entries), first = text_of(parsed(rest).entries);
        EXPECT_EQ(behind.substr(first.size(), near.size()), near) << line;
        EXPECT_EQ(near, std::string(index) + ":" + number_text(parse_number(value).value) + "\n") << line;
      }
  for (const char* bad : {"1 3:1\x01\n", "1 3:0.5\x8f\n", "1 3:0.5x 4:1\n", "1 3:\n", "1 3 4:1\n"})
    for (const std::string& text : {bad + rest, rest + bad + rest})
      EXPECT_EQ(fault_of(bad).place.column, fault_of(text).place.column) << bad;
}

TEST(Libsvm, RowsKnowTheirLines) {
  const LibsvmRows rows = parsed("1 1:1\n1 1:1\n\n# no row\n1 1:1\r\n1 1:1\n\n");
  EXPECT_EQ(rows.lines, (std::vector<Table::Lines>{{0, 1}, {2, 5}}));
  EXPECT_EQ(rows.lines_ended, 7u);
}

TEST(Libsvm, QueriesAreRead) {
  const LibsvmRows rows = parsed("3 qid:1 1:1\n2 qid:1\n1\tqid:9007199254740992 2:1 # x\n");
  EXPECT_EQ(rows.query, (std::vector<double>{1, 1, 9007199254740992.0}));
  EXPECT_EQ(text_of(rows.entries), "1:1\n\n2:1\n");
}

TEST(Libsvm, LabelsOfWordsAreCategoriesAndNumbersAmongThemHaveOneSpelling) {
  const std::string text = "spam 1:1\n+1 1:1\nham\n1.0 2:1\nspam\n1\nC# 3:1\n";
  EXPECT_EQ(guess_libsvm(text).form.label, Kind::category);
  EXPECT_EQ(guess_libsvm(text).first_word, "spam");
  const LibsvmRows rows = parsed(text, Kind::category);
  EXPECT_EQ(rows.label.levels, (std::vector<std::string>{"spam", "1", "ham", "C#"}));
  EXPECT_EQ(rows.label.codes, (std::vector<std::uint32_t>{0, 1, 2, 1, 0, 1, 3}));
}

TEST(Libsvm, TheFormIsGuessedFromTheLabels) {
  EXPECT_EQ(guess_libsvm("1 1:1\n-1 2:1\n").form.label, Kind::number);
  EXPECT_EQ(guess_libsvm("1 1:1\nnan 1:1\n").form.label, Kind::number) << "meant as a number: a fault when it is read";
  EXPECT_EQ(guess_libsvm("# word 1:1\n1 1:1\n").form.label, Kind::number);
  EXPECT_TRUE(guess_libsvm("\n1 qid:1 1:1\n").form.query);
  const LibsvmGuess guess = guess_libsvm("1 1:1\n\n  ham\nspam\n");
  EXPECT_EQ(guess.first_word, "ham");
  EXPECT_EQ(guess.first_word_place.line, 3u);
  EXPECT_EQ(guess.first_word_place.column, 3u);
}

TEST(Libsvm, LabelsThatAreNotWantedAreNotJudged) {
  const std::string text = "? 1:1\n1,3 2:1\n";
  EXPECT_EQ(text_of(parse_libsvm(text, {std::nullopt, false}).entries), "1:1\n2:1\n");
  EXPECT_EQ(fault_in([] { parse_libsvm("2:1 3:1\n", {std::nullopt, false}); }).place.line, 1u);
}

TEST(Libsvm, IndicesThatDoNotAscendAreSortedAndCounted) {
  const LibsvmRows rows = parsed("1 3:0.5 1:1 2:7\n1 1:1 2:1\n1 9:1 8:2\n");
  EXPECT_EQ(text_of(rows.entries), "1:1 2:7 3:0.5\n1:1 2:1\n8:2 9:1\n");
  EXPECT_EQ(rows.mended.rows, 2u);
  EXPECT_EQ(rows.mended.first_line, 1u);
}

TEST(Libsvm, WhereIndicesLieIsToldWhileAllRowsAreThere) {
  LibsvmRows rows = parse_libsvm("1 7:1 900:1\n0\n1 12:1 3:2\n", {});
  const Entries::Order* const order = rows.entries.order();
  ASSERT_NE(order, nullptr);
  EXPECT_EQ(order->least, 3u);
  EXPECT_EQ(order->most, 900u);
  rows.entries.index.own().pop_back();
  EXPECT_EQ(rows.entries.order(), nullptr);
  LibsvmForm form;
  form.skip_bad_rows = true;
  EXPECT_EQ(parse_libsvm("1 7:1\n1 900:1 x\n", form).entries.order(), nullptr);
  EXPECT_EQ(parse_libsvm("1\n0\n", {}).entries.order(), nullptr);
}

TEST(Libsvm, BadLinesAreFaultsAtTheirPlace) {
  struct Case {
    const char* line;
    std::uint64_t column;
    const char* message;
  };
  // Behind a line that ends in the fast loop, with space for it behind the fault.
  for (const std::string& after : {std::string(), std::string(200, ' ') + "\n1 1:1\n"})
    for (const Case& each : {
             Case{"1 2:1 3:", 9, "index 3 has no value; index:value was expected"},
             Case{"1 2:1 3: 4", 9, "index 3 has no value; index:value was expected"},
             Case{"1 2:1 3 4:1", 7, "\"3\" has no colon; index:value was expected"},
             Case{"1 2:1 x:1", 7, "\"x:1\" was expected to be index:value, the index a whole number"},
             Case{"1 -2:1", 3, "\"-2:1\" was expected to be index:value, the index a whole number"},
             Case{"1 :1", 3, "\":1\" was expected to be index:value, the index a whole number"},
             Case{"1 4294967295:1", 3, "the index \"4294967295\" is too large; indices end at 4294967294"},
             Case{"1 99999999999999999999:1", 3, "the index \"99999999999999999999\" is too large; indices end at"},
             Case{"1 2:nan", 5, "the value of index 2 is \"nan\", which is not a finite number"},
             Case{"1 2:-Inf", 5, "the value of index 2 is \"-Inf\", which is not a finite number"},
             Case{"1 2:1e400", 5, "the value of index 2 is \"1e400\", which is too large"},
             Case{"1 2:0x1F", 5, "the value of index 2 is \"0x1F\", which is hexadecimal"},
             Case{"1 2:1#x", 5, "the value of index 2 is \"1#x\", which is not a number"},
             Case{"1 2:3:4", 5, "the value of index 2 is \"3:4\", which is not a number"},
             Case{"1 2:1 3:4 2:5 3:6", 11, "index 2 is in this row twice; once was expected"},
             Case{"1 2:1 02:5", 7, "index 2 is in this row twice; once was expected"},
             Case{"1,3 2:1", 1, "the label is \"1,3\"; one label was expected, not several"},
             Case{"2:1", 1, "\"2:1\" is where the label should be; the line starts without one"},
             Case{"+-1 2:1", 1, "the label is \"+-1\", which is not a number"},
             Case{"ham 2:1", 1, "the label is \"ham\", which is not a number"},
             Case{"1 qid:7 2:1", 3, "\"qid:7\" is a qid:; the first line has none"},
             Case{"1 2:1 qid:7", 7, "\"qid:7\" was expected to be index:value, the index a whole number"},
         }) {
      const TextFault fault = fault_of(std::string("1 1:1\r\n\n") + each.line + after);
      EXPECT_EQ(fault.place.line, 3u) << each.line;
      EXPECT_EQ(fault.place.column, each.column) << each.line;
      EXPECT_EQ(fault.message.substr(0, std::string(each.message).size()), each.message);
      EXPECT_FALSE(fault.hint.empty()) << each.line;
    }
}

TEST(Libsvm, AQueryThatIsMissingOrNoWholeNumberIsAFault) {
  EXPECT_EQ(fault_of("1 qid:1 1:1\n1 1:1\n").message, "qid: is missing here; the first line has one");
  EXPECT_EQ(fault_of("1 qid:1\n1").message, "qid: is missing here; the first line has one");
  for (const char* text : {"1 qid:\n", "1 qid:x\n", "1 qid:1.5\n", "1 qid:-1\n", "1 qid:9007199254740993\n"})
    EXPECT_EQ(fault_of(text).place.column, 3u) << text;
}

TEST(Libsvm, AWordThatIsNoTextIsAFault) { EXPECT_EQ(fault_of("ham 1:1\nh\xffm 1:1\n", Kind::category).place.line, 2u); }

TEST(Libsvm, IsToldFromOtherText) {
  for (const char* text : {"+1 1:0.5 2:1\n", "# c\n\n1 qid:3 1:1", "spam 3:1 7:2\n"})
    EXPECT_TRUE(recognises_libsvm(text)) << text;
  for (const char* text : {"", "x,y\n1,2\n", "1 | a:1\n", "{\"a\": 1}\n", "time 12:30:00\n", "a b\n", "1 1:\n", "\n\n"})
    EXPECT_FALSE(recognises_libsvm(text)) << text;
}

// Rows with numbers in every notation, compared with the same rows stored as maps.
RC_GTEST_PROP(LibsvmProperty, WhatIsWrittenIsRead, ()) {
  std::string text;
  std::vector<double> labels;
  std::vector<std::map<std::uint32_t, double>> rows;
  const int count = *rc::gen::inRange(0, 30);
  for (int r = 0; r < count; ++r) {
    const auto number = [] {
      return *rc::gen::oneOf(rc::gen::just(1.0),
                             rc::gen::map(rc::gen::inRange(-999999, 999999), [](int v) { return v / 1e5; }),
                             rc::gen::map(rc::gen::arbitrary<double>(), [](double v) { return v - v == 0 ? v : 0; }));
    };
    labels.push_back(number());
    text += number_text(labels.back());
    auto& row = rows.emplace_back();
    const int entries = *rc::gen::inRange(0, 12);
    for (int e = 0; e < entries; ++e) {
      const auto index = *rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(0, 40), rc::gen::inRange(0u, 4294967294u));
      const double value = number();
      if (!row.emplace(index, value).second) continue;
      text += std::string(*rc::gen::element(" ", " ", "\t", "  ")) + std::to_string(index) + ":" + number_text(value);
    }
    text += *rc::gen::element("\n", "\n", "\r\n", " \n", " # 5:5\n", "\n\n");
  }
  const LibsvmRows read = parsed(text);
  RC_ASSERT(read.rows == rows.size());
  RC_ASSERT(read.label.numbers == labels);
  RC_ASSERT(read.entries.rows() == rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::size_t at = read.entries.offsets[r];
    for (const auto& [index, value] : rows[r]) {
      RC_ASSERT(read.entries.index[at] == index);
      RC_ASSERT(read.entries.value[at++] == value);
    }
    RC_ASSERT(at == read.entries.offsets[r + 1]);
  }
}

// Scraps of the grammar in any order: mostly wrong, and wrong in the same way however the text is cut.
RC_GTEST_PROP(LibsvmProperty, CutsAtLineEndsChangeNothing, ()) {
  const auto scraps = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "1 2:1\n", "1 2:0.5 7:1e3 # c\r\n", "-1\r", "\n", " ", "1", " 3:1", " 2:4", "#", "x", ":", "\r\n"));
  std::string text;
  for (const std::string& each : scraps) text += each;
  for (const std::size_t cut : cuts_of(text))
    RC_ASSERT(same_if_cut(text, cut, [](std::string_view part) { return parse_libsvm(part, {}); }));
}

}  // namespace
}  // namespace plumb::libsvm_test
