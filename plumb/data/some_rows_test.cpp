#include "plumb/data/some_rows.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb::some_rows_test {
namespace {

TEST(SomeRows, AreTheSameWhereverPiecesWereCut) {
  const auto read = [](std::vector<std::uint64_t> ends) {
    Tables tables;
    for (const std::uint64_t end : ends) {
      Table piece;
      piece.first_row = tables.rows;
      piece.columns = {Column(), {.kind = Kind::category, .levels = {"a", "b"}}, {.kind = Kind::sparse}};
      for (; tables.rows < end; ++tables.rows, ++piece.rows) {
        piece.columns[0].numbers.push_back(tables.rows == 4 ? NAN : static_cast<double>(tables.rows));
        piece.columns[1].codes.push_back(tables.rows % 2);
        piece.columns[2].entries.index.push_back(static_cast<std::uint32_t>(tables.rows));
        piece.columns[2].entries.value.push(0.5);
        piece.columns[2].entries.offsets.push_back(piece.columns[2].entries.index.size());
      }
      tables.pieces.push_back(std::move(piece));
    }
    return tables;
  };
  RowSet rows(9);
  for (const std::uint64_t row : {1u, 4u, 5u, 8u}) rows.add(row);
  const auto seen = [&](const Tables& tables) {
    std::string text;
    const std::optional<Tables> some = some_rows_of(tables, rows);
    for (const Table& piece : some->pieces)
      for (std::uint64_t r = 0; r < piece.rows; ++r)
        text += std::to_string(piece.first_row + r) + ":" + std::to_string(piece.columns[0].numbers[r]) +
                piece.columns[1].levels[piece.columns[1].codes[r]] +
                std::to_string(piece.columns[2].entries.row(r)[0]) + " ";
    return text;
  };
  EXPECT_EQ(seen(read({9})), "0:1.000000b1 1:nana4 2:5.000000b5 3:8.000000a8 ");
  EXPECT_EQ(seen(read({2, 5, 9})), seen(read({9})));
  EXPECT_EQ(some_rows_of(read({9}), rows)->pieces[0].columns[0].missing, 1u);
}

TEST(SomeRows, AreEvenlySpread) {
  RowSet rows(100);
  for (std::uint64_t row = 10; row < 90; ++row) rows.add(row);
  EXPECT_EQ(evenly(rows, 80).count(), 80u);
  const RowSet some = evenly(rows, 30);
  EXPECT_EQ(some.count(), 30u);
  EXPECT_EQ(some.intersection(rows).count(), 30u);
  for (std::uint64_t row = 10; row < 90; row += 8) EXPECT_LT(some.next(row, 100), row + 4);
}

}  // namespace
}  // namespace plumb::some_rows_test
