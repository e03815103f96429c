#include "plumb/data/csv.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "plumb/base/error.h"
#include "plumb/base/file.h"

namespace plumb {
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

  // Every column as guessed.
  Tables all(Source& source, unsigned threads = 1) const {
    Executor executor(threads);
    std::vector<Selected> selected;
    for (std::size_t c = 0; c < source.columns().size(); ++c) selected.push_back({c, source.columns()[c].kind});
    source.select(selected);
    return read_all(source, plumb::Run{executor});
  }
  Tables all(const std::string& content) const { return all(*open_csv({file(content)}, {})); }

  Error error_of(const std::string& content) const {
    try {
      all(content);
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorCode::internal, "accepted");
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
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + "," + (i % 3 == 0 ? "n/a" : std::to_string(i)) + "\n";
  const Error error = error_of(text);
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(error.place().line, 2u);
  EXPECT_EQ(error.place().column, 3u);
  EXPECT_EQ(error.message(), "column \"age\" holds \"n/a\", which is not a number");
  EXPECT_EQ(error.hint(), "--categorical age reads it as categories; --drop age leaves the column out");
}

TEST_F(Csv, FewCodesThatAreMostlyNumbersAreCategories) {
  const auto source = open_csv({file("doors,x\n2,1\n3,1\n4,1\n5more,1\n")}, {});
  EXPECT_EQ(source->columns()[0].kind, Kind::category);
}

TEST_F(Csv, EmptyAndBadNumbersAreErrorsWithTheirPlace) {
  std::string head = "a,b\n";
  for (int i = 0; i < 50; ++i) head += "1,2\n";
  struct Case {
    const char* row;
    std::uint64_t column;
    const char* message;
  };
  for (const Case& each :
       {Case{"7,\n", 3, "column \"b\" is empty here; a number was expected"},
        Case{"nan,1\n", 1, "column \"a\" holds \"nan\", which is not a finite number"},
        Case{"0x10,1\n", 1, "column \"a\" holds \"0x10\", which is hexadecimal; decimal digits are expected"},
        Case{"1,2,3\n", 1, "this row has 3 fields, the header has 2"},
        Case{"1\n", 1, "this row has 1 field, the header has 2"}}) {
    const Error error = error_of(head + each.row);
    EXPECT_EQ(error.place().line, 52u) << each.row;
    EXPECT_EQ(error.place().column, each.column) << each.row;
    EXPECT_EQ(error.message().substr(0, 20), std::string(each.message).substr(0, 20)) << error.message();
  }
}

TEST_F(Csv, FilesThatAreNotCsvAreNamed) {
  EXPECT_NE(std::string(error_of("").what()).find("is empty"), std::string::npos);
  EXPECT_NE(std::string(error_of("\x1f\x8b\x08").what()).find("gzip-compressed"), std::string::npos);
  EXPECT_NE(std::string(error_of("a;b\n1;2\n").what()).find("no comma"), std::string::npos);
  EXPECT_NE(std::string(error_of("a,a\n1,2\n").what()).find("two columns are called \"a\""), std::string::npos);
  EXPECT_NE(std::string(error_of("a,b\n1,\"2\n").what()).find(":2:3: a quoted field opens here"), std::string::npos);
  EXPECT_NE(std::string(error_of("c,b\n\xff,1\n").what()).find("not valid UTF-8"), std::string::npos);
}

TEST_F(Csv, ReadSizesAndThreadsChangeNothing) {
  std::string text = "n,c,q\n";
  for (int i = 0; i < 30000; ++i)
    text += std::to_string(i * 0.25) + ",k" + std::to_string(i % 7) + ",\"line " + std::to_string(i % 3) +
            "\nnext, \"\"quoted\"\"\"" + (i % 2 ? "\r\n" : "\n");
  const std::string path = file(text);
  const auto reference = open_csv({path}, {});
  const Tables expected = all(*reference);
  EXPECT_EQ(expected.rows, 30000u);
  for (const std::size_t read_size : {std::size_t{777}, std::size_t{4096}, std::size_t{1} << 22})
    for (const unsigned threads : {1u, 3u}) {
      const auto source = open_csv({path}, ReadOptions{read_size});
      const Tables tables = all(*source, threads);
      EXPECT_EQ(numbers(tables, 0), numbers(expected, 0));
      EXPECT_EQ(texts(tables, 1), texts(expected, 1));
      EXPECT_EQ(texts(tables, 2), texts(expected, 2));
      EXPECT_EQ(source->digest(), reference->digest());
    }
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
  const auto source = open_csv({first, second}, {});
  EXPECT_EQ(numbers(all(*source), 0), (std::vector<double>{1, 3}));
  const auto mixed = open_csv({first, other}, {});
  EXPECT_THROW(all(*mixed), Error);
  EXPECT_THROW(open_csv({first, "no such file.csv"}, {}), Error);
}

TEST_F(Csv, ColumnsThatAreNotSelectedAreNotJudged) {
  const auto source = open_csv({file("x,y\n1,2\nbad,4\n")}, {});
  source->select({{1, Kind::number}});
  Executor executor;
  EXPECT_EQ(numbers(read_all(*source, plumb::Run{executor}), 0), (std::vector<double>{2, 4}));
}

}  // namespace
}  // namespace plumb
