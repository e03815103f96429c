// rows: E1
#include "plumb/select/classes.h"

#include <gtest/gtest.h>

#include "plumb/base/error.h"
#include "plumb/select/splitter.h"

namespace plumb::classes_test {
namespace {

// Two pieces with a category each.
Tables tables(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  Tables all;
  for (const std::vector<std::string>& rows : {first, second}) {
    Table table;
    table.rows = rows.size();
    table.first_row = all.rows;
    Column column{Kind::category};
    for (const std::string& label : rows) {
      auto at = std::find(column.levels.begin(), column.levels.end(), label);
      if (at == column.levels.end()) at = column.levels.insert(at, label);
      column.codes.push_back(static_cast<std::uint32_t>(at - column.levels.begin()));
    }
    table.columns.push_back(std::move(column));
    all.rows += rows.size();
    all.pieces.push_back(std::move(table));
  }
  return all;
}

TEST(Classes, NumbersAreOrderedAsNumbersAndEqualOnesAreOne) {
  const Classes found = classes_of(tables({"10", "9"}, {"9.0", "+10", "-1"}), 0);
  EXPECT_EQ(found.labels, (std::vector<std::string>{"-1", "9", "+10"}));
  EXPECT_EQ(found.of_row, (std::vector<std::uint32_t>{2, 1, 1, 2, 0}));
}

TEST(Classes, WordsAreOrderedBytewiseAndAnEmptyFieldIsNone) {
  const Classes found = classes_of(tables({"b", ""}, {"a", "B"}), 0);
  EXPECT_EQ(found.labels, (std::vector<std::string>{"B", "a", "b"}));
  EXPECT_EQ(found.of_row, (std::vector<std::uint32_t>{2, 3, 1, 0}));
}

TEST(Classes, ThePositiveLabelIsTheLastOfTwo) {
  const Classes found = classes_of(tables({"spam", "ham"}, {"ham"}), 0);
  const RowSet all(3, true);
  EXPECT_EQ(found.among(all, ""), (std::vector<std::string>{"ham", "spam"}));
  EXPECT_EQ(found.among(all, "ham"), (std::vector<std::string>{"spam", "ham"}));
  EXPECT_THROW(found.among(all, "eggs"), Error);
  RowSet one(3);
  one.add(1);
  EXPECT_THROW(found.among(one, ""), Error) << "a class alone";
}

TEST(Classes, RowsOfWeightZeroAreNotThere) {
  Tables all = tables({"a", "b", "c"}, {"a", "b"});
  all.pieces[0].columns.push_back({Kind::number, {1.0, 1.0, 0.0}});
  all.pieces[1].columns.push_back({Kind::number, {2.0, 0.0}});
  const Classes found = classes_of(all, 0, 1);
  EXPECT_EQ(found.among(RowSet(5, true), ""), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(found.counted.count(), 3u);
}

TEST(Classes, NumbersBesideAKnownLabelThatIsNoneAreLabelsOfTheirOwn) {
  EXPECT_EQ(classes_of(tables({"1", "1.0"}, {"2"}), 0).labels, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(classes_of(tables({"1", "1.0"}, {"2"}), 0, {}, {"x"}).labels,
            (std::vector<std::string>{"1", "1.0", "2", "x"}));
}

TEST(Classes, RowsOfSomeLabels) {
  const Classes found = classes_of(tables({"a", "b", "c"}, {"a", "b"}), 0);
  const RowSet rows = found.rows_of({"c", "a"});
  EXPECT_EQ(rows.count(), 3u);
  EXPECT_FALSE(rows.has(1));
  EXPECT_THROW(found.rows_of({"d"}), Error);
}

RowSet choose_test_rows(const std::vector<std::uint32_t>& class_of_row, const TestChoice& choice, RandomKey key) {
  const std::uint64_t n = class_of_row.size();
  return Splitter(n, {}, class_of_row).hold_out(RowSet(n, true), choice, key);
}

TEST(StratifiedSplit, HoldsOutAShareOfEachClassToWithinARow) {
  std::vector<std::uint32_t> class_of_row;
  for (std::uint32_t i = 0; i < 1000; ++i) class_of_row.push_back(i % 100 < 70 ? 0 : i % 100 < 97 ? 1 : 2);
  for (const double fraction : {0.1, 0.2, 0.37, 0.9}) {
    TestChoice choice;
    choice.fraction = fraction;
    const RowSet test = choose_test_rows(class_of_row, choice, {7, 0});
    EXPECT_EQ(test.count(), static_cast<std::uint64_t>(std::llround(1000 * fraction)));
    double held[3] = {};
    for (std::size_t i = 0; i < class_of_row.size(); ++i)
      if (test.has(i)) held[class_of_row[i]] += 1;
    EXPECT_NEAR(held[0], 700 * fraction, 1.0);
    EXPECT_NEAR(held[1], 270 * fraction, 1.0);
    EXPECT_NEAR(held[2], 30 * fraction, 1.0);
  }
}

TEST(StratifiedSplit, LeavesARowOfEachClassToTrainOn) {
  const std::vector<std::uint32_t> class_of_row = {0, 0, 0, 0, 1, 2, 2};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    TestChoice choice;
    choice.fraction = 0.5;
    const RowSet test = choose_test_rows(class_of_row, choice, {seed, 0});
    EXPECT_EQ(test.count(), 4u);
    EXPECT_FALSE(test.has(4));
    EXPECT_FALSE(test.has(5) && test.has(6));
  }
}

TEST(StratifiedSplit, NestsAndDependsOnTheSeed) {
  std::vector<std::uint32_t> class_of_row(500);
  for (std::uint32_t i = 0; i < 500; ++i) class_of_row[i] = i % 3;
  TestChoice few{TestChoice::What::rows, 0.0, 50, ""}, more{TestChoice::What::rows, 0.0, 120, ""};
  const RowSet a = choose_test_rows(class_of_row, few, {1, 0}), b = choose_test_rows(class_of_row, more, {1, 0});
  const RowSet other = choose_test_rows(class_of_row, few, {2, 0});
  EXPECT_EQ(a.intersection(b).count(), 50u);
  EXPECT_LT(a.intersection(other).count(), 25u);
}

TEST(Classes, AFoldThatHoldsAllOfAClassIsNamedWhereOneIsLeft) {
  const Classes two = classes_of(tables({"a", "b", "a"}, {"a", "b"}), 0);
  const RowSet all(5, true);
  const auto said = [](const Classes& classes, const RowSet& rows, const std::vector<std::uint32_t>& fold) {
    try {
      classes.expect_two_without_each(rows, fold);
    } catch (const Error& error) {
      return error.message() + " | " + error.hint();
    }
    return std::string();
  };
  EXPECT_EQ(said(two, all, {}), "") << "two rows each";
  EXPECT_EQ(said(two, all, {0, 0, 1, 1, 1}), "");
  EXPECT_EQ(said(two, all, {0, 1, 0, 1, 1}),
            "all 2 rows with the label \"b\", from row 2 on, are in one fold; without them every training row has the "
            "label \"a\", and two classes or more were expected | --folds loo, without --fold and --group, leaves out "
            "one row at a time");
  RowSet some(5);
  for (const std::uint64_t row : {0u, 2u, 3u, 4u}) some.add(row);
  EXPECT_EQ(
      said(two, some, {}),
      "row 5 is the only one with the label \"b\"; without it every training row has the label \"a\", and two "
      "classes or more were expected | give more rows with the label \"b\", or name another column with --target");
  const Classes three = classes_of(tables({"a", "b", "a"}, {"c", "b"}), 0);
  EXPECT_EQ(said(three, all, {}), "") << "two classes are left without c";
  EXPECT_NE(said(three, all, {0, 1, 0, 1, 1}), "") << "only a is left";
}

TEST(Classes, HaveOthersWhereALabelIsNotAmongTheRest) {
  const Classes classes = classes_of(tables({"a", "b"}, {"a"}), 0);
  RowSet first(3), second(3);
  first.add(0);
  first.add(1);
  second.add(2);
  EXPECT_TRUE(classes.have_others(first, second));
  EXPECT_FALSE(classes.have_others(second, first));
}

}  // namespace
}  // namespace plumb::classes_test
