// rows: N11
#include "plumb/train/event_dependence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plumb/base/random.h"
#include "plumb/train/naive_bayes_testing.h"

namespace plumb::event_dependence_test {
namespace {

struct Looked {
  Dependence found;
  EventPlan plan;
  FeatureMap map;
};

Looked look(const Sheet& sheet, NaiveBayesOptions options = {}, unsigned threads = 1) {
  const NaiveBayesTrainer trainer(std::move(options));
  const LearntSheet learnt(sheet, trainer);
  Executor executor(threads);
  const plumb::Run run{executor};
  const EventPlan plan = trainer.plan(learnt.map);
  const EventCounts counts = count_events(learnt.examples, plan, learnt.map, learnt.labels.size(), run);
  return {find_dependence(learnt.examples, plan, counts, run), plan, learnt.map};
}

std::string pair_name(const Looked& looked, std::size_t i) {
  const DependentPair& pair = looked.found.pairs.at(i);
  return variable_name(looked.plan, looked.map, pair.left) + "," + variable_name(looked.plan, looked.map, pair.right);
}

TEST(Dependence, OfAColumnWithItsCopyIsItsEntropyGivenTheClass) {
  Sheet sheet;
  sheet.categories = {{"c", {}}, {"copy", {}}};
  // Class a: p and q in halves. Class b: p in one of four. So H = (ln 2 + H(1/4)) / 2.
  for (int i = 0; i < 400; ++i) {
    const std::string level = i % 2 == 0 ? (i % 4 == 0 ? "p" : "q") : (i % 8 == 1 ? "p" : "q");
    sheet.target.push_back(i % 2 == 0 ? "a" : "b");
    sheet.categories[0].second.push_back(level);
    sheet.categories[1].second.push_back(level);
  }
  const Looked looked = look(sheet);
  ASSERT_EQ(looked.found.pairs.size(), 1u);
  EXPECT_EQ(pair_name(looked, 0), "c,copy");
  const double entropy = 0.5 * (std::log(2.0) + 0.25 * std::log(4.0) + 0.75 * std::log(4.0 / 3.0));
  EXPECT_NEAR(looked.found.pairs[0].nats, entropy, 1e-12);
  EXPECT_FALSE(looked.found.pairs[0].correlation.has_value());
  EXPECT_EQ(looked.found.rows, 400u);
}

TEST(Dependence, IsNotFoundWhereEveryCombinationIsEquallyCommon) {
  Sheet sheet;
  sheet.categories = {{"c", {}}, {"d", {}}};
  sheet.numbers = {{"x", {}}};
  for (int i = 0; i < 360; ++i) {  // all 2 * 2 * 3 * 3 combinations ten times
    sheet.target.push_back(i % 2 == 0 ? "a" : "b");
    sheet.categories[0].second.push_back(i / 2 % 2 == 0 ? "p" : "q");
    sheet.categories[1].second.push_back(std::string(1, static_cast<char>('u' + i / 4 % 3)));
    sheet.numbers[0].second.push_back(i / 12 % 3 + (i % 2 == 0 ? 0 : 5));
  }
  const Looked looked = look(sheet);
  EXPECT_EQ(looked.found.variables, 3u);
  EXPECT_TRUE(looked.found.pairs.empty());
}

// Two columns that differ between the classes depend on each other, but not given the class.
TEST(Dependence, ThatTheClassExplainsDoesNotCount) {
  Sheet sheet;
  sheet.numbers = {{"x", {}}, {"y", {}}};
  for (int i = 0; i < 200; ++i) {
    const int k = i % 2;
    sheet.target.push_back(k == 0 ? "a" : "b");
    sheet.numbers[0].second.push_back(100 * k + i / 2 % 10);
    sheet.numbers[1].second.push_back(-50 * k + i / 20 % 10);
  }
  EXPECT_TRUE(look(sheet).found.pairs.empty());
}

TEST(Dependence, OfNumbersFollowsFromTheirCorrelationWithinClasses) {
  const RandomKey key{11, 0};
  Sheet sheet;
  sheet.numbers = {{"x", {}}, {"y", {}}};
  sheet.categories = {{"sign", {}}};
  std::uint64_t next = 0;
  for (int i = 0; i < 300; ++i) {
    sheet.target.push_back(i % 3 == 0 ? "a" : "b");
    const double x = 1e6 + static_cast<double>(key.below(next++, 1000)) / 100;
    sheet.numbers[0].second.push_back(x);
    sheet.numbers[1].second.push_back(2 * x + static_cast<double>(key.below(next++, 1000)) / 50);
    sheet.categories[0].second.push_back(x > 1e6 + 5 ? "high" : "low");
  }
  const Looked looked = look(sheet);
  using Wide = long double;
  Wide nats_numbers = 0, nats_mixed = 0, both = 0, squares_x = 0, squares_y = 0;
  for (const std::string label : {"a", "b"}) {
    Wide n = 0, mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0, between = 0;
    Wide level_n[2] = {}, level_sum[2] = {};
    const auto rows = [&](auto&& visit) {
      for (std::size_t r = 0; r < sheet.rows(); ++r)
        if (sheet.target[r] == label) visit(r, sheet.numbers[0].second[r], sheet.numbers[1].second[r]);
    };
    rows([&](std::size_t, Wide x, Wide y) { n += 1, mean_x += x, mean_y += y; });
    mean_x /= n, mean_y /= n;
    rows([&](std::size_t r, Wide x, Wide y) {
      xx += (x - mean_x) * (x - mean_x), yy += (y - mean_y) * (y - mean_y), xy += (x - mean_x) * (y - mean_y);
      const int level = sheet.categories[0].second[r] == "high" ? 1 : 0;
      level_n[level] += 1, level_sum[level] += x - mean_x;
    });
    for (const int level : {0, 1}) between += level_sum[level] * level_sum[level] / level_n[level];
    nats_numbers += -0.5L * n / 300 * std::log(1 - xy * xy / (xx * yy));
    nats_mixed += -0.5L * n / 300 * std::log(1 - between / xx);
    both += xy, squares_x += xx, squares_y += yy;
  }
  ASSERT_GE(looked.found.pairs.size(), 2u);
  bool numbers = false, mixed = false;
  for (std::size_t i = 0; i < looked.found.pairs.size(); ++i) {
    const DependentPair& pair = looked.found.pairs[i];
    if (pair_name(looked, i) == "x,y") {
      numbers = true;
      EXPECT_NEAR(pair.nats, static_cast<double>(nats_numbers), 1e-9);
      ASSERT_TRUE(pair.correlation.has_value());
      EXPECT_NEAR(*pair.correlation, static_cast<double>(both / std::sqrt(squares_x * squares_y)), 1e-9);
    } else if (pair_name(looked, i) == "x,sign") {
      mixed = true;
      EXPECT_NEAR(pair.nats, static_cast<double>(nats_mixed), 1e-9);
    }
  }
  EXPECT_TRUE(numbers);
  EXPECT_TRUE(mixed);
}

TEST(Dependence, OfWordsIsThatOfTheirPresence) {
  Sheet sheet;
  const RandomKey key{5, 0};
  std::uint64_t next = 0;
  for (int i = 0; i < 500; ++i) {
    sheet.target.push_back(i % 2 == 0 ? "a" : "b");
    auto& row = sheet.entries.emplace_back();
    if (key.below(next++, 3) == 0) {  // 1 and 2 come together, 3 is independent
      row.emplace_back(1, 2.0);
      row.emplace_back(2, 1.0);
    }
    if (key.below(next++, 3) == 0) row.emplace_back(3, 1.0);
  }
  const Looked looked = look(sheet);
  ASSERT_EQ(looked.found.pairs.size(), 1u);
  EXPECT_EQ(pair_name(looked, 0), "f1,f2");
}

TEST(Dependence, IsTheSameForAnyNumberOfThreadsAndKept) {
  const RandomKey key{3, 0};
  Sheet sheet;
  sheet.numbers = {{"x", {}}, {"y", {}}};
  sheet.categories = {{"c", {}}};
  std::uint64_t next = 0;
  for (int i = 0; i < 10'000; ++i) {
    sheet.target.push_back(std::string(1, static_cast<char>('a' + key.below(next++, 3))));
    sheet.numbers[0].second.push_back(static_cast<double>(key.below(next++, 1000)) / 7);
    sheet.numbers[1].second.push_back(sheet.numbers[0].second.back() + static_cast<double>(key.below(next++, 100)) / 3);
    sheet.categories[0].second.push_back(sheet.numbers[0].second.back() > 50 ? "p" : "q");
  }
  const Looked one = look(sheet, {}, 1), four = look(sheet, {}, 4);
  ASSERT_EQ(one.found.pairs.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(one.found.pairs[i].nats, four.found.pairs[i].nats);
  const Trained fit = fit_sheet(sheet);
  const std::optional<Dependence> kept = kept_dependence(fit.record, one.plan);
  ASSERT_TRUE(kept.has_value());
  ASSERT_EQ(kept->pairs.size(), 3u);
  EXPECT_EQ(kept->rows, 10'000u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(kept->pairs[i].left, one.found.pairs[i].left);
    EXPECT_EQ(kept->pairs[i].nats, one.found.pairs[i].nats);
    EXPECT_EQ(kept->pairs[i].correlation, one.found.pairs[i].correlation);
  }
}

// Tables of many levels have few rows in each cell, where twice the nats are far from chi-square.
TEST(Dependence, OfIndependentLevelsIsNamedOnceInTwentyDataSets) {
  struct Case {
    std::uint64_t levels;
    int rows, sets;
  };
  for (const Case& each : {Case{10, 300, 100}, Case{6, 60, 100}, Case{40, 800, 20}}) {
    int named = 0;
    for (int set = 0; set < each.sets; ++set) {
      const RandomKey key{static_cast<std::uint64_t>(set), each.levels};
      std::uint64_t next = 0;
      Sheet sheet;
      sheet.categories = {{"c", {}}, {"d", {}}, {"e", {}}};
      for (int i = 0; i < each.rows; ++i) {
        sheet.target.push_back(i % 2 == 0 ? "a" : "b");
        for (auto& [name, values] : sheet.categories) {  // the lesser of two draws, so that some levels are rare
          const std::uint64_t one = key.below(next++, each.levels), two = key.below(next++, each.levels);
          values.push_back("v" + std::to_string(std::min(one, two)));
        }
      }
      named += look(sheet).found.pairs.empty() ? 0 : 1;
    }
    EXPECT_LE(named, each.sets == 100 ? 12 : 4) << each.levels;
  }
}

// If a level has hardly a row, it explains a number's variance, whatever the number is.
TEST(Dependence, OfAnIndependentNumberAndLevelsIsNamedOnceInTwentyDataSets) {
  struct Case {
    std::uint64_t levels;
    int rows;
  };
  for (const Case& each : {Case{2, 20}, Case{20, 40}, Case{40, 100}, Case{100, 40}}) {
    int named = 0;
    for (int set = 0; set < 100; ++set) {
      const RandomKey key{static_cast<std::uint64_t>(set), each.levels};
      Sheet sheet;
      sheet.categories = {{"c", {}}};
      sheet.numbers = {{"x", {}}};
      std::uint64_t next = 0;
      for (int i = 0; i < each.rows; ++i) {
        sheet.target.push_back(i % 2 == 0 ? "a" : "b");
        sheet.categories[0].second.push_back("v" + std::to_string(key.below(next++, each.levels)));
        double sum = 0.0;
        for (int draw = 0; draw < 12; ++draw) sum += key.uniform(next++);
        sheet.numbers[0].second.push_back(sum);
      }
      named += look(sheet).found.pairs.empty() ? 0 : 1;
    }
    EXPECT_LE(named, 12) << each.levels;
  }
}

TEST(Dependence, OfACopyIsFoundAmongManyLevels) {
  const RandomKey key{8, 0};
  Sheet sheet;
  sheet.categories = {{"a", {}}, {"b", {}}, {"c", {}}, {"d", {}}};
  std::uint64_t next = 0;
  for (int i = 0; i < 1500; ++i) {
    sheet.target.push_back(i % 2 == 0 ? "a" : "b");
    const std::string level = std::to_string(key.below(next++, 45));
    for (const std::size_t c : {0u, 1u}) sheet.categories[c].second.push_back(level);
    for (const std::size_t c : {2u, 3u}) sheet.categories[c].second.push_back(std::to_string(key.below(next++, 45)));
  }
  const Looked looked = look(sheet);
  EXPECT_EQ(looked.found.variables, 4u);
  ASSERT_EQ(looked.found.pairs.size(), 1u);
  EXPECT_EQ(pair_name(looked, 0), "a,b");
}

TEST(Dependence, OfAFileThatNamesFeaturesWhichAreNotThereIsRefused) {
  Record record;
  record.statistics.push_back({"dependence.of", {3}, std::vector<double>{10, 2, 2}});
  record.statistics.push_back({"dependence.pairs", {1, 4}, std::vector<double>{0, 7, 0.5, 2}});
  EventPlan plan;
  plan.features = 7;
  EXPECT_THROW(kept_dependence(record, plan), Error);
  plan.features = 8;
  EXPECT_EQ(kept_dependence(record, plan)->pairs.size(), 1u);
}

}  // namespace
}  // namespace plumb::event_dependence_test
