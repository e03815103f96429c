#include "plumb/data/examples.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "plumb/base/error.h"
#include "plumb/data/batch.h"

namespace plumb::examples_test {
namespace {

// Rows 0, 1, 2, ... with x = (r, 2r), target 10r, cut into pieces of the given sizes.
Examples counting(const std::vector<std::uint64_t>& sizes, bool sparse = false) {
  std::vector<Piece> pieces;
  double r = 0;
  for (const std::uint64_t size : sizes) {
    Piece piece;
    piece.rows = size;
    piece.features = 2;
    if (sparse) piece.offsets.push_back(0);
    for (std::uint64_t i = 0; i < size; ++i, ++r) {
      piece.values.append(std::array{r, 2 * r});
      if (sparse) {
        piece.index.own().insert(piece.index.own().end(), {0, 1});
        piece.offsets.push_back(piece.values.size());
      }
      piece.targets.push_back(10 * r);
    }
    pieces.push_back(std::move(piece));
  }
  return Examples(std::move(pieces), 2);
}

std::vector<std::uint64_t> rows_of(const Examples& examples, std::size_t block) {
  std::vector<std::uint64_t> rows;
  examples.block(block).for_each([&](const Example& e) {
    EXPECT_EQ(e.x.value[0], static_cast<double>(e.number));
    EXPECT_EQ(e.target, 10.0 * static_cast<double>(e.number));
    EXPECT_EQ(e.weight, 1.0);
    rows.push_back(e.number);
  });
  return rows;
}

// Runs of rows, and rows whose number is a multiple of a step, agree with visiting rows one by one.
TEST(Examples, RunsAndStepsAreRowsOfTheSubset) {
  const Examples all = counting({1, 4095, 300, 5604});
  RowSet some(10000), none(10000);
  for (std::uint64_t r = 0; r < 10000; ++r)
    if (r % 7 < 3 || (r > 4000 && r < 4300)) some.add(r);
  for (const Examples& examples : {all, all.with(some), all.with(none), all.with(RowSet(10000, true))})
    for (std::size_t b = 0; b < examples.blocks(); ++b) {
      const std::vector<std::uint64_t> rows = rows_of(examples, b);
      std::vector<std::uint64_t> run_rows, step_rows, every_fifth;
      examples.block(b).for_each_run(
          [&](const Piece& piece, std::uint64_t begin, std::uint64_t end, std::uint64_t number) {
            EXPECT_LT(begin, end);
            for (std::uint64_t r = begin; r < end; ++r, ++number) {
              EXPECT_EQ(piece.targets[r], 10.0 * static_cast<double>(number));
              run_rows.push_back(number);
            }
          });
      EXPECT_EQ(run_rows, rows);
      examples.block(b).for_each_of(5, [&](const Example& e) {
        EXPECT_EQ(e.x.value[0], static_cast<double>(e.number));
        step_rows.push_back(e.number);
      });
      for (const std::uint64_t row : rows)
        if (row % 5 == 0) every_fifth.push_back(row);
      EXPECT_EQ(step_rows, every_fifth);
    }
}

TEST(Examples, BlocksAreCutByGlobalRowWhateverThePieces) {
  for (const auto& sizes :
       std::vector<std::vector<std::uint64_t>>{{10000}, {1, 4095, 4096, 1808}, {4097, 5903}, {3, 0, 9997}}) {
    const Examples examples = counting(sizes);
    ASSERT_EQ(examples.size(), 10000u);
    ASSERT_EQ(examples.blocks(), 3u);
    std::uint64_t next = 0;
    for (std::size_t b = 0; b < examples.blocks(); ++b) {
      const auto rows = rows_of(examples, b);
      EXPECT_EQ(rows.size(), b < 2 ? kBlockRows : 10000 - 2 * kBlockRows);
      for (const std::uint64_t row : rows) EXPECT_EQ(row, next++);
    }
  }
}

TEST(Examples, ASubsetKeepsTheBlocksOfTheWhole) {
  const Examples examples = counting({5000, 5000});
  RowSet every_third(10000);
  for (std::uint64_t row = 0; row < 10000; row += 3) every_third.add(row);
  const Examples subset = examples.with(every_third);
  EXPECT_EQ(subset.size(), every_third.count());
  EXPECT_EQ(subset.blocks(), 3u);
  std::uint64_t count = 0;
  for (std::size_t b = 0; b < 3; ++b)
    for (const std::uint64_t row : rows_of(subset, b)) {
      EXPECT_EQ(row % 3, 0u);
      EXPECT_EQ(row / kBlockRows, b);
      ++count;
    }
  EXPECT_EQ(count, subset.size());
}

TEST(Examples, ASubsetOfASubsetHasTheRowsOfBoth) {
  RowSet evens(5000), threes(5000);
  for (std::uint64_t row = 0; row < 5000; row += 2) evens.add(row);
  for (std::uint64_t row = 0; row < 5000; row += 3) threes.add(row);
  const Examples examples = counting({5000});
  const Examples both = examples.with(evens).with(threes);
  std::uint64_t next = 0;
  for (std::size_t b = 0; b < both.blocks(); ++b)
    for (const std::uint64_t row : rows_of(both, b)) EXPECT_EQ(row, std::exchange(next, next + 6));
  EXPECT_EQ(both.size(), 834u);
  EXPECT_EQ(next, 6 * both.size());
  EXPECT_THROW(examples.with(RowSet(4999)), Error);
}

TEST(Examples, NoRowsAreNoBlocks) { EXPECT_EQ(counting({}).blocks(), 0u); }

TEST(Examples, PiecesThatDisagreeAreRefused) {
  Piece piece;
  piece.rows = 2;
  piece.features = 2;
  piece.values = {1, 2, 3};
  EXPECT_THROW(Examples({piece}, 2), Error);
}

TEST(Examples, BatchesHoldTheRowsInOrderDenseOrSparse) {
  for (const bool sparse : {false, true}) {
    const Examples examples = counting({100, 50}, sparse);
    std::vector<double> first;
    for_each_batch(
        examples.block(0), 2, [](const Example& e, Out row) { write_row(e.x, row); },
        [&](const Batch& batch) {
          for (std::size_t i = 0; i < batch.rows; ++i) {
            first.push_back(batch.x[i * batch.stride]);
            EXPECT_EQ(batch.x[i * batch.stride + 1], 2 * first.back());
            EXPECT_EQ(batch.targets[i], 10 * first.back());
          }
        });
    ASSERT_EQ(first.size(), 150u);
    for (std::size_t i = 0; i < 150; ++i) EXPECT_EQ(first[i], static_cast<double>(i));
  }
}

TEST(Examples, AnEntryThatIsOneTakesTheRoomOfItsIndex) {
  Piece piece;
  piece.rows = 2;
  piece.features = 100;
  piece.offsets = {0, 3, 5};
  piece.index = {1, 50, 99, 0, 7};
  piece.values = {1, 1, 1, 1, 1};
  const std::uint64_t offsets = 3 * 8;
  EXPECT_EQ(piece.bytes(), offsets + 5 * 4);
  Piece wider = piece;
  wider.values.widen(Values::Form::floats);
  EXPECT_EQ(wider.bytes(), offsets + 5 * (4 + 4));
  const Examples examples({piece, wider}, 100);
  EXPECT_EQ(examples.bytes(), piece.bytes() + wider.bytes());
  EXPECT_EQ(examples.entries(), 10u);
  EXPECT_EQ(examples.form(), Values::Form::floats);
}

// Pieces of every form in one block: each row has its own numbers.
TEST(Examples, ABlockMayHoldPiecesOfEveryForm) {
  for (const bool sparse : {false, true}) {
    std::vector<Piece> pieces;
    for (const double x : {1.0, 0.5, 0.1, 1.0, 0.1, 0.5}) {
      Piece piece;
      piece.rows = 700;  // 1400 values: more than are decoded at a time
      piece.features = 2;
      if (sparse) piece.offsets.push_back(0);
      for (std::uint64_t r = 0; r < piece.rows; ++r) {
        piece.values.append(std::array{x, r % 7 == 0 ? x : 1.0});
        if (!sparse) continue;
        piece.index.own().insert(piece.index.own().end(), {0, 1});
        piece.offsets.push_back(piece.index.size());
      }
      piece.targets.assign(piece.rows, x);
      pieces.push_back(std::move(piece));
    }
    const Examples examples(std::move(pieces), 2);
    std::uint64_t rows = 0;
    for (std::size_t b = 0; b < examples.blocks(); ++b)
      examples.block(b).for_each([&](const Example& e) {
        ASSERT_EQ(e.x.value.size(), 2u);
        EXPECT_EQ(e.x.value[0], e.target);
        EXPECT_EQ(e.x.value[1], e.number % 700 % 7 == 0 ? e.target : 1.0);
        ++rows;
      });
    EXPECT_EQ(rows, 4200u);
  }
}

TEST(RowSet, ComplementAndCountAgreeAtEverySize) {
  for (std::uint64_t n : {0u, 1u, 63u, 64u, 65u, 1000u}) {
    RowSet set(n);
    for (std::uint64_t row = 0; row < n; row += 7) set.add(row);
    EXPECT_EQ(set.count() + set.complement().count(), n);
    EXPECT_EQ(RowSet(n, true).count(), n);
    for (std::uint64_t row = 0; row < n; ++row) EXPECT_NE(set.has(row), set.complement().has(row));
  }
}

TEST(Examples, LowPartsGoWithTheirRows) {
  std::vector<Piece> pieces(2);
  for (Piece& piece : pieces) {
    piece.rows = 2;
    piece.features = 3;
    piece.values = Values::of(std::vector<double>(6, 1.0));
    piece.targets = {0, 0};
    piece.lows_of = {0, 2};
  }
  pieces[0].lows = {1, 2, 3, 4};
  pieces[1].lows = {5, 6, 7, 8};
  std::vector<double> seen;
  const Examples examples(pieces, 3);
  examples.block(0).for_each([&](const Example& e) { seen.insert(seen.end(), e.lows.begin(), e.lows.end()); });
  EXPECT_EQ(seen, (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(std::vector(examples.lows_of().begin(), examples.lows_of().end()), (std::vector<std::uint32_t>{0, 2}));
  pieces[1].lows_of = {0, 1};  // pieces that disagree
  EXPECT_THROW(Examples(pieces, 3), Error);
}

}  // namespace
}  // namespace plumb::examples_test
