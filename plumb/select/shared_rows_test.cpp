// rows: E6
#include "plumb/select/shared_rows.h"

#include <gtest/gtest.h>

#include "plumb/base/file.h"
#include "plumb/feature/feature_map.h"

namespace plumb::shared_rows_test {
namespace {

std::string csv(const std::string& text) {
  const std::string path = ::testing::TempDir() + "plumb_shared_rows.csv";
  OutputFile file(path);
  file.write(text);
  file.commit();
  return path;
}

FeaturePlan plan(const Source& source, std::vector<std::string> features, Missing missing = Missing::error) {
  FeatureOptions options;
  options.target = "y";
  options.features = std::move(features);
  options.missing = missing;
  return plan_features(source, options);
}

TEST(SharedRows, EachPlanHasItsColumnsInItsOrder) {
  const std::string path = csv("a,b,y\n1,u,10\n2,v,20\n3,u,30\n");
  const auto source = open_source({path});
  const std::vector<FeaturePlan> plans = {plan(*source, {"b", "a"}), plan(*source, {"a"})};
  Executor executor;
  const SharedRows shared(*source, plans, plumb::Run{executor});
  EXPECT_EQ(shared.rows(), 3u);
  for (const FeaturePlan& each : plans) {
    const auto again = open_source({path});
    again->select(each.selected);
    const Tables alone = read_all(*again, plumb::Run{executor}), own = shared.tables_for(each);
    ASSERT_EQ(own.pieces.size(), alone.pieces.size());
    ASSERT_EQ(own.pieces[0].columns.size(), alone.pieces[0].columns.size());
    for (std::size_t c = 0; c < own.pieces[0].columns.size(); ++c) {
      EXPECT_EQ(own.pieces[0].columns[c].numbers, alone.pieces[0].columns[c].numbers);
      EXPECT_EQ(own.pieces[0].columns[c].codes, alone.pieces[0].columns[c].codes);
      EXPECT_EQ(own.pieces[0].columns[c].levels, alone.pieces[0].columns[c].levels);
    }
  }
}

// Whatever the rows that are left out hold: words that are met first in them, and pairs.
TEST(SharedRows, ACopyOfSomeTextsHasTheFeaturesOfAFileOfThem) {
  std::string all = "text,y\n", some = all;
  RowSet rows(40'000);
  for (std::uint64_t row = 0; row < rows.rows(); ++row) {
    const std::string line = "w" + std::to_string(row * 7919 % 4'001) + " common w" + std::to_string(row % 977) +
                             " and so on," + std::to_string(row % 5) + "\n";
    all += line;
    if (row % 9 != 4) continue;
    rows.add(row);
    some += line;
  }
  for (const std::uint32_t longest : {1u, 2u}) {
    TextOptions text;
    text.ngrams = {1, longest};
    FeatureOptions options;
    options.target = "y";
    options.text = {"text"};
    std::vector<std::vector<std::string>> names;
    for (const unsigned threads : {1u, 2u, 7u}) {
      Executor executor(threads);
      const plumb::Run run{executor};
      const auto source = open_source({csv(all)});
      const FeaturePlan whole = plan_features(*source, options, text);
      const std::optional<SharedRows> copy = SharedRows(*source, {&whole, 1}, run).some(rows);
      ASSERT_TRUE(copy);
      const RowSet every(copy->rows(), true);
      names.push_back(learn_features(copy->tables_for(whole), whole, every, {}, run).map.names());
    }
    Executor executor(1);
    const plumb::Run run{executor};
    const auto source = open_source({csv(some)});
    const FeaturePlan plan = plan_features(*source, options, text);
    const SharedRows alone(*source, {&plan, 1}, run);
    const RowSet every(alone.rows(), true);
    names.push_back(learn_features(alone.tables_for(plan), plan, every, {}, run).map.names());
    EXPECT_EQ(names[0], names[1]);
    EXPECT_EQ(names[0], names[2]);
    EXPECT_EQ(names[0], names[3]);
  }
}

TEST(SharedRows, OfAFileThatIsReadTwiceTheSecondReadingIsTheLast) {
  const std::string path = csv("a,b,y\n1,u,10\n2,v,20\n3,u,30\n");
  const auto source = open_source({path, path});
  const std::vector<FeaturePlan> plans = {plan(*source, {"a"})};
  Executor executor;
  const SharedRows shared(*source, plans, plumb::Run{executor});
  const RowSet last = shared.rows_of_last(path);
  for (std::uint64_t row = 0; row < 6; ++row) EXPECT_EQ(last.has(row), row >= 3) << row;
}

TEST(SharedRows, ARowThatOnePlanLeavesOutIsLeftOutForAll) {
  const std::string path = csv("a,b,y\n1,1,10\n2,,20\n3,3,30\n,4,40\n");
  const auto source = open_source({path});
  const std::vector<FeaturePlan> plans = {plan(*source, {"a"}, Missing::drop_row),
                                          plan(*source, {"b"}, Missing::drop_row)};
  Executor executor;
  const SharedRows shared(*source, plans, plumb::Run{executor});
  EXPECT_EQ(shared.rows(), 2u);
  EXPECT_EQ(shared.tables_for(plans[0]).pieces[0].columns[0].numbers, (std::vector<double>{1, 3}));
}

}  // namespace
}  // namespace plumb::shared_rows_test
