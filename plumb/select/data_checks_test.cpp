// rows: E1
#include "plumb/select/data_checks.h"

#include <gtest/gtest.h>

#include "plumb/train/testing.h"

namespace plumb {
namespace {

TEST(DataChecks, RowsOnBothSidesAreCounted) {
  const Data data{{{1, 2}, {1, 2}, {1, 2}, {0, 2}, {-0.0, 2}, {5, 6}}, {1, 1, 2, 3, 3, 4}, {}};
  const Examples all = examples_of(data);
  RowSet test(6);
  for (const std::uint64_t row : {1u, 2u, 4u, 5u}) test.add(row);
  EXPECT_EQ(rows_seen_before(all.with(test.complement()), all.with(test)), 2u)
      << "row 1 is row 0, row 4 is row 3; row 2 has another target";
}

TEST(DataChecks, AFewCopiesAreNotWorthASentence) {
  EXPECT_EQ(duplicates_text(0, 10), "");
  EXPECT_EQ(duplicates_text(1, 100), "");
  EXPECT_NE(duplicates_text(2, 100).find("2 of 100 held-out rows"), std::string::npos);
}

TEST(DataChecks, RareClassesAreSaid) {
  EXPECT_EQ(imbalance_text({"a", "b"}, {40, 60}), "");
  EXPECT_EQ(imbalance_text({}, {}), "");
  EXPECT_NE(imbalance_text({"a", "b"}, {5, 95}).find("\"b\" 95 % of the rows, \"a\" 5 %"), std::string::npos);
  EXPECT_NE(imbalance_text({"a", "b", "c"}, {500, 500, 40}), "");
}

}  // namespace
}  // namespace plumb
