#include "plumb/data/first_rows.h"

#include <gtest/gtest.h>

#include "plumb/base/file.h"
#include "plumb/data/testing.h"

namespace plumb::first_rows_test {
namespace {

TEST(FirstRows, AreThoseOfTheFileWhereverPiecesAreCut) {
  const std::string path = ::testing::TempDir() + "plumb_first_rows.csv";
  std::string text = "x,c\n";
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + ",level " + std::to_string(i / 7) + "\n";
  write_file_atomically(path, text);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{100}, std::size_t{1} << 20})
    for (const std::uint64_t rows : {1u, 9u, 99u, 100u, 1000u}) {
      ReadOptions options;
      options.piece_size = piece;
      Executor executor(2);
      const plumb::Run run{executor};
      const auto source = first_rows(open_source({path}, options), rows);
      std::uint64_t seen = 0;
      Table table;
      while (source->next(table, run))
        for (std::uint64_t r = 0; r < table.rows; ++r, ++seen) {
          EXPECT_EQ(value_text(table.columns[0], r), std::to_string(seen));
          EXPECT_EQ(value_text(table.columns[1], r), "level " + std::to_string(seen / 7));
        }
      EXPECT_EQ(seen, std::min<std::uint64_t>(rows, 100));
    }
}

// Reading ahead depends on threads; so would a digest of the bytes read.
TEST(FirstRows, HaveOneDigestForAnyThreadsAndPieces) {
  const std::string path = ::testing::TempDir() + "plumb_first_digest";
  std::string csv = "x,c,t\n", vw, libsvm;
  for (int i = 0; i < 400; ++i) {
    const std::string n = std::to_string(i);
    csv += n + ".5,level " + std::to_string(i / 7) + (i % 3 == 0 ? ",\n" : ",some words " + n + "\n");
    vw += std::string(i % 2 == 0 ? "1" : "-1") + " |a w" + std::to_string(i * 7 % 40) + ":2 v" + n + " u\n";
    libsvm += std::string(i % 2 == 0 ? "1" : "0") + " " + std::to_string(1 + i % 9) + ":1 20:0.5\n";
  }
  const auto digest = [&](const std::string& suffix, const std::string& text, std::uint64_t rows, std::size_t piece,
                          unsigned threads) {
    write_file_atomically(path + suffix, text);
    ReadOptions options;
    options.piece_size = piece;
    Executor executor(threads);
    const auto source = first_rows(open_source({path + suffix}, options), rows);
    Table table;
    while (source->next(table, plumb::Run{executor})) {
    }
    return source->digest();
  };
  for (const auto& [suffix, text] : {std::pair(".csv", csv), std::pair(".vw", vw), std::pair(".svm", libsvm)}) {
    const std::string one = digest(suffix, text, 50, std::size_t{1} << 20, 1);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{300}})
      for (const unsigned threads : {1u, 2u, 7u}) EXPECT_EQ(digest(suffix, text, 50, piece, threads), one) << suffix;
    EXPECT_NE(digest(suffix, text, 49, 300, 1), one);
    std::string other = text;
    other[text.find('5')] = '6';
    EXPECT_NE(digest(suffix, other, 50, 300, 1), one);
    EXPECT_EQ(digest(suffix, text + "\n", 50, 300, 1), one) << "what comes after the last row is not in it";
  }
}

}  // namespace
}  // namespace plumb::first_rows_test
