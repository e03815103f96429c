#include "plumb/feature/text_meter.h"

#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/feature/formula.h"

namespace plumb::text_meter_test {
namespace {

double measured(std::string_view function, std::string argument, std::string_view text) {
  return TextMeter(*text_function_called(function), std::move(argument)).measure(text);
}

TEST(TextMeter, CountsWordsAndPhrasesWholeAndInAnyCase) {
  EXPECT_EQ(measured("count", "good", "Good, good! goods GOOD"), 3.0);
  EXPECT_EQ(measured("count", "too much", "Too much is too much; much too much"), 3.0);
  EXPECT_EQ(measured("count", "a a", "a a a"), 2.0) << "they may share words";
  EXPECT_EQ(measured("count", "\xC3\x89T\xC3\x89", "un \xC3\xA9t\xC3\xA9"), 1.0);
  EXPECT_EQ(measured("count", "good", ""), 0.0);
}

TEST(TextMeter, LengthIsInCharacters) {
  EXPECT_EQ(measured("length", "", ""), 0.0);
  EXPECT_EQ(measured("length", "", "caf\xC3\xA9 \xF0\x9F\x98\x80"), 6.0);
}

TEST(TextMeter, ACapitalIsThatOfTheFirstLetterOrDigit) {
  EXPECT_EQ(measured("capitalised", "", "  \"Good\""), 1.0);
  EXPECT_EQ(measured("capitalised", "", "\xC3\x89t\xC3\xA9"), 1.0);
  for (const char* const text : {"", "good Film", "3 Men", "..."}) EXPECT_EQ(measured("capitalised", "", text), 0.0);
}

TEST(TextMeter, ExpressionsAreFoundAnywhereInLinearTime) {
  EXPECT_EQ(measured("matches", "[0-9]+ of 10", "a solid 7 of 10"), 1.0);
  EXPECT_EQ(measured("matches", "^a.*z$", "a to y"), 0.0);
  EXPECT_EQ(measured("matches", "(?i)caf\xC3\x89", "un caf\xC3\xA9"), 1.0);
  EXPECT_EQ(measured("matches", "(a*)*b", std::string(100'000, 'a')), 0.0);
  for (const char* const bad : {"(", "a{1001}", "\\1", "((((a{1000}){1000}){1000}){1000}){1000}"})
    EXPECT_THROW(measured("matches", bad, ""), Error) << bad;
}

TEST(TextMeter, StandsInFormulasLikeAColumn) {
  const Formula formula = Formula::parse("count( \"my text\" ,\"too \"\"much\"\"\")>1 ");
  EXPECT_EQ(formula.text(), "count(\"my text\",\"too \"\"much\"\"\")>1");
  EXPECT_EQ(Formula::parse(formula.text()), formula);
  EXPECT_EQ(formula.columns(), std::vector<std::string>{"my text"});
  ASSERT_NE(formula.meter(0), nullptr);
  EXPECT_FALSE(Formula::parse("length(t)").product());
  EXPECT_EQ(Formula::parse("length(t)").name(), "length(t)");

  const Formula two = Formula::parse("length(t)/(x+count(t,\"a\"))+length(t)");
  EXPECT_EQ(two.columns(), (std::vector<std::string>{"t", "x", "t"}));
  EXPECT_EQ(two.meter(1), nullptr);
  const double lengths[] = {6, 1}, x[] = {1, 0}, counts[] = {2, 0};
  const double* const columns[] = {lengths, x, counts};
  std::vector<double> out(2);
  Formula::Scratch scratch;
  const auto fault = two.evaluate(columns, out, scratch);
  EXPECT_EQ(out[0], 8.0);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->text(),
            "length(t)/(x+count(t,\"a\")) has no finite value at length(t) = 1, x = 0, count(t,\"a\") = 0");
}

TEST(TextMeter, IsSaidWhereItIsTypedWrongly) {
  for (const char* const bad : {"count(t)", "count(t,a)", "count(t,\"a\",\"b\")", "length(t,\"a\")", "length(t+1)",
                                "length(\"\")", "count(,\"a\")", "matches(t,\"[\")"})
    EXPECT_THROW(Formula::parse(bad), Error) << bad;
}

}  // namespace
}  // namespace plumb::text_meter_test
