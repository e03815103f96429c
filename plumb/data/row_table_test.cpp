#include "plumb/data/row_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace plumb::row_table_test {
namespace {

// Three pieces of one feature, in three forms; row r has the value r + 1 (the first piece: 1), the target r.
Examples three_pieces(bool sparse) {
  std::vector<Piece> pieces(3);
  for (std::size_t p = 0; p < 3; ++p) {
    Piece& piece = pieces[p];
    piece.features = 1;
    piece.rows = 2;
    if (sparse) piece.offsets = {0, 1, 2};
    for (std::size_t r = 0; r < 2; ++r) {
      const auto number = static_cast<double>(2 * p + r);
      piece.values.push(p == 0 ? 1.0 : p == 1 ? number + 1 : number + 0.1);
      if (sparse) piece.index.push_back(0);
      piece.targets.push_back(number);
      piece.weights.push_back(number == 3 ? 0.0 : 1.0);
    }
  }
  return Examples(std::move(pieces), 1);
}

TEST(RowTable, HasTheRowsOfEveryPieceInAnyOrderButThoseOfWeightZero) {
  for (const bool sparse : {false, true}) {
    const RowTable table(three_pieces(sparse));
    ASSERT_EQ(table.size(), 5u);
    RowReader reader(table);
    const std::vector<double> values = {1, 1, 3, 4.1, 5.1}, targets = {0, 1, 2, 4, 5};
    for (const std::uint64_t i : {4, 0, 2, 1, 3}) {
      reader.expect(i);
      const Row row = reader.row(i);
      EXPECT_EQ(row.dense(), !sparse);
      ASSERT_EQ(row.value.size(), 1u);
      EXPECT_EQ(row.value[0], values[i]);
      EXPECT_EQ(table.target(i), targets[i]);
      EXPECT_EQ(table.weight(i), 1.0);
    }
  }
}

TEST(RowTable, OfASubsetHasItsRowsAlone) {
  RowSet some(6);
  some.add(1);
  some.add(5);
  const RowTable table(three_pieces(true).with(some));
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.target(0), 1.0);
  EXPECT_EQ(table.target(1), 5.0);
}

}  // namespace
}  // namespace plumb::row_table_test
