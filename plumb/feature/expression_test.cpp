#include "plumb/feature/expression.h"

#include <gtest/gtest.h>

#include "plumb/base/error.h"

namespace plumb {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_expression(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.message();
  }
  return "accepted";
}

TEST(Expression, IsAProductOfPowersOfColumns) {
  EXPECT_EQ(parse_expression("height^3"), (Expression{{{"height", 3}}}));
  EXPECT_EQ(parse_expression(" a * b^2*a "), (Expression{{{"a", 1}, {"b", 2}, {"a", 1}}}));
  EXPECT_EQ(parse_expression("\"my col\"^2"), (Expression{{{"my col", 2}}}));
  EXPECT_EQ(parse_expression("\"say \"\"x\"\"\"*b"), (Expression{{{"say \"x\"", 1}, {"b", 1}}}));
  EXPECT_TRUE(parse_expression("x").plain_column());
}

TEST(Expression, TextIsReadBackAsTheSameExpression) {
  for (const char* text : {"height^3", "a*b^2", "\"my col\"^2", "\"say \"\"x\"\"\"*b", "\"2nd\"*x.y_z"})
    EXPECT_EQ(parse_expression(text).text(), text);
  const Expression odd{{{"a*b", 2}, {"\"", 1}, {"", 3}}};
  EXPECT_EQ(parse_expression(odd.text()), odd);
}

TEST(Expression, ErrorsPointAtTheCharacter) {
  EXPECT_EQ(refusal("height^^3"),
            "expression \"height^^3\": at character 8 there is \"^\"; a whole number from 1 to 100 was expected");
  EXPECT_EQ(refusal("a+b"), "expression \"a+b\": at character 2 there is \"+\"; *, ^ or the end was expected");
  EXPECT_EQ(refusal("a*"), "expression \"a*\": at character 3 there is the end; the name of a column was expected");
  EXPECT_EQ(refusal("a^101"),
            "expression \"a^101\": at character 3 there is \"1\"; a whole number from 1 to 100 was expected");
  EXPECT_EQ(refusal("\"a"), "expression \"\"a\": at character 1 there is \"\"\"; a closing quote was expected");
  EXPECT_NE(refusal(""), "accepted");
}

TEST(Expression, LengthIsCapped) {
  EXPECT_NE(refusal(std::string(20'000, 'a')), "accepted");
  std::string many = "a";
  for (int i = 0; i < 64; ++i) many += "*a";
  EXPECT_NE(refusal(many), "accepted");
}

}  // namespace
}  // namespace plumb
