#include "plumb/data/jsonl.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "plumb/base/json_writer.h"
#include "plumb/base/number.h"
#include "plumb/data/testing.h"

namespace plumb::jsonl_test {
namespace {

// Columns of numbers if no text is among their values.
JsonlRows parsed(const std::string& text, const std::string& look_at) {
  std::vector<std::string> names;
  std::vector<Selected> wanted;
  for (const JsonlKey& key : keys_of_jsonl(look_at)) {
    wanted.push_back({names.size(), key.first_text.empty() ? key.guess.kind() : Kind::category});
    names.push_back(key.name);
  }
  return parse_jsonl(text, {names, wanted});
}
JsonlRows parsed(const std::string& text) { return parsed(text, text); }

std::vector<std::string> texts(const Column& column) {
  std::vector<std::string> all;
  for (const std::uint32_t code : column.codes) all.push_back(column.levels[code]);
  return all;
}

const std::vector<std::string> kNames = {"n", "s"};
const std::vector<Selected> kWanted = {{0, Kind::number}, {1, Kind::category}};

TEST(Jsonl, KeysAreColumnsInOrderOfFirstAppearance) {
  const auto keys = keys_of_jsonl("{\"b\": 1, \"a\": \"x\"}\n{\"c\": true, \"a\": null, \"b\": 2.5}\n");
  ASSERT_EQ(keys.size(), 3u);
  EXPECT_EQ(keys[0].name + keys[1].name + keys[2].name, "bac");
  EXPECT_EQ(keys[0].guess.kind(), Kind::number);
  EXPECT_EQ(keys[1].guess.kind(), Kind::category);
  EXPECT_EQ(keys[2].first_text, "true");
  EXPECT_EQ(keys[2].first_text_place.line, 2u);
  EXPECT_EQ(keys[2].first_text_place.column, 7u);
}

TEST(Jsonl, NumbersStringsAndBooleansAreRead) {
  const JsonlRows rows = parsed(
      "{\"x\": 1.5, \"c\": \"Paris\", \"t\": true}\n"
      "{\"x\":-2e3,\"c\":\"a\\\"\\u00e9\\ud83d\\ude00\\n\",\"t\":false}\n"
      " { \"t\" : null , \"x\" : 0 } \n");
  EXPECT_EQ(rows.columns[0].numbers, (std::vector<double>{1.5, -2000, 0}));
  EXPECT_EQ(texts(rows.columns[1]), (std::vector<std::string>{"Paris", "a\"\xC3\xA9\xF0\x9F\x98\x80\n", ""}));
  EXPECT_EQ(texts(rows.columns[2]), (std::vector<std::string>{"true", "false", ""}));
}

TEST(Jsonl, LineEndsAndTheOrderOfKeysChangeNothing) {
  for (const char* text :
       {"{\"a\":1,\"b\":2}\n{\"a\":3,\"b\":4}\n", "{\"a\":1,\"b\":2}\r\n{\"b\":4,\"a\":3}",
        "\n{\"a\":1,\"b\":2}\r \r{\"\\u0061\":3,\"b\":4}\r", "{\"a\":1,\"b\":2}\n\n{\"b\":4,\"\\u0061\":3}"}) {
    const JsonlRows rows = parsed(text);
    EXPECT_EQ(rows.columns[0].numbers, (std::vector<double>{1, 3})) << text;
    EXPECT_EQ(rows.columns[1].numbers, (std::vector<double>{2, 4})) << text;
  }
  EXPECT_EQ(parsed("{}\n{}\n\n{}\n").lines, (std::vector<Table::Lines>{{0, 1}, {2, 4}}));
}

TEST(Jsonl, ANumberAmongCategoriesKeepsItsText) {
  const JsonlRows rows = parsed("{\"id\": \"x\"}\n{\"id\": 12345678901234567890}\n{\"id\": 1.0}\n{\"id\": -0}\n");
  EXPECT_EQ(texts(rows.columns[0]), (std::vector<std::string>{"x", "12345678901234567890", "1.0", "-0"}));
}

TEST(Jsonl, KeysThatWereNotThereBeforeArePassedOverAndNamed) {
  const std::string text = "{\"a\": 1}\n{\"b\": 7, \"a\": 2}\n{\"c\": \"x\", \"a\": 3, \"b\": 1}\n";
  const JsonlRows rows = parsed(text, "{\"a\": 1}\n");
  EXPECT_EQ(rows.columns[0].numbers, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(rows.mended.rows, 2u);
  EXPECT_EQ(rows.mended.first_line, 2u);
  EXPECT_EQ(rows.mended.what, "keys that the first lines do not have, such as \"b\", were passed over");
  EXPECT_EQ(parsed("{\"a\": 1}\n").mended.rows, 0u);
}

TEST(Jsonl, KeysOfALineThatIsLeftOutAreNotNamed) {
  const std::vector<std::string> names = {"a"};
  const std::vector<Selected> wanted = {{0, Kind::number}};
  const JsonlRows rows =
      parse_jsonl("{\"b\": 1 2}\n{\"c\": 3, \"a\": 4}\n", {.keys = names, .wanted = wanted, .skip_bad_rows = true});
  EXPECT_EQ(rows.left_out.bad, 1u);
  EXPECT_EQ(rows.mended.first_line, 2u);
  EXPECT_EQ(rows.mended.what, "keys that the first lines do not have, such as \"c\", were passed over");
}

TEST(Jsonl, AStringThatHoldsANumberIsText) {
  EXPECT_EQ(keys_of_jsonl("{\"zip\": \"01234\"}\n{\"zip\": \"99999\"}")[0].guess.kind(), Kind::category);
}

TEST(Jsonl, ColumnsThatAreNotWantedAreNotJudged) {
  const std::vector<std::string> names = {"a", "b"};
  const std::vector<Selected> wanted = {{1, Kind::number}};
  EXPECT_EQ(parse_jsonl("{\"a\": \"x\", \"b\": 1}\n{\"b\": 2}\n", {names, wanted}).columns[0].numbers,
            (std::vector<double>{1, 2}));
}

TEST(Jsonl, BadLinesAreFaultsAtTheirPlace) {
  struct Case {
    const char* line;
    std::uint64_t column;
    const char* message;
  };
  for (const std::string& after : {std::string(), "\n" + std::string(100, ' ') + "\n{\"n\":1,\"s\":\"\"}\n"})
    for (const Case& each : {
             Case{"[1]", 1, "an array starts here; an object in each line was expected"},
             Case{"7", 1, "found \"7\"; the { of an object was expected"},
             Case{"{", 2, "the line ends here; a key in double quotes was expected"},
             Case{"{\"n\": 1", 8, "the line ends here; , or } was expected"},
             Case{"{\"n\": 1,}", 9, "found \"}\"; a key in double quotes was expected"},
             Case{"{\"n\" 1}", 6, "found \"1\"; : was expected"},
             Case{"{\"n\": }", 7, "key \"n\" holds \"\"; a number, a string, true, false or null was expected"},
             Case{"{\"n\": 1 \"s\": 2}", 9, "found \"\"\"; , or } was expected"},
             Case{"{n: 1}", 2, "found \"n\"; a key in double quotes was expected"},
             Case{"{\"n\": 1} x", 10, "found \"x\"; the end of the line was expected"},
             Case{"{\"n\": 1, \"n\": 2}", 10, "key \"n\" is in this line twice; once was expected"},
             Case{"{\"n\": 1, \"\\u006e\": 2}", 10, "key \"n\" is in this line twice; once was expected"},
             Case{"{\"n\": [1]}", 7, "key \"n\" holds an array; a number, a string, true, false or null was expected"},
             Case{"{\"n\": {\"a\": 1}}", 7, "key \"n\" holds an object; a number, a string, true, false or null was"},
             Case{"{\"n\": 01}", 7, "key \"n\" holds \"01\", which is no number in JSON"},
             Case{"{\"n\": -01.5}", 7, "key \"n\" holds \"-01.5\", which is no number in JSON"},
             Case{"{\"n\": 1.}", 7, "key \"n\" holds \"1.\", which is no number in JSON"},
             Case{"{\"n\": .5}", 7, "key \"n\" holds \".5\", which is no number in JSON"},
             Case{"{\"n\": +1}", 7, "key \"n\" holds \"+1\", which is no number in JSON"},
             Case{"{\"n\": NaN}", 7, "key \"n\" holds \"NaN\", which is no JSON"},
             Case{"{\"n\": 1e400}", 7, "key \"n\" holds \"1e400\", which is too large"},
             Case{"{\"n\": nul}", 7, "key \"n\" holds \"nul\"; a number, a string, true, false or null was expected"},
             Case{"{\"n\": null}", 7, "key \"n\" is null here; a number was expected"},
             Case{" {\"s\": \"x\"}", 2, "key \"n\" is not in this line; a number was expected"},
             Case{"{\"n\": \"x\"}", 7, "key \"n\" holds the string \"x\"; a number was expected"},
             Case{"{\"n\": true}", 7, "key \"n\" holds \"true\"; a number was expected"},
             Case{"{\"n\": 1, \"s\": \"x}", 18, "the line ends here; the closing quote of a string was expected"},
             Case{"{\"n\": 1, \"s\": \"\\x\"}", 17, "found 'x', expected one of \" \\ / b f n r t u after a backslash"},
             Case{"{\"n\": 1, \"s\": \"\\ud800\"}", 16, "found half of a surrogate pair, expected both halves"},
             Case{"{\"n\": 1, \"s\": \"a\tb\"}", 17, "found \"\\t\"; an escape like \\n or \\u0001 for a control"},
             Case{"{\"n\": 1, \"s\": \"\xff\"}", 16, "found the byte \\xff, expected UTF-8"},
             Case{"{\"n\": 1, \"s\": \"\\u0000\"}", 15, "key \"s\" holds a NUL character"},
             Case{"{\"n\": 1, \"\xff\": 1}", 11, "found the byte \\xff, expected UTF-8"},
         }) {
      const TextFault fault = fault_in([&] {
        parsed(std::string("{\"n\": 1, \"s\": \"x\"}\r\n\n") + each.line + after, "{\"n\": 1, \"s\": \"x\"}");
      });
      EXPECT_EQ(fault.place.line, 3u) << each.line;
      EXPECT_EQ(fault.place.column, each.column) << each.line;
      EXPECT_EQ(fault.message.substr(0, std::string(each.message).size()), each.message);
      EXPECT_FALSE(fault.hint.empty()) << each.line;
    }
}

TEST(Jsonl, IsToldFromOtherText) {
  for (const char* text : {"{\"a\": 1}\n", "\n { \"a", "{}"}) EXPECT_TRUE(recognises_jsonl(text)) << text;
  for (const char* text : {"", "a,b\n", "[{\"a\": 1}]", "{a}\n", "{\n"}) EXPECT_FALSE(recognises_jsonl(text)) << text;
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

// Objects written by the JSON writer, keys left out and in any order, against the same objects kept as maps.
RC_GTEST_PROP(JsonlProperty, WhatIsWrittenIsRead, ()) {
  const std::vector<std::string> names = {"n", "number \"two\"", "s", "\xC3\xA9"};
  const std::vector<Selected> wanted = {{0, Kind::number}, {1, Kind::number}, {2, Kind::category}, {3, Kind::category}};
  std::string text;
  std::vector<std::vector<double>> numbers(2);
  std::vector<std::vector<std::string>> strings(2);
  const int count = *rc::gen::inRange(0, 20);
  for (int r = 0; r < count; ++r) {
    std::vector<std::string> members;
    for (std::size_t k = 0; k < 2; ++k) {
      const double value =
          *rc::gen::oneOf(rc::gen::map(rc::gen::inRange(-99999, 99999), [](int v) { return v / 1e3; }),
                          rc::gen::map(rc::gen::arbitrary<double>(), [](double v) { return v - v == 0 ? v : 0; }));
      numbers[k].push_back(value);
      members.push_back(json_string(names[k]) + ":" + number_text(value));
    }
    for (std::size_t k = 0; k < 2; ++k) {
      const std::string value =
          *rc::gen::container<std::string>(rc::gen::element('a', '"', '\\', '\n', '\x01', '7', ' '));
      strings[k].push_back(value);
      if (!value.empty() || *rc::gen::arbitrary<bool>())
        members.push_back(json_string(names[2 + k]) + " : " + (value.empty() ? "null" : json_string(value)));
    }
    if (*rc::gen::weightedElement<bool>({{3, false}, {1, true}})) std::reverse(members.begin(), members.end());
    text += "{";
    for (std::size_t m = 0; m < members.size(); ++m) text += (m == 0 ? "" : ", ") + members[m];
    text += std::string("}") + *rc::gen::element("\n", "\r\n", " \n", "\n\n");
  }
  const JsonlRows rows = parse_jsonl(text, {names, wanted});
  RC_ASSERT(rows.rows == static_cast<std::uint64_t>(count));
  RC_ASSERT(rows.columns[0].numbers == numbers[0]);
  RC_ASSERT(rows.columns[1].numbers == numbers[1]);
  RC_ASSERT(texts(rows.columns[2]) == strings[0]);
  RC_ASSERT(texts(rows.columns[3]) == strings[1]);
}

// Scraps of the grammar in any order: mostly wrong, and wrong in the same way however the text is cut.
RC_GTEST_PROP(JsonlProperty, CutsAtLineEndsChangeNothing, ()) {
  const auto scraps = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("{\"n\": 1, \"s\": \"x\"}\n", "{\"s\":null,\"n\":-2.5}\r\n", "{\"n\":3}\r", "\n",
                                    " ", "{", "}", "\"n\"", ":", ",", "7", "\"\\u0041\"", "\r\n"));
  std::string text;
  for (const std::string& each : scraps) text += each;
  for (const std::size_t cut : cuts_of(text))
    RC_ASSERT(same_if_cut(text, cut, [](std::string_view part) { return parse_jsonl(part, {kNames, kWanted}); }));
}

}  // namespace
}  // namespace plumb::jsonl_test
