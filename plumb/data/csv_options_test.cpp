// Delimited text under the options of a reader: dialects, names, missing values, bad rows.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/data/csv.h"
#include "plumb/data/testing.h"

namespace plumb::csv_options_test {
namespace {

std::string file_of(const std::string& content, const std::string& suffix = ".csv") {
  const std::string path = ::testing::TempDir() + "plumb_csv_options" + suffix;
  write_file_atomically(path, std::string_view(content));
  return path;
}

// Names of the columns, and the rows between bars; or the error.
std::string read(const std::string& content, const ReadOptions& options = {}, const std::string& suffix = ".csv",
                 IfMissing if_missing = IfMissing::error) {
  const std::string path = file_of(content, suffix);
  Executor executor(2);
  try {
    const auto source = open_source({path}, options);
    std::vector<Selected> every;
    std::string text;
    for (std::size_t c = 0; c < source->columns().size(); ++c) {
      every.push_back({c, source->columns()[c].kind, false, if_missing});
      text += (c == 0 ? "" : " ") + source->columns()[c].name;
    }
    source->select(every);
    for (const Table& table : read_all(*source, plumb::Run{executor}).pieces)
      for (std::uint64_t row = 0; row < table.rows; ++row) {
        text += "\n" + std::to_string(table.place(row).line) + ":";
        for (const Column& column : table.columns) text += " " + value_text(column, row);
      }
    if (source->skipped().with_missing > 0) text += "\nmissing " + std::to_string(source->skipped().with_missing);
    for (const Error& error : source->skipped().first)
      text += "\nskipped " + std::to_string(error.place().line) + ":" + std::to_string(error.place().column) + " " +
              error.message();
    if (source->skipped().bad > 0) text += "\nin all " + std::to_string(source->skipped().bad);
    return text;
  } catch (const Error& error) {
    return std::string(error.code() == ErrorCode::usage ? "usage: " : "error: ") + error.message() + " | " +
           error.hint();
  }
}

TEST(CsvOptions, TheDelimiterIsFoundOrGiven) {
  for (const std::string sign : {",", ";", "\t", "|"})
    EXPECT_EQ(read("a" + sign + "b\n1" + sign + "x\n"), "a b\n2: 1 x");
  EXPECT_EQ(read("a:b\n1:x\n", {.delimiter = {':'}}), "a b\n2: 1 x");
  EXPECT_EQ(read("a;b,c\n1;2\n", {.delimiter = {';'}}), "a b,c\n2: 1 2");
}

TEST(CsvOptions, WithoutAHeaderTheFirstLineIsARow) {
  EXPECT_EQ(read("1;x\n2;y\n", {.header = false}), "column1 column2\n1: 1 x\n2: 2 y");
  EXPECT_EQ(read("\n\n1;x\n2;y\n", {.header = false}), "column1 column2\n3: 1 x\n4: 2 y");
  EXPECT_EQ(read("", {.header = false}), "error: is empty; at least one row was expected | ");
  EXPECT_EQ(
      read("1;x\n2\n3;y\n4;z\n", {.header = false}),
      "error: this row has 1 field, the first row has 2 | a field that is empty needs its semicolon all the same, "
      "as in 1;;3");
}

TEST(CsvOptions, ColumnsNameTheFieldsOfAFileWithoutHeaderOrQuotes) {
  EXPECT_EQ(read("ham\t\"So, what\nspam\tfree \"now\"\n", {.columns = {"label", "text"}}),
            "label text\n1: ham \"So, what\n2: spam free \"now\"");
  EXPECT_EQ(read("1 3:1\n", {.columns = {"line"}}), "line\n1: 1 3:1") << "names speak against other formats";
  EXPECT_EQ(read("a,b\n", {.columns = {"x"}}), "x\n1: a,b") << "the line is the only column";
  EXPECT_EQ(read("a,b\n", {.delimiter = {','}, .columns = {"x"}}),
            "error: the first row has 2 fields between signs of comma, --columns names 1 | --columns needs a name for "
            "each field; --delimiter says what stands between them");
  EXPECT_EQ(read("a,b\n", {.columns = {"x", "x"}}), "usage: --columns names \"x\" twice; once was expected | ");
  EXPECT_EQ(read("\"a,b\",1\n", {.columns = {"x", "y"}, .quote = Quotes::doubled}), "x y\n1: a,b 1");
}

TEST(CsvOptions, TabsMeanNoQuotesUnlessTheOptionSaysSo) {
  const std::string text = "x\ttext\n1\t\"so it begins\n2\tand \"so\" on\n";
  EXPECT_EQ(read(text, {}, ".tsv"), "x text\n2: 1 \"so it begins\n3: 2 and \"so\" on");
  EXPECT_EQ(read("x\ttext\n1\t\"a\tb\"\n", {.quote = Quotes::doubled}, ".tsv"), "x text\n2: 1 a\tb");
  EXPECT_EQ(read(text, {.format = "tsv"}), read(text, {}, ".tsv"));
  EXPECT_EQ(read("x,c\n1,\"a\n", {.quote = Quotes::none}), "x c\n2: 1 \"a");
}

TEST(CsvOptions, OptionsThatAFormatHasNoUseForAreRefused) {
  EXPECT_EQ(
      read("1 3:1\n", {.delimiter = {';'}}, ".libsvm"),
      "usage: --delimiter is for csv and tsv; the data are read as libsvm | --format csv, or leave out --delimiter");
  EXPECT_TRUE(read("x\n1\n", {.format = "cvs"}).starts_with("usage: there is no format \"cvs\""));
}

TEST(CsvOptions, AMissingValueIsAnErrorOrNaNOrLeavesOutTheRow) {
  const std::string text = "x,y\n1,2\n,3\n4, \n5,6\n";
  EXPECT_TRUE(read(text).starts_with("error: column \"x\" is empty here"));
  EXPECT_EQ(read(text, {}, ".csv", IfMissing::keep), "x y\n2: 1 2\n3: nan 3\n4: 4 nan\n5: 5 6");
  EXPECT_EQ(read(text, {}, ".csv", IfMissing::drop_row), "x y\n2: 1 2\n5: 5 6\nmissing 2");
}

TEST(CsvOptions, MarksAreMissingByTextAndByValue) {
  const ReadOptions options{.na = {"NA", "-999"}};
  const std::string text = "x,c\n1,a\nNA,NA\n-999,-999\n-999.0,b\n -999 , NA \n-9990,c\n";
  EXPECT_EQ(read(text, options, ".csv", IfMissing::keep),
            "x c\n2: 1 a\n3: nan \n4: nan \n5: nan b\n6: nan \n7: -9990 c");
  EXPECT_EQ(read("x,y\n1,2\nNA,3\n", options),
            "error: column \"x\" is missing here (\"NA\"); a number was expected | "
            "--missing mean fills it in, --missing drop-row leaves out the row; --drop x leaves the column out");
}

TEST(CsvOptions, TheUsualMarksAreMissingAmongNumbersAndCategories) {
  const std::string text = "x,c,t\n1,a,NA\nNA,NA,a\n?,?,b\n--,n/a,a\nnull,None,b\nNaN,-,a\n2,b,b\n";
  EXPECT_EQ(read(text, {}, ".csv", IfMissing::keep),
            "x c t\n2: 1 a \n3: nan  a\n4: nan ? b\n5: nan  a\n6: nan None b\n7: nan - a\n8: 2 b b");
  EXPECT_TRUE(read("x,y\nNA,1\n2,2\n", {.default_na = false}).starts_with("x y\n2: NA 1")) << "a category then";
}

TEST(CsvOptions, ATargetOfTextMissesOnlyWhatIsEmpty) {
  const auto source = open_source({file_of("c,d\nNA,NA\nnull,b\n,c\n")});
  source->select({{0, Kind::category, true, IfMissing::drop_row, {}, Role::target}, {1, Kind::category}});
  Executor executor;
  const Tables tables = read_all(*source, plumb::Run{executor});
  EXPECT_EQ(tables.pieces.at(0).columns[0].levels, (std::vector<std::string>{"NA", "null"}));
  EXPECT_EQ(tables.pieces.at(0).columns[1].levels, (std::vector<std::string>{"", "b"}));
  EXPECT_EQ(source->skipped().without_target, 1u);
  EXPECT_EQ(source->skipped().with_missing, 0u);
}

TEST(CsvOptions, NumbersAsPeopleWriteThemAreReadWhereOneReadingFits) {
  EXPECT_EQ(read("p;q\n1.234,50;5 %\n2,5;6%\n"), "p q\n2: 1234.5 5\n3: 2.5 6");
  EXPECT_EQ(read("p;q\n\"1,234\";1\n\"2,345\";2\n"),
            "error: column \"p\" holds \"1,234\", which may be 1.234 or 1234; one reading was expected | "
            "--decimal , or --thousands , says which");
  EXPECT_EQ(read("p;q\n1,234;1\n2,345;2\n", {.decimal = {','}}), "p q\n2: 1.234 1\n3: 2.345 2");
  EXPECT_EQ(read("p;q\n1,234;1\n2,345;2\n", {.thousands = {','}}), "p q\n2: 1234 1\n3: 2345 2");
  EXPECT_EQ(read("p;q\n1,234;1,5\n2,345;2,5\n"), "p q\n2: 1.234 1.5\n3: 2.345 2.5") << "as the other column says";
  EXPECT_EQ(read("p,q\n1.234,1\n2.345,2\n"), "p q\n2: 1.234 1\n3: 2.345 2") << "plain numbers are read plainly";
  EXPECT_EQ(read("p;q\n1.234;1,5\n2.345;2,5\n"),
            "error: column \"p\" holds \"1.234\", which may be 1234 or 1.234; one reading was expected | "
            "--decimal . or --thousands . says which");
}

TEST(CsvOptions, LaterRowsThatContradictTheFirstAreErrors) {
  std::string text = "p;q\n";
  for (int row = 0; row < 5000; ++row) text += "1,5;1\n";
  EXPECT_EQ(read(text + "1.5;2\n"),
            "error: column \"p\" holds \"1.5\", which is not a number as the first rows write them (decimal comma) | "
            "--categorical p reads it as categories; --drop p leaves the column out");
}

TEST(CsvOptions, DatesAreReadInTheOrderThatFits) {
  EXPECT_EQ(read("d,x\n31.12.1970,1\n1.2.1970,2\n"), "d x\n2: 364 1\n3: 31 2");
  EXPECT_EQ(read("d,x\n12/31/1970,1\n1/2/1970,2\n"), "d x\n2: 364 1\n3: 1 2");
  EXPECT_TRUE(
      read("d,x\n01/02/1970,1\n").ends_with("| --date-format 'd=%d/%m/%Y' puts the day first, 'd=%m/%d/%Y' the month"));
  EXPECT_EQ(read("d,x\n01/02/1970,1\n", {.date_format = {"d=%d/%m/%Y"}}), "d x\n2: 31 1");
  EXPECT_TRUE(read("d,x\n1,2\n", {.date_format = {"e=%Y"}}).starts_with("usage: --date-format is \"e=%Y\""));
  EXPECT_TRUE(read("d,x\n1,2\n", {.date_format = {"d=%Y"}}).starts_with("usage: --date-format of \"d\""));
}

TEST(CsvOptions, LeadingZerosMakeACategory) {
  EXPECT_EQ(read("zip,x\n08123,1\n10115,2\n"), "zip x\n2: 08123 1\n3: 10115 2");
  EXPECT_EQ(read("v,x\n0.5,0\n0,10\n"), "v x\n2: 0.5 0\n3: 0 10");
}

TEST(CsvOptions, ColumnsOfOneNameAreNumbered) {
  EXPECT_EQ(read("a,b,a,a.1,a\n1,2,3,4,5\n"), "a b a.2 a.1 a.3\n2: 1 2 3 4 5");
}

TEST(CsvOptions, NamesOfAModelGiveWayToAHeaderAndToAMissingTarget) {
  ReadOptions options{.columns = {"label", "text"}};
  options.model_target = "label";
  EXPECT_EQ(read("spam\tfree\n", options, ".tsv"), "label text\n1: spam free");
  EXPECT_EQ(read("text\tlabel\nfree\tspam\n", options, ".tsv"), "text label\n2: free spam");
  EXPECT_EQ(read("free\nnow\n", options, ".tsv"), "text\n1: free\n2: now");
}

TEST(CsvOptions, ColumnsCountTheirMissingValues) {
  std::string text = "x,y\n";
  for (int row = 0; row < 1000; ++row) text += (row % 3 == 0 ? "" : "1.5") + std::string(",2\n");
  const auto source = open_source({file_of(text)});
  source->select({{0, Kind::number, false, IfMissing::keep}, {1, Kind::number, false, IfMissing::keep}});
  Executor executor;
  const Tables tables = read_all(*source, plumb::Run{executor});
  EXPECT_EQ(tables.pieces.at(0).columns[0].missing, 334u);
  EXPECT_EQ(tables.pieces.at(0).columns[1].missing, 0u);
  EXPECT_TRUE(std::isnan(tables.pieces.at(0).columns[0].numbers[0]));
}

TEST(CsvOptions, BadRowsCanBeLeftOutAndTheFirstFiveAreSaid) {
  std::string text = "x,c\n1,a\nno,b\n2,c,d\n\"3\"x,e\n4\n5,\xff\n6,\xff\n7,g\n";
  for (int row = 0; row < 50; ++row) text += "8,h\n";
  const std::string seen = read(text, {.bad_rows = BadRows::skip});
  EXPECT_TRUE(seen.starts_with("x c\n2: 1 a\n9: 7 g\n10: 8 h\n")) << seen;
  EXPECT_EQ(seen.substr(seen.find("\nskipped")),
            "\nskipped 3:1 column \"x\" holds \"no\", which is not a number"
            "\nskipped 4:1 this row has 3 fields, the header has 2"
            "\nskipped 5:4 text follows a closing quote; a comma or the end of the line was expected"
            "\nskipped 6:1 this row has 1 field, the header has 2"
            "\nskipped 7:3 column \"c\" holds \"\\xff\", which is not valid UTF-8 text (byte 1 of the field)"
            "\nin all 6");
}

TEST(CsvOptions, ARowWithQuotedLineEndsIsLeftOutAsAWhole) {
  std::string text = "x,c\n1,\"a\nb\"\nno,\"c\nd\r\ne\"\n2,\"f\"\n";
  for (int row = 0; row < 50; ++row) text += "8,h\n";
  const std::string seen = read(text, {.bad_rows = BadRows::skip});
  EXPECT_TRUE(seen.starts_with("x c\n2: 1 a\nb\n7: 2 f\n8: 8 h\n")) << seen;
  EXPECT_TRUE(seen.ends_with("\nskipped 4:1 column \"x\" holds \"no\", which is not a number\nin all 1")) << seen;
}

TEST(CsvOptions, AQuoteThatIsNeverClosedIsNoBadRow) {
  EXPECT_TRUE(read("x,c\n1,a\n2,\"b\n3,c\n", {.bad_rows = BadRows::skip})
                  .starts_with("error: a quoted field opens here and is never closed"));
}

TEST(CsvOptions, ALineOfBlanksHasTooFewFields) {
  EXPECT_TRUE(read("x,y\n1,2\n  \n").starts_with("error: this row has 1 field, the header has 2"));
}

TEST(CsvOptions, ANameThatNoModelCanHoldIsRefusedInTheHeader) {
  EXPECT_TRUE(read(std::string(16385, 'x') + ",y\n1,2\n").starts_with("error: a name of more than 16 KiB starts here"));
  EXPECT_TRUE(read(std::string(16384, 'x') + ",y\n1,2\n").ends_with(" y\n2: 1 2"));
}

}  // namespace
}  // namespace plumb::csv_options_test
