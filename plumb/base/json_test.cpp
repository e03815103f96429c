#include "plumb/base/json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "plumb/base/utf8.h"

namespace plumb::json_test {
namespace {

using namespace std::string_literals;

// The offset at which the text is refused; npos if it is accepted.
std::size_t refused_at(std::string_view text, const JsonLimits& limits = {}) {
  try {
    parse_json(text, limits);
    return std::string_view::npos;
  } catch (const JsonFault& fault) {
    EXPECT_EQ(fault.code(), ErrorCode::data);
    EXPECT_TRUE(fault.message().starts_with("byte " + std::to_string(fault.offset()) + ": ")) << fault.message();
    return fault.offset();
  }
}

std::string message_for(std::string_view text) {
  try {
    parse_json(text);
    return "accepted";
  } catch (const JsonFault& fault) {
    return fault.message();
  }
}

TEST(ParseJson, ReadsEveryKindInOrder) {
  const JsonValue value = parse_json(R"( {"b": [null, true, false, "x", 1.5, -7], "a": {} , "c": []}
)");
  ASSERT_EQ(value.members().size(), 3u);
  EXPECT_EQ(value.members()[0].key, "b");
  EXPECT_EQ(value.members()[1].key, "a");
  EXPECT_EQ(value.members()[2].key, "c");
  const std::vector<JsonValue>& items = value.at("b").items();
  ASSERT_EQ(items.size(), 6u);
  EXPECT_TRUE(items[0].is_null());
  EXPECT_TRUE(items[1].as_bool());
  EXPECT_FALSE(items[2].as_bool());
  EXPECT_EQ(items[3].as_string(), "x");
  EXPECT_EQ(items[4].as_double(), 1.5);
  EXPECT_EQ(items[5].as_i64(), -7);
  EXPECT_TRUE(value.at("a").members().empty());
  EXPECT_TRUE(value.at("c").items().empty());
  EXPECT_EQ(value.find("d"), nullptr);
  EXPECT_EQ(parse_json(" \t\r\n1 \t\r\n").as_u64(), 1u);
}

TEST(ParseJson, RefusesWhatRfc8259DoesNotAllow) {
  const std::vector<std::pair<std::string, std::size_t>> cases = {{"", 0},
                                                                  {"  ", 2},
                                                                  {"\xEF\xBB\xBF{}", 0},
                                                                  {"{} {}", 3},
                                                                  {"[1,]", 3},
                                                                  {"[,1]", 1},
                                                                  {"[1 2]", 3},
                                                                  {"[1", 2},
                                                                  {"{", 1},
                                                                  {"{\"a\"", 4},
                                                                  {"{\"a\":", 5},
                                                                  {"{\"a\":1", 6},
                                                                  {"{\"a\":1,}", 7},
                                                                  {"{a:1}", 1},
                                                                  {"{'a':1}", 1},
                                                                  {"{\"a\" 1}", 5},
                                                                  {"{1:1}", 1},
                                                                  {"[1}", 2},
                                                                  {"{\"a\":1]", 6},
                                                                  {"]", 0},
                                                                  {"nul", 0},
                                                                  {"nulL", 0},
                                                                  {"True", 0},
                                                                  {"truex", 4},
                                                                  {"NaN", 0},
                                                                  {"Infinity", 0},
                                                                  {"-Infinity", 1},
                                                                  {"undefined", 0},
                                                                  {"// x\n1", 0},
                                                                  {"/**/1", 0},
                                                                  {"#", 0},
                                                                  {"01", 1},
                                                                  {"-01", 2},
                                                                  {"00", 1},
                                                                  {"1.", 2},
                                                                  {".5", 0},
                                                                  {"-", 1},
                                                                  {"+1", 0},
                                                                  {"1e", 2},
                                                                  {"1e+", 3},
                                                                  {"1.e5", 2},
                                                                  {"0x10", 1},
                                                                  {"1_000", 1},
                                                                  {"--1", 1},
                                                                  {"1,5", 1},
                                                                  {"\"abc", 4},
                                                                  {"\"\\", 2},
                                                                  {"'a'", 0},
                                                                  {"\"a\nb\"", 2},
                                                                  {"\"\t\"", 1},
                                                                  {"\"\x1F\"", 1},
                                                                  {"\"\0\""s, 1},
                                                                  {"1\0"s, 1},
                                                                  {"\v1", 0},
                                                                  {"\xC2\xA0"
                                                                   "1",
                                                                   0},
                                                                  {"\"\\x41\"", 2},
                                                                  {"\"\\a\"", 2},
                                                                  {"\"\\U0041\"", 2},
                                                                  {"\"\\u12\"", 5},
                                                                  {"\"\\u12G4\"", 5},
                                                                  {"\"\\u\"", 3}};
  for (const auto& [text, offset] : cases) EXPECT_EQ(refused_at(text), offset) << text << ": " << message_for(text);
}

TEST(ParseJson, SaysWhatIsThereAndWhatWasExpected) {
  EXPECT_EQ(message_for("[1 2]"), "byte 3: found '2', expected ',' or ']'");
  EXPECT_EQ(message_for("{\"a\":"), "byte 5: found the end, expected a JSON value");
  EXPECT_EQ(message_for("[\x1B]"), "byte 1: found '\\x1b', expected a JSON value");
  EXPECT_EQ(message_for("[\xC3\xA9]"), "byte 1: found '\xC3\xA9', expected a JSON value");
  EXPECT_EQ(message_for("{\"a\":1,\"b\":2,\"a\":3}"),
            "byte 17: found the key \"a\" for the second time, expected distinct keys");
}

TEST(ParseJson, DecodesEscapes) {
  EXPECT_EQ(parse_json(R"("\" \\ \/ \b \f \n \r \t")").as_string(), "\" \\ / \b \f \n \r \t");
  EXPECT_EQ(parse_json(R"("\u0041\u00e9\u20AC\u0000")").as_string(), "A\xC3\xA9\xE2\x82\xAC\0"s);
  EXPECT_EQ(parse_json(R"("\ud83d\ude00\uD800\uDC00\uDBFF\uDFFF")").as_string(),
            "\xF0\x9F\x98\x80\xF0\x90\x80\x80\xF4\x8F\xBF\xBF");
}

TEST(ParseJson, RefusesHalvesOfSurrogatePairs) {
  for (const std::string text : {R"("\ud800")", R"("\udc00")", R"("\ud800x")", R"("\ud800\n")", R"("\ud800\ud800")",
                                 R"("\ud800\u0041")", R"("\udc00\ud800")"}) {
    EXPECT_EQ(refused_at(text), 1u) << text;
  }
}

TEST(ParseJson, RefusesInvalidUtf8Everywhere) {
  EXPECT_EQ(refused_at("\"a\xFF\""), 2u);
  EXPECT_EQ(refused_at("\"\xC0\x80\""), 1u);
  EXPECT_EQ(refused_at("\"\xED\xA0\x80\""), 1u);
  EXPECT_EQ(refused_at("{\"\xE2\x82\":1}"), 2u);
}

TEST(ParseJson, RefusesDuplicateKeysHoweverTheyAreWritten) {
  EXPECT_NE(refused_at(R"({"a":1,"a":1})"), std::string_view::npos);
  EXPECT_NE(refused_at(R"({"a":1,"\u0061":1})"), std::string_view::npos);
  EXPECT_NE(refused_at(R"([{"x":{"":1,"b":2,"":3}}])"), std::string_view::npos);
  EXPECT_EQ(refused_at(R"({"a":{"a":1},"b":{"a":1}})"), std::string_view::npos);
}

TEST(ParseJson, FindsEachOfManyKeys) {
  JsonWriter writer;
  writer.begin_object();
  for (int i = 0; i < 1000; ++i) writer.member("key" + std::to_string(i * 7919 % 1000), i);
  const JsonValue value = parse_json(writer.end_object().take());
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(value.at("key" + std::to_string(i * 7919 % 1000)).as_i64(), i);
  EXPECT_EQ(value.find("key"), nullptr);
  EXPECT_EQ(value.find("key1000"), nullptr);
}

TEST(ParseJson, KeepsIntegersExact) {
  EXPECT_EQ(parse_json("18446744073709551615").as_u64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse_json("9007199254740993").as_u64(), 9007199254740993u);
  EXPECT_EQ(parse_json("9223372036854775807").as_i64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_json("-9223372036854775808").as_i64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_json("0").as_u64(), 0u);
  EXPECT_EQ(parse_json("0").as_i64(), 0);
}

TEST(ParseJson, GivesNoIntegerForANumberThatIsNone) {
  for (const char* text :
       {"18446744073709551616", "-1", "1.0", "1e2", "-0", "1e-5", "123456789012345678901234567890"}) {
    EXPECT_THROW(parse_json(text).as_u64(), JsonFault) << text;
  }
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "1.0", "1E2", "-0"}) {
    EXPECT_THROW(parse_json(text).as_i64(), JsonFault) << text;
  }
}

TEST(ParseJson, RoundsOtherNumbersToTheNearestDouble) {
  EXPECT_EQ(parse_json("0.1").as_double(), 0.1);
  EXPECT_EQ(parse_json("18446744073709551616").as_double(), 0x1p64);
  EXPECT_EQ(parse_json("9007199254740993").as_double(), 9007199254740992.0);
  EXPECT_EQ(parse_json("1E+2").as_double(), 100.0);
  EXPECT_EQ(parse_json("5e-324").as_double(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parse_json("1e-400").as_double(), 0.0);
  EXPECT_TRUE(std::signbit(parse_json("-0").as_double()));
  EXPECT_TRUE(std::signbit(parse_json("-0.0").as_double()));
  EXPECT_EQ(refused_at("[1e400]"), 1u);
  EXPECT_EQ(refused_at("-" + std::string(400, '9')), 0u);
}

TEST(ParseJson, AccessorsSayWhereTheWrongKindStands) {
  const JsonValue value = parse_json(R"({"a": "x"})");
  EXPECT_THROW(value.at("b"), JsonFault);
  EXPECT_THROW(value.items(), JsonFault);
  EXPECT_THROW(value.as_double(), JsonFault);
  EXPECT_THROW(value.at("a").find("x"), JsonFault);
  try {
    value.at("a").as_u64();
    FAIL();
  } catch (const JsonFault& fault) {
    EXPECT_EQ(fault.message(), "byte 6: found a string, expected a number");
  }
}

TEST(ParseJson, CountsDepth) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(refused_at(nested(32)), std::string_view::npos);
  EXPECT_EQ(refused_at(nested(33)), 32u);
  EXPECT_EQ(refused_at(std::string(1'000'000, '[')), 32u);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(refused_at(objects), 32u * 5);
  EXPECT_EQ(refused_at("[[],[[]],{}]", {.depth = 3}), std::string_view::npos);
  EXPECT_EQ(refused_at("[[],[[]],{}]", {.depth = 2}), 5u);
  EXPECT_EQ(refused_at("1", {.depth = 0}), std::string_view::npos);
}

TEST(ParseJson, CountsValuesAndBytes) {
  EXPECT_EQ(refused_at("[1,2,{\"a\":3}]", {.values = 5}), std::string_view::npos);
  EXPECT_EQ(refused_at("[1,2,{\"a\":3}]", {.values = 4}), 10u);
  EXPECT_EQ(refused_at("[1,2]", {.bytes = 5}), std::string_view::npos);
  EXPECT_EQ(refused_at("[1,2]", {.bytes = 4}), 4u);
}

TEST(ParseJson, RefusesEveryProperPrefixOfADocument) {
  const std::string text = R"({"k\u00e9y":[-1.5e+3,true,null,"\ud83d\ude00",{}],"z":false})";
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_NE(refused_at(text.substr(0, length)), std::string_view::npos) << length;
  }
  EXPECT_EQ(refused_at(text), std::string_view::npos);
}

TEST(JsonWriter, WritesCompactAndIndented) {
  const auto document = [](JsonWriter::Layout layout) {
    JsonWriter writer(layout);
    writer.begin_object().member("b", 1).key("a").begin_array().value(true).null().value("x").begin_array().end_array();
    writer.begin_object().end_object().end_array().member("c", 0.1).end_object();
    return writer.take();
  };
  EXPECT_EQ(document(JsonWriter::Layout::compact), R"({"b":1,"a":[true,null,"x",[],{}],"c":0.1})");
  EXPECT_EQ(document(JsonWriter::Layout::indented),
            "{\n  \"b\": 1,\n  \"a\": [\n    true,\n    null,\n    \"x\",\n    [],\n    {}\n  ],\n  \"c\": 0.1\n}\n");
}

TEST(JsonWriter, WritesEachTypeAsItself) {
  JsonWriter writer;
  writer.begin_array().value(std::numeric_limits<std::uint64_t>::max()).value(std::numeric_limits<std::int64_t>::min());
  writer.value(std::uint8_t{7}).value(short{-3}).value(false).value("s"s).value(std::string_view("v")).value(2.0f);
  writer.value(1e300).value(-0.0).value(std::size_t{5}).end_array();
  EXPECT_EQ(writer.take(), R"([18446744073709551615,-9223372036854775808,7,-3,false,"s","v",2,1e+300,-0,5])");
}

TEST(JsonWriter, WritesNumbersThatAreNotFiniteAsNull) {
  JsonWriter writer;
  const double infinity = std::numeric_limits<double>::infinity();
  writer.begin_array().value(infinity).value(-infinity).value(std::nan("")).end_array();
  EXPECT_EQ(writer.take(), "[null,null,null]");
}

TEST(JsonWriter, ReplacesInvalidBytesAndKeepsTheRest) {
  const auto written = [](std::string_view text) { return JsonWriter().value(text).take(); };
  EXPECT_EQ(written("caf\xC3\xA9"), "\"caf\xC3\xA9\"");
  EXPECT_EQ(written("a\xFF"
                    "b"),
            "\"a\xEF\xBF\xBD"
            "b\"");
  EXPECT_EQ(written("\xE2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
  EXPECT_EQ(written("\"\\/\b\f\n\r\t\x01\x1F\x7F"), "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7F\"");
  EXPECT_EQ(written(std::string_view("\0", 1)), "\"\\u0000\"");
}

RC_GTEST_PROP(Json, AnyBytesWrittenAsAStringAreReadBackUnlessReplaced, (const std::string& text)) {
  const std::string back = parse_json(JsonWriter().value(text).take()).as_string();
  RC_ASSERT(valid_utf8(back));
  if (valid_utf8(text)) RC_ASSERT(back == text);
}

RC_GTEST_PROP(Json, DoublesRoundTripInTheirBits, (std::uint64_t bits)) {
  double number;
  std::memcpy(&number, &bits, sizeof number);
  const JsonValue value = parse_json(JsonWriter().value(number).take());
  if (!std::isfinite(number)) return RC_ASSERT(value.is_null());
  const double back = value.as_double();
  RC_ASSERT(std::memcmp(&back, &number, sizeof number) == 0);
}

RC_GTEST_PROP(Json, IntegersRoundTrip, (std::uint64_t whole, std::int64_t number)) {
  RC_ASSERT(parse_json(JsonWriter().value(whole).take()).as_u64() == whole);
  RC_ASSERT(parse_json(JsonWriter().value(number).take()).as_i64() == number);
}

// Writes a random tree: reading it must write the same text again.
void write_random(JsonWriter& writer, int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 7 : 5)) {
    case 0: writer.null(); break;
    case 1: writer.value(*rc::gen::arbitrary<bool>()); break;
    case 2: writer.value(*rc::gen::arbitrary<std::int64_t>()); break;
    case 3: writer.value(*rc::gen::arbitrary<double>()); break;
    case 4: writer.value(*rc::gen::arbitrary<std::string>()); break;
    case 5:
      writer.begin_array();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) write_random(writer, depth - 1);
      writer.end_array();
      break;
    default:
      writer.begin_object();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        writer.key(std::to_string(i) + *rc::gen::arbitrary<std::string>());
        write_random(writer, depth - 1);
      }
      writer.end_object();
  }
}

void write_again(JsonWriter& writer, const JsonValue& value) {
  switch (value.kind()) {
    case JsonKind::null: writer.null(); break;
    case JsonKind::boolean: writer.value(value.as_bool()); break;
    case JsonKind::number: writer.value(value.as_double()); break;
    case JsonKind::string: writer.value(value.as_string()); break;
    case JsonKind::array:
      writer.begin_array();
      for (const JsonValue& item : value.items()) write_again(writer, item);
      writer.end_array();
      break;
    case JsonKind::object:
      writer.begin_object();
      for (const auto& [key, member] : value.members()) write_again(writer.key(key), member);
      writer.end_object();
  }
}

RC_GTEST_PROP(Json, ATreeReadAndWrittenAgainReadsTheSameInBothLayouts, ()) {
  JsonWriter first;
  write_random(first, 4);
  JsonWriter compact, indented(JsonWriter::Layout::indented);
  const JsonValue tree = parse_json(first.take());
  write_again(compact, tree);
  write_again(indented, tree);
  const std::string text = compact.take();
  JsonWriter again;
  write_again(again, parse_json(indented.take()));
  RC_ASSERT(again.take() == text);
}

}  // namespace
}  // namespace plumb::json_test
