// From a table to examples: the form of a piece, rounding on request, and the memory limit.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "plumb/base/error.h"
#include "plumb/data/batch.h"
#include "plumb/feature/feature_map.h"
#include "plumb/math/double_double.h"

namespace plumb::apply_test {
namespace {

Table table_of(std::vector<double> numbers) {
  Table table;
  table.rows = numbers.size();
  table.columns = {{Kind::number, std::move(numbers), {}, {}, {}}};
  return table;
}

// 5000 rows are more than are buffered, and a row in the middle may widen the form of the rows before it.
TEST(FeatureMap, APieceHasTheNarrowestFormOfItsValues) {
  std::vector<std::string> levels;
  for (int i = 0; i < 10; ++i) levels.push_back(std::string(1, static_cast<char>('a' + i)));
  const FeatureMap one_hot({{{"c", Kind::category, levels}}, {CategoryTerm{0, {}}}});
  const FeatureMap number({{{"x", Kind::number, {}}}, {ProductTerm{{{0, 1}}}}});
  Table table;
  table.rows = 5000;
  table.columns.resize(2);
  table.columns[0] = {Kind::category, {}, {}, levels};
  for (std::uint32_t r = 0; r < table.rows; ++r) {
    table.columns[0].codes.push_back(r % 10);
    table.columns[1].numbers.push_back(0.25 * r);
  }
  FeatureMap::Unseen unseen;
  Piece ones = one_hot.apply(table, {.inputs = {0}}, unseen);
  EXPECT_EQ(ones.values.form(), Values::Form::ones);
  EXPECT_EQ(ones.bytes(), 5000 * 4 + 5001 * 8u);
  EXPECT_EQ(ones.index.own().capacity(), 5000u);
  const Piece floats = number.apply(table, {.inputs = {1}}, unseen);
  EXPECT_EQ(floats.values.form(), Values::Form::floats);
  table.columns[1].numbers.own()[4444] = 0.1;
  const Piece doubles = number.apply(table, {.inputs = {1}}, unseen);
  EXPECT_EQ(doubles.values.form(), Values::Form::doubles);
  for (std::uint32_t r = 0; r < table.rows; ++r) {
    EXPECT_EQ(floats.values[r], 0.25 * r);
    EXPECT_EQ(doubles.values[r], r == 4444 ? 0.1 : 0.25 * r);
  }
}

// Used-up tables give their entries to the rows; rows whose numbers do not ascend, and unknown numbers, give the same
// result as from a copy.
TEST(Apply, EntriesThatAreUsedUpMakeTheSameRows) {
  std::vector<std::string> names;
  for (int i = 1; i <= 9; ++i) names.push_back("f" + std::to_string(i));
  const FeatureMap map({{{"entries", Kind::sparse, names}}, {EntriesTerm{0}}});
  const std::vector<std::vector<std::uint32_t>> usual = {{1, 5, 9}, {}, {2}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {9}, {1}};
  for (const bool told : {false, true})
    for (const std::size_t bad : {20u, 127u, 128u, 290u})
      for (const std::vector<std::uint32_t>& last : std::vector<std::vector<std::uint32_t>>{
               {3, 4}, {4, 3}, {3, 10}, {0, 3}, {9, 1, 5}, {5, 2147483653, 5}, {1, 3000000000, 2}}) {
        Table table;
        table.columns.resize(2);
        table.columns[0].kind = Kind::sparse;
        table.columns[1].kind = Kind::number;
        std::vector<std::vector<std::uint32_t>> rows(bad + 40, usual[0]);
        for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = usual[r % usual.size()];
        rows[bad] = last;
        rows.push_back(last);
        Entries& entries = table.columns[0].entries;
        for (const std::vector<std::uint32_t>& row : rows) {
          for (const std::uint32_t number : row) {
            entries.index.push_back(number);
            entries.value.push(static_cast<double>(entries.index.size()));
          }
          entries.offsets.push_back(entries.index.size());
          table.columns[1].numbers.push_back(static_cast<double>(table.rows++));
        }
        // Even if a reader says that rows ascend, positions are checked.
        if (told && !std::ranges::is_sorted(last)) continue;
        if (told) entries.seen = {1, 9, entries.index.size()};
        FeatureMap::Unseen unseen, unseen_in_place;
        const TableLayout layout{.inputs = {0}, .target = 1};
        const Piece expected = map.apply(table, layout, unseen);
        Tables tables;
        tables.rows = table.rows;
        tables.pieces.push_back(std::move(table));
        Executor executor(1);
        const Examples found = map.apply(std::move(tables), layout, unseen_in_place, plumb::Run{executor});
        EXPECT_EQ(unseen.values, unseen_in_place.values);
        PieceRows expected_rows(expected);
        found.block(0).for_each([&](const Example& example) {
          const Row row = expected_rows.row(example.number);
          EXPECT_EQ(std::vector(example.x.index.begin(), example.x.index.end()),
                    std::vector(row.index.begin(), row.index.end()));
          EXPECT_EQ(std::vector(example.x.value.begin(), example.x.value.end()),
                    std::vector(row.value.begin(), row.value.end()));
          EXPECT_EQ(example.target, static_cast<double>(example.number));
        });
      }
}

// The value of a derived feature is its double and its low part: x^2 of 0.1 exactly, to 106 bits.
TEST(Apply, DerivedNumbersKeepTheirLowPartsWhereTheyAreWanted) {
  const FeatureMap map({{{"x", Kind::number, {}}},
                        {ProductTerm{{{0, 1}}}, ProductTerm{{{0, 2}}}, FormulaTerm{Formula::parse("x/3"), {0}}}});
  const Table table = table_of({0.1, 7, 1e5 + 0.1});
  FeatureMap::Unseen unseen;
  const Piece plain = map.apply(table, {.inputs = {0}}, unseen);
  const Piece piece = map.apply(table, {.inputs = {0}, .low_parts = true}, unseen);
  EXPECT_TRUE(plain.lows.empty());
  EXPECT_EQ(piece.lows_of, (std::vector<std::uint32_t>{1, 2}));
  ASSERT_EQ(piece.lows.size(), 6u);
  for (std::size_t r = 0; r < 3; ++r) {
    const double x = table.columns[0].numbers[r];
    for (std::size_t f = 0; f < 3; ++f) EXPECT_EQ(piece.values[3 * r + f], plain.values[3 * r + f]);
    EXPECT_EQ(piece.lows[2 * r], std::fma(x, x, -x * x));
    const math::DoubleDouble third(piece.values[3 * r + 2], piece.lows[2 * r + 1]);
    EXPECT_LE(std::abs((third * 3.0 - x).high), 0x1p-100 * x);
  }
}

Tables pieces_of(std::uint64_t count, double value) {
  Tables tables;
  for (std::uint64_t i = 0; i < count; ++i) {
    tables.pieces.push_back(table_of(std::vector<double>(1000, value)));
    tables.pieces.back().first_row = 1000 * i;
    tables.rows += 1000;
  }
  return tables;
}

// Ten pieces of 1000 doubles: 80 kB as tables, as much as examples, and one piece more while it is made.
TEST(Apply, RefusesExamplesThatTheRunHasNoMemoryFor) {
  const auto apply = [](double value, std::uint64_t limit, std::vector<ProductTerm> terms) {
    Executor executor(2);
    plumb::Run run{executor};
    run.memory = MemoryBudget(limit);
    FeatureMap::Unseen unseen;
    return FeatureMap({{{"x", Kind::number, {}}}, {terms.begin(), terms.end()}})
        .apply(pieces_of(10, value), {.inputs = {0}}, unseen, run);
  };
  const ProductTerm x{{{0, 1}}}, square{{{0, 2}}}, cube{{{0, 3}}};
  EXPECT_EQ(apply(0.1, 200'000, {x}).bytes(), 80'000u);
  EXPECT_EQ(apply(0.1, 96'000, {x}).bytes(), 80'000u);                  // two pieces at a time beside the tables
  EXPECT_EQ(apply(0.5, 160'000, {x, square, cube}).bytes(), 120'000u);  // as floats they fit
  try {
    apply(0.1, 160'000, {x, square, cube});
    FAIL() << "240 kB were made of 160";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resources);
    EXPECT_EQ(error.message(), "as dense examples the rows need about 240 kB; 160 kB are granted");
  }
}

TEST(FeatureMap, ACrossOfManyHasAFeatureForEveryCombination) {
  const FeatureMap::Input x{"x", Kind::number, {}}, c{"c", Kind::category, {"a", "b"}},
      d{"d", Kind::category, {"p", "q"}}, e{"e", Kind::category, {"u", "v", "w"}};
  const CategoryTerm cc{1, {}}, dd{2, {}}, ee{3, {}};
  const FeatureMap map({{x, c, d, e}, {CrossTerm{cc, dd, {ee}}}});
  ASSERT_EQ(map.features(), 12u);
  EXPECT_EQ(map.name(0), "c=a*d=p*e=u");
  EXPECT_EQ(map.name(11), "c=b*d=q*e=w");
  Table table;
  table.rows = 3;
  table.columns = {{Kind::number, {2, 3, 0}, {}, {}},
                   {Kind::category, {}, {1, 0, 1}, {"a", "b"}},
                   {Kind::category, {}, {0, 1, 0}, {"p", "q"}},
                   {Kind::category, {}, {2, 0, 1}, {"u", "new", "w"}}};
  FeatureMap::Unseen unseen;
  const Piece piece = map.apply(table, {.inputs = {0, 1, 2, 3}}, unseen);
  const auto dense = [&](std::uint64_t r) {
    std::vector<double> row(map.features());
    write_row(PieceRows(piece).row(r), row);
    return row;
  };
  for (std::uint32_t j = 0; j < map.features(); ++j) {
    EXPECT_EQ(dense(0)[j], map.name(j) == "c=b*d=p*e=w" ? 1.0 : 0.0);
    EXPECT_EQ(dense(1)[j], map.name(j) == "c=a*d=q*e=u" ? 1.0 : 0.0);
    EXPECT_EQ(dense(2)[j], 0.0);
  }
  for (const CrossTerm& bad : {CrossTerm{cc, dd, {cc}}, CrossTerm{cc, dd, {{0, {}}}}, CrossTerm{cc, dd, {{9, {}}}}})
    EXPECT_THROW(FeatureMap({{x, c, d, e}, {bad}}), Error);
}

// Ascending numeric names are found by number and others by text, with the same result.
TEST(FeatureMap, EntriesAreFoundByNameHoweverTheNamesStand) {
  Table named, numbered;
  named.rows = numbered.rows = 1;
  Column names{.kind = Kind::sparse}, numbers{.kind = Kind::sparse};
  names.entries.names = {"f9", "f01", "f2", "x", "f7000000"};
  for (std::uint32_t i = 0; i < 5; ++i) names.entries.index.push_back(i);
  for (const double value : {9.0, 1.0, 2.0, 3.0, 7.0}) names.entries.value.push(value);
  names.entries.offsets = {0, 5};
  numbers.entries.index = {2, 9, 10, 7000000};
  for (const double value : {2.0, 9.0, 10.0, 7.0}) numbers.entries.value.push(value);
  numbers.entries.offsets = {0, 4};
  named.columns.push_back(names);
  numbered.columns.push_back(numbers);
  const std::vector<std::string> ascending = {"f1", "f2", "f9", "f7000000"}, others = {"f9", "f2", "f7000000", "f1"};
  for (const std::vector<std::string>& levels : {ascending, others}) {
    const FeatureMap map({{{"features", Kind::sparse, levels}}, {EntriesTerm{0}}});
    for (const Table* const table : {&named, &numbered}) {
      FeatureMap::Unseen unseen;
      const Piece piece = map.apply(*table, {.inputs = {0}}, unseen);
      std::vector<double> row(4);
      write_row(PieceRows(piece).row(0), row);
      for (std::size_t j = 0; j < levels.size(); ++j)
        EXPECT_EQ(row[j], levels[j] == "f1" ? 0.0 : levels[j] == "f2" ? 2.0 : levels[j] == "f9" ? 9.0 : 7.0);
      EXPECT_EQ(unseen.values, table == &named ? 2u : 1u);
      EXPECT_EQ(unseen.first, table == &named ? "f01" : "f10");
    }
  }
  for (const std::vector<std::string>& twice :
       {std::vector<std::string>{"f1", "f1"}, {"f1", "f2", "f1"}, {"x", "f1", "x"}})
    EXPECT_THROW(FeatureMap({{{"features", Kind::sparse, twice}}, {EntriesTerm{0}}}), Error);
}

}  // namespace
}  // namespace plumb::apply_test
