#include "plumb/report/check.h"

#include <gtest/gtest.h>

#include "plumb/base/json.h"

namespace plumb::check_test {
namespace {

ColumnSummary labels(std::vector<ValueCount> values) {
  ColumnSummary column;
  column.name = "kind";
  column.kind = Kind::category;
  column.distinct = values.size();
  column.commonest = std::move(values);
  return column;
}

CheckReport report_of(ColumnSummary target, std::uint64_t rows) {
  CheckReport report;
  report.source = "trees.csv";
  report.summary.rows = rows;
  report.summary.duplicates = 0;
  report.summary.columns = {std::move(target)};
  report.target = 0;
  return report;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Check, WarnsOfATargetWithOneValueOnly) {
  EXPECT_EQ(warnings_of(report_of(labels({{"oak", 9}}), 9)),
            std::vector<std::string>{"the target \"kind\" has only one value, \"oak\"; there is nothing to predict"});
}

TEST(Check, WarnsOfLabelsWithLessThanOneRowInAHundred) {
  EXPECT_TRUE(warnings_of(report_of(labels({{"oak", 198}, {"elm", 2}}), 200)).empty());
  EXPECT_EQ(warnings_of(report_of(labels({{"oak", 199}, {"elm", 1}}), 200)),
            std::vector<std::string>{"label \"elm\" is rare: 1 row of 200"});
  EXPECT_EQ(
      warnings_of(report_of(labels({{"oak", 595}, {"elm", 4}, {"fir", 1}}), 600)),
      std::vector<std::string>{"2 labels have less than 1 row in 100 each; the rarest, \"fir\", has 1 row of 600"});
  EXPECT_EQ(warnings_of(report_of(labels({{"oak", 199}, {"elm", 2}}), 201)),
            std::vector<std::string>{"label \"elm\" is rare: 2 rows of 201"});
}

TEST(Check, WarnsOfAnEmptyTargetAndOfNoRows) {
  ColumnSummary column = labels({{"oak", 5}, {"elm", 3}});
  column.missing = 1;
  EXPECT_EQ(warnings_of(report_of(column, 9)), std::vector<std::string>{"the target \"kind\" is empty in 1 row of 9"});
  EXPECT_EQ(warnings_of(report_of(labels({}), 0)), std::vector<std::string>{"there are no rows under the header"});
}

TEST(Check, ShowsSharesAndHowManyMoreLabelsThereAre) {
  CheckReport report = report_of(labels({{"oak", 5}, {"elm", 2}, {"fir", 1}}), 8);
  report.top = 2;
  const std::string text = to_text(report, Style{});
  EXPECT_TRUE(holds(text,
                    "target kind: 3 labels\nlabel  rows   share\noak       5  62.5 %\nelm       2    25 %\n"
                    "... 1 more: --top 3\n"))
      << text;
  const JsonValue json = parse_json(to_json(report));
  EXPECT_EQ(json.at("columns").items()[0].at("levels").items().size(), 2u);
  EXPECT_EQ(json.at("target").at("levels").items()[2].at("share").as_double(), 0.125);
}

TEST(Check, LetsNoBytesOfTheDataReachTheTerminal) {
  CheckReport report = report_of(labels({{"o\x1b[2Jk", 2}, {"elm", 2}}), 4);
  report.summary.columns[0].name = "ki\x1bnd";
  report.source =
      "tre\x1b"
      "es.csv";
  EXPECT_FALSE(holds(to_text(report, Style{}), "\x1b"));
}

TEST(Check, KeepsColumnsInLineForCharactersOfSeveralBytes) {
  CheckReport report = report_of(labels({{"\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC"
                                          "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC"
                                          "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC",
                                          1}}),
                                 1);
  EXPECT_TRUE(holds(to_text(report, Style{false, 120}), "\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC... (1)"));
}

ColumnSummary entries(std::uint64_t features, bool more) {
  ColumnSummary column;
  column.name = "features";
  column.kind = Kind::sparse;
  column.distinct = features;
  column.more = more;
  column.entries = EntriesSummary{.count = 6, .least = 1, .most = 3, .mean = 1.5, .density = 0.5, .single = 1};
  column.entries->values = EntriesSummary::Values::whole;
  column.entries->smallest = -2;
  column.entries->largest = 9;
  if (!more) column.commonest = {{"f1", 4}, {"f3", 1}, {"f\x1b", 1}};
  return column;
}

TEST(Check, ShowsEntriesOnLinesOfTheirOwn) {
  CheckReport report = report_of(labels({{"oak", 2}, {"elm", 2}}), 4);
  report.summary.columns.push_back(entries(3, false));
  report.top = 2;
  const std::string text = to_text(report, Style{});
  EXPECT_TRUE(holds(text,
                    "entries of features: 6 of 3 features\nin a row     1 to 3, mean 1.5\ndensity      50 %\n"
                    "values       whole numbers from -2 to 9\ncommonest    f1 (4), f3 (1), ... (1 more)\n"
                    "in one row   1 feature\n"))
      << text;
  const JsonValue json = parse_json(to_json(report)).at("columns").items()[1];
  EXPECT_EQ(json.at("kind").as_string(), "entries");
  EXPECT_EQ(json.at("entries").at("in_a_row").at("max").as_double(), 3.0);
  EXPECT_EQ(json.at("entries").at("values").as_string(), "whole");
  EXPECT_EQ(json.at("levels").items().size(), 2u);
}

TEST(Check, SaysNoDensityWhereFeaturesWereTooManyToCount) {
  CheckReport report = report_of(labels({{"oak", 2}, {"elm", 2}}), 4);
  report.summary.columns.push_back(entries(8'000'000, true));
  const std::string text = to_text(report, Style{});
  EXPECT_TRUE(holds(text, "6 of more than 8,000,000 features")) << text;
  EXPECT_FALSE(holds(text, "density")) << text;
  const JsonValue json = parse_json(to_json(report)).at("columns").items()[1];
  EXPECT_TRUE(json.at("entries").at("density").is_null());
  EXPECT_TRUE(json.at("entries").at("in_one_row").is_null());
}

TEST(Check, SaysWhenThereWereTooManyValuesOrRowsToCount) {
  CheckReport report = report_of(labels({}), 9'000'000);
  report.summary.columns[0].distinct = 1'000'000;
  report.summary.columns[0].more = true;
  report.summary.duplicates.reset();
  const std::string text = to_text(report, Style{});
  EXPECT_TRUE(holds(text, "> 1,000,000")) << text;
  EXPECT_TRUE(holds(text, "too many rows to check for duplicates")) << text;
  const JsonValue json = parse_json(to_json(report));
  EXPECT_TRUE(json.at("duplicates").is_null());
  EXPECT_FALSE(json.at("columns").items()[0].at("distinct_exact").as_bool());
}

}  // namespace
}  // namespace plumb::check_test
