#include "plumb/report/svg.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plumb/base/number.h"
#include "plumb/report/plot_testing.h"

namespace plumb::svg_test {
namespace {

TEST(Svg, MarkupInTextIsShownAsItIsWritten) {
  EXPECT_EQ(escaped_for_xml("a < b & \"c\" > d"), "a &lt; b &amp; &quot;c&quot; &gt; d");
  EXPECT_EQ(escaped_for_xml("h\xC3\xB6he"), "h\xC3\xB6he");
}

TEST(Svg, WhatXmlCannotHoldIsShownByItsBytes) {
  EXPECT_EQ(escaped_for_xml(std::string("a\0b\x1b[31m", 8)), "a\\x00b\\x1b[31m");
  EXPECT_EQ(escaped_for_xml("\xff"), "\\xff");
  EXPECT_EQ(escaped_for_xml("\xEF\xBF\xBE|\xEF\xBF\xBF|\xEF\xBF\xBD"), "\xEF\xBF\xBD|\xEF\xBF\xBD|\xEF\xBF\xBD");
}

RC_GTEST_PROP(Svg, AnyBytesMakeAWellFormedDocument, (const std::string& text)) {
  SvgWriter svg;
  svg.open("svg").attribute("class", text).open("text").text(text).close().close();
  const std::string xml = svg.take();
  if (!xml_fault(xml).empty()) RC_FAIL(xml_fault(xml) + " in " + xml);
}

RC_GTEST_PROP(Svg, ACoordinateIsTheNearestTenth, (int thousandths)) {
  std::string text;
  append_pixels(text, thousandths / 1000.0);
  const ParsedNumber back = parse_number(text);
  RC_ASSERT(back.fault == NumberFault::none);
  RC_ASSERT(std::abs(back.value - thousandths / 1000.0) <= 0.05 + 1e-9);
  RC_ASSERT(text != "-0" && text.find("e") == std::string::npos);
}

TEST(Svg, CoordinatesAreShort) {
  std::string text;
  for (const double pixels : {0.0, -0.0, -0.04, 12.0, 12.5, -3.25, 1234567.89}) {
    append_pixels(text, pixels);
    text += ' ';
  }
  EXPECT_EQ(text, "0 0 0 12 12.5 -3.3 1234567.9 ");
}

TEST(Svg, ElementsNestInTheOrderOfTheCalls) {
  SvgWriter svg;
  svg.open("svg").attribute("width", 10.0);
  svg.open("g").path("line", SvgPath().move_to(0, 1).line_to(2.25, 3).close()).close();
  svg.path("line", SvgPath());
  svg.open("text").attribute("x", 1.0).text("a<b").close().close();
  EXPECT_EQ(svg.take(),
            "<svg width=\"10\">\n<g>\n<path class=\"line\" d=\"M0 1L2.3 3z\"/>\n</g>\n<text "
            "x=\"1\">a&lt;b</text>\n</svg>\n");
}

TEST(Svg, TheCheckerOfTheseTestsRefusesWhatAParserWould) {
  for (const char* bad : {"<a>", "<a></b>", "<a b=c/>", "<a b=\"1\" b=\"2\"/>", "<a>&</a>", "<a/><b/>", "x<a/>",
                          "<a b=\"<\"/>", "<a>\x01</a>", "</a>", "<a b=\"/>"})
    EXPECT_NE(xml_fault(bad), "") << bad;
  EXPECT_EQ(xml_fault("<a b=\"1\">x &amp; y<c/></a>\n"), "");
}

}  // namespace
}  // namespace plumb::svg_test
