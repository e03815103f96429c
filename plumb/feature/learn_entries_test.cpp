#include "plumb/feature/learn_entries.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "plumb/data/entry_names.h"

namespace plumb::learn_entries_test {
namespace {

// Pieces of a column of entries, some with one row or none.
Tables random_entries(bool with_names, std::uint32_t highest) {
  Tables tables;
  const int pieces = *rc::gen::inRange(0, 9);
  for (int piece = 0; piece < pieces; ++piece) {
    Table& table = tables.pieces.emplace_back();
    table.first_row = tables.rows;
    table.columns.push_back({.kind = Kind::sparse});
    Entries& entries = table.columns[0].entries;
    for (std::uint32_t name = 0; with_names && name < highest; ++name)
      entries.names.push_back("word " + std::to_string(name * 7 % highest));
    for (int rows = *rc::gen::inRange(1, 5); rows > 0; --rows) {
      const auto held = *rc::gen::container<std::set<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, highest));
      std::vector<std::uint32_t> row(held.begin(), held.end());
      if (*rc::gen::arbitrary<bool>())
        std::rotate(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(row.size() / 2), row.end());
      for (const std::uint32_t number : row) {
        entries.index.push_back(number);
        entries.value.push(1.0);
      }
      entries.offsets.push_back(entries.index.size());
      ++table.rows;
    }
    tables.rows += table.rows;
  }
  return tables;
}

RC_GTEST_PROP(LearnEntriesProperty, TheNamesOfEntriesAreASetHoweverManyThreadsLook, ()) {
  const bool with_names = *rc::gen::arbitrary<bool>();
  const auto highest = with_names ? std::uint32_t{40} : *rc::gen::element<std::uint32_t>(9, 300, 70'000);
  const Tables tables = random_entries(with_names, highest);
  RowSet rows(tables.rows, true);
  if (*rc::gen::arbitrary<bool>()) {
    rows = RowSet(tables.rows);
    for (std::uint64_t row = 0; row < tables.rows; ++row)
      if (*rc::gen::arbitrary<bool>()) rows.add(row);
  }
  const auto every = *rc::gen::element<std::optional<std::uint32_t>>(std::nullopt, 0, 12, 500, 2'000'000);

  std::set<std::uint32_t> numbers;
  std::set<std::string> names;
  for (const Table& table : tables.pieces)
    for (std::uint64_t row = 0; row < table.rows; ++row)
      for (const std::uint32_t index : table.columns[0].entries.row(row)) {
        if (!rows.has(table.first_row + row)) continue;
        if (with_names)
          names.insert(table.columns[0].entries.names[index]);
        else
          numbers.insert(index);
      }
  if (every && names.empty()) {
    const std::uint32_t most = std::max(*every, numbers.empty() ? 0 : *numbers.rbegin());
    if (most < 1'000'000)
      for (std::uint32_t number = 1; number <= most; ++number) numbers.insert(number);
  }
  std::vector<std::string> expected(names.begin(), names.end());
  for (const std::uint32_t number : numbers) expected.push_back(numbered_name(number));
  for (const unsigned threads : {1u, 2u, 3u, 7u}) {
    Executor executor(threads);
    RC_ASSERT(names_of_entries(tables, 0, rows, every, Run{executor}) == expected);
  }
}

TEST(LearnEntries, NumbersFarBeyondTheOthersAreNamedToo) {
  Tables tables;
  for (const std::uint32_t number : {7u, 67'108'863u, 67'108'864u, 4'294'967'294u}) {
    Table& table = tables.pieces.emplace_back();
    table.first_row = tables.rows++;
    table.rows = 1;
    table.columns.push_back({.kind = Kind::sparse});
    table.columns[0].entries.index = {3, number};
    table.columns[0].entries.offsets = {0, 2};
    table.columns[0].entries.value = {1.0, 1.0};
  }
  for (const unsigned threads : {1u, 3u}) {
    Executor executor(threads);
    EXPECT_EQ(names_of_entries(tables, 0, RowSet(4, true), std::uint32_t{5}, plumb::Run{executor}),
              (std::vector<std::string>{"f3", "f7", "f67108863", "f67108864", "f4294967294"}));
  }
}

}  // namespace
}  // namespace plumb::learn_entries_test
