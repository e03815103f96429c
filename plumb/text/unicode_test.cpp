#include "plumb/text/unicode.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "plumb/base/utf8.h"
#include "plumb/text/python_unicode_testing.h"

namespace plumb::unicode_test {
namespace {

constexpr char32_t kCodes = 0x110000;
const std::string kSigma = "\u03A3", kFinal = "\u03C2", kInner = "\u03C3";

bool is_code(char32_t code) { return code < 0xD800 || (code > 0xDFFF && code < kCodes); }

std::vector<bool> members(std::span<const CodeRange> ranges) {
  std::vector<bool> in(kCodes);
  for (const CodeRange& range : ranges) std::fill(in.begin() + range.first, in.begin() + range.last + 1, true);
  return in;
}

// Calls check for every code point that Python's Unicode assigns.
template <class Check>
void for_each_assigned(Check check) {
  const std::vector<bool> unassigned = members(kPythonUnassigned);
  for (char32_t code = 0; code < kCodes && !testing::Test::HasFailure(); ++code) {
    if (is_code(code) && !unassigned[code]) check(code);
    if (testing::Test::HasFailure()) ADD_FAILURE() << "U+" << std::hex << static_cast<unsigned>(code);
  }
}

std::string text_of(char32_t code) {
  std::string text;
  append_character(text, code);
  return text;
}

TEST(Unicode, EveryCodePointIsWrittenAsValidUtf8AndReadBack) {
  for (char32_t code = 0; code < kCodes; ++code) {
    if (!is_code(code)) continue;
    const std::string text = text_of(code);
    ASSERT_TRUE(valid_utf8(text)) << std::hex << static_cast<unsigned>(code);
    const Character read = character_at(text, 0);
    ASSERT_TRUE(read.code == code && read.length == text.size()) << std::hex << static_cast<unsigned>(code);
  }
}

RC_GTEST_PROP(Unicode, AByteIsACharacterExactlyWhereTheStrictReaderFindsOne, (const std::string& text)) {
  std::size_t at = 0;
  while (at < text.size() && character_at(text, at).code != kNoCharacter) at += character_at(text, at).length;
  RC_ASSERT(first_invalid_utf8(text) == (at == text.size() ? std::string_view::npos : at));
}

TEST(Unicode, WordCharactersAndSpacesAreThoseOfPython) {
  const std::vector<bool> word = members(kPythonWord), space = members(kPythonSpace);
  for_each_assigned([&](char32_t code) {
    EXPECT_EQ(is_word_character(code), word[code]);
    EXPECT_EQ(is_space(code), space[code]);
  });
  EXPECT_FALSE(is_word_character(kNoCharacter));
  EXPECT_FALSE(is_space(kNoCharacter));
}

TEST(Unicode, SmallLettersAreThoseOfPython) {
  std::vector<char32_t> small(kCodes);
  for (char32_t code = 0; code < kCodes; ++code) small[code] = code;
  for (const CodeMapping& mapping : kPythonLower) {
    for (char32_t code = mapping.first; code <= mapping.last; code += static_cast<char32_t>(mapping.step)) {
      small[code] = code + static_cast<char32_t>(mapping.added);
    }
  }
  for_each_assigned([&](char32_t code) {
    if (code == 0x130) return;
    EXPECT_EQ(lowered(text_of(code)), text_of(small[code]));
  });
  EXPECT_EQ(lowered("\u0130"), "i\u0307");
}

TEST(Unicode, SigmaIsFinalWherePythonSaysSo) {
  const std::vector<bool> cased = members(kPythonCased), ignorable = members(kPythonIgnorable);
  for_each_assigned([&](char32_t code) {
    const std::string c = text_of(code);
    const bool skipped = cased[code] || ignorable[code];
    EXPECT_EQ(lowered(c + kSigma).ends_with(kFinal), cased[code]);
    EXPECT_EQ(lowered("a" + c + kSigma).ends_with(kFinal), skipped);
    EXPECT_EQ(lowered("a" + kSigma + c).starts_with("a" + kInner), cased[code]);
    EXPECT_EQ(lowered("a" + kSigma + c + "a").starts_with("a" + kInner), skipped);
  });
  EXPECT_EQ(lowered(kSigma), kInner);
  EXPECT_EQ(lowered("\u039F\u0394\u039F\u03A3 \u03A3\u0391\u03A3"), "\u03BF\u03B4\u03BF\u03C2 \u03C3\u03B1\u03C2");
}

TEST(Unicode, BytesThatAreNotUtf8StayAndNoWordHoldsThem) {
  EXPECT_EQ(lowered("A\xFFz\xC3"), "a\xFFz\xC3");
  EXPECT_EQ(character_count("a\xFF\xC3\xA9"), 3u);
}

}  // namespace
}  // namespace plumb::unicode_test
