// What holds for every format of the list. A new one adds a sample here.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/data/source.h"

namespace plumb {
namespace {

struct Sample {
  std::string row;     // of a number and a text, repeated
  std::string before;  // the rows
  std::string bad_row;
};

const std::map<std::string_view, Sample> kSamples = {
    {"csv",
     {"1.5,\"a \"\"b\"\",\nc, so long that a few rows are several pieces of the file\"\r\n", "x,c\n", "oops,d\n"}},
};

class EverySource : public ::testing::TestWithParam<SourceEntry> {
 protected:
  void SetUp() override { ASSERT_TRUE(kSamples.contains(GetParam().name)) << "kSamples has no " << GetParam().name; }
  const Sample& sample() const { return kSamples.at(GetParam().name); }

  std::string file(const std::string& rows) const {
    const std::string path = ::testing::TempDir() + "plumb_every_source_" + std::string(GetParam().name) +
                             std::string(GetParam().suffixes[0]);
    write_file_atomically(path, std::string_view(sample().before + rows));
    return path;
  }
  static std::string repeated(const std::string& row, int times) {
    std::string rows;
    for (int i = 0; i < times; ++i) rows += row;
    return rows;
  }
};

// All that a reader can see, one line per row.
std::string seen(const std::string& path, std::size_t read_size, unsigned threads) {
  Executor executor(threads);
  std::string text;
  try {
    const auto source = open_source({path}, ReadOptions{read_size});
    for (const ColumnInfo& column : source->columns()) text += column.name + " " + kind_name(column.kind) + "\n";
    for (const std::string& note : source->notes()) text += note + "\n";
    std::uint64_t rows = 0;
    for (const Table& piece : read_all(*source, plumb::Run{executor}).pieces) {
      EXPECT_EQ(piece.first_row, rows);
      EXPECT_GT(piece.rows, 0u);
      rows += piece.rows;
      for (std::uint64_t row = 0; row < piece.rows; ++row) {
        text += piece.place(row).text();
        for (const Column& column : piece.columns)
          text += "|" + (column.kind == Kind::number ? std::to_string(column.numbers[row])
                                                     : column.levels[column.codes[row]]);
        text += "\n";
      }
    }
    return text + source->digest();
  } catch (const Error& error) {
    return "error: " + std::string(error.what()) + "\nhint: " + error.hint();
  }
}

TEST_P(EverySource, GivesTheSameTablesForAnyReadSizeAndThreads) {
  const std::string path = file(repeated(sample().row, 50'000));
  const std::string expected = seen(path, 1 << 20, 1);
  EXPECT_FALSE(expected.starts_with("error")) << expected;
  for (const std::size_t read_size : {std::size_t{777}, std::size_t{1} << 20, std::size_t{1} << 24})
    for (const unsigned threads : {1u, 2u, 7u})
      EXPECT_TRUE(seen(path, read_size, threads) == expected) << read_size << " bytes, " << threads << " threads";
}

TEST_P(EverySource, SaysFileAndLineOfABadRowForAnyReadSizeAndThreads) {
  const std::string good = sample().before + repeated(sample().row, 50'000);
  std::uint64_t line = 1;
  for (const char c : good) line += c == '\n';
  const std::string path = file(good.substr(sample().before.size()) + sample().bad_row + repeated(sample().row, 10));
  const std::string expected = seen(path, 1 << 20, 1);
  EXPECT_TRUE(expected.starts_with("error: " + path + ":" + std::to_string(line) + ":")) << expected;
  for (const std::size_t read_size : {std::size_t{777}, std::size_t{1} << 24})
    for (const unsigned threads : {1u, 2u, 7u}) EXPECT_EQ(seen(path, read_size, threads), expected);
}

TEST_P(EverySource, FillsEveryColumnAsGuessedUnlessToldWhich) {
  Executor executor;
  const auto source = open_source({file(sample().row)});
  Table piece;
  ASSERT_TRUE(source->next(piece, plumb::Run{executor}));
  ASSERT_EQ(piece.columns.size(), source->columns().size());
  for (std::size_t c = 0; c < piece.columns.size(); ++c) EXPECT_EQ(piece.columns[c].kind, source->columns()[c].kind);
  EXPECT_FALSE(source->next(piece, plumb::Run{executor}));
  EXPECT_FALSE(source->next(piece, plumb::Run{executor})) << "the end stays the end";
}

INSTANTIATE_TEST_SUITE_P(Sources, EverySource, ::testing::ValuesIn(source_list().begin(), source_list().end()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(Sources, AreChosenByNameThenByBytesThenTheFirst) {
  const std::vector<SourceEntry> list = {
      {"csv", "", {".csv"}, nullptr, nullptr},
      {"lines", "", {".jsonl", ".ndjson"}, [](std::string_view start) { return start.starts_with('{'); }, nullptr}};
  const auto chosen = [&](std::string_view path, std::string_view start) {
    return choose_source(list, path, start).name;
  };
  EXPECT_EQ(chosen("a.ndjson", "x,y\n"), "lines");
  EXPECT_EQ(chosen("A.JSONL", ""), "lines");
  EXPECT_EQ(chosen("a.csv", "{}"), "csv") << "the name speaks first";
  EXPECT_EQ(chosen("-", "{}"), "lines");
  EXPECT_EQ(chosen("a.txt", "{}"), "lines");
  EXPECT_EQ(chosen("a.txt", "x,y\n"), "csv");
  EXPECT_EQ(chosen(".jsonl", "x"), "csv") << "a suffix is the end of a longer name";
}

TEST(Sources, ALoopOfLinksIsAnErrorOfTheDataWhereverItStands) {
  namespace fs = std::filesystem;
  const std::string loop = ::testing::TempDir() + "plumb_sources_loop.csv", good = loop + ".good.csv";
  fs::remove(loop);
  fs::create_symlink(loop, loop);
  write_file_atomically(good, std::string_view("x\n1\n"));
  for (const std::vector<std::string>& paths : {std::vector{loop}, std::vector{good, loop}}) {
    try {
      open_source(paths);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data);
      EXPECT_EQ(error.place().file, loop);
    }
  }
  EXPECT_THROW(open_source({good, ::testing::TempDir()}), Error) << "a folder is no file, and is said at once";
}

TEST(Table, PlacesOfRowsFollowTheLines) {
  Table table;
  table.rows = 6;
  table.first_row = 1000;
  EXPECT_STREQ(table.row_error(2, "bad").what(), "row 1,003: bad") << "a table of no file";
  table.file = "f.csv";
  table.lines = {{0, 11}, {2, 20}, {5, 30}};
  for (const auto& [row, line] : std::map<std::uint64_t, std::uint64_t>{{0, 11}, {1, 12}, {2, 20}, {4, 22}, {5, 30}})
    EXPECT_EQ(table.place(row).line, line) << row;
  EXPECT_STREQ(table.row_error(1, "bad").what(), "f.csv:12: bad");
}

}  // namespace
}  // namespace plumb
