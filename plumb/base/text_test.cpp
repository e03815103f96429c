#include "plumb/base/text.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "plumb/base/utf8.h"

namespace plumb::text_test {
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
  EXPECT_EQ(split_list("\"a b\"*\"c d\""), (std::vector<std::string>{"\"a b\"*\"c d\""}));
  EXPECT_EQ(split_list("\"say \"\"hi\"\"\",b"), (std::vector<std::string>{"say \"hi\"", "b"}));
  EXPECT_EQ(split_list("a),poly(x, 3)"), (std::vector<std::string>{"a)", "poly(x, 3)"}));
  EXPECT_EQ(split_list("\""), (std::vector<std::string>{"\""}));
  EXPECT_EQ(split_list(""), (std::vector<std::string>{""}));
}

// How a POSIX shell splits a line into words, each ended by a NUL.
std::string typed_into_a_shell(const std::string& words) {
  std::string output;
  FILE* const shell = popen(("printf '%s\\0' " + words).c_str(), "r");
  for (int c = std::fgetc(shell); c != EOF; c = std::fgetc(shell)) output += static_cast<char>(c);
  EXPECT_EQ(pclose(shell), 0) << words;
  return output;
}

const std::vector<std::string> kNastyNames = {
    "age",      "a b",  " a ", "a,b",       "it's",      "x\"y",   "\"x\"",    "-x",          "--",
    "$HOME",    "`ls`", "",    "a\nb",      "\\",        "\\n",    "100%",     "-\t%d",       "a(b",
    "a)b",      "~",    "*",   "#x",        "a;b|c&d>e", "x=1",    "\xC3\xA9", "\xC3\xA9\t'", "\xFF",
    "\x1b[31m", "!",    "a^2", "\"a b\"^2", "\r\"",      "a\nb\n,"};

TEST(Text, ATypedNameIsReadBackByAShell) {
  for (const std::string& name : kNastyNames) {
    EXPECT_EQ(typed_into_a_shell(as_typed(name)), name + '\0') << as_typed(name);
    EXPECT_EQ(escaped_for_terminal(as_typed(name)), as_typed(name)) << "a terminal shows it as it is";
  }
  EXPECT_EQ(as_typed("age"), "age");
  EXPECT_EQ(as_typed("a b"), "'a b'");
  EXPECT_EQ(as_typed("it's"), "'it'\\''s'");
}

TEST(Text, ATypedItemIsReadBackByAShellAndTheList) {
  for (const std::string& name : kNastyNames)
    for (const std::string& other : kNastyNames) {
      const std::vector<std::string> names = {name, other, name};
      EXPECT_EQ(split_list(list_item(name) + "," + list_item(other) + "," + list_item(name)), names);
    }
  for (const std::string& name : kNastyNames) {
    std::string typed = typed_into_a_shell(as_typed_item(name));
    typed.pop_back();
    EXPECT_EQ(split_list(typed), std::vector<std::string>{name}) << as_typed_item(name);
  }
  EXPECT_EQ(as_typed_item("a b"), "'a b'") << "blanks inside need no quotes of the list";
  EXPECT_EQ(as_typed_item("a,b"), "'\"a,b\"'");
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

TEST(Text, ASuffixIsFoundInAnyLetterCaseBehindAName) {
  EXPECT_TRUE(has_suffix("a/b.csv", ".csv"));
  EXPECT_TRUE(has_suffix("B.Csv", ".csv"));
  for (const char* path : {".csv", "csv", "", "b.csv.gz", "b.cs", "b_csv"}) EXPECT_FALSE(has_suffix(path, ".csv"));
}

}  // namespace
}  // namespace plumb::text_test
