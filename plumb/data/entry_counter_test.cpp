#include "plumb/data/entry_counter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/base/file.h"
#include "plumb/base/number.h"
#include "plumb/data/summary.h"

namespace plumb::entry_counter_test {
namespace {

using Values = EntriesSummary::Values;

TableSummary summary_of(const std::string& suffix, const std::string& text, const SummaryOptions& options = {},
                        std::size_t read_size = 1 << 20, unsigned threads = 1) {
  const std::string path = ::testing::TempDir() + "plumb_entry_counter" + suffix;
  write_file_atomically(path, std::string_view(text));
  Executor executor(threads);
  const auto source = open_source({path}, {.read_size = read_size});
  return summarise(*source, plumb::Run{executor}, options);
}

ColumnSummary entries_of(const std::string& suffix, const std::string& text, const SummaryOptions& options = {}) {
  return summary_of(suffix, text, options).columns.back();
}

std::vector<std::pair<std::string, std::uint64_t>> commonest_of(const ColumnSummary& column) {
  std::vector<std::pair<std::string, std::uint64_t>> found;
  for (const ValueCount& each : column.commonest) found.emplace_back(each.value, each.rows);
  return found;
}

TEST(EntryCounter, CountsFeaturesEntriesAndRows) {
  const ColumnSummary column = entries_of(".libsvm", "1 3:1 10:0.5\n0\n1 3:-2 20:4\n0 3:1 10:1 4294967294:1\n");
  ASSERT_TRUE(column.entries);
  EXPECT_EQ(column.kind, Kind::sparse);
  EXPECT_EQ(column.distinct, 4u);
  EXPECT_EQ(column.entries->count, 7u);
  EXPECT_EQ(column.entries->least, 0u);
  EXPECT_EQ(column.entries->most, 3u);
  EXPECT_EQ(column.entries->mean, 7.0 / 4);
  EXPECT_EQ(column.entries->density, 7.0 / 16);
  EXPECT_EQ(column.entries->single, 2u);
  EXPECT_EQ(column.entries->smallest, -2.0);
  EXPECT_EQ(column.entries->largest, 4.0);
  EXPECT_EQ(commonest_of(column), (std::vector<std::pair<std::string, std::uint64_t>>{
                                      {"f3", 3}, {"f10", 2}, {"f20", 1}, {"f4294967294", 1}}));
  EXPECT_EQ(column.look, Look::plain);
}

TEST(EntryCounter, SaysWhatTheValuesAre) {
  EXPECT_EQ(entries_of(".libsvm", "1 1:1 2:1.0\n").entries->values, Values::ones);
  EXPECT_EQ(entries_of(".vw", "1 | a b:1\n").entries->values, Values::ones);
  EXPECT_EQ(entries_of(".libsvm", "1 1:1 2:-3\n").entries->values, Values::whole);
  EXPECT_EQ(entries_of(".libsvm", "1 1:1e300 2:3\n").entries->values, Values::whole);
  EXPECT_EQ(entries_of(".libsvm", "1 1:1 2:0.5\n2 1:3\n").entries->values, Values::real);
  EXPECT_EQ(entries_of(".libsvm", "1\n").entries->values, Values::none);
  EXPECT_EQ(entries_of(".libsvm", "1\n").look, Look::empty);
}

TEST(EntryCounter, CountsZerosApartButKnowsTheirFeatures) {
  const ColumnSummary column = entries_of(".libsvm", "1 1:0 2:5\n1 1:-0 2:1\n");
  EXPECT_EQ(column.distinct, 2u);
  EXPECT_EQ(column.entries->count, 2u);
  EXPECT_EQ(column.entries->zeros, 2u);
  EXPECT_EQ(column.entries->smallest, 1.0);
  EXPECT_EQ(column.entries->values, Values::whole);
  EXPECT_EQ(commonest_of(column), (std::vector<std::pair<std::string, std::uint64_t>>{{"f2", 2}, {"f1", 0}}));
}

TEST(EntryCounter, FindsRowsWithTheSameEntries) {
  EXPECT_EQ(summary_of(".libsvm", "1 1:2 3:4\n+1.0 3:4 1:2.0 # again\n1 1:2 4:4\n1 1:4 3:2\n0 1:2 3:4\n").duplicates,
            1u);
  EXPECT_EQ(summary_of(".libsvm", "1 1:2\n1 1:2 3:0\n").duplicates, 1u);
  EXPECT_EQ(summary_of(".libsvm", "1\n1\n0\n").duplicates, 1u);
  EXPECT_EQ(summary_of(".libsvm", "1 qid:1 1:2\n1 qid:2 1:2\n").duplicates, 0u);
  EXPECT_EQ(summary_of(".vw", "1 | a b:2\n1 | b:2 a\n1 |n a b:2\n1 | a:2 b\n").duplicates, 1u);
  // Pieces number names in order of appearance; the row is the same.
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "1 | x" + std::to_string(i) + " common y" + std::to_string(i) + ":2\n";
  for (int i = 39'999; i >= 0; --i) text += "1 | y" + std::to_string(i) + ":2 x" + std::to_string(i) + " common\n";
  EXPECT_EQ(summary_of(".vw", text).duplicates, 40'000u);
}

TEST(EntryCounter, SaysThatThereAreMoreFeaturesThanTheLimit) {
  for (const auto& [suffix, start, name] :
       {std::tuple{".libsvm", "1 ", ""}, std::tuple{".libsvm", "1 ", "42949"}, std::tuple{".vw", "1 | ", "x"}}) {
    std::string text;
    for (int i = 10'000; i < 15'000; ++i) text += std::string(start) + name + std::to_string(i) + ":1\n";
    EXPECT_FALSE(entries_of(suffix, text, {.most_features = 5000}).more) << name;
    const ColumnSummary above = entries_of(suffix, text, {.most_features = 4999});
    EXPECT_TRUE(above.more) << name;
    EXPECT_EQ(above.distinct, 4999u) << name;
    EXPECT_TRUE(above.commonest.empty()) << name;
    EXPECT_EQ(above.entries->count, 5000u) << name;
  }
}

std::string text_of(const TableSummary& summary) {
  const ColumnSummary& column = summary.columns.back();
  const EntriesSummary& entries = *column.entries;
  std::string text = std::to_string(*summary.duplicates) + " " + std::to_string(column.distinct) + " " +
                     std::to_string(entries.count) + " " + std::to_string(entries.least) + " " +
                     std::to_string(entries.most) + " " + std::to_string(entries.single) + " " +
                     number_text(entries.density) + " " + number_text(entries.smallest) + " " +
                     number_text(entries.largest) + values_name(entries.values);
  for (const ValueCount& each : column.commonest) text += "|" + each.value + " " + std::to_string(each.rows);
  return text;
}

TEST(EntryCounter, IsTheSameForAnyReadSizeAndThreads) {
  for (const char* suffix : {".libsvm", ".vw"}) {
    const bool named = std::string(suffix) == ".vw";
    std::string text;
    for (int i = 0; i < 60'000; ++i) {
      text += std::to_string(i % 2) + (named ? " |" : "");
      for (int k = 0; k < i % 5; ++k)
        text += (named ? " n" : " ") + std::to_string(i % 97 + 100 * k + 1) + ":" + std::to_string(i % 3 + 1);
      text += "\n";
    }
    const std::string expected = text_of(summary_of(suffix, text));
    for (const std::size_t read_size : {std::size_t{777}, std::size_t{1} << 22})
      for (const unsigned threads : {2u, 7u})
        EXPECT_EQ(text_of(summary_of(suffix, text, {}, read_size, threads)), expected) << suffix << read_size;
  }
}

RC_GTEST_PROP(EntryCounter, CountsAsAMapDoes, ()) {
  using Line = std::map<std::uint32_t, int>;
  const auto pairs = rc::gen::container<std::vector<std::pair<std::uint32_t, int>>>(
      rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, 9), rc::gen::inRange(1, 4)));
  std::vector<Line> lines;
  for (const auto& line : *rc::gen::container<std::vector<std::vector<std::pair<std::uint32_t, int>>>>(pairs))
    lines.emplace_back(line.begin(), line.end());
  const bool named = *rc::gen::arbitrary<bool>();
  std::map<std::string, std::uint64_t> rows;
  std::uint64_t count = 0;
  std::string text;
  for (const Line& line : lines) {
    text += named ? "1 |" : "1";
    for (const auto& [index, value] : line) {
      text += (named ? " f" : " ") + std::to_string(index) + ":" + std::to_string(value);
      ++rows["f" + std::to_string(index)];
      ++count;
    }
    text += "\n";
  }
  const TableSummary summary = summary_of(named ? ".vw" : ".libsvm", text);
  const ColumnSummary& column = summary.columns.back();
  RC_ASSERT(column.entries->count == count);
  RC_ASSERT(column.distinct == rows.size());
  RC_ASSERT(*summary.duplicates == lines.size() - std::set<Line>(lines.begin(), lines.end()).size());
  std::map<std::string, std::uint64_t> found;
  for (const ValueCount& each : column.commonest) found[each.value] = each.rows;
  RC_ASSERT(found == rows);
}

}  // namespace
}  // namespace plumb::entry_counter_test
