#include "plumb/data/summary.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plumb/base/file.h"
#include "plumb/base/number.h"
#include "plumb/base/testing.h"
#include "plumb/data/value_counts.h"

namespace plumb::summary_test {
namespace {

TableSummary summary_of(const std::string& csv, const SummaryOptions& options = {}, std::size_t read_size = 1 << 20,
                        unsigned threads = 1) {
  const std::string path = ::testing::TempDir() + "plumb_summary.csv";
  write_file_atomically(path, std::string_view(csv));
  Executor executor(threads);
  const auto source = open_source({path}, {.read_size = read_size});
  return summarise(*source, plumb::Run{executor}, options);
}

// The whole content of a summary.
std::string text_of(const TableSummary& summary) {
  std::string text = std::to_string(summary.rows) + " " +
                     (summary.duplicates ? std::to_string(*summary.duplicates) : std::string("none")) + "\n";
  for (const ColumnSummary& column : summary.columns) {
    text += column.name + " " + kind_name(column.kind) + " " + std::to_string(column.missing) + " " +
            std::to_string(column.distinct) + (column.more ? "+ " : " ") + look_name(column.look);
    if (column.numbers)
      text += " " + number_text(column.numbers->min) + " " + number_text(column.numbers->mean) + " " +
              number_text(column.numbers->max);
    text += " " + std::to_string(column.strays.rows) + column.strays.first + column.strays.place.text();
    for (const ValueCount& each : column.commonest) text += "|" + each.value + " " + std::to_string(each.rows);
    text += "\n";
  }
  return text;
}

std::vector<std::string> values_of(const ColumnSummary& column) {
  std::vector<std::string> values;
  for (const ValueCount& each : column.commonest) values.push_back(each.value);
  return values;
}

// A column called x with these values, and one of row numbers, so that an empty value is not an empty line.
ColumnSummary column_of(const std::vector<std::string>& values, const SummaryOptions& options = {}) {
  std::string csv = "x,row\n";
  for (std::size_t i = 0; i < values.size(); ++i) csv += values[i] + "," + std::to_string(i) + "\n";
  return summary_of(csv, options).columns[0];
}

std::vector<std::string> numbered(const std::string& prefix, int count) {
  std::vector<std::string> values;
  for (int i = 0; i < count; ++i) values.push_back(prefix + std::to_string(i));
  return values;
}

TEST(Summary, OfNumbersHasTheirRangeAndMeanAndNoEmptyFields) {
  const ColumnSummary column = column_of({"3", "", "-1.5", "  ", "3.0", "7"});
  EXPECT_EQ(column.kind, Kind::number);
  EXPECT_EQ(column.missing, 2u);
  EXPECT_EQ(column.distinct, 3u);  // 3 and 3.0 are one number
  ASSERT_TRUE(column.numbers);
  EXPECT_EQ(column.numbers->min, -1.5);
  EXPECT_EQ(column.numbers->mean, 2.875);
  EXPECT_EQ(column.numbers->max, 7.0);
  EXPECT_EQ(values_of(column), (std::vector<std::string>{"3", "-1.5", "7"}));
}

TEST(Summary, OfNumbersTakesZeroAndMinusZeroForOneValue) { EXPECT_EQ(column_of({"0", "-0", "0.0", "1"}).distinct, 2u); }

TEST(Summary, HasAMeanWhereTheSumIsBeyondDoubles) {
  EXPECT_EQ(column_of({"1e308", "1e308", "1e308"}).numbers->mean, 1e308);
}

TEST(Summary, OfNumbersCountsWhatIsNoneAndSaysWhereTheFirstStands) {
  std::vector<std::string> values = numbered("", 40);
  values[7] = "odd";
  values[30] = "off";
  values[31] = "odd";
  const ColumnSummary column = column_of(values);
  EXPECT_EQ(column.kind, Kind::number);
  EXPECT_EQ(column.strays.rows, 3u);
  EXPECT_EQ(column.strays.first, "odd");
  EXPECT_EQ(column.strays.place.line, 9u);
  EXPECT_EQ(column.distinct, 37u);
  EXPECT_EQ(column.numbers->max, 39.0);
}

TEST(Summary, OfCategoriesHasTheCommonestFirstAndEqualOnesByValue) {
  const ColumnSummary column = column_of({"b", "a", "c", "", "c", "b", "c", "d"});
  EXPECT_EQ(column.kind, Kind::category);
  EXPECT_EQ(column.missing, 1u);
  EXPECT_EQ(column.distinct, 4u);
  EXPECT_EQ(values_of(column), (std::vector<std::string>{"c", "b", "a", "d"}));
  EXPECT_EQ(column.commonest[0].rows, 3u);
  EXPECT_FALSE(column.numbers);
  EXPECT_EQ(values_of(column_of({"b", "a", "c", "c"}, {.most_levels = 2})), (std::vector<std::string>{"c", "a"}));
}

TEST(Summary, CutsLongTextsButTellsThemApart) {
  const std::string start(80, 'x');
  const ColumnSummary column = column_of({start + "1", start + "2", start + "2", std::string(64, 'y')});
  EXPECT_EQ(column.distinct, 3u);
  EXPECT_EQ(values_of(column), (std::vector<std::string>{std::string(48, 'x') + "...", std::string(48, 'x') + "...",
                                                         std::string(64, 'y')}));
  // A character of two bytes is not cut in two.
  std::string umlauts = "a";
  for (int i = 0; i < 60; ++i) umlauts += "\xC3\xA4";
  EXPECT_EQ(column_of({umlauts}).commonest[0].value, umlauts.substr(0, 47) + "...");
}

TEST(Summary, SaysThatThereAreMoreValuesThanTheLimitAndShowsNone) {
  for (const std::string prefix : {"", "t"}) {
    const ColumnSummary at_limit = column_of(numbered(prefix, 5000), {.most_distinct = 5000});
    EXPECT_FALSE(at_limit.more);
    EXPECT_EQ(at_limit.distinct, 5000u);
    const ColumnSummary above = column_of(numbered(prefix, 5001), {.most_distinct = 5000});
    EXPECT_TRUE(above.more);
    EXPECT_EQ(above.distinct, 5000u);
    EXPECT_TRUE(above.commonest.empty());
  }
}

TEST(Summary, CountsRowsThatAreCopiesOfEarlierOnes) {
  EXPECT_EQ(summary_of("a,b\n1,2\n1,2\n2,1\n1,2\n").duplicates, 2u);
  EXPECT_EQ(summary_of("a,b\n\"x,\",y\nx,\",y\"\n").duplicates, 0u);  // the comma is not where it was
  EXPECT_EQ(summary_of("a,b\n1,2\n1.0,2\n").duplicates, 0u);          // field by field as written
  EXPECT_EQ(summary_of("a,b\n1,2\n2,2\n3,3\n", {.most_rows = 2}).duplicates, std::nullopt);
  EXPECT_EQ(summary_of("a,b\n").duplicates, 0u);
}

TEST(Summary, SeesConstantsEmptyColumnsDatesAndKeys) {
  EXPECT_EQ(column_of({"a", "a"}).look, Look::constant);
  EXPECT_EQ(column_of({"1", "1.0"}).look, Look::constant);
  EXPECT_EQ(column_of({"a", ""}).look, Look::plain);
  EXPECT_EQ(column_of({"a"}).look, Look::plain);
  EXPECT_EQ(column_of({"", ""}).look, Look::empty);
  EXPECT_EQ(column_of({"2024-01-31", "", "2024-02-01 10:00"}).look, Look::date);
  EXPECT_EQ(column_of({"20240131", "20240201"}).look, Look::date);
  EXPECT_EQ(column_of({"2024-01-31", "soon"}).look, Look::plain);
  EXPECT_EQ(column_of(numbered("t", 20)).look, Look::plain);
  EXPECT_EQ(column_of(numbered("t", 21)).look, Look::key);
  EXPECT_EQ(column_of(numbered("", 21)).look, Look::key);
  EXPECT_EQ(column_of(numbered("0.", 21)).look, Look::plain);  // 0.1 and 0.10 are one number
  std::vector<std::string> fractions = numbered("1.5", 21);
  EXPECT_EQ(column_of(fractions).look, Look::plain);
  std::vector<std::string> half = numbered("t", 21);
  for (int i = 0; i < 20; ++i) half.push_back("t0");
  EXPECT_EQ(column_of(half).look, Look::key);
  half.push_back("t0");
  EXPECT_EQ(column_of(half).look, Look::plain);
}

TEST(Summary, IsTheSameForAnyReadSizeAndThreads) {
  std::string csv = "number,text,key,mixed\n";
  for (int i = 0; i < 60'000; ++i)
    csv += number_text(1.0 / (i % 9973 + 1)) + ",level " + std::to_string(i % 7) + ",k" + std::to_string(i) + "," +
           (i % 1000 == 999 ? "n/a" : std::to_string(i % 50)) + "\n";
  const SummaryOptions limits{.most_distinct = 20'000};
  const std::string expected = text_of(summary_of(csv, limits));
  for (const std::size_t read_size : {std::size_t{777}, std::size_t{1} << 22})
    for (const unsigned threads : sweep_of({1u, 2u, 7u}))
      EXPECT_TRUE(text_of(summary_of(csv, limits, read_size, threads)) == expected) << read_size << " " << threads;
}

RC_GTEST_PROP(Summary, CountsAsAMapDoes, ()) {
  const auto cells = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("a", "b", "cc", "", "\"x\ny\"", "\"q\"\"\"", "z z"));
  std::map<std::string, std::uint64_t> expected;
  std::set<std::string> rows;
  std::string csv = "x,y\n";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string& other = cells[i / 2];
    csv += cells[i] + "," + other + "\n";
    rows.insert(cells[i] + "," + other);
    ++expected[cells[i]];
  }
  const TableSummary summary = summary_of(csv);
  RC_ASSERT(summary.rows == cells.size());
  RC_ASSERT(summary.duplicates == cells.size() - rows.size());
  RC_ASSERT(summary.columns[0].missing == expected[""]);
  expected.erase("");
  RC_ASSERT(summary.columns[0].distinct == expected.size());
  std::multiset<std::uint64_t> counts, found;
  for (const auto& [value, count] : expected) counts.insert(count);
  for (const ValueCount& each : summary.columns[0].commonest) found.insert(each.rows);
  RC_ASSERT(found == counts);
}

RC_GTEST_PROP(ValueCounts, CountAsAMapDoesOverManyMerges, ()) {
  ValueCounts<std::uint64_t> counts(3000);
  std::map<std::uint64_t, std::uint64_t> expected;
  const auto range = *rc::gen::inRange<std::uint64_t>(1, 6000);
  std::uint64_t draw = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
  for (int i = 0; i < 12'000; ++i) {
    draw = draw * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t key = (draw >> 33) % range;
    counts.add(key, draw >> 60);
    expected[key] += draw >> 60;
  }
  const auto [entries, more] = counts.take();
  RC_ASSERT(more == (expected.size() > 3000));
  if (more) {
    RC_ASSERT(entries.empty());
    return;
  }
  RC_ASSERT(entries.size() == expected.size());
  RC_ASSERT(std::equal(entries.begin(), entries.end(), expected.begin(),
                       [](const auto& a, const auto& b) { return a.key == b.first && a.count == b.second; }));
}

}  // namespace
}  // namespace plumb::summary_test
