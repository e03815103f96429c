#include "plumb/base/text.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

const std::vector<std::string> kColumns = {"height", "weight", "age", "Name"};

TEST(Text, EditDistanceCountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("abc", "axc"), 1u);
  EXPECT_EQ(edit_distance("abc", "acb"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Text, NearestNameForgivesASlipButNotAnotherWord) {
  EXPECT_EQ(nearest("wieght", kColumns), "weight");
  EXPECT_EQ(nearest("HEIGHT", kColumns), "height");
  EXPECT_EQ(nearest("name", kColumns), "Name");
  EXPECT_EQ(nearest("salary", kColumns), "");
  EXPECT_EQ(nearest("x", kColumns), "");
  EXPECT_EQ(did_you_mean("aeg", kColumns), "did you mean \"age\"?");
}

TEST(Text, InQuotesEscapesControlBytesAndCutsLongValues) {
  EXPECT_EQ(in_quotes("a\x1b[31m"), "\"a\\x1b[31m\"");
  EXPECT_EQ(in_quotes("abcdef", 3), "\"abc...\"");
  EXPECT_EQ(in_quotes("ab\xC3\xA9", 3), "\"ab...\"") << "a character is not cut in two";
}

TEST(Text, ListsAreCutAtCommasOutsideQuotesAndParentheses) {
  EXPECT_EQ(split_list("a, b,c"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(split_list("\"a,b\",c"), (std::vector<std::string>{"a,b", "c"}));
  EXPECT_EQ(split_list("poly(x, 3),y"), (std::vector<std::string>{"poly(x, 3)", "y"}));
  EXPECT_EQ(split_list("\"a b\"^2"), (std::vector<std::string>{"\"a b\"^2"}));
  EXPECT_EQ(split_list(""), (std::vector<std::string>{""}));
}

TEST(Text, ListedNamesAreCutWithACount) {
  EXPECT_EQ(listed(kColumns, 2), "height, weight, ... (2 more)");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(1234, "row"), "1,234 rows");
}

TEST(Text, WrappedLinesKeepTheirWidthAndIndent) {
  EXPECT_EQ(wrapped("one two three four", 12, 2), "one two\n  three four");
  EXPECT_EQ(wrapped("a-very-long-word b", 6, 0), "a-very-long-word\nb");
}

}  // namespace
}  // namespace plumb
