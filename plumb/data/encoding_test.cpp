#include "plumb/data/encoding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plumb/base/utf8.h"

namespace plumb::encoding_test {
namespace {

TEST(Encoding, Latin1BytesAreTheCharactersOfTheirNumbers) {
  EXPECT_EQ(latin1_to_utf8("caf\xE9 \xFF\x80 a"), "caf\xC3\xA9 \xC3\xBF\xC2\x80 a");
}

TEST(Encoding, WhatIsNoCharacterIsReplacedAsPythonDoes) {
  // bytes.decode('utf-8', 'replace') gives as many U+FFFD for these.
  const auto count = [](std::string_view bytes) {
    const std::string text = with_replacements(bytes);
    std::size_t found = 0;
    for (std::size_t at = text.find("\xEF\xBF\xBD"); at != text.npos; at = text.find("\xEF\xBF\xBD", at + 3)) ++found;
    return found;
  };
  EXPECT_EQ(with_replacements("caf\xE9!"), "caf\xEF\xBF\xBD!");
  EXPECT_EQ(count("\xE2\x82"), 1u);  // cut short
  EXPECT_EQ(count("\xE2\x82x"), 1u);
  EXPECT_EQ(count("\xF0\x9F\x98"), 1u);
  EXPECT_EQ(count("\xC0\xAF"), 2u);          // overlong
  EXPECT_EQ(count("\xED\xA0\x80"), 3u);      // a surrogate
  EXPECT_EQ(count("\xF5\x80\x80\x80"), 4u);  // beyond U+10FFFF
  EXPECT_EQ(with_replacements("\xE2\x82\xAC"), "\xE2\x82\xAC");
}

RC_GTEST_PROP(Encoding, DoesNotDependOnWhereTheTextWasCut, ()) {
  const auto bytes = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("a \x80\xA0\xBF\xC0\xC3\xE2\xED\xF0\xF4\x8F\x90\xFF")));
  const auto cuts = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 4));
  for (const Encoding encoding : {Encoding::latin1, Encoding::replace}) {
    Recoder whole(encoding), parts(encoding);
    const std::string expected = whole.recode(bytes, true);
    std::string found;
    std::size_t at = 0;
    for (const std::size_t cut : cuts) {
      const std::size_t take = std::min(cut, bytes.size() - at);
      found += parts.recode(std::string_view(bytes).substr(at, take), false);
      at += take;
    }
    found += parts.recode(std::string_view(bytes).substr(at), true);
    RC_ASSERT(found == expected);
    RC_ASSERT(valid_utf8(found));
  }
}

}  // namespace
}  // namespace plumb::encoding_test
