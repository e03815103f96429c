#include "plumb/text/html.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace plumb::html_test {
namespace {

TEST(Html, TagsCommentsAndDeclarationsBecomeOneBlank) {
  EXPECT_EQ(without_html("a<br /><br />b"), "a  b");
  EXPECT_EQ(without_html("<!DOCTYPE html><p>a</p><!-- b > c --><?php x ?>d"), "  a   d");
  EXPECT_EQ(without_html("<a href=\"x>y\" title='>'>link</a>"), " link ");
}

TEST(Html, ScriptsAndStylesGoAsAWhole) {
  EXPECT_EQ(without_html("a<script type=x>if (b < c) d(\"</p>\")</SCRIPT >e<style>p {}</style>f"), "a e f");
  EXPECT_EQ(without_html("<scripture>a</scripture>"), " a ");
  EXPECT_EQ(without_html("<script>never closed"), " never closed");
}

TEST(Html, CharacterReferencesBecomeTheirCharacters) {
  EXPECT_EQ(without_html("&lt;b&gt; &amp;amp; &quot;&apos;"), "<b> &amp; \"'");
  EXPECT_EQ(without_html("caf&eacute; &#233; &#xE9; &#X1F600;"), "caf\u00E9 \u00E9 \u00E9 \U0001F600");
  EXPECT_EQ(without_html("&nbsp;&yuml;"), "\u00A0\u00FF");
  EXPECT_EQ(without_html("don&rsquo;t &mdash; &euro;5 &alpha;&Alpha; &thetasym;&hearts;"),
            "don\u2019t \u2014 \u20AC5 \u03B1\u0391 \u03D1\u2665");
}

TEST(Html, WhatIsNoMarkupStays) {
  for (const char* text : {"a < b > c", "1<2", "<", "a <", "<b never closed", "R&D", "&unknown;", "&#;", "&#x;",
                           "&#xD800;", "&#1114112;", "&#0;", "&;", "&amp", "&#12a;", "<!"}) {
    EXPECT_EQ(without_html(text), text);
  }
}

TEST(Html, AQuoteThatIsNeverClosedDoesNotSwallowTheRest) {
  EXPECT_EQ(without_html("<a title=\"x>text</a> more"), " text  more");
}

// Each of these would take hours if failed searches were repeated at every "<".
TEST(Html, MegabytesThatNeverCloseAreReadOnce) {
  for (const char* part : {"<a ", "<!--", "<script>", "<a b=\"", "</", "<a b='x' ", "<a b='>' ", "<script></s"}) {
    std::string text;
    while (text.size() < 2000000) text += part;
    EXPECT_FALSE(without_html(text).empty());
    EXPECT_FALSE(without_html(text + ">").empty());
  }
}

RC_GTEST_PROP(Html, TextWithoutMarkupStaysAndNothingGrows, (const std::string& text)) {
  const std::string out = without_html(text);
  RC_ASSERT(out.size() <= text.size());
  if (text.find_first_of("<&") == std::string::npos) RC_ASSERT(out == text);
}

}  // namespace
}  // namespace plumb::html_test
