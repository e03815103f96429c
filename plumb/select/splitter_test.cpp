// rows: E1
#include "plumb/select/splitter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "plumb/base/digest.h"
#include "plumb/base/error.h"
#include "plumb/base/testing.h"
#include "plumb/select/shared_rows.h"

namespace plumb::splitter_test {
namespace {

TestChoice read(std::string_view text) { return OptionText<TestChoice>::read(text); }
RowSet all(std::uint64_t n) { return RowSet(n, true); }
RowSet held(std::uint64_t n, std::string_view choice, std::uint64_t seed) {
  return Splitter(n).hold_out(all(n), read(choice), {seed, 0});
}

TEST(Splitter, DependsOnTheSeedAndNests) {
  const RowSet a = held(1000, "100", 1), b = held(1000, "100", 2), more = held(1000, "200", 1);
  std::uint64_t same = 0;
  for (std::uint64_t row = 0; row < 1000; ++row) {
    same += a.has(row) && b.has(row);
    EXPECT_TRUE(!a.has(row) || more.has(row));
  }
  EXPECT_EQ(a.count(), 100u);
  EXPECT_LT(same, 40u) << "about 10 of 100 rows meet by chance";
  const Splitter splitter(100);
  EXPECT_EQ(splitter.folds(all(100), 5, {1, 0}), splitter.folds(all(100), 5, {1, 0}));
  EXPECT_NE(splitter.folds(all(100), 5, {1, 0}), splitter.folds(all(100), 5, {2, 0}));
}

TEST(Splitter, EveryRowIsHeldOutAboutEquallyOften) {
  std::vector<int> times(50);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const RowSet test = held(50, "10", seed);
    for (std::uint64_t row = 0; row < 50; ++row) times[row] += test.has(row);
  }
  for (const int count : times) EXPECT_NEAR(count, 400, 5 * 18) << "400 expected, standard deviation 18";
}

TEST(Splitter, FoldsDifferByAtMostOneRowInAllAndOfEachClass) {
  for (const std::uint64_t n : {10u, 11u, 97u}) {
    std::vector<std::uint32_t> classes;
    for (std::uint64_t i = 0; i < n; ++i) classes.push_back(i % 3 == 0 ? 1 : 0);
    const auto fold = Splitter(n, {}, classes).folds(all(n), 5, {42, 0});
    std::vector<int> sizes(5), of_class(5);
    for (std::uint64_t i = 0; i < n; ++i) {
      ++sizes.at(fold[i]);
      of_class.at(fold[i]) += static_cast<int>(classes[i]);
    }
    for (const auto& counts : {sizes, of_class}) {
      const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
      EXPECT_LE(*most - *least, 1) << n;
    }
  }
  EXPECT_THROW(Splitter(4).folds(all(4), 5, {42, 0}), Error);
}

// The row with an identifier may be anywhere: its draw stays.
TEST(Splitter, ANamedRowKeepsItsPartWhereverItStands) {
  const std::uint64_t n = 200;
  SplitKeys there, turned;
  for (std::uint64_t i = 0; i < n; ++i) there.draw.push_back(digest64("row " + std::to_string(i)));
  turned.draw.assign(there.draw.rbegin(), there.draw.rend());
  const RowSet a = Splitter(n, there).hold_out(all(n), read("50"), {7, 0}),
               b = Splitter(n, turned).hold_out(all(n), read("50"), {7, 0});
  const auto fold_a = Splitter(n, there).folds(all(n), 4, {7, 0}),
             fold_b = Splitter(n, turned).folds(all(n), 4, {7, 0});
  for (std::uint64_t i = 0; i < n; ++i) {
    EXPECT_EQ(a.has(i), b.has(n - 1 - i));
    EXPECT_EQ(fold_a[i], fold_b[n - 1 - i]);
  }
}

SplitKeys in_groups(const std::vector<std::uint32_t>& group) {
  SplitKeys keys;
  keys.group = group;
  for (std::uint32_t g = 0; g <= *std::max_element(group.begin(), group.end()); ++g) keys.group_draw.push_back(g * 977);
  return keys;
}

TEST(Splitter, GroupsAreNeverCut) {
  std::vector<std::uint32_t> group, classes;
  for (std::uint32_t i = 0; i < 300; ++i) {
    group.push_back(i * i % 41 % 30);
    classes.push_back(group.back() % 2);
  }
  const Splitter splitter(300, in_groups(group), classes);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RowSet test = splitter.hold_out(all(300), read("0.2"), {seed, 0});
    EXPECT_GT(test.count(), 30u);
    EXPECT_LT(test.count(), 100u);
    const auto fold = splitter.folds(all(300), 5, {seed, 0});
    std::map<std::uint32_t, std::uint32_t> fold_of;
    std::map<std::uint32_t, bool> held_out;
    for (std::uint64_t i = 0; i < 300; ++i) {
      EXPECT_EQ(fold_of.emplace(group[i], fold[i]).first->second, fold[i]);
      EXPECT_EQ(held_out.emplace(group[i], test.has(i)).first->second, test.has(i));
    }
  }
}

TEST(Splitter, GroupsAndClassesAreSpreadOverTheFolds) {
  std::vector<std::uint32_t> group, classes;
  for (std::uint32_t g = 0; g < 40; ++g)
    for (std::uint32_t k = 0; k < 5; ++k) {
      group.push_back(g);
      classes.push_back(g < 10);
    }
  const auto fold = Splitter(200, in_groups(group), classes).folds(all(200), 5, {3, 0});
  std::vector<int> size(5), rare(5);
  for (std::size_t i = 0; i < 200; ++i) {
    ++size[fold[i]];
    rare[fold[i]] += static_cast<int>(classes[i]);
  }
  EXPECT_EQ(size, std::vector<int>(5, 40));
  EXPECT_EQ(rare, std::vector<int>(5, 10));
}

TEST(Splitter, InOrderTheLastRowsAreHeldOutAndFoldsAreRuns) {
  SplitKeys keys;
  keys.in_order = true;
  const Splitter splitter(10, keys, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
  const RowSet test = splitter.hold_out(all(10), read("3"), {42, 0});
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(test.has(i), i >= 7);
  const auto fold = splitter.folds(all(10), 3, {42, 0});
  EXPECT_TRUE(std::is_sorted(fold.begin(), fold.end()));
  EXPECT_EQ(fold.back(), 2u);
}

// The split columns of the rows of a file.
SplitKeys keys_of(const std::string& csv, const SplitOptions& options) {
  const std::string path = ::testing::TempDir() + "splitter.csv";
  std::ofstream(path) << csv;
  const auto source = open_source({path}, ReadOptions());
  FeatureOptions features;
  features.target = "y";
  const FeaturePlan plan = plan_split(*source, features, {}, options);
  for (const FeaturePlan::Input& input : plan.inputs)
    EXPECT_TRUE(input.name != options.id && input.name != options.group && input.name != options.fold)
        << "what rows are split by is no feature";
  Executor executor;
  const SharedRows rows(*source, {&plan, 1}, plumb::Run{executor});
  return split_keys(rows.roles_for(plan), plan, options);
}

TEST(SplitKeys, AreReadFromTheirColumns) {
  SplitOptions options;
  options.id = "name";
  options.group = "house";
  options.fold = "part";
  const SplitKeys keys = keys_of("name,house,part,x,y\na,h1,10,1,2\nb,h2,9,2,3\nc,h1,10,3,5\nd,h3,9,4,4\n", options);
  EXPECT_EQ(keys.group, (std::vector<std::uint32_t>{0, 1, 0, 2}));
  EXPECT_EQ(keys.fold, (std::vector<std::uint32_t>{1, 0, 1, 0})) << "as numbers: 9 is before 10";
  EXPECT_EQ(keys.draw[1], digest64("b"));
  const auto fold = Splitter(4, keys).folds(all(4), 10, {42, 0});
  EXPECT_EQ(fold, keys.fold) << "folds that are given stay";
}

TEST(SplitKeys, SayWhatIsWrong) {
  const std::string csv = "name,part,x,y\na,1,1,2\n,2,2,3\na,2,3,5\n";
  const auto expect = [&](const SplitOptions& options, ErrorCode code, const std::string& text) {
    const Error error = error_of([&] { keys_of(csv, options); });
    EXPECT_EQ(error.code(), code);
    EXPECT_NE(error.message().find(text), std::string::npos) << error.message();
  };
  SplitOptions options;
  options.id = "name";
  expect(options, ErrorCode::data, "--id names is empty");
  options.id = "nmae";
  expect(options, ErrorCode::usage, "names column \"nmae\"");
  options.id = "y";
  expect(options, ErrorCode::usage, "--id and --target name the same column");
}

TEST(SplitKeys, AGroupMayNotBeInTwoOfTheFoldsGiven) {
  SplitOptions options;
  options.group = "name";
  options.fold = "part";
  const std::string message =
      error_of([&] { keys_of("name,part,x,y\na,1,1,2\nb,2,2,3\na,2,3,5\n", options); }).message();
  EXPECT_NE(message.find("one fold for all rows of a group"), std::string::npos) << message;
}

SplitKeys groups_of_sizes(const std::vector<std::uint64_t>& sizes) {
  SplitKeys keys;
  for (std::uint32_t g = 0; g < sizes.size(); ++g) {
    keys.group.insert(keys.group.end(), sizes[g], g);
    keys.group_draw.push_back(digest64("group " + std::to_string(g)));
  }
  return keys;
}

TEST(Splitter, TakesGroupsThatComeNearestToWhatIsAskedFor) {
  const Splitter splitter(40, groups_of_sizes({30, 5, 5}));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(splitter.hold_out(all(40), read("10"), {seed, 0}).count(), 10u) << "not the 30, and not one 5 alone";
    EXPECT_EQ(splitter.hold_out(all(40), read("1"), {seed, 0}).count(), 5u) << "the least there is";
    const std::uint64_t twenty = splitter.hold_out(all(40), read("20"), {seed, 0}).count();
    EXPECT_TRUE(twenty == 10 || twenty == 30) << twenty;
    RowSet smaller = splitter.first_drawn(all(40), 1, {seed, 0});
    for (std::uint64_t count = 2; count < 40; ++count) {
      const RowSet larger = splitter.first_drawn(all(40), count, {seed, 0});
      EXPECT_EQ(larger.intersection(smaller).count(), smaller.count()) << "sizes of a curve are parts of each other";
      smaller = larger;
    }
  }
}

TEST(Splitter, RowsOfOneNameAreNeverInBothParts) {
  const auto held = [](const std::vector<std::uint64_t>& names, std::string_view choice, std::uint64_t seed) {
    SplitKeys keys;
    keys.draw = names;
    keys.names_repeat = true;
    std::map<std::uint64_t, std::uint32_t> codes;
    for (const std::uint64_t name : names) {
      keys.group.push_back(codes.emplace(name, static_cast<std::uint32_t>(codes.size())).first->second);
      if (keys.group.back() == keys.group_draw.size()) keys.group_draw.push_back(name);
    }
    return Splitter(names.size(), keys).hold_out(all(names.size()), read(choice), {seed, 0});
  };
  std::vector<std::uint64_t> names;
  for (std::uint64_t i = 0; i < 40; ++i) names.push_back(digest64("name " + std::to_string(i / 4)));
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const std::string_view choice : {"0.2", "0.01", "7", "30"}) {
      const RowSet test = held(names, choice, seed);
      EXPECT_GT(test.count(), 0u);
      EXPECT_LT(test.count(), 40u);
      for (std::uint64_t row = 0; row < 40; ++row) EXPECT_EQ(test.has(row), test.has(row / 4 * 4));
    }
  EXPECT_THROW(held(std::vector<std::uint64_t>(40, 7), "0.2", 1), Error);
}

}  // namespace
}  // namespace plumb::splitter_test
