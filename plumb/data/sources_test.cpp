// Tests for every format of the list. A new one adds a sample here.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "plumb/base/error.h"
#include "plumb/base/file.h"
#include "plumb/base/random.h"
#include "plumb/base/testing.h"
#include "plumb/data/source.h"
#include "plumb/data/testing.h"
#include "plumb/data/text_source.h"

namespace plumb::sources_test {
namespace {

struct Sample {
  std::string row;     // of a number and a text, repeated
  std::string before;  // the rows
  std::string bad_row;
};

const std::map<std::string_view, Sample> kSamples = {
    {"csv",
     {"1.5,\"a \"\"b\"\",\nc, so long that a few rows are several pieces of the file\"\r\n", "x,c\n", "oops,d\n"}},
    {"tsv", {"1.5\t\"a \"b\" so long that some rows are several pieces\r\n", "x\tc\n", "oops\td\n"}},
    {"jsonl", {"{\"x\": 1.5, \"c\": \"a \\\"b\\\"\"}\r\n", "\n{\"c\": \"d\", \"x\": 2}\n", "{\"x\": \"oops\"}\n"}},
    {"vw", {"1.5 2 'tag|space word:0.5 other\r\n", "\n1 | x\n", "1 | word:oops\n"}},
    {"libsvm", {"1.5 1:1 7:0.25 123456:-1e-5 # c\r\n", "\n# none\n-1 2:1 1:1\n", "1 7:oops\n"}},
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

std::string seen(const SourceEntry& entry, const std::string& path, std::size_t read_size, unsigned threads) {
  Executor executor(threads);
  return everything_in(entry, path, read_size, executor);
}

TEST_P(EverySource, GivesTheSameTablesForAnyReadSizeAndThreads) {
  const std::string path = file(repeated(sample().row, 50'000));
  const std::string expected = seen(GetParam(), path, 1 << 20, 1);
  EXPECT_FALSE(expected.starts_with("error")) << expected;
  for (const std::size_t read_size : {std::size_t{777}, std::size_t{1} << 20, std::size_t{1} << 24})
    for (const unsigned threads : sweep_of({1u, 2u, 7u}))
      EXPECT_TRUE(seen(GetParam(), path, read_size, threads) == expected)
          << read_size << " bytes, " << threads << " threads";
}

TEST_P(EverySource, SaysFileAndLineOfABadRowForAnyReadSizeAndThreads) {
  const std::string good = sample().before + repeated(sample().row, 50'000);
  std::uint64_t line = 1;
  for (const char c : good) line += c == '\n';
  const std::string path = file(good.substr(sample().before.size()) + sample().bad_row + repeated(sample().row, 10));
  const std::string expected = seen(GetParam(), path, 1 << 20, 1);
  EXPECT_TRUE(expected.starts_with("error: " + path + ":" + std::to_string(line) + ":")) << expected;
  for (const std::size_t read_size : {std::size_t{777}, std::size_t{1} << 24})
    for (const unsigned threads : sweep_of({1u, 2u, 7u}))
      EXPECT_EQ(seen(GetParam(), path, read_size, threads), expected);
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

// Lines, blank lines and line ends of every kind in any order, some rows longer than a piece, at most one bad row.
TEST_P(EverySource, GivesTheSameForNastyFilesForAnyReadSizeAndThreads) {
  const RandomKey key{2026, 0};
  const std::string row = sample().row.substr(0, sample().row.size() - 2);  // without its line end
  for (int round = 0; round < std::max(2, sweep_size(6)); ++round) {        // every second has a bad row
    std::uint64_t draws = 0;
    const auto draw = [&](std::uint64_t below) {
      return key.below(static_cast<std::uint64_t>(round) << 32 | draws++, below);
    };
    std::string rows;
    while (rows.size() < 3'000'000) {
      const std::uint64_t what = draw(50'000);
      if (what == 0)
        rows += std::string(1'200'000, ' ') + row;
      else if (what < 5'000 && !GetParam().delimited)
        rows += std::string(what % 7, ' ');
      else if (what == 5'000 && round % 2 == 1)
        rows += sample().bad_row;
      else
        rows += row;
      rows += std::vector<std::string>{"\n", "\r\n", "\r"}[draw(3)];
    }
    const std::string path = file(rows);
    const std::string expected = seen(GetParam(), path, 1 << 20, 1);
    ASSERT_TRUE(round % 2 == 1 || !expected.starts_with("error")) << expected;
    for (const std::size_t read_size : {std::size_t{4093}, std::size_t{1} << 23})
      for (const unsigned threads : {1u, 3u})
        ASSERT_TRUE(seen(GetParam(), path, read_size, threads) == expected)
            << read_size << " bytes, " << threads << " threads";
  }
}

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

TEST(Sources, BytesSpeakWhereTheNameDoesNot) {
  const auto chosen = [](std::string_view start) { return choose_source(source_list(), "-", start).name; };
  EXPECT_EQ(chosen("x,y\n1,2\n"), "csv");
  EXPECT_EQ(chosen("{\"x\": 1}\n"), "jsonl");
  EXPECT_EQ(chosen("1 | a b\n"), "vw");
  EXPECT_EQ(chosen("+1 3:1 5:1\n"), "libsvm");
}

TEST(Sources, ColumnsMayBeReadAsTheOtherKindButEntriesMayNot) {
  const std::string path = ::testing::TempDir() + "plumb_sources_kinds.vw";
  write_file_atomically(path, std::string_view("1.5 2 '7| a\n\n-1 '8| b\n1.5 'x| c\n"));
  Executor executor;
  const auto read = [&](const std::vector<Selected>& wanted) {
    const auto source = open_source({path});
    source->select(wanted);
    return read_all(*source, plumb::Run{executor}).pieces.at(0);
  };
  const Table table = read({{0, Kind::category}, {0, Kind::number}, {1, Kind::number}});
  EXPECT_EQ(table.columns[0].levels, (std::vector<std::string>{"1.5", "-1"}));
  EXPECT_EQ(table.columns[0].codes, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(table.columns[1].numbers, (std::vector<double>{1.5, -1, 1.5}));
  try {
    read({{2, Kind::number}});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.place().line, 4u);
    EXPECT_EQ(error.message(), "column \"tag\" holds \"x\", which is not a number");
  }
  EXPECT_THROW(read({{3, Kind::number}}), Error);
  EXPECT_THROW(read({{0, Kind::sparse}}), Error);
  EXPECT_EQ(text_of(read({{3, Kind::sparse}}).columns[0].entries), "a:1\nb:1\nc:1\n");
}

TEST(Sources, LinesEndAtTheSamePlacesHoweverTheyAreLookedFor) {
  const std::string text = "a\r\nb\n\rc\r\rd\r\n\r\ne";
  const RecordEnds ends = line_ends();
  for (std::size_t size = 0; size <= text.size(); ++size)
    for (const bool at_end : {false, true}) {
      const std::string_view part = std::string_view(text).substr(0, size);
      std::vector<std::size_t> found = {0};
      for (std::size_t end; (end = ends.next(part, found.back(), at_end)) != std::string_view::npos;)
        found.push_back(end);
      for (std::size_t limit = 0; limit <= size; ++limit)
        EXPECT_EQ(ends.last(part, limit, at_end), *(std::upper_bound(found.begin(), found.end(), limit) - 1)) << size;
    }
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
}  // namespace plumb::sources_test
