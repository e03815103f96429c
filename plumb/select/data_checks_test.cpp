// rows: E1
#include "plumb/select/data_checks.h"

#include <gtest/gtest.h>

#include "plumb/train/testing.h"

namespace plumb::data_checks_test {
namespace {

TEST(DataChecks, RowsOnBothSidesAreCounted) {
  const Data data{{{1, 2}, {1, 2}, {1, 2}, {0, 2}, {-0.0, 2}, {5, 6}}, {1, 1, 2, 3, 3, 4}, {}};
  const Examples all = examples_of(data);
  RowSet test(6);
  for (const std::uint64_t row : {1u, 2u, 4u, 5u}) test.add(row);
  EXPECT_EQ(rows_seen_before(all.with(test.complement()), all.with(test)), 2u)
      << "row 1 is row 0, row 4 is row 3; row 2 has another target";
}

TEST(DataChecks, RowsWithACopyInAnotherFoldAreCounted) {
  const Data data{{{1, 2}, {1, 2}, {3, 4}, {3, 4}, {1, 2}, {5, 6}}, {1, 1, 2, 2, 9, 4}, {}};
  const Examples all = examples_of(data);
  EXPECT_EQ(rows_in_several_folds(all, std::vector<std::uint32_t>{0, 1, 2, 2, 0, 1}), 2u)
      << "rows 0 and 1 are in two folds, 2 and 3 in one; row 4 has another target";
  EXPECT_EQ(rows_in_several_folds(all, {}), 4u);
}

TEST(DataChecks, CopiesAreSaidAndManyOfThemToldFromAFew) {
  EXPECT_EQ(copies_text(0, 10, "row", "another"), "");
  EXPECT_NE(copies_text(1, 100, "held-out row", "a training row").find("1 of 100 held-out rows is the same as a"),
            std::string::npos);
  EXPECT_FALSE(many_copies(1, 100));
  EXPECT_TRUE(many_copies(2, 100));
}

TEST(DataChecks, RareClassesAreSaid) {
  EXPECT_EQ(imbalance_text({"a", "b"}, {40, 60}), "");
  EXPECT_EQ(imbalance_text({}, {}), "");
  EXPECT_NE(imbalance_text({"a", "b"}, {5, 95}).find("always predicting \"b\" would be right 95 % of the time"),
            std::string::npos);
  EXPECT_NE(imbalance_text({"a", "b", "c"}, {500, 500, 40}), "");
}

}  // namespace
}  // namespace plumb::data_checks_test
