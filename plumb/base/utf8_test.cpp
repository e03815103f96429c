#include "plumb/base/utf8.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace plumb::utf8_test {
namespace {

constexpr std::size_t npos = std::string_view::npos;

// The bytes of a code point by the bit layout alone, valid or not.
std::string encoded(unsigned code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
}

TEST(Utf8, AcceptsExactlyTheScalarValues) {
  for (unsigned code = 0; code < 0x1FFFFF; ++code) {
    const bool scalar = code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
    ASSERT_EQ(valid_utf8(encoded(code)), scalar) << std::hex << code;
  }
}

TEST(Utf8, HasOneFormPerCharacter) {
  // Among all strings of up to three bytes, as many are one valid character as there are characters of that length.
  std::size_t singles[4] = {};
  const auto count = [&](std::string_view text) { singles[text.size()] += valid_utf8(text); };
  for (unsigned a = 0; a < 256; ++a) {
    const char one[] = {static_cast<char>(a)};
    count({one, 1});
    if (a < 0x80) continue;  // otherwise the first byte is a character of its own
    for (unsigned b = 0; b < 256; ++b) {
      const char two[] = {one[0], static_cast<char>(b)};
      count({two, 2});
      if (valid_utf8({two, 2})) continue;
      for (unsigned c = 0; c < 256; ++c) {
        const char three[] = {one[0], two[1], static_cast<char>(c)};
        count({three, 3});
      }
    }
  }
  EXPECT_EQ(singles[1], 0x80u);
  EXPECT_EQ(singles[2], 0x800u - 0x80u);
  EXPECT_EQ(singles[3], 0x10000u - 0x800u - 0x800u);  // without the surrogates
}

TEST(Utf8, RefusesOverlongForms) {
  for (const std::string_view text : {"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xF0\x80\x80\x80",
                                      "\xF0\x8F\xBF\xBF", "\xF8\x88\x80\x80\x80", "\xFE", "\xFF"}) {
    EXPECT_EQ(first_invalid_utf8(text), 0u);
  }
}

TEST(Utf8, RefusesACharacterCutAtEveryPlace) {
  for (const std::string text : {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    for (std::size_t length = 1; length < text.size(); ++length) {
      EXPECT_EQ(first_invalid_utf8(text.substr(0, length)), 0u);
      EXPECT_EQ(first_invalid_utf8(text.substr(0, length) + "a"), 0u);
      EXPECT_EQ(first_invalid_utf8(text.substr(length)), 0u);
    }
  }
}

TEST(Utf8, FindsTheFirstBadByteAtEveryOffsetOfALongText) {
  for (std::size_t length = 0; length < 40; ++length) {
    EXPECT_EQ(first_invalid_utf8(std::string(length, 'a')), npos);
    for (std::size_t bad = 0; bad < length; ++bad) {
      std::string text(length, 'a');
      text[bad] = '\xA9';
      EXPECT_EQ(first_invalid_utf8(text), bad);
    }
  }
}

TEST(Utf8, EveryByteOfLatin1IsTheCharacterWithItsNumber) {
  EXPECT_EQ(utf8_from_latin1("caf\xE9"), "caf\u00E9");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  const std::string text = utf8_from_latin1(all);
  EXPECT_TRUE(valid_utf8(text));
  EXPECT_EQ(text.size(), 128u + 2 * 128u);
  EXPECT_TRUE(text.ends_with("\u00FF"));
}

TEST(Utf8, WhatIsNotUtf8IsReplacedByteByByte) {
  EXPECT_EQ(utf8_replaced("a\xFFz\xE2\x82"), "a\uFFFDz\uFFFD\uFFFD");
  EXPECT_EQ(utf8_replaced("caf\u00E9"), "caf\u00E9");
}

RC_GTEST_PROP(Utf8, ReplacedTextIsValid, (const std::string& text)) {
  RC_ASSERT(valid_utf8(utf8_replaced(text)));
  if (valid_utf8(text)) RC_ASSERT(utf8_replaced(text) == text);
}

RC_GTEST_PROP(Utf8, EscapedTextIsValidAndHoldsNoControl, (const std::string& text)) {
  const std::string shown = escaped_for_terminal(text);
  RC_ASSERT(valid_utf8(shown));
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto byte = static_cast<unsigned char>(shown[i]);
    RC_ASSERT(byte >= 0x20 && byte != 0x7F);
    RC_ASSERT(byte != 0xC2 || static_cast<unsigned char>(shown[i + 1]) >= 0xA0);
  }
}

TEST(Utf8, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(escaped_for_terminal("caf\xC3\xA9 \xF0\x9F\x98\x80"), "caf\xC3\xA9 \xF0\x9F\x98\x80");
  EXPECT_EQ(escaped_for_terminal("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(escaped_for_terminal("\x1B[31m"), "\\x1b[31m");
  EXPECT_EQ(escaped_for_terminal(std::string_view("\0\x7F", 2)), "\\x00\\x7f");
  EXPECT_EQ(escaped_for_terminal("\xC2\x9B"
                                 "31m"),
            "\\xc2\\x9b31m");                               // CSI as a C1 control
  EXPECT_EQ(escaped_for_terminal("\xC2\xA0"), "\xC2\xA0");  // the first character after C1
  EXPECT_EQ(escaped_for_terminal("a\xFFz\xE2\x82"), "a\\xffz\\xe2\\x82");
}

}  // namespace
}  // namespace plumb::utf8_test
