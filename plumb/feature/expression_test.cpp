#include "plumb/feature/expression.h"

#include <gtest/gtest.h>

namespace plumb::expression_test {
namespace {

TEST(Expression, IsWrittenAsAProductOfPowers) {
  EXPECT_EQ((Expression{{{"height", 3}}}).text(), "height^3");
  EXPECT_EQ((Expression{{{"a", 1}, {"b", 2}, {"a", 1}}}).text(), "a*b^2*a");
  EXPECT_EQ((Expression{{{"x.y_z", 1}, {"\xC3\xA4", 1}}}).text(), "x.y_z*\xC3\xA4");
}

TEST(Expression, NamesThatAreNoPlainWordsAreInQuotes) {
  EXPECT_EQ((Expression{{{"my col", 2}}}).text(), "\"my col\"^2");
  EXPECT_EQ((Expression{{{"2nd", 1}, {"say \"x\"", 1}, {"", 3}}}).text(), "\"2nd\"*\"say \"\"x\"\"\"*\"\"^3");
}

TEST(Expression, OfAColumnAloneIsItsBareName) {
  EXPECT_TRUE((Expression{{{"my col", 1}}}).plain_column());
  EXPECT_EQ((Expression{{{"my col", 1}}}).text(), "my col");
  EXPECT_FALSE((Expression{{{"x", 2}}}).plain_column());
  EXPECT_FALSE((Expression{{{"x", 1}, {"x", 1}}}).plain_column());
}

}  // namespace
}  // namespace plumb::expression_test
