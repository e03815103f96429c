#include "plumb/data/memory_source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "plumb/base/error.h"
#include "plumb/data/testing.h"

namespace plumb::memory_source_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The tables of a source without its digest, or its error.
std::string seen(MemoryRows rows, std::vector<Selected> wanted = {}, unsigned threads = 1) {
  Executor executor(threads);
  try {
    const auto source = open_memory(std::move(rows));
    if (!wanted.empty()) source->select(std::move(wanted));
    const std::string all = everything_in(*source, plumb::Run{executor});
    return all.substr(0, all.rfind('\n'));
  } catch (const Error& error) {
    return std::string(error.code() == ErrorCode::usage ? "usage: " : "data: ") + error.what();
  }
}

Tables all_of(const MemoryRows& rows) {
  Executor executor(2);
  return read_all(*open_memory(rows), plumb::Run{executor});
}

TEST(MemorySource, ShowsTheSameRowsForEveryLayoutOfAMatrix) {
  const std::string expected = "x1 number\nx2 number\ny number\n|1|2|10\n|3|4|20\n|5|6|30\n0 0";
  const std::vector<double> by_row = {1, 2, 3, 4, 5, 6}, by_column = {1, 3, 5, 2, 4, 6}, y = {10, 20, 30};
  const std::vector<double> gaps = {1, 2, kNan, 3, 4, kInfinity, 5, 6, kNan};
  const std::vector<float> floats = {1, 2, 3, 4, 5, 6}, y_floats = {10, 20, 30};
  const std::optional<MemoryColumn> target = MemoryColumn{.values = std::span(y)};
  EXPECT_EQ(seen({DenseRows{by_row.data(), 3, 2}, target}), expected);
  EXPECT_EQ(seen({DenseRows{by_column.data(), 3, 2, false}, target}), expected);
  EXPECT_EQ(seen({DenseRows{gaps.data(), 3, 2, true, 3}, target}), expected);
  EXPECT_EQ(seen({DenseRows{floats.data(), 3, 2}, MemoryColumn{.values = std::span(y_floats)}}), expected);
  const std::vector<MemoryColumn> columns = {{"x1", std::span(by_column).first(3)}, {"x2", std::span(floats).first(0)}};
  std::vector<MemoryColumn> good = columns;
  good[1].values = std::span(by_column).last(3);
  EXPECT_EQ(seen({good, target}), expected);
  EXPECT_EQ(seen({columns, target}), "usage: column \"x2\" has 0 values; one for each of the 3 rows was expected");
}

TEST(MemorySource, BorrowsNumbersWhereTheyAre) {
  const std::vector<double> values(6, 1.5), y = {1, 2, 3};
  const Tables by_column = all_of({DenseRows{values.data(), 3, 2, false}, MemoryColumn{.values = std::span(y)}});
  ASSERT_EQ(by_column.pieces.size(), 1u);
  EXPECT_EQ(by_column.pieces[0].columns[0].numbers.data(), values.data());
  EXPECT_EQ(by_column.pieces[0].columns[1].numbers.data(), values.data() + 3);
  EXPECT_EQ(by_column.pieces[0].columns[2].numbers.data(), y.data());
  const Tables by_row = all_of({DenseRows{values.data(), 3, 2}});
  EXPECT_EQ(by_row.pieces[0].columns[1].numbers.lent<double>().get(), values.data() + 1);
  EXPECT_EQ(by_row.pieces[0].columns[1].numbers.stride(), 2u);
  const Tables named = all_of({std::vector<MemoryColumn>{{"a", std::span(y)}}});
  EXPECT_EQ(named.pieces[0].columns[0].numbers.data(), y.data());
  EXPECT_LT(named.bytes(), 3 * sizeof(double));
}

TEST(MemorySource, KeepsTheOwnerForAsLongAsATableBorrows) {
  auto owner = std::make_shared<std::vector<double>>(4, 2.5);
  const std::weak_ptr<std::vector<double>> watched = owner;
  Tables tables = all_of({DenseRows{owner->data(), 2, 2}, {}, {}, owner});
  owner.reset();
  ASSERT_FALSE(watched.expired());
  EXPECT_EQ(tables.pieces[0].columns[1].numbers[1], 2.5);
  Numbers own = tables.pieces[0].columns[1].numbers;
  own.own();
  tables = {};
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(own[1], 2.5);
}

TEST(MemorySource, GivesTheSameTablesForAnyThreadsWhenThereAreManyPieces) {
  std::vector<double> x(200'001);
  std::iota(x.begin(), x.end(), 0.0);
  const std::string one = seen({DenseRows{x.data(), x.size(), 1}});
  EXPECT_NE(one.find("|123456\n"), one.npos);
  EXPECT_TRUE(seen({DenseRows{x.data(), x.size(), 1}}, {}, 3) == one);
  x[150'000] = kNan;
  EXPECT_EQ(seen({DenseRows{x.data(), x.size(), 1}}, {}, 3),
            "data: row 150,001: column \"x1\" is missing here; a number was expected");
}

TEST(MemorySource, SaysTheFirstRowThatCannotBeUsed) {
  const std::vector<double> values = {1, 2, 3, kInfinity, kNan, 6};
  EXPECT_EQ(seen({DenseRows{values.data(), 3, 2, true, 0, {"a", "b"}}}),
            "data: row 2: column \"b\" is inf here; a finite number was expected");
  EXPECT_EQ(seen({DenseRows{values.data(), 3, 2}}, {{0, Kind::number}}),
            "data: row 3: column \"x1\" is missing here; a number was expected");
  EXPECT_EQ(seen({DenseRows{values.data(), 3, 2, true, 1}}),
            "usage: the stride of the matrix is 1; at least 2 was expected");
  EXPECT_EQ(seen({DenseRows{values.data(), 3, 2, true, 0, {"a"}}}),
            "usage: the matrix has 2 columns and 1 name; a name for each column, or none, was expected");
  EXPECT_EQ(seen({DenseRows{values.data(), 3, 2, true, 0, {"a", "a"}}}),
            "data: rows in memory: two columns are called \"a\"; every column needs a name of its own");
}

TEST(MemorySource, KeepsMissingNumbersOrLeavesOutTheirRows) {
  const std::vector<double> values = {1, 2, kNan, 4, 5, 6};
  const std::vector<std::string> labels = {"a", "b", ""};
  const MemoryRows rows{DenseRows{values.data(), 3, 2}, MemoryColumn{.values = std::span(labels)}};
  const auto source = open_memory(rows);
  source->select({{0, Kind::number, false, IfMissing::keep}, {1, Kind::number}, {2, Kind::category}});
  Executor executor(1);
  Table piece;
  ASSERT_TRUE(source->next(piece, plumb::Run{executor}));
  EXPECT_EQ(piece.columns[0].missing, 1u);
  EXPECT_TRUE(piece.columns[0].numbers.borrowed());
  const std::vector<Selected> drop = {{1, Kind::number},
                                      {0, Kind::number, false, IfMissing::drop_row},
                                      {2, Kind::category, false, IfMissing::drop_row}};
  EXPECT_EQ(seen(rows, drop), "x1 number\nx2 number\ny categorya\n|2|1|a\n0 2");
  const auto first = open_memory(rows);
  first->select({{0, Kind::number, false, IfMissing::drop_row}, {2, Kind::category}});
  ASSERT_TRUE(first->next(piece, plumb::Run{executor}));
  EXPECT_EQ(piece.row_error(1, "is bad").message(), "row 3: is bad") << "rows that were left out count";
}

TEST(MemorySource, GuessesKindsOfTextsAsAFileDoes) {
  const std::vector<std::string> city = {"Paris", "Rome", "Rome"}, day = {"2024-02-29", "2024-03-01", "1970-01-02"};
  const std::vector<std::string_view> story = {"once upon a time there", "was a very small dog",
                                               "and it barked all day"};
  const MemoryRows rows{
      std::vector<MemoryColumn>{{"city", std::span(city)}, {"day", std::span(day)}, {"story", std::span(story)}}};
  EXPECT_EQ(seen(rows, {{0, Kind::category}, {1, Kind::date}, {1, Kind::text}}),
            "city categoryParis\nday date2024-02-29\nstory textonce upon a time there\n"
            "|Paris|19782|2024-02-29\n|Rome|19783|2024-03-01\n|Rome|1|1970-01-02\n0 0");
  EXPECT_EQ(seen(rows, {{0, Kind::number}}),
            "data: row 1: column \"city\" holds \"Paris\", which " + std::string(describe(NumberFault::not_a_number)));
  const std::vector<std::string> bad = {"fine", "\xff"};
  EXPECT_EQ(seen({std::vector<MemoryColumn>{{"t", std::span(bad)}}}),
            "data: row 2: column \"t\" holds \"\\xff\"; text in UTF-8 was expected");
}

TEST(MemorySource, ReadsNumbersAsLabelsInTheirShortestSpelling) {
  const std::vector<double> y = {1, 0.5, 1, kNan};
  EXPECT_EQ(seen({std::vector<MemoryColumn>{{"y", std::span(y)}}}, {{0, Kind::category}}),
            "y number\n|1\n|0.5\n|1\n|\n0 0");
}

const std::vector<double> kValues = {9, 1, 2, 3, 4};
const std::vector<std::uint32_t> kIndex = {9, 0, 2, 1, 2};
const std::vector<std::uint64_t> kOffsets = {1, 3, 3, 5};

TEST(MemorySource, BorrowsSparseRowsWhoseIndicesAscend) {
  const Tables tables = all_of({CsrRows{kValues.data(), kIndex.data(), kOffsets.data(), 3, 3}});
  const Entries& entries = tables.pieces.at(0).columns.at(0).entries;
  EXPECT_EQ(entries.index.data(), kIndex.data() + 1);
  EXPECT_EQ(entries.value.doubles().data(), kValues.data() + 1);
  EXPECT_EQ(text_of(entries), "1:1 3:2\n\n2:3 3:4\n");
  ASSERT_NE(entries.order(), nullptr);
  EXPECT_EQ(entries.order()->most, 2u);
}

TEST(MemorySource, ReadsSparseRowsOfAllTypesAndInAnyOrder) {
  const std::vector<float> values = {1, 2, 3, 4};
  const std::vector<std::int64_t> index = {2, 0, 1, 1}, offsets = {0, 2, 2, 4};
  const std::vector<std::int32_t> narrow = {0, 2, 1, 2}, narrow_offsets = {0, 2, 2, 4};
  EXPECT_EQ(seen({CsrRows{values.data(), index.data(), offsets.data(), 3, 3}}),
            "features entries\n|1:2 3:1\n|\n|2:7\n0 0")
      << "entries of one column are added";
  EXPECT_EQ(seen({CsrRows{values.data(), narrow.data(), narrow_offsets.data(), 3, 3, {"a", "b", "c"}}}),
            "features entries\n|a:1 c:2\n|\n|b:3 c:4\n0 0");
  const std::vector<double> weight = {1, kNan, 2};
  const MemoryRows weighted{
      CsrRows{kValues.data(), kIndex.data(), kOffsets.data(), 3, 3}, {}, MemoryColumn{.values = std::span(weight)}};
  EXPECT_EQ(seen(weighted, {{0, Kind::sparse}, {1, Kind::number, true, IfMissing::drop_row}}),
            "features entries\nweight number\n|1:1 3:2|1\n|2:3 3:4|2\n0 1");
}

TEST(MemorySource, RefusesSparseRowsThatCannotBe) {
  EXPECT_EQ(seen({CsrRows{kValues.data(), kIndex.data(), kOffsets.data(), 3, 2}}),
            "data: row 1: entry 2 has the column index 2; 0 or more and less than 2 was expected");
  const std::vector<std::int32_t> negative = {0, -1}, two = {0, 2}, back = {0, 2, 1};
  EXPECT_EQ(seen({CsrRows{kValues.data(), negative.data(), two.data(), 1, 5}}),
            "data: row 1: entry 2 has the column index -1; 0 or more and less than 5 was expected");
  EXPECT_EQ(seen({CsrRows{kValues.data(), kIndex.data(), back.data(), 2, 10}}),
            "data: row 2: its entries are 2 to 1; offsets that ascend from 0 were expected");
  const std::vector<double> missing = {1, kNan};
  EXPECT_EQ(seen({CsrRows{missing.data(), kIndex.data() + 1, two.data(), 1, 5}}),
            "data: row 1: entry 2 is nan; a finite number was expected");
}

TEST(MemorySource, HasADigestOfItsContent) {
  std::vector<double> values = {1, 2, 3, 4};
  const auto digest = [&](bool row_major) {
    return open_memory({DenseRows{values.data(), 2, 2, row_major}})->digest();
  };
  const std::string before = digest(true);
  EXPECT_EQ(before.size(), 32u);
  EXPECT_EQ(digest(true), before);
  EXPECT_EQ(open_memory({DenseRows{values.data(), 2, 2}})->name(), "rows in memory");
  EXPECT_EQ(open_memory({DenseRows{values.data(), 2, 2}})->form(), "dense matrix");
  values[3] = 5;
  EXPECT_NE(digest(true), before);
  const std::string sparse = open_memory({CsrRows{kValues.data(), kIndex.data(), kOffsets.data(), 3, 3}})->digest();
  EXPECT_EQ(sparse.size(), 32u);
  EXPECT_NE(sparse, open_memory({CsrRows{kValues.data(), kIndex.data(), kOffsets.data(), 2, 3}})->digest());
}

}  // namespace
}  // namespace plumb::memory_source_test
