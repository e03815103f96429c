#include "plumb/data/csv.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/base/testing.h"

namespace plumb::csv_test {
namespace {

class Csv : public ::testing::Test {
 protected:
  std::string file(const std::string& content, const std::string& name = "data.csv") const {
    const std::string path = ::testing::TempDir() + "plumb_csv_" + std::to_string(test_number()) + "_" + name;
    write_file_atomically(path, std::string_view(content));
    return path;
  }
  static std::size_t test_number() {
    return std::hash<std::string>{}(::testing::UnitTest::GetInstance()->current_test_info()->name()) % 1000000;
  }

  static std::unique_ptr<Source> open(std::vector<std::string> paths, std::size_t read_size = 1 << 20,
                                      const ReadOptions& options = {}) {
    return open_csv(TextFiles(std::move(paths), read_size, {}, options.encoding), options);
  }
  std::unique_ptr<Source> open_text(const std::string& content, const ReadOptions& options = {}) const {
    return open({file(content)}, 1 << 20, options);
  }

  // Every column as guessed.
  static Tables all(Source& source, unsigned threads = 1) {
    Executor executor(threads);
    return read_all(source, plumb::Run{executor});
  }
  Tables all(const std::string& content, const ReadOptions& options = {}) const {
    return all(*open_text(content, options));
  }

  static Error error_of_file(const std::string& path, std::size_t read_size = 1 << 20, unsigned threads = 1) {
    try {
      all(*open({path}, read_size), threads);
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorCode::internal, "accepted");
  }
  Error error_of(const std::string& content) const { return error_of_file(file(content)); }

  // The whole error as a user sees it, with FILE for the path.
  std::string said(const std::string& content) const {
    const std::string path = file(content);
    const Error error = error_of_file(path);
    std::string text = std::string(error.what()) + (error.hint().empty() ? "" : " | " + error.hint());
    for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path))
      text.replace(at, path.size(), "FILE");
    return text;
  }
};

std::vector<double> numbers(const Tables& tables, std::size_t column) {
  std::vector<double> all;
  for (const Table& table : tables.pieces)
    all.insert(all.end(), table.columns[column].numbers.begin(), table.columns[column].numbers.end());
  return all;
}
std::vector<std::string> texts(const Tables& tables, std::size_t column) {
  std::vector<std::string> all;
  for (const Table& table : tables.pieces)
    for (const std::uint32_t code : table.columns[column].codes) all.push_back(table.columns[column].levels[code]);
  return all;
}

TEST_F(Csv, NumbersAndCategoriesAreToldApart) {
  const Tables tables = all("x,city\n1.5,Paris\n-2e3,Rome\n.5,Paris\n");
  EXPECT_EQ(tables.rows, 3u);
  EXPECT_EQ(numbers(tables, 0), (std::vector<double>{1.5, -2000, 0.5}));
  EXPECT_EQ(texts(tables, 1), (std::vector<std::string>{"Paris", "Rome", "Paris"}));
}

TEST_F(Csv, ByteOrderMarkCarriageReturnsAndAMissingLastNewlineChangeNothing) {
  for (const char* text :
       {"x,y\n1,2\n3,4\n", "\xEF\xBB\xBFx,y\r\n1,2\r\n3,4", "x,y\r1,2\r3,4\r", "\nx,y\n\n1,2\n\n3,4\n\n"}) {
    const Tables tables = all(text);
    EXPECT_EQ(numbers(tables, 0), (std::vector<double>{1, 3})) << text;
    EXPECT_EQ(numbers(tables, 1), (std::vector<double>{2, 4})) << text;
  }
}

TEST_F(Csv, AnEmptyCategoryIsALevelOfItsOwn) {
  EXPECT_EQ(texts(all("c,x\n,1\na,2\n"), 0), (std::vector<std::string>{"", "a"}));
}

TEST_F(Csv, AFewBadValuesMakeAnErrorAndNotACategory) {
  std::string text = "id,age\n";
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + "," + (i % 3 == 0 ? "odd" : std::to_string(i)) + "\n";
  const Error error = error_of(text);
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(error.place().line, 2u);
  EXPECT_EQ(error.place().column, 3u);
  EXPECT_EQ(error.message(), "column \"age\" holds \"odd\", which is not a number");
  EXPECT_EQ(error.hint(), "--categorical age reads it as categories; --drop age leaves the column out");
}

TEST_F(Csv, FewCodesThatAreMostlyNumbersAreCategories) {
  const auto source = open_text("doors,x\n2,1\n3,1\n4,1\n5more,1\n");
  EXPECT_EQ(source->columns()[0].kind, Kind::category);
}

TEST_F(Csv, EmptyAndBadNumbersAreErrorsWithTheirPlace) {
  std::string head = "a,b\n";
  for (int i = 0; i < 50; ++i) head += "1,2\n";
  const std::string drop_a = " | --categorical a reads it as categories; --drop a leaves the column out";
  EXPECT_EQ(
      said(head + "7,\n"),
      "FILE:52:3: column \"b\" is empty here; a number was expected | --missing mean fills it in, --missing drop-row "
      "leaves out the row; --drop b leaves the column out");
  EXPECT_EQ(said(head + "inf,1\n"), "FILE:52:1: column \"a\" holds \"inf\", which is not a finite number" + drop_a);
  EXPECT_EQ(said(head + "0x10,1\n"),
            "FILE:52:1: column \"a\" holds \"0x10\", which is hexadecimal, not decimal" + drop_a);
  EXPECT_EQ(said(head + "1e999,1\n"),
            "FILE:52:1: column \"a\" holds \"1e999\", which is too large: numbers end at 1.8e308" + drop_a);
  EXPECT_EQ(said(head + "1,2,3\n"),
            "FILE:52:1: this row has 3 fields, the header has 2 | put a field that holds a comma in double quotes");
  EXPECT_EQ(
      said(head + "1\n"),
      "FILE:52:1: this row has 1 field, the header has 2 | a field that is empty needs its comma all the same, as "
      "in 1,,3");
  EXPECT_EQ(
      said(head + "1,\"2\n"),
      "FILE:52:3: a quoted field opens here and is never closed | close it, or double a quote that is part of the "
      "text; --quote none takes quotes as they are");
}

TEST_F(Csv, HintsCanBeTypedWhateverTheNames) {
  std::string text = "\"a b\",\"x,\"\"y\"\"\",z\n";
  for (int i = 0; i < 50; ++i) text += "1,2,3\n";
  EXPECT_EQ(
      said(text + "1,,3\n"),
      "FILE:52:3: column \"x,\"y\"\" is empty here; a number was expected | --missing mean fills it in, --missing "
      "drop-row leaves out the row; --drop '\"x,\"\"y\"\"\"' leaves the column out");
  EXPECT_EQ(
      said(text + "!,2,3\n"),
      "FILE:52:1: column \"a b\" holds \"!\", which is not a number | --categorical 'a b' reads it as categories; "
      "--drop 'a b' leaves the column out");
}

TEST_F(Csv, HintsDoNotOfferToDropAColumnThatIsNeeded) {
  const auto source = open_text("x,y\n1,2\n3,four\n");
  source->select({{1, Kind::number, true}});
  Executor executor;
  try {
    read_all(*source, plumb::Run{executor});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "column \"y\" holds \"four\", which is not a number");
    EXPECT_EQ(error.hint(), "correct the value, or leave out such rows with --bad-rows skip");
    EXPECT_EQ(error.place().line, 3u);
  }
}

TEST_F(Csv, FilesThatAreNotCsvAreNamed) {
  const std::string utf16 = std::string("a\0,\0b\0\n\0", 8), swapped = std::string("\0a\0,\0b\0\n", 8);
  EXPECT_EQ(said(""),
            "FILE: is empty; a header line with the names of the columns was expected | the first line is like "
            "height,weight and the others like 1.47,52.21");
  EXPECT_EQ(said(" \n\r\n"), said(""));
  EXPECT_EQ(said("\x1f\x8b\x08"),
            "FILE: ends in the middle of the gzip member that starts at byte 0, expected all of it | gzip -t FILE");
  EXPECT_EQ(said("PAR1xxxx"), "FILE: is a Parquet file; delimited text was expected");
  EXPECT_EQ(said("\xff\xfe" + utf16),
            "FILE: is UTF-16 text; delimited text was expected | iconv -f utf-16 -t utf-8 < FILE | plumb ... -");
  EXPECT_EQ(said(utf16),
            "FILE: is UTF-16 text; delimited text was expected | iconv -f utf-16le -t utf-8 < FILE | plumb ... -");
  EXPECT_EQ(said(swapped),
            "FILE: is UTF-16 text; delimited text was expected | iconv -f utf-16be -t utf-8 < FILE | plumb ... -");
}

TEST_F(Csv, BytesThatAreNoTextAreNamedInHeaderNumbersAndCategories) {
  const std::string nul(1, '\0'), remove = " | tr -d '\\0' < FILE | plumb ... -",
                                  convert =
                                      " | --encoding latin1 reads such files, --encoding replace puts U+FFFD "
                                      "for what cannot be read";
  EXPECT_EQ(said("cc,d" + nul + "\n1,2\n"),
            "FILE:1:4: the header holds a NUL byte in \"d\\x00\" (byte 2 of the field); text was expected" + remove);
  EXPECT_EQ(said("c,d\nx" + nul + ",2\n"),
            "FILE:2:1: column \"c\" holds a NUL byte in \"x\\x00\" (byte 2 of the field); text was expected" + remove);
  EXPECT_EQ(said("c,d\nx,2\ny,3\nz,4\nu,5\nv,6\nw,7\nx,8\nx,9\nx,1\nx,2" + nul + "\n"),
            "FILE:11:3: column \"d\" holds a NUL byte in \"2\\x00\" (byte 2 of the field); text was expected" + remove);
  EXPECT_EQ(said("caf\xe9,d\n1,2\n"),
            "FILE:1:1: the header holds \"caf\\xe9\", which is not valid UTF-8 text (byte 4 of the field)" + convert);
  EXPECT_EQ(said("c,d\n\xff,2\n"),
            "FILE:2:1: column \"c\" holds \"\\xff\", which is not valid UTF-8 text (byte 1 of the field)" + convert);
}

TEST_F(Csv, AByteThatIsNoTextIsCountedWhereItStandsFarIntoAField) {
  const std::string words = "It was the best of times, it was the worst of times. ";
  EXPECT_EQ(
      said("x\ty\n1\t" + words + "caf\xe9\n"),
      "FILE:2:3: column \"y\" holds ...\"it was the worst of times. caf\\xe9\", which is not valid UTF-8 text (byte 57 "
      "of the field) | --encoding latin1 reads such files, --encoding replace puts U+FFFD for what cannot be read");
}

std::vector<std::string> documents(const Tables& tables, std::size_t column) {
  std::vector<std::string> all;
  for (const Table& table : tables.pieces)
    for (std::size_t i = 0; i < table.columns[column].documents.size(); ++i)
      all.emplace_back(table.columns[column].documents[i]);
  return all;
}

TEST_F(Csv, RunningTextIsReadAsItStandsRowForRow) {
  const std::string good =
      "1,\"It was, \"\"truly\"\", the\nbest of films\"\n2,\n3,a plot that is thin as paper\n4,see it and see it "
      "again\n";
  const Tables tables = all("stars,review\n" + good);
  EXPECT_EQ(tables.pieces.front().columns[1].kind, Kind::text);
  EXPECT_EQ(documents(tables, 1),
            (std::vector<std::string>{"It was, \"truly\", the\nbest of films", "", "a plot that is thin as paper",
                                      "see it and see it again"}));
}

TEST_F(Csv, ARowThatIsLeftOutLeavesNoText) {
  ReadOptions options;
  options.bad_rows = BadRows::skip;
  const auto source =
      open_text("review,stars\none two three four,1\nfive six seven eight,oops\nnine ten eleven twelve,3\n", options);
  source->select({{0, Kind::text}, {1, Kind::number}});
  const Tables tables = all(*source);
  EXPECT_EQ(documents(tables, 0), (std::vector<std::string>{"one two three four", "nine ten eleven twelve"}));
  EXPECT_EQ(source->skipped().bad, 1u);
}

struct SeenTexts final : Extract {
  std::uint64_t bytes() const noexcept override { return sizeof *this; }
  std::vector<std::string> texts;
};

// Whether texts are kept or not: unchanged ones, ones with doubled quotes, missing ones, and those of a row that is
// left out.
TEST_F(Csv, AnExtractorWorksOnTheTextsOfAPieceInTheirPlace) {
  for (const bool keep : {false, true}) {
    ReadOptions options;
    options.bad_rows = BadRows::skip;
    options.na = {"NA"};
    const auto source = open_text(
        "review,stars\nab,1\n\"c\"\"d\"\"e\",2\nlost,oops\n\"lost, \"\"too\"\"\",oops\n,3\nNA,4\n\"f,\ng\",5\nlast,6",
        options);
    const auto make = [](TextViews documents) {
      auto seen = std::make_shared<SeenTexts>();
      seen->texts.assign(documents.begin(), documents.end());
      return seen;
    };
    source->select({{0, Kind::text, false, IfMissing::error, {make, keep}}, {1, Kind::number}});
    const Tables tables = all(*source);
    const std::vector<std::string> expected = {"ab", "c\"d\"e", "", "", "f,\ng", "last"};
    EXPECT_EQ(static_cast<const SeenTexts&>(*tables.pieces.front().columns[0].extract).texts, expected);
    EXPECT_EQ(documents(tables, 0), keep ? expected : std::vector<std::string>());
  }
}

TEST_F(Csv, Latin1FilesAreReadWhereTheUserSaysSo) {
  ReadOptions options;
  options.encoding = Encoding::latin1;
  const auto source = open_text("caf\xe9,x\nd\xe9j\xe0,1\n", options);
  EXPECT_EQ(source->columns()[0].name, "caf\xC3\xA9");
  EXPECT_EQ(texts(all(*source), 0), (std::vector<std::string>{"d\xC3\xA9j\xC3\xA0"}));
}

TEST_F(Csv, NamesAreTrimmedAndMadeUpWhereTheyAreMissing) {
  const auto source = open_text(" a\t,\"\n b c\r\n\",,\" \"\n1,2,3,4\n");
  std::vector<std::string> names;
  for (const ColumnInfo& column : source->columns()) names.push_back(column.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b c", "column3", "column4"}));
  EXPECT_EQ(source->notes(), (std::vector<std::string>{"column 3 has no name; it is called column3",
                                                       "column 4 has no name; it is called column4"}));
}

TEST_F(Csv, AHeaderOfNumbersIsTakenAsNamesAndSaid) {
  const std::string path = file("1,2.5\n3,4\n");
  EXPECT_EQ(open({path})->notes(),
            (std::vector<std::string>{"the first line of " + path +
                                      " holds only numbers, and was taken as the names of the columns (--no-header "
                                      "reads it as a row)"}));
  EXPECT_TRUE(open_text("1,b\n3,4\n")->notes().empty());
}

TEST_F(Csv, AnEmptyLineIsARowOnlyWhereThereIsOneColumn) {
  EXPECT_EQ(texts(all("c\na\n\nb\n"), 0), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(texts(all("c,d\na,1\n\r\n\nb,2\n"), 0), (std::vector<std::string>{"a", "b"}));
}

TEST_F(Csv, TheFirstTextOfAColumnIsRememberedWithItsPlace) {
  const auto source = open_text("x,y\n1,\"a\nb\"\n\n2,5\noops,6\nother,7\n");
  EXPECT_EQ(source->columns()[0].first_text, "oops");
  EXPECT_EQ(source->columns()[0].first_text_place.line, 6u);
  EXPECT_EQ(source->columns()[0].first_text_place.column, 1u);
  EXPECT_EQ(source->columns()[1].first_text, "a\nb");
  EXPECT_EQ(source->columns()[1].first_text_place.line, 2u);
  EXPECT_EQ(source->columns()[1].first_text_place.column, 3u);
  EXPECT_EQ(open_text("x,y\n1,2\n")->columns()[0].first_text, "");
}

// 3686 numbers of 4096 are less than nine in ten, 3687 are more.
TEST_F(Csv, KindsAreGuessedFromTheFirst4096Rows) {
  for (const bool inside : {true, false}) {
    std::string text = "a,b\n";
    for (int row = 1; row <= 20000; ++row) text += row <= 409 || row == (inside ? 4096 : 4097) ? "word,1\n" : "7,1\n";
    EXPECT_EQ(open_text(text)->columns()[0].kind, inside ? Kind::category : Kind::number);
  }
}

// Rows of 1 MiB: 14 numbers of 16 are less than nine in ten, 15 are more.
TEST_F(Csv, KindsAreGuessedFromRowsThatBeginInTheFirst16Mebibytes) {
  const std::string padding((std::size_t{1} << 20) - 6, '.');
  for (const int second_word : {16, 17}) {
    std::string text = "a,b\n";
    for (int row = 1; row <= 19; ++row)
      text += (row == 1 || row == second_word ? "word," + padding : "0007," + padding) + "\n";
    EXPECT_EQ(open_text(text)->columns()[0].kind, second_word == 16 ? Kind::category : Kind::number);
  }
}

// After the rows that decide the kinds, so that the reading in waves meets the record.
TEST_F(Csv, ARecordOfMoreThan64MebibytesIsRefusedForAnyReadSizeAndThreads) {
  std::string text = "a,b\n";
  for (int row = 0; row < 5000; ++row) text += "1,x\n";
  const std::string longest = "1,\"" + std::string((std::size_t{64} << 20) - 5, '.') + "\"\n";
  ASSERT_EQ(longest.size(), std::size_t{64} << 20);
  EXPECT_EQ(all(text + longest + "1,x\n").rows, 5002u);
  const std::string path = file(text + "1" + longest + "1,x\n"),
                    open_quote = file(text + "1" + longest.substr(0, longest.size() - 2), "open.csv");
  for (const std::size_t read_size : {std::size_t{1} << 20, std::size_t{1} << 27})
    for (const unsigned threads : sweep_of({1u, 2u, 7u})) {
      const Error error = error_of_file(path, read_size, threads);
      EXPECT_EQ(error.message(), "a line of more than 64 MiB starts here");
      EXPECT_EQ(error.hint(),
                "look for a quote that is opened and never closed; --quote none takes quotes as they are");
      EXPECT_EQ(error.place().line, 5002u);
    }
  EXPECT_EQ(error_of_file(open_quote).message(), "a quoted field opens here and is never closed")
      << "exactly 64 MiB - 1";
}

TEST_F(Csv, ErrorsFarIntoAFileHaveTheRightLine) {
  std::string text = "x,c\n";
  for (int i = 0; i < 200000; ++i) text += "12345,\"a\nb\"\n";
  text += "oops,c\n";
  const Error error = error_of(text);
  EXPECT_EQ(error.place().line, 2 + 2 * 200000u);
  EXPECT_EQ(error.place().column, 1u);
}

TEST_F(Csv, SeveralFilesAreOneTableIfTheirColumnsAgree) {
  const std::string first = file("x,y\n1,2\n", "first.csv"), second = file("x,y\n3,4\n", "second.csv"),
                    other = file("x,z\n3,4\n", "other.csv");
  const Tables tables = all(*open({first, second}));
  EXPECT_EQ(numbers(tables, 0), (std::vector<double>{1, 3}));
  EXPECT_EQ(tables.pieces[1].place(0).text(), second + ":2");
  EXPECT_EQ(tables.pieces[1].first_row, 1u);
  try {
    all(*open({first, other}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), other + ":1: the columns are x, z; those of " + first + " were expected: x, y");
  }
  EXPECT_THROW(open({first, "no such file.csv"}), Error);
}

TEST_F(Csv, ColumnsThatAreNotSelectedAreNotJudged) {
  const auto source = open_text("x,y\n1,2\nbad,4\n");
  source->select({{1, Kind::number}});
  Executor executor;
  EXPECT_EQ(numbers(read_all(*source, plumb::Run{executor}), 0), (std::vector<double>{2, 4}));
}

}  // namespace
}  // namespace plumb::csv_test
