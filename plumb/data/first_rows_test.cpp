#include "plumb/data/first_rows.h"

#include <gtest/gtest.h>

#include "plumb/base/file.h"
#include "plumb/data/testing.h"

namespace plumb {
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

}  // namespace
}  // namespace plumb
