#include "plumb/data/csv_dialect.h"

#include <gtest/gtest.h>

#include <string>

#include "plumb/base/random.h"

namespace plumb::csv_dialect_test {
namespace {

TEST(CsvDialect, TheSignThatCutsEveryRecordAlikeIsTheDelimiter) {
  EXPECT_EQ(guess_delimiter("a,b\n1,2\n", true), ',');
  EXPECT_EQ(guess_delimiter("a;b\n1;2\n", true), ';');
  EXPECT_EQ(guess_delimiter("a\tb\n1\t2\n", true), '\t');
  EXPECT_EQ(guess_delimiter("a|b\n1|2\n", true), '|');
  EXPECT_EQ(guess_delimiter("a;b\n", true), ';') << "a header alone";
}

TEST(CsvDialect, SignsInsideFieldsDoNotMislead) {
  EXPECT_EQ(guess_delimiter("name;price\nA;1,5\nB;2,25\n", true), ';') << "decimal commas";
  EXPECT_EQ(guess_delimiter("id,text\n1,one; two\n2,a; b; c\n", true), ',');
  EXPECT_EQ(guess_delimiter("id,text\n1,\"a;b\"\n2,\"c;d\"\n", true), ',');
  EXPECT_EQ(guess_delimiter("label\ttext\nham\tYes, well, no\nspam\tFree; now, or|never\n", true), '\t');
  EXPECT_EQ(guess_delimiter("who;\"what, where\"\nI;\"here, there\"\n", true), ';');
  EXPECT_EQ(guess_delimiter("name;price,eur;qty\nA;1,5;2\nB;2,5;3\n", true), ';') << "more fields, as alike";
}

TEST(CsvDialect, TheCommaWhereNothingSpeaksForAnother) {
  EXPECT_EQ(guess_delimiter("", true), ',');
  EXPECT_EQ(guess_delimiter("a\n1\n", true), ',');
  EXPECT_EQ(guess_delimiter("a|b\n1\n2\n3\n", true), ',') << "a column called a|b";
}

TEST(CsvDialect, WhereNothingIsQuotedTheTabComesFirst) {
  EXPECT_EQ(guess_delimiter("ham\t\"Well,\" she said\nspam\tWin, \"now\"\n", false), '\t');
  EXPECT_EQ(guess_delimiter("ham,yes\tno\nspam,no\tno\n", false, 3), '\t') << "none cuts it into three";
  EXPECT_EQ(guess_delimiter("a,b;c\nd,e;f\n", false, 2), ',');
  EXPECT_EQ(guess_delimiter("a,b\nc,d\n", false, 1), '\t') << "the line is the only column";
}

TEST(CsvDialect, ARaggedRowAmongManyChangesNothing) {
  for (const char sign : {',', ';', '\t', '|'}) {
    std::string text = std::string("a") + sign + "b" + sign + "c\n";
    for (int row = 0; row < 10; ++row) text += std::string("1") + sign + "2" + sign + (row == 4 ? "\n" : "3\n");
    EXPECT_EQ(guess_delimiter(text + "7" + sign + "8\n", true), sign);
  }
}

TEST(CsvDialect, AnyTableIsCutByTheSignItWasMadeWith) {
  const RandomKey random{11, 0};
  for (std::uint64_t round = 0; round < 500; ++round) {
    const RandomKey draw = random.with_stream(round);
    std::uint64_t draws = 0;
    const char sign = ",;\t|"[draw.below(draws++, 4)];
    const std::uint64_t columns = 2 + draw.below(draws++, 5);
    std::string text;
    for (int row = 0; row < 12; ++row)
      for (std::uint64_t c = 0; c < columns; ++c) {
        if (row == 0)
          text += "name" + std::to_string(c);
        else if (draw.below(draws++, 2) == 0)
          text += std::to_string(draw.below(draws++, 1000)) + ".5";
        else
          text += "\"in, quotes; a|b\t\"";
        text += c + 1 < columns ? sign : '\n';
      }
    ASSERT_EQ(guess_delimiter(text, true), sign) << text;
  }
}

}  // namespace
}  // namespace plumb::csv_dialect_test
